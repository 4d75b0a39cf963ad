/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Integer constants that declarations need while they are parsed: array sizes, bit-field widths, enumerators. Their
 * types and values are the same as in a clause.
 */
#include "lang/syntax/const.h"

#include "lang/prelude.h"
#include "lang/syntax/fold.h"

/* An inline that uses another one twice doubles the work at each level. No handwritten script reaches this limit. */
enum { CONST_MAXWORK = 10000 };

struct const_reader {
	struct parser *p;
	struct types *t;
	unsigned work;
};

/* A division by 0 has a type but no value, which matters only if the value is needed. */
struct const_result {
	struct type *type;
	uint64_t v;
	bool none;
};

static bool eval_node(struct const_reader *r, const struct node *n, struct const_result *out);

static void convert_result(struct const_result *a, struct type *t)
{
	a->type = t;
	a->v = type_extend(t, a->v);
}

static void convert_both(struct const_reader *r, struct const_result *a, struct const_result *b)
{
	struct type *t = type_usual(r->t, a->type, b->type);

	convert_result(a, t);
	convert_result(b, t);
}

static void set_truth(struct const_reader *r, struct const_result *out, bool v, bool none)
{
	*out = (struct const_result){ .type = r->t->t_int, .v = v, .none = none };
}

static bool eval_unary(struct const_reader *r, const struct node *n, struct const_result *out)
{
	if (n->op > OP_LNOT || !eval_node(r, n->a, out))
		return false;
	if (n->op != OP_LNOT)
		convert_result(out, type_promote(r->t, out->type));
	out->v = fold_sign(n->op, out->v);
	convert_result(out, n->op == OP_LNOT ? r->t->t_int : out->type);
	return true;
}

static bool eval_logical(struct const_reader *r, const struct node *n, struct const_result *out)
{
	bool decides = n->op == OP_LOR;
	struct const_result a, b;

	if (!eval_node(r, n->a, &a) || !eval_node(r, n->b, &b))
		return false;
	if (n->op == OP_LXOR)
		set_truth(r, out, !a.v != !b.v, a.none || b.none);
	else if (a.none || !!a.v == decides)
		set_truth(r, out, decides, a.none);
	else
		set_truth(r, out, b.v, b.none);
	return true;
}

static bool eval_binary(struct const_reader *r, const struct node *n, struct const_result *out)
{
	bool compares = n->op >= OP_EQ && n->op <= OP_GE;
	struct const_result a, b;

	if (n->op >= OP_LAND)
		return eval_logical(r, n, out);
	if (!eval_node(r, n->a, &a) || !eval_node(r, n->b, &b))
		return false;
	if (n->op == OP_SHL || n->op == OP_SHR)
		convert_result(&a, type_promote(r->t, a.type));
	else
		convert_both(r, &a, &b);
	*out = a;
	out->v = fold_operator(n->op, a.type, a.v, b.v);
	out->none = a.none || b.none || ((n->op == OP_DIV || n->op == OP_MOD) && !b.v);
	convert_result(out, compares ? r->t->t_int : a.type);
	return true;
}

/* ?: has the value of one operand and the common type of both. */
static bool eval_cond(struct const_reader *r, const struct node *n, struct const_result *out)
{
	struct const_result a, b, c;

	if (!eval_node(r, n->a, &a) || !eval_node(r, n->b, &b) || !eval_node(r, n->c, &c))
		return false;
	convert_both(r, &b, &c);
	*out = a.v ? b : c;
	out->none |= a.none;
	return true;
}

static bool eval_sizeof(struct const_reader *r, const struct node *a, struct const_result *out)
{
	if (a->kind == N_STR)
		out->v = a->len + 1;
	else if (a->kind == N_TYPE)
		out->v = a->type->size;
	else if (eval_node(r, a, out))
		out->v = out->type->size;
	else
		return false;
	out->type = r->t->t_ulong;
	out->none = false;
	return out->v != 0;
}

static bool eval_node(struct const_reader *r, const struct node *n, struct const_result *out)
{
	const struct inline_def *def;

	if (++r->work > CONST_MAXWORK)
		return false;
	switch (n->kind) {
	case N_INT:
		*out = (struct const_result){ .type = n->type ? n->type : r->t->t_long, .v = n->value };
		return true;
	case N_IDENT:
		def = n->scope ? NULL : inline_find(r->p->c, n->str);
		if (!def || !type_is_int(def->type) || !eval_node(r, def->expr, out))
			return false;
		convert_result(out, def->type);
		return true;
	case N_SIZEOF:
		return eval_sizeof(r, n->a, out);
	case N_CAST:
		if (!type_is_int(n->type) || !eval_node(r, n->a, out))
			return false;
		convert_result(out, n->type);
		return true;
	case N_UNARY:
		return eval_unary(r, n, out);
	case N_BINARY:
		return eval_binary(r, n, out);
	case N_COND:
		return eval_cond(r, n, out);
	default:
		return false;
	}
}

bool const_eval(struct parser *p, const struct node *n, struct constant *c)
{
	struct const_reader r = { .p = p, .t = &p->c->types };
	struct const_result out = { 0 };

	if (!eval_node(&r, n, &out) || out.none)
		return false;
	*c = (struct constant){ .type = out.type, .value = (int64_t)out.v };
	return true;
}

struct constant const_want(struct parser *p, const struct node *n, enum diag_tag tag, const char *what)
{
	struct constant c = { .type = p->c->types.t_int };

	if (!const_eval(p, n, &c))
		parse_error(p, n->loc, tag, "%s must be an integer constant", what);
	return c;
}
