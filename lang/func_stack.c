/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Stacks and symbols: stack() ustack() jstack(), sym() func() mod(), usym() ufunc() umod() uaddr(). */
#include "lang/func.h"

enum { PID_BYTES = 8, PC_BYTES = 8 };

static bool positive_constant(const struct node *n, int64_t *v)
{
	return n->type && type_is_int(n->type) && node_const(n, v) && (!n->type->is_signed || *v > 0) && *v;
}

/* More frames than the kernel collects are no more: maxframes. */
static uint64_t frames(struct checker *ck, int64_t asked)
{
	uint64_t most = ck->c->opts.maxframes;

	return (uint64_t)asked < most ? (uint64_t)asked : most;
}

static bool at_most(struct checker *ck, const struct node *call, unsigned n, enum diag_tag tag)
{
	if (call->nargs <= n)
		return true;
	check_fail(ck, call->loc, tag, "%s( ) prototype mismatch: too many arguments", call->str);
	return false;
}

/* ---- stacks ---- */
struct type *func_stack_check(struct checker *ck, struct node *call)
{
	int64_t n = ck->c->opts.stackframes;

	if (!at_most(ck, call, 1, D_STACK_PROTO) || (call->nargs && !check_value(ck, &call->args[0])))
		return NULL;
	if (call->nargs && !positive_constant(call->args[0], &n))
		return check_fail(ck, call->args[0]->loc, D_STACK_SIZE,
				  "stack( ) size must be a non-zero positive integral constant expression");
	return type_symbolic(ck->t, VAL_STACK, PC_BYTES * frames(ck, n));
}

/* The second argument is the room for names that a virtual machine gives to its frames: no such names are collected. */
static struct type *check_ustack(struct checker *ck, struct node *call, int64_t n)
{
	int64_t strsize;

	if (!at_most(ck, call, 2, D_USTACK_PROTO))
		return NULL;
	for (unsigned i = 0; i < call->nargs; i++)
		if (!check_value(ck, &call->args[i]))
			return NULL;
	if (call->nargs > 0 && !positive_constant(call->args[0], &n))
		return check_fail(ck, call->args[0]->loc, D_USTACK_FRAMES,
				  "ustack( ) argument #1 must be a non-zero positive integer constant");
	if (call->nargs > 1 && !(node_is_zero(call->args[1]) || positive_constant(call->args[1], &strsize)))
		return check_fail(ck, call->args[1]->loc, D_USTACK_STRSIZE,
				  "ustack( ) argument #2 must be a positive integer constant");
	return type_symbolic(ck->t, VAL_USTACK, PID_BYTES + PC_BYTES * frames(ck, n));
}

struct type *func_ustack_check(struct checker *ck, struct node *call)
{
	return check_ustack(ck, call, ck->c->opts.ustackframes);
}

struct type *func_jstack_check(struct checker *ck, struct node *call)
{
	return check_ustack(ck, call, ck->c->opts.jstackframes);
}

void func_stack(struct lower *l, const struct node *call, struct ir_arg dst)
{
	ir_emit(&l->b, IR_STACK, dst, ir_i((int64_t)call->type->size), ir_i(0));
}

static void store_pid(struct lower *l, struct ir_arg dst)
{
	struct ir_arg both = ir_r(ir_emit0(&l->b, IR_PIDTGID));

	ir_emit(&l->b, IR_ST64, dst, lower_op(l, IR_LSHR, both, ir_i(32)));
}

void func_ustack(struct lower *l, const struct node *call, struct ir_arg dst)
{
	store_pid(l, dst);
	dst.imm += PID_BYTES;
	ir_emit(&l->b, IR_STACK, dst, ir_i((int64_t)call->type->size - PID_BYTES), ir_i(1));
}

/* ---- symbols ---- */
static struct type *check_address(struct checker *ck, struct node *call, uint8_t kind, uint64_t size)
{
	struct type *t = check_operand(ck, &call->args[0]);

	if (!t)
		return NULL;
	if (!type_is_scalar(t))
		return check_fail(ck, call->args[0]->loc, D_PROTO_ARG,
				  "%s( ) argument #1 is incompatible with prototype: it must be an address, not \"%s\"",
				  call->str, check_text(ck, t));
	call->args[0] = check_cast(ck, call->args[0], ck->t->t_ulong);
	return type_symbolic(ck->t, kind, size);
}

struct type *func_sym_check(struct checker *ck, struct node *call)
{
	return check_address(ck, call, VAL_SYM, PC_BYTES);
}

struct type *func_mod_check(struct checker *ck, struct node *call)
{
	return check_address(ck, call, VAL_MOD, PC_BYTES);
}

struct type *func_usym_check(struct checker *ck, struct node *call)
{
	return check_address(ck, call, VAL_USYM, PID_BYTES + PC_BYTES);
}

struct type *func_umod_check(struct checker *ck, struct node *call)
{
	return check_address(ck, call, VAL_UMOD, PID_BYTES + PC_BYTES);
}

struct type *func_uaddr_check(struct checker *ck, struct node *call)
{
	return check_address(ck, call, VAL_UADDR, PID_BYTES + PC_BYTES);
}

void func_sym(struct lower *l, const struct node *call, struct ir_arg dst)
{
	ir_emit(&l->b, IR_ST64, dst, lower_expr(l, call->args[0]));
}

void func_usym(struct lower *l, const struct node *call, struct ir_arg dst)
{
	struct ir_arg pc = dst, v = lower_expr(l, call->args[0]);

	pc.imm += PID_BYTES;
	store_pid(l, dst);
	ir_emit(&l->b, IR_ST64, pc, v);
}
