/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * _gather(CALLS, missed, result): records the arguments of a system call and the memory that they point to
 * (rt/gather.h), in a record that is as long as that. _gathered(): afterwards, which texts could not be read, a bit for
 * each argument. For `dtr trace`, whose probes share a program but not the meaning of their arguments; names that begin
 * with '_' are not part of D.
 *
 * CALLS describes them: "NAME=N:ARGUMENT,ARGUMENT;NAME=..." N arguments are recorded themselves. An argument is empty,
 * or the letters of how and when its memory is copied, and "WITH.SIZE.MOST", the numbers of gather_op().
 */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "lang/check/checker.h"
#include "lang/check/conv.h"
#include "lang/func/family.h"
#include "lang/lower/expr.h"
#include "lang/lower/gate.h"
#include "lang/lower/gathered.h"
#include "lang/lower/lower.h"
#include "rt/gather.h"

struct gather_calls {
	struct lower *l;
	const struct node *text;
	uint64_t table[GATHER_OPS];
	unsigned ntable;
	uint64_t *chosen;	/* by probe of the gate */
};

struct type *func_gather_check(struct checker *ck, struct node *call)
{
	if (!check_operand(ck, &call->args[0]))
		return NULL;
	if (call->args[0]->kind != N_STR || call->nargs != 3)
		return check_fail(ck, call->loc, D_PROTO_ARG, "%s( ) is internal", call->str);
	for (unsigned i = 1; i < call->nargs; i++)
		if (!func_int_arg(ck, call, i, ck->t->t_ulong))
			return NULL;
	return type_symbolic(ck->t, VAL_BYTES, sizeof(struct gather));
}

struct type *func_gathered_check(struct checker *ck, struct node *call)
{
	(void)call;
	return ck->t->t_ulong;
}

/* ---- the text ---- */

static bool text_fails(struct gather_calls *c, const char *at)
{
	diag(c->l->diags, c->text->loc, D_PROTO_ARG, "malformed description of arguments: \"%.20s\"", at);
	return false;
}

/* The number of a letter, or -1. */
static int letter_number(const char *letters, char c)
{
	const char *at = c ? strchr(letters, c) : NULL;

	return at ? (int)(at - letters) : -1;
}

/* Two letters, and numbers separated by dots. Returns what follows, or NULL. */
static const char *parse_op(const char *s, uint64_t *op)
{
	const int how = letter_number(GATHER_HOW_LETTERS, *s);
	const int when = how < 0 ? -1 : letter_number(GATHER_WHEN_LETTERS, s[1]);
	unsigned long v[3];
	char *end = (char *)s + 1;

	for (unsigned i = 0; i < 3 && when >= 0; i++) {
		s = end + 1;
		v[i] = strtoul(s, &end, 10);
		if (end == s || (i < 2 && *end != '.'))
			return NULL;
	}
	if (when < 0 || v[0] >= GATHER_ARGS || v[1] > UINT16_MAX || v[2] > UINT32_MAX)
		return NULL;
	*op = gather_op((unsigned)how + 1, (unsigned)when, (unsigned)v[0], v[1], v[2]);
	return end;
}

/* The number of a description; 0: there are too many. */
static unsigned op_number(struct gather_calls *c, uint64_t op)
{
	unsigned i = 1;

	while (i < c->ntable && c->table[i] != op)
		i++;
	if (i == GATHER_OPS)
		return 0;
	c->table[i] = op;
	c->ntable = i < c->ntable ? c->ntable : i + 1;
	return i;
}

/* The arguments of a call, up to ';' or the end. Returns what follows, or NULL. */
static const char *parse_call(struct gather_calls *c, const char *s, uint64_t *chosen)
{
	uint64_t op;
	unsigned number;

	if (*s < '0' || *s > '0' + GATHER_ARGS || s[1] != ':')
		return NULL;
	*chosen = (uint64_t)(*s - '0') << 8 * GATHER_ARGS;
	s += 2;
	for (unsigned i = 0; *s && *s != ';'; i++, s += *s == ',') {
		if (*s == ',')
			continue;
		s = parse_op(s, &op);
		number = s && i < GATHER_ARGS ? op_number(c, op) : 0;
		if (!number || (*s && *s != ',' && *s != ';'))
			return NULL;
		*chosen |= (uint64_t)number << 8 * i;
	}
	return *s ? s + 1 : s;
}

static bool parse_calls(struct gather_calls *c)
{
	const struct gate *g = c->l->info->gate;
	struct map names;

	map_init(&names, c->l->arena);
	for (size_t m = 0; g && m < g->members.n; m++)
		map_put(&names, g->members.v[m]->func, strlen(g->members.v[m]->func))[0] = &c->chosen[m];
	for (const char *s = c->text->str, *next; *s; s = next) {
		const size_t n = strcspn(s, "=");
		uint64_t other = 0;
		void **at = map_find(&names, s, n);

		next = s[n] ? parse_call(c, s + n + 1, at ? *at : &other) : NULL;
		if (!next)
			return text_fails(c, s);
	}
	return true;
}

/* ---- the record ---- */

void func_gather(struct lower *l, const struct node *call, struct ir_arg dst)
{
	struct gather_calls c = { .l = l, .text = call->args[0], .ntable = 1 };
	const struct provider_values *values = l->probe->prov->values;
	const struct gate *g = l->info->gate;
	struct ir_arg chosen, to = dst;
	uint32_t table;
	ir_reg r;

	c.chosen = arena_calloc(l->arena, g ? g->members.n : 1, sizeof *c.chosen);
	if (!parse_calls(&c))
		return;
	table = ir_obj_add(l->ir, &(struct ir_obj){
		.name = arena_printf(l->arena, "ops@%zu", l->ir->objs.n), .kind = IR_O_CONST, .size = sizeof c.table,
		.init = arena_memdup(l->arena, c.table, sizeof c.table),
	});
	if (!l->en->info->varies)
		ir_emit(&l->b, IR_ZERO, dst, ir_i(sizeof(struct gather)));
	to.imm += (int64_t)offsetof(struct gather, missed);
	for (unsigned i = 1; i < call->nargs; i++, to.imm += 8)
		ir_emit(&l->b, IR_ST64, to, lower_expr(l, call->args[i]));
	if (values && values->registers)
		values->registers(&l->b, to);
	else
		ir_emit(&l->b, IR_ZERO, to, ir_i(8 * GATHER_ARGS));
	chosen = l->member ? lower_gate_load(l, lower_gate_table(l, "arguments", c.chosen)) :
		 ir_i((int64_t)c.chosen[0]);
	r = ir_emit(&l->b, IR_GATHER, dst, ir_i(sizeof(struct gather)), ir_m(table, 0), ir_i(sizeof c.table), chosen);
	ir_emit(&l->b, IR_ST64, ir_m(lower_gather_state(l), 0), ir_r(r));
}

struct ir_arg func_gathered(struct lower *l, const struct node *call)
{
	const uint32_t o = lower_gather_state(l);

	(void)call;
	return lower_op(l, IR_LSHR, ir_r(ir_emit(&l->b, IR_LD64, ir_m(o, 0))), ir_i(32));
}
