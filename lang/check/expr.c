/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Expressions: the entry point and the simple kinds. */
#include <string.h>

#include "lang/check/agg.h"
#include "lang/check/assign.h"
#include "lang/check/binary.h"
#include "lang/check/call.h"
#include "lang/check/checker.h"
#include "lang/check/conv.h"
#include "lang/check/fold.h"
#include "lang/check/mem.h"
#include "lang/check/near.h"
#include "lang/check/var.h"
#include "lang/check/xlate.h"
#include "lang/types/type_find.h"

struct loc check_use(struct checker *ck, struct loc use)
{
	struct loc before = ck->use;

	if (!loc_origin(use))
		ck->use = use;
	return before;
}

/* Where the script's author finds the cause of an error. */
static struct loc cause_of(const struct checker *ck, struct loc loc)
{
	return ck->use.src && loc_origin(loc) ? ck->use : loc;
}

void *check_fail(struct checker *ck, struct loc loc, enum diag_tag tag, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	diag(ck->d, cause_of(ck, loc), tag, "%s", arena_vprintf(ck->a, fmt, ap));
	va_end(ap);
	return NULL;
}

struct reported {
	size_t at;		/* index in the list of diagnostics; SIZE_MAX if the list was full */
};

void *check_fail_once(struct checker *ck, struct loc loc, enum diag_tag tag, const char *name, const char *fmt, ...)
{
	void **slot = map_put(&ck->reported, name, strlen(name));
	struct reported *r = *slot;
	va_list ap;

	loc = cause_of(ck, loc);
	if (r) {
		if (r->at < ck->d->list.n && loc_before(loc, ck->d->list.v[r->at].loc))
			ck->d->list.v[r->at].loc = loc;
		return NULL;
	}
	*slot = r = arena_alloc(ck->a, sizeof *r);
	r->at = ck->d->list.n;
	va_start(ap, fmt);
	diag(ck->d, loc, tag, "%s", arena_vprintf(ck->a, fmt, ap));
	va_end(ap);
	if (r->at == ck->d->list.n)
		r->at = SIZE_MAX;
	return NULL;
}

/* The parser limits the depth of the source; inlines and translators may exceed it. */
bool check_deeper(struct checker *ck, struct loc loc)
{
	if (ck->depth < CHECK_MAXDEPTH) {
		ck->depth++;
		return true;
	}
	if (!ck->limit_said)
		check_fail(ck, loc, D_LIMIT, "this expression is nested too deeply");
	ck->limit_said = true;
	return false;
}

/* The parser sets the type of integers in the source. */
static struct type *expr_int(struct checker *ck, struct node **np)
{
	if (!(*np)->type)
		(*np)->type = ck->t->t_long;
	return (*np)->type;
}

static struct type *expr_str(struct checker *ck, struct node **np)
{
	return (*np)->type = type_string(ck->t, (*np)->len + 1);
}

static struct type *expr_comma(struct checker *ck, struct node **np)
{
	struct node *n = *np;
	struct type *a = check_discarded(ck, &n->a), *b = check_value(ck, &n->b);

	if (!a || !b || !check_branches(ck, n->a, n->b, ","))
		return NULL;
	if (b->kind == T_STRUCT || b->kind == T_UNION)
		return check_fail(ck, n->b->loc, D_TYPE_ERR, "a value of type %s cannot be used here",
				  check_text(ck, b));
	return n->type = b;
}

/* ---- unary ---- */
static struct type *expr_unary(struct checker *ck, struct node **np)
{
	struct node *n = *np;
	struct type *t;

	if (n->op >= OP_PREINC)
		return check_step(ck, np);
	t = check_operand(ck, &n->a);
	if (!t)
		return NULL;
	t = n->op == OP_LNOT ? check_truth(ck, &n->a) : t;
	if (n->op == OP_LNOT ? !type_is_scalar(t) : !type_is_int(t))
		return check_fail(ck, n->loc,
				  n->op == OP_LNOT ? D_OP_SCALAR : n->op == OP_NOT ? D_OP_INT : D_OP_ARITH,
				  "operator %s requires an operand of %s type", op_text(n->op),
				  n->op == OP_LNOT ? "scalar" : n->op == OP_NOT ? "integral" : "arithmetic");
	n->type = n->op == OP_LNOT ? ck->t->t_int : check_promoted(ck, n->a);
	if (n->op != OP_LNOT)
		n->a = check_cast(ck, n->a, n->type);
	check_fold(ck, np);
	return (*np)->type;
}

/* ---- sizeof ---- */
static uint64_t size_of(struct checker *ck, struct type *t)
{
	if (type_is_string(t))
		return t->size ? t->size : ck->c->opts.strsize;
	if ((t->kind == T_STRUCT || t->kind == T_UNION) && !type_is_defined(ck->t, t))
		return 0;
	return t->kind == T_VOID || t->kind == T_FUNC || t->kind == T_DYN ? 0 : t->size;
}

static struct type *expr_sizeof(struct checker *ck, struct node **np)
{
	struct node *n = *np, *a = n->a;
	struct type *t = a->kind == N_TYPE ? a->type : check_expr(ck, &n->a);
	uint64_t size;

	if (!t)
		return NULL;
	if (n->a->kind == N_MEMBER && n->a->bits)
		return check_fail(ck, n->loc, D_SIZEOF_BITFIELD, "cannot apply sizeof to a bit-field: %s", n->a->str);
	size = size_of(ck, t);
	if (!size)
		return check_fail(ck, n->loc, D_SIZEOF_TYPE,
				  "cannot apply sizeof to an operand of type %s, which has no known size",
				  check_text(ck, t));
	*np = check_int(ck, n->loc, ck->t->t_ulong, size);
	return (*np)->type;
}

/* ---- casts ---- */
/* Any pointer, array or integer can be cast to a string: it is taken as the address of one. */
static bool address_of_string(struct checker *ck, struct node **np)
{
	struct type *t, *to;

	check_decay(ck, np);
	t = (*np)->type;
	if (!type_is_scalar(t) || !type_is_value(t))
		return false;
	to = t->kind == T_PTR && t->user ? type_pointer_user(ck->t, ck->t->t_char) : type_pointer(ck->t, ck->t->t_char);
	*np = check_cast(ck, *np, to);
	return check_string(ck, np);
}

static struct type *cast_string(struct checker *ck, struct node **np)
{
	struct node *n = *np;
	struct type *from = check_expr(ck, &n->a);

	if (!from)
		return NULL;
	if (!check_string(ck, &n->a) && !address_of_string(ck, &n->a)) {
		if (n->str)
			return check_fail(ck, n->loc, D_STRINGOF_TYPE, "cannot apply stringof to a value of type %s",
					  check_text(ck, from));
		return check_fail(ck, n->loc, D_CAST_INVAL, "invalid cast expression: \"%s\" to a type of \"string\"",
				  check_text(ck, from));
	}
	*np = n->a;
	return (*np)->type;
}

static struct type *expr_cast(struct checker *ck, struct node **np)
{
	struct node *n = *np;
	struct type *from;

	if (type_is_string(n->type))
		return cast_string(ck, np);
	from = check_expr(ck, &n->a);
	if (!from || n->type->kind == T_VOID)
		return from && check_computes(ck, n->a) ? n->type : NULL;
	if (from == n->type && (from->kind == T_STRUCT || from->kind == T_UNION)) {
		*np = n->a;
		return from;
	}
	check_decay(ck, &n->a);
	if (type_is_string(from) && n->type->kind == T_PTR)
		check_convert(ck, &n->a, n->type);
	if (type_is_int(n->type) && from->kind != T_DYN)
		check_truth(ck, &n->a);
	if (!type_is_scalar(n->a->type) || !type_is_value(n->a->type) || !type_is_scalar(n->type) ||
	    !type_is_value(n->type))
		return check_fail(ck, n->loc, D_CAST_INVAL, "invalid cast expression: \"%s\" to a type of \"%s\"",
				  check_text(ck, from), check_text(ck, n->type));
	check_fold(ck, np);
	return (*np)->type;
}

/* ---- expressions without a value ---- */
static struct type *expr_agg(struct checker *ck, struct node **np)
{
	struct node *n = *np;

	if (!n->nargs && strcmp(n->str, "_") && !map_gets(&ck->s->aggs, n->str))
		return check_fail_once(ck, n->loc, D_IDENT_UNDEF, agg_text(ck, n->str),
				       "failed to resolve %s: unknown aggregation%s", agg_text(ck, n->str),
				       near_aggregation(ck, n->str));
	return n->type = check_dynamic(ck, CHECK_AGG);
}

static struct type *expr_type(struct checker *ck, struct node **np)
{
	return check_fail(ck, (*np)->loc, D_TYPE_ERR, "a type cannot be used as a value");
}

static struct type *expr_ptrindex(struct checker *ck, struct node **np)
{
	struct node *n = *np;

	return check_operand(ck, &n->a) ? check_element(ck, np, n->a, n->b) : NULL;
}

static struct type *(*const by_kind[])(struct checker *ck, struct node **np) = {
	[N_INT] = expr_int, [N_STR] = expr_str, [N_IDENT] = check_ident, [N_VAR] = check_var, [N_INDEX] = check_index,
	[N_AGG] = expr_agg, [N_UNARY] = expr_unary, [N_BINARY] = check_binary, [N_ASSIGN] = check_assign,
	[N_COND] = check_cond, [N_COMMA] = expr_comma, [N_CALL] = check_call, [N_CAST] = expr_cast,
	[N_SIZEOF] = expr_sizeof, [N_MEMBER] = check_member, [N_DEREF] = check_deref, [N_ADDR] = check_addr,
	[N_PTRINDEX] = expr_ptrindex, [N_XLATE] = check_xlate, [N_TYPE] = expr_type,
};

struct type *check_expr(struct checker *ck, struct node **np)
{
	struct type *t;

	if (!check_deeper(ck, (*np)->loc))
		return NULL;
	t = by_kind[(*np)->kind](ck, np);
	ck->depth--;
	return t;
}
