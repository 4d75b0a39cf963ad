/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Assignments: =, op=, ++ and --. The first assignment declares a variable; others may give it a wider type
 * (check/widen.c). */
#include "lang/check/assign.h"

#include <string.h>

#include "lang/check/agg.h"
#include "lang/check/binary.h"
#include "lang/check/bytes.h"
#include "lang/check/checker.h"
#include "lang/check/conv.h"
#include "lang/check/fold.h"
#include "lang/check/mem.h"
#include "lang/check/name.h"
#include "lang/check/near.h"
#include "lang/check/var.h"
#include "lang/check/widen.h"
#include "lang/check/xlate.h"
#include "lang/prelude.h"

/* ---- targets ---- */
/* "=", "+=", "++" */
static const char *assign_text(struct checker *ck, enum op op)
{
	return op >= OP_ADD && op <= OP_SHR ? arena_printf(ck->a, "%s=", op_text(op)) : op_text(op);
}

static struct type *not_writable(struct checker *ck, const struct node *n, enum op op, const char *what)
{
	return check_fail(ck, n->loc, D_OP_WRITE, "operator %s cannot be applied to %s, which is read-only%s",
			  assign_text(ck, op), what,
			  ck->in_predicate && !strcmp(assign_text(ck, op), "=") ? " (did you mean '=='?)" : "");
}

static const char *writable_name(struct checker *ck, const struct node *n)
{
	if (n->scope == '`')
		return arena_printf(ck->a, "the kernel's %s", n->str);
	if (n->scope)
		return NULL;
	if (inline_find(ck->c, n->str))
		return arena_printf(ck->a, "the inline %s", n->str);
	return builtin_find(n->str) ? arena_printf(ck->a, "the built-in variable %s", n->str) : NULL;
}

static void infer_type(struct checker *ck, struct var *v, struct type *create)
{
	if (v->type)
		return;
	v->type = check_first_type(ck, v, create);
	v->inferred = true;
}

static struct type *scalar_target(struct checker *ck, struct node *n, enum op op, struct type *create)
{
	const char *fixed = writable_name(ck, n);
	struct var *v;

	if (fixed)
		return not_writable(ck, n, op, fixed);
	v = check_find_var(ck, n);
	if (!v && !n->scope && (check_later(ck, n->str, NAME_VARIABLE, n->loc) || !check_is_variable(ck, n)))
		return NULL;
	v = v ? v : check_make_var(ck, n);
	if (v->is_array)
		return check_fail_once(ck, n->loc, D_IDENT_BADREF, var_text(ck, n),
				       "associative array %s may not be referenced as a scalar variable",
				       var_text(ck, n));
	infer_type(ck, v, create);
	if (v->cls == VC_SELF)
		check_note_tls(ck, v, n->loc);
	n->kind = N_VAR;
	n->var = v;
	return n->type = v->type;
}

static struct type *array_target(struct checker *ck, struct node *n, enum op op, struct type *create)
{
	struct node *name = n->a;
	const char *fixed;
	bool keys = check_subscripts(ck, n);
	struct var *v;

	fixed = writable_name(ck, name);
	if (fixed)
		return not_writable(ck, n, op, fixed);
	if (!name->scope && !check_find_var(ck, name) && !check_is_variable(ck, name))
		return NULL;
	v = check_make_var(ck, name);
	if (v->cls == VC_THIS)
		return check_fail_once(ck, name->loc, D_ARR_LOCAL, var_text(ck, name),
				       "local variable may not be an associative array: %s", var_text(ck, name));
	if (v->cls == VC_SELF)
		check_note_tls(ck, v, name->loc);
	v->is_array = true;
	infer_type(ck, v, create);
	if (!keys || !check_array(ck, n, v))
		return NULL;
	return n->type = v->type;
}

static bool is_memory(const struct node *n)
{
	return n->kind == N_DEREF || n->kind == N_MEMBER;
}

static struct type *writable_type(struct checker *ck, const struct node *n)
{
	if (type_is_value(n->type) || n->type->kind == T_STRUCT || n->type->kind == T_UNION)
		return n->type;
	return check_fail(ck, n->loc, D_OP_ARRFUN, "a value of type %s cannot be assigned as a whole",
			  check_text(ck, n->type));
}

/* True if a place belongs to a variable. */
static bool in_aggregate(const struct node *root)
{
	if (root->kind == N_VAR || root->kind == N_INDEX)
		return root->var && root->var->cls != VC_BUILTIN && !type_is_value(root->type);
	return is_memory(root) && node_points_to_variable(root->a);
}

static struct type *no_lvalue(struct checker *ck, const struct node *n, enum op op)
{
	return check_fail(ck, n->loc, D_OP_LVAL, "operator %s requires modifiable lvalue as an operand",
			  assign_text(ck, op));
}

/* A place reached through a pointer. Only scratch memory is writable, which is checked when the clause runs. */
static struct type *memory_target(struct checker *ck, struct node *n, enum op op)
{
	const struct node *root = n;

	while (root->kind == N_MEMBER && !root->arrow)
		root = root->a;
	if (!is_memory(root) && !in_aggregate(root))
		return no_lvalue(ck, n, op);
	if (in_aggregate(root))
		return writable_type(ck, n);
	if (root->a->type->user)
		return not_writable(ck, n, op, "the memory of a process (copyout( ) does that)");
	if (node_points_to_kernel(root->a))
		return not_writable(ck, n, op, "kernel memory");
	return writable_type(ck, n);
}

/* True if a[i] goes through a pointer; an array of the script has the same form. */
static bool indexes_memory(struct checker *ck, const struct node *a)
{
	const struct var *v;

	if (a->kind != N_IDENT)
		return true;
	if (writable_name(ck, a))
		return a->scope == '`' || (builtin_find(a->str) && !check_builtin_is_array(builtin_find(a->str)));
	v = check_find_var(ck, a);
	return v && v->type && !v->is_array;
}

/* Checks the target of an assignment. `create` is the type for a new variable. */
static struct type *assign_target(struct checker *ck, struct node **np, enum op op, struct type *create)
{
	struct node *n = *np;

	if (n->kind == N_IDENT)
		return scalar_target(ck, n, op, create);
	if (n->kind == N_INDEX && !n->var && !indexes_memory(ck, n->a))
		return array_target(ck, n, op, create);
	if (n->kind == N_AGG && !n->nargs && !map_gets(&ck->s->aggs, n->str))
		return check_fail_once(ck, n->loc, D_VAR_UNDEF, agg_text(ck, n->str),
				       "%s has not yet been declared or assigned%s", agg_text(ck, n->str),
				       near_aggregation(ck, n->str));
	if (n->kind != N_ADDR && !check_expr(ck, np))
		return NULL;
	if (n->kind == N_AGG)
		return n->type;
	if (op >= OP_PREINC && !type_is_scalar((*np)->type))
		return (*np)->type;	/* reported by the operator */
	if (is_memory(*np))
		return memory_target(ck, *np, op);
	return check_is_byte(*np) && op == OP_NONE ? (*np)->type : no_lvalue(ck, n, op);
}

/* ---- = ---- */
static struct type *assign_misfit(struct checker *ck, const struct node *n)
{
	return check_fail(ck, n->loc, D_OP_INCOMPAT, "operands have incompatible types: \"%s\" %s \"%s\"",
			  check_text(ck, n->a->type), assign_text(ck, n->op), check_text(ck, n->b->type));
}

/* Reports why a op= b is invalid unless both are integers. */
static struct type *no_compound(struct checker *ck, const struct node *n)
{
	const char *op = assign_text(ck, n->op);
	bool sum = n->op == OP_ADD || n->op == OP_SUB, product = n->op == OP_MUL || n->op == OP_DIV;
	bool strings = type_is_string(n->a->type) || type_is_string(n->b->type);

	if (sum && (strings || n->a->type->kind == T_PTR))
		return assign_misfit(ck, n);
	if (sum)
		return check_fail(ck, n->loc, D_OP_VFPTR,
				  "operator %s requires left-hand scalar operand of known size", op);
	return check_fail(ck, n->loc, product ? D_OP_ARITH : D_OP_INT, "operator %s requires operands of %s type", op,
			  product ? "arithmetic" : "integral");
}

/* Returns the type in which a op= b is computed and converts b to it. */
static struct type *compound_type(struct checker *ck, struct node *n)
{
	struct type *a = n->a->type, *b = n->b->type, *t;

	if (a->kind == T_PTR && type_is_int(b) && (n->op == OP_ADD || n->op == OP_SUB)) {
		n->b = check_scaled(ck, n->b, a);
		return n->b ? a : NULL;
	}
	if (!type_is_int(a) || !type_is_int(b))
		return no_compound(ck, n);
	if (n->op == OP_SHL || n->op == OP_SHR) {
		n->b = check_cast(ck, n->b, check_promoted(ck, n->b));
		return check_promoted(ck, n->a);
	}
	t = check_usual(ck, n->a, n->b);
	n->b = check_cast(ck, n->b, t);
	if ((n->op == OP_DIV || n->op == OP_MOD) && node_is_zero(n->b))
		return check_fail(ck, n->loc, D_DIV_ZERO, "expression contains division by zero");
	return t;
}

/* An array of characters is a string here unless its address is wanted. */
static bool is_array_as_string(const struct node *n)
{
	return n->kind == N_CAST && type_is_string(n->type) && n->a->kind == N_ADDR && n->a->a->type->kind == T_ARRAY;
}

static struct type *assign_plain(struct checker *ck, struct node *n)
{
	struct type *a = n->type;

	if (a->kind == T_ARRAY)
		return check_fail(ck, n->loc, D_OP_ARRFUN, "an array cannot be assigned as a whole: %s",
				  check_text(ck, a));
	/* 0 deletes an element and clears any other variable */
	if (!type_is_value(a) && (n->a->kind == N_VAR || n->a->kind == N_INDEX) && node_is_zero(n->b))
		return a;
	if (!type_is_value(a) || !type_is_value(n->b->type))
		return type_same(a, n->b->type) ? a : assign_misfit(ck, n);
	return check_convert(ck, &n->b, a) ? a : assign_misfit(ck, n);
}

/* @a = f() inside an expression: no operator accepts an aggregation. */
static struct type *assign_agg(struct checker *ck, struct node *n)
{
	struct type *t = check_expr(ck, &n->b);

	if (t && t != ck->dyn[CHECK_AGGFUNC])
		return check_fail(ck, n->b->loc, D_AGG_FUNC,
				  "%s must be assigned the result of an aggregating function",
				  agg_text(ck, n->a->str));
	return t ? n->type = check_dynamic(ck, CHECK_AGG) : NULL;
}

/* The variable that is assigned as a whole or by element; NULL: something else. */
static const struct node *variable_of(const struct node *n)
{
	const struct node *name = n->kind == N_INDEX ? n->a : n;

	return name && name->kind == N_IDENT && name->scope != '`' ? name : NULL;
}

static bool is_unknown(struct checker *ck, const struct node *n)
{
	const struct node *name = variable_of(n);
	const struct var *v = name ? check_find_var(ck, name) : NULL;

	return name && !writable_name(ck, name) && (!v || !v->type);
}

static bool is_assignable(const struct type *t)
{
	return type_is_value(t) || t->kind == T_STRUCT || t->kind == T_UNION;
}

/* Reports a value that no variable can have; the variable stays unknown. */
static struct type *no_value(struct checker *ck, struct node *n)
{
	const struct node *name = variable_of(n->a);
	const struct var *v = name ? check_make_var(ck, name) : NULL;
	struct type *t = n->b->type;

	if (n->op != OP_NONE)
		return check_fail_once(ck, n->loc, D_VAR_UNDEF, var_text(ck, name),
				       "%s has not yet been declared or assigned%s", var_text(ck, name),
				       near_variable(ck, name));
	if (t->kind == T_SYMBOLIC)
		return check_computes(ck, n->b) ? t : NULL;
	return check_fail(ck, n->loc, D_OP_INCOMPAT, "operands have incompatible types: \"%s\" %s \"%s\"%s",
			  check_text(ck, v && v->type ? v->type : t), assign_text(ck, n->op), check_text(ck, t),
			  	check_no_value(ck, n->b));
}

/*
 * x = (char *)execname: the pointer is valid in this clause only, because scratch memory is. If x is not declared as a
 * pointer, it becomes a string.
 */
static bool assigns_text(struct checker *ck, struct node *n)
{
	const struct node *name = n->op == OP_NONE ? variable_of(n->a) : NULL;
	const struct var *v = name ? check_find_var(ck, name) : NULL;

	if (!name || writable_name(ck, name) || (v && v->type && !(v->inferred && v->type->kind != T_PTR)))
		return false;
	return check_scratch_text(ck, &n->b);
}

struct type *check_assign(struct checker *ck, struct node **np)
{
	struct node *n = *np;
	struct type *value, *target, *create;
	bool fits, text;

	if (n->a->kind == N_AGG && n->op == OP_NONE)
		return assign_agg(ck, n);
	if (n->op == OP_NONE && n->b->kind == N_XLATE && n->b->type->kind != T_PTR)
		return check_xlate_assign(ck, np);
	value = check_value(ck, &n->b);
	text = value && assigns_text(ck, n);
	value = text ? n->b->type : value;
	fits = value && (n->op == OP_NONE ? is_assignable(value) : type_is_int(value));
	if (value && !fits && n->a->kind != N_ASSIGN && (n->op == OP_NONE || is_unknown(ck, n->a)))
		return no_value(ck, n);
	create = value && type_is_string(value) ? ck->t->t_string : value;
	if (value && n->op != OP_NONE)
		create = type_lookup_script(ck->t, "int64_t");
	target = assign_target(ck, &n->a, n->op, create);
	if (!target || !value)
		return NULL;
	if (check_is_byte(n->a)) {
		target = check_set_byte(ck, np);
		return target ? target : no_lvalue(ck, n, n->op);
	}
	n->type = target;
	if (text)
		n->a->var->text = true;
	check_note_value(ck, n->a, n->op, n->b, n->op == OP_NONE ? create : value);
	if (n->op == OP_NONE && target->kind == T_PTR && is_array_as_string(n->b))
		n->b = n->b->a;
	check_escape(n->b);
	if (n->op == OP_NONE)
		return assign_plain(ck, n);
	target = compound_type(ck, n);
	if (!target)
		return NULL;
	n->c = check_node(ck, N_TYPE, n->loc, target);
	return n->type;
}

/* ---- ++ and -- ---- */
struct type *check_step(struct checker *ck, struct node **np)
{
	struct node *n = *np, *by;
	struct type *t = assign_target(ck, &n->a, n->op, type_lookup_script(ck->t, "int64_t"));

	if (!t)
		return NULL;
	check_note_value(ck, n->a, n->op, NULL, t);
	if (!type_is_scalar(t))
		return check_fail(ck, n->loc, D_OP_SCALAR, "operator %s requires an operand of scalar type",
				  op_text(n->op));
	n->value = 1;
	if (t->kind == T_PTR) {
		by = check_scaled(ck, check_int(ck, n->loc, ck->t->t_long, 1), t);
		if (!by)
			return NULL;
		n->value = by->value;
	}
	return n->type = t;
}
