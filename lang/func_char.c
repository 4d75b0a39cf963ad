/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A byte of a string: *s, s[i]. The first one is read where the string lies, another one as a substr() of one byte. */
#include "lang/func.h"

static struct ir_arg first_byte(struct lower *l, const struct node *call)
{
	uint32_t cap;
	struct ir_arg place = lower_strplace(l, call->args[0], &cap), byte;

	byte = ir_r(ir_emit(&l->b, IR_LD8, place));
	return lower_op(l, IR_ASHR, lower_op(l, IR_SHL, byte, ir_i(56)), ir_i(56));
}

/* A name that no script can call. */
static const struct func byte_func = { .name = "string[ ]", .value = first_byte };

static struct node *call(struct checker *ck, struct loc loc, const struct func *f, const char *name, struct type *t,
			 unsigned nargs)
{
	struct node *n = check_node(ck, N_CALL, loc, t);

	n->func = f;
	n->str = name;
	n->nargs = nargs;
	n->args = arena_calloc(ck->a, nargs, sizeof *n->args);
	return n;
}

/* No string has that many bytes. */
enum { NO_BYTE = 0xffff };

/* An index, one below 0 or beyond NO_BYTE as NO_BYTE: substr() takes an int, and would count from the end. */
static struct ir_arg byte_index(struct lower *l, const struct node *call)
{
	struct ir_arg i = lower_expr(l, call->args[0]), beyond = lower_op(l, IR_UGT, i, ir_i(NO_BYTE));

	return lower_op(l, IR_AND, lower_op(l, IR_OR, i, lower_op(l, IR_SUB, ir_i(0), beyond)), ir_i(NO_BYTE));
}

static const struct func index_func = { .name = "[ ]", .value = byte_index };

/* What lies outside of the string is 0. */
static struct node *rest_at(struct checker *ck, struct node *s, struct node *i)
{
	struct node *rest = call(ck, i->loc, func_find("substr"), "substr", type_string(ck->t, 2), 3);

	rest->args[0] = s;
	rest->args[1] = call(ck, i->loc, &index_func, index_func.name, ck->t->t_int, 1);
	rest->args[1]->args[0] = check_cast(ck, i, ck->t->t_long);
	rest->args[2] = check_int(ck, i->loc, ck->t->t_int, 1);
	return rest;
}

struct type *check_byte(struct checker *ck, struct node **np, struct node *s, struct node *i)
{
	struct node *n = call(ck, (*np)->loc, &byte_func, byte_func.name, ck->t->t_char, 1);

	n->args[0] = i && !node_is_zero(i) ? rest_at(ck, s, i) : s;
	*np = n;
	return n->type;
}
