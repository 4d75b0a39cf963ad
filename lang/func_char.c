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

/* ---- the text of such a pointer ---- */
static struct node *text_of(struct checker *ck, struct node *n);

static bool points_to_bytes(const struct type *t)
{
	return t->kind == T_PTR && (t->ref->kind == T_VOID || (type_is_int(t->ref) && t->ref->size == 1));
}

/* NULL is the empty string. */
static struct node *text_or_value(struct checker *ck, struct node *n, struct node *text)
{
	return text ? text : node_is_zero(n) ? check_int(ck, n->loc, ck->t->t_int, 0) : n;
}

/* c ? p : q, where one of them points to a copy. */
static struct node *text_of_cond(struct checker *ck, struct node *n)
{
	struct node *b = text_of(ck, n->b), *c = text_of(ck, n->c), *copy;

	if (!b && !c)
		return NULL;
	copy = arena_memdup(ck->a, n, sizeof *n);
	copy->b = text_or_value(ck, n->b, b);
	copy->c = text_or_value(ck, n->c, c);
	copy->type = ck->t->t_string;
	return check_convert(ck, &copy->b, copy->type) && check_convert(ck, &copy->c, copy->type) ? copy : NULL;
}

/* p + i, p - i */
static struct node *text_of_sum(struct checker *ck, struct node *n)
{
	struct node *s = text_of(ck, n->a), *rest = n;

	return s && check_rest(ck, &rest, s, n->b, n->op == OP_SUB) ? rest : NULL;
}

static struct node *text_of(struct checker *ck, struct node *n)
{
	if (n->kind == N_CALL)
		return n->func == &copy_func ? n->args[0] : NULL;
	if (!points_to_bytes(n->type))
		return NULL;
	if (n->kind == N_CAST)
		return text_of(ck, n->a);
	if (n->kind == N_BINARY && (n->op == OP_ADD || n->op == OP_SUB))
		return text_of_sum(ck, n);
	return n->kind == N_COND ? text_of_cond(ck, n) : NULL;
}

bool check_scratch_text(struct checker *ck, struct node **np)
{
	struct node *text = points_to_bytes((*np)->type) ? text_of(ck, *np) : NULL;

	if (text)
		*np = text;
	return text;
}
