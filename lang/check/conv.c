/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Conversions of values to other types. */
#include "lang/check/conv.h"

#include <string.h>

#include "lang/check/bytes.h"
#include "lang/check/call.h"
#include "lang/check/cgroup.h"
#include "lang/check/checker.h"
#include "lang/check/fold.h"
#include "lang/check/xlate.h"

struct node *check_node(struct checker *ck, enum node_kind kind, struct loc loc, struct type *type)
{
	struct node *n = arena_alloc(ck->a, sizeof *n);

	n->kind = kind;
	n->loc = loc;
	n->type = type;
	return n;
}

struct node *check_int(struct checker *ck, struct loc loc, struct type *type, uint64_t value)
{
	struct node *n = check_node(ck, N_INT, loc, type);

	n->value = type_extend(type, value);
	return n;
}

bool type_is_value(const struct type *t)
{
	bool width = t->size == 1 || t->size == 2 || t->size == 4 || t->size == 8;

	return type_is_string(t) || t->kind == T_PTR || (type_is_int(t) && width);
}

static bool is_char(const struct type *t)
{
	const struct type *base = t->ref ? t->ref : t;

	return t->kind == T_INT && t->size == 1 && (t->is_signed || (base->name && !strcmp(base->name, "char")));
}

struct node *check_wrap(struct checker *ck, enum node_kind kind, struct node *n, struct type *type)
{
	struct node *outer = check_node(ck, kind, n->loc, type);

	outer->a = n;
	return outer;
}

/* True if a place is in the memory of a process. */
static bool in_userland(const struct node *n)
{
	while (n->kind == N_MEMBER && !n->arrow)
		n = n->a;
	return (n->kind == N_DEREF || n->kind == N_MEMBER) && n->a->type->user;
}

struct type *check_pointer_to(struct checker *ck, const struct node *place, struct type *to)
{
	return in_userland(place) ? type_pointer_user(ck->t, to) : type_pointer(ck->t, to);
}

void check_decay(struct checker *ck, struct node **np)
{
	struct node *n = *np;

	if (n->type->kind == T_ARRAY)
		*np = check_wrap(ck, N_ADDR, n, check_pointer_to(ck, n, n->type->ref));
}

bool check_string(struct checker *ck, struct node **np)
{
	struct type *t = (*np)->type;
	uint64_t cap = t->kind == T_ARRAY ? t->nelems : 0;

	if (type_is_string(t))
		return true;
	if ((t->kind != T_ARRAY && t->kind != T_PTR) || !is_char(t->ref))
		return false;
	check_decay(ck, np);
	*np = check_wrap(ck, N_CAST, *np, type_string(ck->t, cap < ck->c->opts.strsize ? cap : 0));
	return true;
}

static struct type *usable_type(struct checker *ck, struct node *n)
{
	struct type *t = n->type;

	if (t->kind == T_FUNC)
		return check_fail(ck, n->loc, D_OP_ARRFUN, "a function cannot be used as a value");
	if (type_is_int(t) && !type_is_value(t))
		return check_fail(ck, n->loc, D_TYPE_ERR, "a value of type %s cannot be used here", check_text(ck, t));
	return t;
}

struct type *check_value(struct checker *ck, struct node **np)
{
	if (!check_expr(ck, np))
		return NULL;
	if ((*np)->type->kind == T_ARRAY && !check_string(ck, np))
		check_decay(ck, np);
	return usable_type(ck, *np);
}

struct type *check_operand(struct checker *ck, struct node **np)
{
	if (!check_expr(ck, np))
		return NULL;
	check_decay(ck, np);
	return usable_type(ck, *np);
}

struct type *check_truth(struct checker *ck, struct node **np)
{
	struct node *n = *np, *test;

	if (check_untranslate(ck, np))
		return (*np)->type;
	if ((n->kind != N_VAR && n->kind != N_INDEX) || !n->var->text || !type_is_string(n->type))
		return n->type;
	test = check_node(ck, N_BINARY, n->loc, ck->t->t_int);
	test->op = OP_NE;
	test->a = n;
	test->b = check_node(ck, N_STR, n->loc, type_string(ck->t, 1));
	test->b->str = "";
	*np = test;
	return test->type;
}

struct type *check_scalar(struct checker *ck, struct node **np, enum diag_tag tag, const char *what)
{
	struct type *t = check_expr(ck, np);

	if (!t)
		return NULL;
	check_decay(ck, np);
	t = check_truth(ck, np);
	if (!type_is_scalar(t) || !type_is_value(t))
		return check_fail(ck, (*np)->loc, tag, "%s", what);
	return t;
}

struct type *check_discarded(struct checker *ck, struct node **np)
{
	struct type *t = check_expr(ck, np);
	bool whole = t && (t->kind == T_STRUCT || t->kind == T_UNION);

	if (!t || t->kind == T_VOID || (whole && (*np)->kind == N_ASSIGN))
		return t;
	if (whole)
		return check_fail(ck, (*np)->loc, D_TYPE_ERR, "a value of type %s cannot be used here",
				  check_text(ck, t));
	check_decay(ck, np);
	return usable_type(ck, *np);
}

/* ---- expressions without a value ---- */
struct type *check_dynamic(struct checker *ck, enum check_dyn what)
{
	static const char *const names[] = {
		[CHECK_AGG] = "aggregation", [CHECK_AGGFUNC] = "aggregating function",
			[CHECK_XLATE] = "translated data",
	};

	if (!ck->dyn[what]) {
		ck->dyn[what] = arena_calloc(ck->a, 1, sizeof *ck->dyn[what]);
		*ck->dyn[what] = (struct type){ .kind = T_DYN, .name = names[what] };
	}
	return ck->dyn[what];
}

const char *check_no_value(struct checker *ck, const struct node *n)
{
	if (call_is_void(n))
		return arena_printf(ck->a, ": %s( ) has no value", n->str);
	if (n->type == ck->dyn[CHECK_AGGFUNC])
		return arena_printf(ck->a, ": %s( ) can only be assigned to an aggregation", n->str);
	if (n->type == ck->dyn[CHECK_AGG])
		return ": an aggregation has no value";
	return n->type->kind == T_DYN ? ": only the members of a translation have values" : "";
}

struct type *check_key(struct checker *ck, struct node **np)
{
	struct type *t = check_value(ck, np);
	bool whole = t && (t->kind == T_STRUCT || t->kind == T_UNION);

	if (!t || whole || type_is_value(t) || (t->kind == T_SYMBOLIC && ck->in_key))
		return t;
	if (check_names_cgroup(ck, *np))
		return check_cgroup_value(ck, *np);
	if (t->kind == T_SYMBOLIC)
		return check_fail(ck, (*np)->loc, D_CG_EXPR, "%s( ) can only be a key of an aggregation", (*np)->str);
	return check_fail(ck, (*np)->loc, D_KEY_TYPE, "%s expression may not be used as a key", check_text(ck, t));
}

bool check_branches(struct checker *ck, const struct node *a, const struct node *b, const char *op)
{
	bool dynamic = a->type->kind == T_DYN || b->type->kind == T_DYN;

	if (dynamic)
		check_fail(ck, (a->type->kind == T_DYN ? a : b)->loc, D_OP_DYN,
			   "operator %s operands cannot be of dynamic type", op);
	else if (call_is_void(a) || call_is_void(b))
		check_fail(ck, (call_is_void(a) ? a : b)->loc, D_OP_ACT, "operator %s operands cannot be actions", op);
	else
		return true;
	return false;
}

bool check_computes(struct checker *ck, const struct node *n)
{
	if (check_names_cgroup(ck, n))
		check_cgroup_value(ck, n);
	else if (call_is_void(n) || n->type == ck->dyn[CHECK_AGGFUNC] || n->type->kind == T_SYMBOLIC)
		check_fail(ck, n->loc, D_CG_EXPR, "%s( ) may not be called from a D expression%s", n->str,
			   check_no_value(ck, n));
	else if (n->type->kind == T_DYN)
		check_fail(ck, n->loc, D_CG_DYN, "expression cannot evaluate to result of dynamic type%s",
			   check_no_value(ck, n));
	else
		return true;
	return false;
}

/* Integers of the same width and sign need no conversion, except to bool, which is 0 or 1. */
struct node *check_cast(struct checker *ck, struct node *n, struct type *to)
{
	struct type *from = n->type;

	if (from == to || (type_is_int(from) && type_is_int(to) && from->size == to->size &&
			   from->is_signed == to->is_signed && (from->is_bool || !to->is_bool)))
		return n;
	n = check_wrap(ck, N_CAST, n, to);
	check_fold(ck, &n);
	return n;
}

/* The same structure can have two types: the kernel's, and one from a script or a module. */
static bool same_structure(const struct type *a, const struct type *b)
{
	return (a->kind == T_STRUCT || a->kind == T_UNION) && a->kind == b->kind && a->size == b->size && a->name &&
	       b->name && !strcmp(a->name, b->name);
}

static bool pointers_fit(const struct type *a, const struct type *b)
{
	if (a->user != b->user)
		return false;
	while (a->ref->kind == T_PTR && b->ref->kind == T_PTR)
		a = a->ref, b = b->ref;
	return a->ref->kind == T_VOID || b->ref->kind == T_VOID || type_same(a->ref, b->ref) ||
	       same_structure(a->ref, b->ref);
}

static bool is_null(const struct node *n)
{
	return type_is_int(n->type) && node_is_zero(n);
}

struct type *check_common_pointer(const struct node *a, const struct node *b)
{
	struct type *s = a->type, *t = b->type;

	if (s->kind == T_PTR && (is_null(b) || (t->kind == T_PTR && t->ref->kind == T_VOID && pointers_fit(s, t))))
		return s;
	return t->kind == T_PTR && (is_null(a) || (s->kind == T_PTR && pointers_fit(s, t))) ? t : NULL;
}

/* 0 becomes the empty string. void * may point to characters. */
static bool convert_string(struct checker *ck, struct node **np)
{
	struct node *n = *np;
	struct type *t = n->type;

	if (is_null(n)) {
		n->kind = N_STR;
		n->str = "";
		n->len = 0;
		n->type = type_string(ck->t, 1);
	} else if (t->kind == T_PTR && t->ref->kind == T_VOID) {
		*np = check_cast(ck, n, (t->user ? type_pointer_user : type_pointer)(ck->t, ck->t->t_char));
	}
	return check_string(ck, np);
}

static bool takes_string(const struct type *to)
{
	return to->kind == T_PTR && !to->user && (to->ref->kind == T_VOID || is_char(to->ref));
}

bool check_convert(struct checker *ck, struct node **np, struct type *to)
{
	struct node *n = *np;
	bool fits;

	if (type_is_string(n->type) && takes_string(to)) {
		*np = check_cast(ck, check_string_pointer(ck, n), to);
		return true;
	}
	if (type_is_string(to))
		return convert_string(ck, np);
	fits = to->kind == T_PTR ? is_null(n) || (n->type->kind == T_PTR && pointers_fit(n->type, to)) :
				   type_is_int(to) && type_is_int(n->type);
	if (fits)
		*np = check_cast(ck, n, to);
	return fits;
}
