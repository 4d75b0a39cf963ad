/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Parts of strings. A byte: *s, s[i]; the first one is read from the string itself, another one from a substr() of one
 * byte. The rest of a string: s + i. A pointer to a string.
 */
#include "lang/check_conversions.h"
#include "lang/check_memory.h"
#include "lang/check_operators.h"
#include "lang/func.h"
#include "lang/lower_strings.h"

static struct ir_arg first_byte(struct lower *l, const struct node *call)
{
	uint32_t cap;
	struct ir_arg place = lower_strplace(l, call->args[0], &cap), byte;

	byte = ir_r(ir_emit(&l->b, IR_LD8, place));
	return lower_op(l, IR_ASHR, lower_op(l, IR_SHL, byte, ir_i(56)), ir_i(56));
}

/* Its name is not an identifier, so no script can call it. */
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

/* An index, or NO_BYTE if it is negative or greater: substr() takes an int and counts a negative one from the end. */
static struct ir_arg byte_index(struct lower *l, const struct node *call)
{
	struct ir_arg i = lower_expr(l, call->args[0]), beyond = lower_op(l, IR_UGT, i, ir_i(NO_BYTE));

	return lower_op(l, IR_AND, lower_op(l, IR_OR, i, lower_op(l, IR_SUB, ir_i(0), beyond)), ir_i(NO_BYTE));
}

static const struct func index_func = { .name = "[ ]", .value = byte_index };

/* That many bytes of the string from the index on; 0: the rest. Empty if the index is out of bounds. */
static struct node *part(struct checker *ck, struct node *s, struct node *i, unsigned bytes)
{
	struct type *t = bytes ? type_string(ck->t, bytes + 1) : s->type;
	struct node *n = call(ck, i->loc, func_find("substr"), "substr", t, bytes ? 3 : 2);

	n->args[0] = s;
	n->args[1] = call(ck, i->loc, &index_func, index_func.name, ck->t->t_int, 1);
	n->args[1]->args[0] = check_cast(ck, i, ck->t->t_long);
	if (bytes)
		n->args[2] = check_int(ck, i->loc, ck->t->t_int, bytes);
	return n;
}

struct type *check_byte(struct checker *ck, struct node **np, struct node *s, struct node *i)
{
	struct node *n = call(ck, (*np)->loc, &byte_func, byte_func.name, ck->t->t_char, 1);

	n->args[0] = i && !node_is_zero(i) ? part(ck, s, i, 1) : s;
	*np = n;
	return n->type;
}

struct type *check_rest(struct checker *ck, struct node **np, struct node *s, struct node *i, bool minus)
{
	struct node *neg;

	if (minus) {
		neg = check_node(ck, N_UNARY, i->loc, ck->t->t_long);
		neg->op = OP_NEG;
		neg->a = check_cast(ck, i, ck->t->t_long);
		check_fold(ck, &neg);
		i = neg;
	}
	*np = node_is_zero(i) ? s : part(ck, s, i, 0);
	return (*np)->type;
}

static const struct func copy_func = { .name = "string *", .value = func_string_copy };

struct node *check_string_pointer(struct checker *ck, struct node *s)
{
	struct type *t = type_pointer(ck->t, ck->t->t_char);
	struct node *n;

	if (s->kind == N_CAST && !s->a->type->user)
		return s->a;
	if (s->kind == N_VAR && s->var->cls == VC_GLOBAL) {
		n = check_node(ck, N_ADDR, s->loc, t);
		n->a = s;
		s->var->reached = true;
		return n;
	}
	n = call(ck, s->loc, &copy_func, copy_func.name, t, 1);
	n->args[0] = s;
	return n;
}
