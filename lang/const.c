/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Integer constants that a declaration needs while it is parsed: array sizes, bit-field widths, enumerators. */
#include <string.h>

#include "lang/decl.h"

/* An inline that uses another one twice doubles the work each time: a bound for what nobody writes by hand. */
enum { CONST_MAXWORK = 10000 };

static bool eval(struct parser *p, const struct node *n, int64_t *v, unsigned *work);

static bool eval_unary(enum op op, int64_t a, int64_t *v)
{
	switch (op) {
	case OP_NEG:
		*v = (int64_t)(0 - (uint64_t)a);
		return true;
	case OP_PLUS:
		*v = a;
		return true;
	case OP_NOT:
		*v = ~a;
		return true;
	case OP_LNOT:
		*v = !a;
		return true;
	default:
		return false;
	}
}

static bool eval_divide(enum op op, int64_t a, int64_t b, int64_t *v)
{
	if (!b || (a == INT64_MIN && b == -1))
		return false;
	*v = op == OP_DIV ? a / b : a % b;
	return true;
}

static bool eval_binary(enum op op, int64_t a, int64_t b, int64_t *v)
{
	uint64_t ua = a, ub = b;

	switch (op) {
	case OP_ADD: *v = (int64_t)(ua + ub); return true;
	case OP_SUB: *v = (int64_t)(ua - ub); return true;
	case OP_MUL: *v = (int64_t)(ua * ub); return true;
	case OP_DIV:
	case OP_MOD: return eval_divide(op, a, b, v);
	case OP_AND: *v = a & b; return true;
	case OP_OR: *v = a | b; return true;
	case OP_XOR: *v = a ^ b; return true;
	case OP_SHL: *v = (int64_t)(ua << (ub & 63)); return true;
	case OP_SHR: *v = a >> (ub & 63); return true;
	case OP_EQ: *v = a == b; return true;
	case OP_NE: *v = a != b; return true;
	case OP_LT: *v = a < b; return true;
	case OP_LE: *v = a <= b; return true;
	case OP_GT: *v = a > b; return true;
	case OP_GE: *v = a >= b; return true;
	case OP_LAND: *v = a && b; return true;
	case OP_LOR: *v = a || b; return true;
	case OP_LXOR: *v = !a != !b; return true;
	default: return false;
	}
}

static bool eval_sizeof(const struct node *a, int64_t *v)
{
	if (a->kind == N_STR)
		*v = (int64_t)a->len + 1;
	else if ((a->kind == N_TYPE || a->kind == N_INT || a->kind == N_CAST) && a->type->size)
		*v = (int64_t)a->type->size;
	else
		return false;
	return true;
}

static bool eval_cast(const struct type *t, int64_t a, int64_t *v)
{
	unsigned shift = t->size && t->size <= 8 ? 64 - 8 * (unsigned)t->size : 0;

	if (!type_is_int(t))
		return false;
	*v = (int64_t)((uint64_t)a << shift);
	*v = t->is_signed ? *v >> shift : (int64_t)((uint64_t)*v >> shift);
	return true;
}

static bool eval_ident(struct parser *p, const struct node *n, int64_t *v, unsigned *work)
{
	const struct inline_def *def = n->scope ? NULL : map_gets(&p->c->script->inlines, n->str);

	return def && eval(p, def->expr, v, work);
}

static bool eval(struct parser *p, const struct node *n, int64_t *v, unsigned *work)
{
	int64_t a = 0, b = 0;

	if (++*work > CONST_MAXWORK)
		return false;
	switch (n->kind) {
	case N_INT:
		*v = (int64_t)n->value;
		return true;
	case N_IDENT:
		return eval_ident(p, n, v, work);
	case N_SIZEOF:
		return eval_sizeof(n->a, v);
	case N_CAST:
		return eval(p, n->a, &a, work) && eval_cast(n->type, a, v);
	case N_UNARY:
		return eval(p, n->a, &a, work) && eval_unary(n->op, a, v);
	case N_BINARY:
		return eval(p, n->a, &a, work) && eval(p, n->b, &b, work) && eval_binary(n->op, a, b, v);
	case N_COND:
		return eval(p, n->a, &a, work) && eval(p, a ? n->b : n->c, v, work);
	default:
		return false;
	}
}

bool const_eval(struct parser *p, const struct node *n, int64_t *v)
{
	unsigned work = 0;

	return eval(p, n, v, &work);
}

int64_t const_want(struct parser *p, const struct node *n, enum diag_tag tag, const char *what)
{
	int64_t v;

	if (const_eval(p, n, &v))
		return v;
	parse_error(p, n->loc, tag, "%s must be an integer constant", what);
	return 0;
}
