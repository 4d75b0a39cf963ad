/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "lang/check/range.h"

enum { RANGE_MAXDEPTH = 64 };	/* deeper nodes have unknown bounds */

#define RANGE_SUM (1ll << 40)	/* sums of smaller values do not overflow */

static struct int_range range_between(int64_t lo, int64_t hi)
{
	return (struct int_range){ true, lo, hi };
}

static struct int_range of_type(const struct type *t)
{
	unsigned bits = 8 * (unsigned)t->size;

	if (!type_is_int(t) || !bits || bits >= 64)
		return (struct int_range){ 0 };
	if (t->is_bool)
		return range_between(0, 1);
	if (t->is_signed)
		return range_between(-(1ll << (bits - 1)), (1ll << (bits - 1)) - 1);
	return range_between(0, (1ll << bits) - 1);
}

bool range_fits(const struct int_range *r, const struct type *t)
{
	struct int_range all = of_type(t);

	if (!r->known || !type_is_int(t))
		return false;
	if (!all.known)		/* 64-bit types have no known range */
		return t->is_signed || r->lo >= 0;
	return r->lo >= all.lo && r->hi <= all.hi;
}

bool range_indexes(const struct int_range *r, uint64_t size)
{
	int64_t most = RANGE_MEMORY / (int64_t)size;

	return r->known && r->lo >= -most && r->hi <= most;
}

struct int_range range_join(struct int_range a, struct int_range b)
{
	if (!a.known || !b.known)
		return (struct int_range){ 0 };
	return range_between(a.lo < b.lo ? a.lo : b.lo, a.hi > b.hi ? a.hi : b.hi);
}

/* ---- operators: the operands' ranges and the result's type ---- */
typedef struct int_range op_fn(struct int_range a, struct int_range b, const struct type *t);

static struct int_range op_truth(struct int_range a, struct int_range b, const struct type *t)
{
	(void)a;
	(void)b;
	(void)t;
	return range_between(0, 1);
}

/* A non-negative operand bounds the result, whatever the other one is. */
static struct int_range op_and(struct int_range a, struct int_range b, const struct type *t)
{
	bool of_a = a.known && a.lo >= 0, of_b = b.known && b.lo >= 0;

	if (!of_a && !of_b)
		return of_type(t);
	return range_between(0, of_a && (!of_b || a.hi < b.hi) ? a.hi : b.hi);
}

static struct int_range op_mod(struct int_range a, struct int_range b, const struct type *t)
{
	if (!b.known || b.lo != b.hi || b.lo <= 0)
		return of_type(t);
	return range_between(!t->is_signed || (a.known && a.lo >= 0) ? 0 : 1 - b.hi, b.hi - 1);
}

static struct int_range op_shr(struct int_range a, struct int_range b, const struct type *t)
{
	if (!a.known || a.lo < 0 || !b.known || b.lo != b.hi || b.lo < 0 || b.lo > 63)
		return of_type(t);
	return range_between(a.lo >> b.lo, a.hi >> b.lo);
}

static bool is_small(struct int_range r)
{
	return r.known && r.lo > -RANGE_SUM && r.hi < RANGE_SUM;
}

static struct int_range op_add(struct int_range a, struct int_range b, const struct type *t)
{
	return is_small(a) && is_small(b) ? range_between(a.lo + b.lo, a.hi + b.hi) : of_type(t);
}

static struct int_range op_sub(struct int_range a, struct int_range b, const struct type *t)
{
	return is_small(a) && is_small(b) ? range_between(a.lo - b.hi, a.hi - b.lo) : of_type(t);
}

static op_fn *const binary[] = {
	[OP_ADD] = op_add, [OP_SUB] = op_sub, [OP_MOD] = op_mod, [OP_AND] = op_and, [OP_SHR] = op_shr,
	[OP_EQ] = op_truth, [OP_NE] = op_truth, [OP_LT] = op_truth, [OP_LE] = op_truth, [OP_GT] = op_truth,
	[OP_GE] = op_truth, [OP_LAND] = op_truth, [OP_LOR] = op_truth, [OP_LXOR] = op_truth,
};

/* ---- expressions ---- */
static struct int_range at_depth(const struct node *n, unsigned depth);

static struct int_range of_binary(const struct node *n, unsigned depth)
{
	op_fn *fn = n->op < sizeof binary / sizeof *binary ? binary[n->op] : NULL;

	if (!fn)
		return of_type(n->type);
	return fn(at_depth(n->a, depth), at_depth(n->b, depth), n->type);
}

static struct int_range of_constant(const struct node *n)
{
	int64_t v = (int64_t)n->value;

	return v < 0 && type_is_int(n->type) && !n->type->is_signed ? of_type(n->type) : range_between(v, v);
}

static struct int_range of_node(const struct node *n, unsigned depth)
{
	switch (n->kind) {
	case N_INT:
		return of_constant(n);
	case N_BINARY:
		return of_binary(n, depth);
	case N_UNARY:
		return n->op == OP_LNOT ? range_between(0, 1) : of_type(n->type);
	case N_COND:
		return range_join(at_depth(n->b, depth), at_depth(n->c, depth));
	case N_COMMA:
		return at_depth(n->b, depth);
	case N_CAST:
		return at_depth(n->a, depth);
	default:
		return of_type(n->type);
	}
}

/* A value that does not fit into its type was truncated. */
static struct int_range at_depth(const struct node *n, unsigned depth)
{
	struct int_range r = { 0 };

	if (depth < RANGE_MAXDEPTH)
		r = of_node(n, depth + 1);
	return range_fits(&r, n->type) ? r : of_type(n->type);
}

struct int_range range_of(const struct node *n)
{
	return at_depth(n, 0);
}
