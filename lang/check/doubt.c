/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Warnings about valid but doubtful code: comparisons with only one possible result, '=' as a condition. */
#include "lang/check/doubt.h"

#include <string.h>

#include "lang/check/checker.h"
#include "lang/check/fold.h"
#include "lang/check/range.h"

enum cmp_result { EITHER, NEVER, ALWAYS };

/* True for the prelude, and for a place with a warning: an inline may be used many times. */
static bool is_suppressed(struct checker *ck, struct loc loc)
{
	void **slot;

	if (ck->declaring || !loc.src || loc_origin(loc))
		return true;
	slot = map_put(&ck->doubts, &loc, sizeof loc);
	if (*slot)
		return true;
	*slot = ck;
	return false;
}

/* ---- ranges ---- */
static enum cmp_result negated_result(enum cmp_result r)
{
	return r == NEVER ? ALWAYS : r == ALWAYS ? NEVER : EITHER;
}

static enum cmp_result range_less(struct int_range a, struct int_range b)
{
	if (!a.known || !b.known)
		return EITHER;
	return a.hi < b.lo ? ALWAYS : a.lo >= b.hi ? NEVER : EITHER;
}

static enum cmp_result range_equal(struct int_range a, struct int_range b)
{
	return a.known && b.known && (a.hi < b.lo || b.hi < a.lo) ? NEVER : EITHER;
}

/* The result of an operator on integers in these ranges. */
static enum cmp_result by_range(enum op op, struct int_range a, struct int_range b)
{
	switch (op) {
	case OP_EQ:
		return range_equal(a, b);
	case OP_NE:
		return negated_result(range_equal(a, b));
	case OP_LT:
		return range_less(a, b);
	case OP_GE:
		return negated_result(range_less(a, b));
	case OP_GT:
		return range_less(b, a);
	case OP_LE:
		return negated_result(range_less(b, a));
	default:
		return EITHER;
	}
}

/* An unsigned value is never below 0, however wide its type. */
static enum cmp_result below_zero(enum op op, const struct node *a, const struct node *b)
{
	if (!type_is_int(a->type) || a->type->is_signed)
		return EITHER;
	if (node_is_zero(b) && (op == OP_LT || op == OP_GE))
		return op == OP_LT ? NEVER : ALWAYS;
	if (node_is_zero(a) && (op == OP_GT || op == OP_LE))
		return op == OP_GT ? NEVER : ALWAYS;
	return EITHER;
}

/* True if `to` can hold every value of `from`. */
static bool keeps_values(const struct type *from, const struct type *to)
{
	return from->size < to->size ? !from->is_signed || to->is_signed :
	       from->size == to->size && from->is_signed == to->is_signed;
}

/* The operand's type before promotion; "int:3" for a bit-field. */
static const char *own_type(struct checker *ck, const struct node *n)
{
	while (n->kind == N_CAST && type_is_int(n->a->type) && type_is_int(n->type) &&
	       keeps_values(n->a->type, n->type))
		n = n->a;
	if (n->kind == N_MEMBER && n->bits && n->bits < 8 * n->type->size)
		return arena_printf(ck->a, "%s:%u", check_text(ck, n->type), (unsigned)n->bits);
	return check_text(ck, n->type);
}

static void compare_integers(struct checker *ck, const struct node *n)
{
	enum cmp_result r = below_zero(n->op, n->a, n->b);

	if (!r)
		r = by_range(n->op, range_of(n->a), range_of(n->b));
	if (r && !is_suppressed(ck, n->loc))
		diag_warn(ck->d, n->loc, D_CMP_FIXED, "comparison is always %s due to the range of \"%s\"",
			  r == ALWAYS ? "true" : "false", own_type(ck, n->a->kind == N_INT ? n->b : n->a));
}

/* ---- strings ---- */
/* A constant longer than the other string can be. */
static void compare_strings(struct checker *ck, const struct node *n)
{
	const struct node *text = n->a->kind == N_STR ? n->a : n->b, *s = text == n->a ? n->b : n->a;
	uint64_t room = s->type->size ? s->type->size : ck->c->opts.strsize;

	if (text->kind != N_STR || (n->op != OP_EQ && n->op != OP_NE) || text->len < room || is_suppressed(ck, n->loc))
		return;
	diag_warn(ck->d, n->loc, D_CMP_FIXED,
		  "comparison is always %s: this string has at most %llu characters, the constant %zu",
		  n->op == OP_NE ? "true" : "false", (unsigned long long)room - 1, text->len);
}

/* ---- arguments of probes ---- */
/* The number of the argument (arg0 ... arg9), possibly cast to integers of at least this size, or -1. */
static int probe_argument(const struct node *n, uint64_t least)
{
	while (n->kind == N_CAST && type_is_int(n->type) && n->type->size >= least)
		n = n->a;
	if (n->kind != N_VAR || n->var->cls != VC_BUILTIN || n->var->builtin < BI_arg0 || n->var->builtin > BI_arg9)
		return -1;
	return (int)(n->var->builtin - BI_arg0);
}

/* True if the argument is of this kind at every probe of the clause. */
static bool has_kind(const struct checker *ck, int arg, enum arg_kind kind)
{
	const struct clause *c = ck->clause;

	for (size_t i = 0; c && arg >= 0 && i < c->probes.n; i++) {
		const struct probe *p = c->probes.v[i];

		if (!p->prov->values || !p->prov->values->kind ||
		    p->prov->values->kind(p, (unsigned)arg) != kind)
			return false;
	}
	return c && arg >= 0 && c->probes.n;
}

/* Compares an argument that is only the lower half of a register with a negative number. */
static bool compare_narrow(struct checker *ck, const struct node *n)
{
	const struct int_range word = { true, 0, UINT32_MAX };
	bool swap = n->a->kind == N_INT;
	const struct node *k = swap ? n->a : n->b;
	const struct int_range value = { true, (int64_t)k->value, (int64_t)k->value };
	int arg = probe_argument(swap ? n->b : n->a, 8);
	enum cmp_result r = swap ? by_range(n->op, value, word) : by_range(n->op, word, value);

	if (!has_kind(ck, arg, ARG_NARROW) || !r)
		return false;
	if (!is_suppressed(ck, n->loc))
		diag_warn(ck->d, n->loc, D_CMP_FIXED,
			  "comparison may always be %s: arg%d is the lower half of a register, write (int)arg%d",
			  r == ALWAYS ? "true" : "false", arg, arg);
	return true;
}

/* Compares with -1 where each error has its own number. */
static bool compare_result(struct checker *ck, const struct node *n)
{
	bool swap = n->a->kind == N_INT, equal = n->op == OP_EQ || n->op == OP_NE;
	int arg = probe_argument(swap ? n->b : n->a, 1);
	const struct node *k = swap ? n->a : n->b;

	if (!equal || type_extend(ck->t->t_int, k->value) != UINT64_MAX || !has_kind(ck, arg, ARG_RESULT))
		return false;
	if (!is_suppressed(ck, n->loc))
		diag_warn(ck->d, n->loc, D_CMP_FIXED,
			  "arg%d of a failed call is -errno, so -1 is only EPERM: test errno",
			  arg);
	return true;
}

/* True if a number is a setting; 0 often means "no limit" there. Preprocessor macros are not recognised. */
static bool is_configured(const struct node *n)
{
	if (!n)
		return false;
	if (n->setting || (n->loc.src && n->loc.src->shown))
		return true;
	return n->kind != N_CALL && (is_configured(n->a) || is_configured(n->b) || is_configured(n->c));
}

void check_comparison(struct checker *ck, const struct node *n)
{
	bool constant = n->a->kind == N_INT || n->b->kind == N_INT;

	if (n->a->kind == n->b->kind && (n->a->kind == N_INT || n->a->kind == N_STR))
		return;		/* two settings */
	if (is_configured(n->a) || is_configured(n->b))
		return;
	if (type_is_string(n->a->type))
		compare_strings(ck, n);
	else if (type_is_int(n->a->type) && !(constant && (compare_narrow(ck, n) || compare_result(ck, n))))
		compare_integers(ck, n);
}

/* ---- '=' ---- */
void check_condition(struct checker *ck, const struct node *n)
{
	bool logical = n->kind == N_BINARY && (n->op == OP_LAND || n->op == OP_LOR || n->op == OP_LXOR);

	if (n->kind == N_ASSIGN && n->op == OP_NONE && !n->enclosed && !is_suppressed(ck, n->loc))
		diag_warn(ck->d, n->loc, D_PRED_ASSIGN,
			  "assignment used as a condition: write ==, or parentheses around an intended assignment");
	if ((!logical && !(n->kind == N_UNARY && n->op == OP_LNOT)) || !check_deeper(ck, n->loc))
		return;
	check_condition(ck, n->a);
	if (logical)
		check_condition(ck, n->b);
	ck->depth--;
}
