/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Structures and pointers: places in kernel memory. */
#include "lang/check/args.h"
#include "lang/check/mem.h"

#include <inttypes.h>

#include "lang/check/binary.h"
#include "lang/check/bytes.h"
#include "lang/check/checker.h"
#include "lang/check/conv.h"
#include "lang/check/elsewhere.h"
#include "lang/check/fold.h"
#include "lang/check/inline.h"
#include "lang/check/name.h"
#include "lang/check/xlate.h"
#include "lang/types/near_member.h"
#include "lang/types/type_find.h"

void check_escape(const struct node *n)
{
	bool place = n && (n->kind == N_DEREF || (n->kind == N_MEMBER && n->arrow) ||
			   (n->kind == N_CAST && type_is_string(n->type)));
	const struct node *root;

	if (!n || (place && node_points_to_variable(n->a)))
		return;
	if (n->kind == N_ADDR && node_in_variable(n->a)) {
		for (root = n->a; root->kind != N_VAR && root->kind != N_INDEX; )
			root = root->a;
		root->var->reached |= root->var->cls == VC_GLOBAL && !root->var->is_array;
		return;
	}
	check_escape(n->a);
	check_escape(n->b);
	check_escape(n->c);
	/* functions receive their arguments but do not return them */
	for (unsigned i = 0; i < n->nargs && n->kind != N_CALL; i++)
		check_escape(n->args[i]);
}

/* ---- members ---- */
static bool is_composite(const struct type *t)
{
	return t->kind == T_STRUCT || t->kind == T_UNION;
}

struct type *check_not_composite(struct checker *ck, const struct node *n, const struct type *t)
{
	return check_fail(ck, n->loc, D_OP_SOU,
			  "operator . cannot be applied to type \"%s\"; must be applied to a struct or union%s",
			  check_text(ck, t), t->kind == T_PTR && is_composite(t->ref) ? ": use ->" : "");
}

struct type *check_not_pointer(struct checker *ck, const struct node *n, const struct type *t)
{
	return check_fail(ck, n->loc, D_OP_PTR, "operator -> must be applied to a pointer, not to \"%s\"",
			  check_text(ck, t));
}

/* The structure of which a.m or a->m is a member. */
static struct type *composite_of(struct checker *ck, const struct node *n)
{
	struct type *t = n->a->type;

	if (n->arrow && t->kind != T_PTR)
		return check_not_pointer(ck, n, t);
	if (n->arrow && !is_composite(t->ref))
		return check_fail(ck, n->loc, D_OP_SOU,
				  "operator -> cannot be applied to pointer to type \"%s\"; must be applied to a "
				  "struct or union pointer",
				  check_text(ck, t->ref));
	if (!n->arrow && !is_composite(t))
		return check_not_composite(ck, n, t);
	return n->arrow ? t->ref : t;
}

/* A pointer stored in a process points into that process. */
static struct type *pointee_type(struct checker *ck, const struct node *place, struct type *t)
{
	struct type *p = t->kind == T_PTR ? check_pointer_to(ck, place, t->ref) : t;

	return p->user ? p : t;
}

static struct type *no_member(struct checker *ck, const struct node *n, struct type *composite)
{
	const char *text = check_text(ck, composite), *system = elsewhere_system(n->str);
	const char *lack = composite->kernel ? types_lack(ck->t) : NULL;

	if (system)
		return check_fail(ck, n->loc, D_TYPE_MEMBER, "%s is not a member of %s: %s has it, and Linux has no "
				  "equivalent", n->str, text, system);
	if (lack)
		return check_fail(ck, n->loc, D_KTYPE, "%s of %s is not known: %s", n->str, text, lack);
	if (!type_is_defined(ck->t, composite))
		return check_fail(ck, n->loc, D_OP_INCOMPLETE,
				  "operator %s cannot be applied to a forward declaration: "
				  "no %s definition is available", n->arrow ? "->" : ".", text);
	return check_fail(ck, n->loc, D_TYPE_MEMBER, "%s is not a member of %s%s", n->str, text,
			  near_member(ck->a, ck->t, composite, n->str));
}

struct type *check_member(struct checker *ck, struct node **np)
{
	struct node *n = *np;
	const struct member *m;
	struct type *composite, *t;
	struct node *again = NULL;
	uint64_t off = 0;

	if (check_arg_part(ck, np, &t) || check_translated(ck, np, &t))
		return t;
	if (elsewhere_system(n->str))
		again = check_clone(ck, n->a, NULL);
	if (!check_expr(ck, &n->a))
		return NULL;
	if (n->arrow)
		check_decay(ck, &n->a);
	composite = composite_of(ck, n);
	if (!composite)
		return NULL;
	m = type_member(ck->t, composite, n->str, &off);
	if (!m)
		return check_elsewhere(ck, np, again, composite, &t) ? t : no_member(ck, n, composite);
	n->bitoff = off;
	n->bits = m->bits;
	return n->type = pointee_type(ck, n, m->type);
}

/* ---- * and & ---- */
struct type *check_deref(struct checker *ck, struct node **np)
{
	struct node *n = *np;
	struct type *t = check_operand(ck, &n->a);

	if (!t)
		return NULL;
	if (type_is_string(t))
		return check_byte(ck, np, n->a, NULL);
	if (t->kind != T_PTR)
		return check_fail(ck, n->loc, D_DEREF_NONPTR, "cannot dereference non-pointer type \"%s\"",
				  check_text(ck, t));
	if (t->ref->kind == T_VOID)
		return check_fail(ck, n->loc, D_DEREF_VOID, "cannot dereference pointer to void");
	if (t->ref->kind == T_FUNC)
		return check_fail(ck, n->loc, D_DEREF_FUNC, "cannot dereference pointer to function");
	if (!node_points_to_variable(n->a))
		check_escape(n->a);
	return n->type = pointee_type(ck, n, t->ref);
}

/* True for an associative array without keys. */
static bool is_array(struct checker *ck, const struct node *n)
{
	const struct var *v = n->kind == N_IDENT && n->scope != '`' ? check_find_var(ck, n) : NULL;

	return v && v->is_array;
}

struct type *check_addr(struct checker *ck, struct node **np)
{
	struct node *n = *np;
	struct type *t;

	if (n->a->kind == N_AGG || is_array(ck, n->a))
		return check_fail(ck, n->loc, D_ADDROF_VAR, "cannot take address of dynamic variable");
	t = check_expr(ck, &n->a);
	if (!t)
		return NULL;
	/* as in DTrace, the address of a whole variable of any type cannot be taken; nor that of a value */
	if (n->a->kind == N_VAR || n->a->kind == N_INDEX)
		return check_fail(ck, n->loc, D_ADDROF_VAR, "cannot take address of dynamic variable");
	if (n->a->kind != N_DEREF && n->a->kind != N_MEMBER)
		return check_fail(ck, n->loc, D_ADDROF_LVAL, "unacceptable operand for unary & operator");
	if (n->a->kind == N_MEMBER && n->a->bits)
		return check_fail(ck, n->loc, D_ADDROF_BITFIELD, "cannot take the address of a bit-field: %s",
				  n->a->str);
	return n->type = check_pointer_to(ck, n->a, t);
}

/* ---- a[i] ---- */
/* Returns false after D_ARR_BOUNDS for a constant index out of bounds. */
static bool in_bounds(struct checker *ck, const struct node *a, const struct node *i)
{
	bool array = a->kind == N_ADDR && a->a->type->kind == T_ARRAY;
	uint64_t n = array ? a->a->type->nelems : type_is_string(a->type) ? ck->c->opts.strsize : 0;

	if (!n || i->kind != N_INT || i->value < n)
		return true;
	check_fail(ck, i->loc, D_ARR_BOUNDS, "index outside array bounds: %" PRId64 ", max is %" PRIu64,
		   (int64_t)i->value, n);
	return false;
}

struct type *check_element(struct checker *ck, struct node **np, struct node *a, struct node *i)
{
	struct node *n = *np, *sum, *deref;
	struct type *t = check_operand(ck, &i);

	if (!t || !in_bounds(ck, a, i))
		return NULL;
	if (type_is_string(a->type) && type_is_int(t))
		return check_byte(ck, np, a, i);
	if (type_is_int(a->type) && type_is_int(t))
		return check_fail(ck, n->loc, D_DEREF_NONPTR, "cannot dereference non-pointer type \"%s\"",
				  check_text(ck, a->type));
	if (a->type->kind != T_PTR || !type_is_int(t))
		return check_fail(ck, n->loc, D_OP_INCOMPAT, "operands have incompatible types: \"%s\" [ \"%s\"",
				  check_text(ck, a->type), check_text(ck, t));
	if (a->type->ref->kind == T_VOID)
		return check_fail(ck, n->loc, D_DEREF_VOID, "cannot dereference pointer to void");
	sum = check_node(ck, N_BINARY, n->loc, a->type);
	sum->op = OP_ADD;
	sum->a = a;
	sum->b = check_scaled(ck, i, a->type);
	if (!sum->b)
		return NULL;
	deref = check_node(ck, N_DEREF, n->loc, a->type->ref);
	deref->a = node_is_zero(sum->b) ? a : sum;
	deref->type = pointee_type(ck, deref, deref->type);
	*np = deref;
	return deref->type;
}
