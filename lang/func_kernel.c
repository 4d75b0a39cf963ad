/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Functions that know the kernel's structures: processes' ancestors, device numbers. */
#include "lang/func.h"

/* ---- progenyof ---- */
enum { ANCESTORS = 32 };	/* D has no loops: so many generations are looked at */

struct type *func_progenyof_check(struct checker *ck, struct node *call)
{
	return func_int_arg(ck, call, 0, ck->t->t_int) ? ck->t->t_int : NULL;
}

struct ir_arg func_progenyof(struct lower *l, const struct node *call)
{
	uint32_t yes = ir_newblock(&l->b, "progeny"), end = ir_newblock(&l->b, NULL), next;
	struct ir_arg pid = lower_fit(l, lower_expr(l, call->args[0]), NULL, l->c->types.t_uint), task, id;
	ir_reg r = ir_newreg(&l->b);

	ir_emit_to(&l->b, IR_MOV, r, ir_i(0));
	id = lower_op(l, IR_LSHR, ir_r(ir_emit0(&l->b, IR_PIDTGID)), ir_i(32));
	task = ir_r(ir_emit0(&l->b, IR_TASK));
	for (int i = 0; i < ANCESTORS; i++) {
		next = ir_newblock(&l->b, NULL);
		ir_emit(&l->b, IR_BEQ, id, pid, ir_b(yes), ir_b(next));
		ir_enter(&l->b, next);
		next = ir_newblock(&l->b, NULL);
		ir_emit(&l->b, IR_BEQ, id, ir_i(0), ir_b(end), ir_b(next));
		ir_enter(&l->b, next);
		task = lower_kfield(l, call, task, KF_REAL_PARENT);
		id = lower_kfield(l, call, task, KF_TGID);
	}
	ir_emit(&l->b, IR_BEQ, id, pid, ir_b(yes), ir_b(end));
	ir_enter(&l->b, yes);
	ir_emit_to(&l->b, IR_MOV, r, ir_i(1));
	ir_enter(&l->b, end);
	return ir_r(r);
}

/* ---- device numbers, as the kernel has them: 12 and 20 bits ---- */
enum { MINOR_BITS = 20 };

struct type *func_device_check(struct checker *ck, struct node *call)
{
	return func_int_arg(ck, call, 0, ck->t->t_uint) ? ck->t->t_uint : NULL;
}

struct ir_arg func_getmajor(struct lower *l, const struct node *call)
{
	return lower_op(l, IR_LSHR, lower_expr(l, call->args[0]), ir_i(MINOR_BITS));
}

struct ir_arg func_getminor(struct lower *l, const struct node *call)
{
	return lower_op(l, IR_AND, lower_expr(l, call->args[0]), ir_i((1 << MINOR_BITS) - 1));
}
