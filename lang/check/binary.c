/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Binary operators and ?:, with C's integer rules. */
#include "lang/check/binary.h"

#include "lang/check/bytes.h"
#include "lang/check/cgroup.h"
#include "lang/check/checker.h"
#include "lang/check/conv.h"
#include "lang/check/doubt.h"
#include "lang/check/fold.h"
#include "lang/check/name.h"
#include "lang/check/range.h"
#include "lang/check/xlate.h"
#include "lang/types/type_find.h"

enum class { ARITH, INTEGRAL, SHIFT, ADD, SUB, COMPARE, LOGICAL };

static const struct {
	const char *text;
	enum class class;
} ops[] = {
	[OP_ADD] = { "+", ADD }, [OP_SUB] = { "-", SUB }, [OP_MUL] = { "*", ARITH }, [OP_DIV] = { "/", ARITH },
	[OP_MOD] = { "%", INTEGRAL }, [OP_AND] = { "&", INTEGRAL }, [OP_OR] = { "|", INTEGRAL },
	[OP_XOR] = { "^", INTEGRAL }, [OP_SHL] = { "<<", SHIFT }, [OP_SHR] = { ">>", SHIFT },
	[OP_EQ] = { "==", COMPARE }, [OP_NE] = { "!=", COMPARE }, [OP_LT] = { "<", COMPARE },
	[OP_LE] = { "<=", COMPARE }, [OP_GT] = { ">", COMPARE }, [OP_GE] = { ">=", COMPARE },
	[OP_LAND] = { "&&", LOGICAL }, [OP_LOR] = { "||", LOGICAL }, [OP_LXOR] = { "^^", LOGICAL },
	[OP_NEG] = { "-", 0 }, [OP_PLUS] = { "+", 0 }, [OP_NOT] = { "~", 0 }, [OP_LNOT] = { "!", 0 },
	[OP_PREINC] = { "++", 0 }, [OP_PREDEC] = { "--", 0 }, [OP_POSTINC] = { "++", 0 }, [OP_POSTDEC] = { "--", 0 },
};

const char *op_text(enum op op)
{
	return ops[op].text ? ops[op].text : "=";
}

static struct type *incompatible_operands(struct checker *ck, const struct node *n)
{
	const char *reason = check_no_value(ck, n->a);

	return check_fail(ck, n->loc, D_OP_INCOMPAT, "operands have incompatible types: \"%s\" %s \"%s\"%s",
			  check_text(ck, n->a->type), op_text(n->op), check_text(ck, n->b->type),
			  	*reason ? reason : check_no_value(ck, n->b));
}

static void cast_both(struct checker *ck, struct node *n, struct type *t)
{
	n->a = check_cast(ck, n->a, t);
	n->b = check_cast(ck, n->b, t);
}

/* The width of the bit-field that an expression reads, also through an assignment to it. 0: not a bit-field. */
static unsigned field_bits(const struct node *n)
{
	for (;;) {
		if (n->kind == N_MEMBER)
			return n->bits;
		if (n->kind == N_ASSIGN || node_is_step(n))
			n = n->a;
		else if (n->kind == N_COMMA)
			n = n->b;
		else
			return 0;
	}
}

struct type *check_promoted(struct checker *ck, const struct node *n)
{
	return type_promote_bits(ck->t, n->type, field_bits(n));
}

struct type *check_usual(struct checker *ck, const struct node *a, const struct node *b)
{
	return type_usual(ck->t, check_promoted(ck, a), check_promoted(ck, b));
}

static struct type *cast_usual(struct checker *ck, struct node *n)
{
	n->type = check_usual(ck, n->a, n->b);
	cast_both(ck, n, n->type);
	return n->type;
}

static struct type *binary_arith(struct checker *ck, struct node *n)
{
	if (type_is_int(n->a->type) && type_is_int(n->b->type))
		return cast_usual(ck, n);
	return check_fail(ck, n->loc, D_OP_ARITH, "operator %s requires operands of arithmetic type", op_text(n->op));
}

static bool need_integers(struct checker *ck, const struct node *n)
{
	if (type_is_int(n->a->type) && type_is_int(n->b->type))
		return true;
	check_fail(ck, n->loc, D_OP_INT, "operator %s requires operands of integral type", op_text(n->op));
	return false;
}

static struct type *binary_integral(struct checker *ck, struct node *n)
{
	return need_integers(ck, n) ? cast_usual(ck, n) : NULL;
}

static struct type *binary_shift(struct checker *ck, struct node *n)
{
	if (!need_integers(ck, n))
		return NULL;
	n->type = check_promoted(ck, n->a);
	n->a = check_cast(ck, n->a, n->type);
	n->b = check_cast(ck, n->b, check_promoted(ck, n->b));
	return n->type;
}

/* ---- pointers ---- */
/* The size of what a pointer points to. 0 after a diagnostic. */
static uint64_t element_size(struct checker *ck, const struct type *ptr, struct loc loc)
{
	struct type *t = ptr->ref;

	if ((t->kind == T_STRUCT || t->kind == T_UNION) && !type_is_defined(ck->t, t))
		check_fail(ck, loc, D_TYPE_ERR, "arithmetic on a pointer to the incomplete type %s",
			   check_text(ck, t));
	else if (!t->size)
		check_fail(ck, loc, t->kind == T_VOID || t->kind == T_FUNC ? D_OP_VFPTR : D_TYPE_ERR,
			   "arithmetic on a pointer to %s, which has no size", check_text(ck, t));
	else
		return t->size;
	return 0;
}

struct node *check_scaled(struct checker *ck, struct node *n, const struct type *ptr)
{
	uint64_t size = element_size(ck, ptr, n->loc);
	struct int_range r;
	struct node *mul;

	if (!size)
		return NULL;
	n = check_cast(ck, n, ck->t->t_long);
	if (size == 1)
		return n;
	mul = check_node(ck, N_BINARY, n->loc, ck->t->t_long);
	mul->op = OP_MUL;
	mul->a = n;
	mul->b = check_int(ck, n->loc, ck->t->t_long, size);
	mul->scaled = true;
	r = range_of(n);
	if (range_indexes(&r, size))
		check_fold(ck, &mul);
	return mul;
}

static struct type *pointer_plus(struct checker *ck, struct node *n)
{
	n->b = check_scaled(ck, n->b, n->a->type);
	return n->b ? n->type = n->a->type : NULL;
}

static bool points_nowhere(const struct type *t)
{
	return t->kind == T_PTR && (t->ref->kind == T_VOID || t->ref->kind == T_FUNC);
}

static struct type *binary_add(struct checker *ck, struct node *n)
{
	struct node *swap = n->a;

	if (type_is_int(n->a->type) && type_is_int(n->b->type))
		return cast_usual(ck, n);
	if (type_is_int(n->a->type) && n->b->type->kind == T_PTR) {
		n->a = n->b;
		n->b = swap;
	}
	if (n->a->type->kind == T_PTR && type_is_int(n->b->type) && !points_nowhere(n->a->type))
		return pointer_plus(ck, n);
	return incompatible_operands(ck, n);
}

static struct type *pointer_minus(struct checker *ck, struct node *n)
{
	uint64_t size = element_size(ck, n->a->type, n->loc);
	struct node *sub;

	if (!size)
		return NULL;
	if (!check_common_pointer(n->a, n->b))
		return incompatible_operands(ck, n);
	sub = check_node(ck, N_BINARY, n->loc, ck->t->t_long);
	sub->op = OP_SUB;
	sub->a = check_cast(ck, n->a, ck->t->t_long);
	sub->b = check_cast(ck, n->b, ck->t->t_long);
	check_fold(ck, &sub);
	n->op = OP_DIV;
	n->a = sub;
	n->b = check_int(ck, n->loc, ck->t->t_long, size);
	return n->type = ck->t->t_long;
}

static struct type *binary_sub(struct checker *ck, struct node *n)
{
	if (type_is_int(n->a->type) && type_is_int(n->b->type))
		return cast_usual(ck, n);
	if (n->a->type->kind == T_PTR && type_is_int(n->b->type) && !points_nowhere(n->a->type))
		return pointer_plus(ck, n);
	if (n->a->type->kind == T_PTR && n->b->type->kind == T_PTR && !points_nowhere(n->a->type))
		return pointer_minus(ck, n);
	return incompatible_operands(ck, n);
}

/* ---- comparisons ---- */
static struct type *binary_compare(struct checker *ck, struct node *n)
{
	struct type *pointer = check_common_pointer(n->a, n->b);

	if (type_is_string(n->a->type) || type_is_string(n->b->type)) {
		/* 0 equals the NULL of a function that found nothing */
		if (!check_convert(ck, &n->a, ck->t->t_string) || !check_convert(ck, &n->b, ck->t->t_string))
			return incompatible_operands(ck, n);
	} else if (type_is_int(n->a->type) && type_is_int(n->b->type)) {
		cast_both(ck, n, check_usual(ck, n->a, n->b));
	} else if (pointer) {
		cast_both(ck, n, pointer);
	} else {
		return incompatible_operands(ck, n);
	}
	return n->type = ck->t->t_int;
}

static struct type *binary_logical(struct checker *ck, struct node *n)
{
	if (!type_is_scalar(check_truth(ck, &n->a)) || !type_is_scalar(check_truth(ck, &n->b)))
		return check_fail(ck, n->loc, D_OP_SCALAR, "operator %s requires operands of scalar type",
				  op_text(n->op));
	return n->type = ck->t->t_int;
}

static struct type *(*const by_class[])(struct checker *ck, struct node *n) = {
	[ARITH] = binary_arith, [INTEGRAL] = binary_integral, [SHIFT] = binary_shift, [ADD] = binary_add,
	[SUB] = binary_sub, [COMPARE] = binary_compare, [LOGICAL] = binary_logical,
};

/* An enum may be compared with one of its names, even an undeclared one. Returns false after D_IDENT_AMBIG. */
static bool resolve_enumerator(struct checker *ck, struct node **np, struct type *t)
{
	const struct node *n = *np;
	int64_t v;

	if (!t || t->kind != T_ENUM || n->kind != N_IDENT || n->scope || map_gets(&ck->s->inlines, n->str) ||
	    !type_enum_value(t, n->str, &v))
		return true;
	if (builtin_find(n->str) || check_find_var(ck, n)) {
		check_fail(ck, n->loc, D_IDENT_AMBIG,
			   "ambiguous use of %s: it is both a tag of %s and a global variable",
			   n->str, check_text(ck, t));
		return false;
	}
	*np = check_int(ck, n->loc, t, (uint64_t)v);
	return true;
}

/* s + i, i + s, s - i: the rest of a string. Returns false for anything else. */
static bool string_rest(struct checker *ck, struct node **np)
{
	struct node *n = *np, *s = n->a, *i = n->b;

	if (n->op == OP_ADD && type_is_string(i->type)) {
		s = n->b;
		i = n->a;
	}
	return (n->op == OP_ADD || n->op == OP_SUB) && type_is_string(s->type) && type_is_int(i->type) &&
	       check_rest(ck, np, s, i, n->op == OP_SUB);
}

struct type *check_binary(struct checker *ck, struct node **np)
{
	struct node *n = *np;
	enum class class = ops[n->op].class;
	struct type *(*operand)(struct checker *, struct node **) = class == COMPARE ? check_value : check_operand;
	struct type *a = operand(ck, &n->a), *b;
	bool by_value = class == ADD || class == SUB || class == COMPARE;

	if (class == COMPARE && !resolve_enumerator(ck, &n->b, a))
		return NULL;
	b = operand(ck, &n->b);

	if (!a || !b)
		return NULL;
	if (class == COMPARE) {		/* a translation is compared as a pointer to its source */
		check_untranslate(ck, &n->a);
		check_untranslate(ck, &n->b);
		a = n->a->type;
		b = n->b->type;
	}
	if (check_cgroup_comparison(ck, np))
		return (*np)->type;
	/* the other operators report what they need themselves */
	if (by_value && (!type_is_value(a) || !type_is_value(b)))
		return incompatible_operands(ck, n);
	if (string_rest(ck, np))
		return (*np)->type;
	if (!by_class[class](ck, n))
		return NULL;
	if (class == COMPARE)
		check_comparison(ck, n);
	return check_fold(ck, np) ? (*np)->type : NULL;
}

/* ---- ?: ---- */
/* Converts both branches to a common type and returns it, or NULL. */
static struct type *common_type(struct checker *ck, struct node *n)
{
	struct type *b = n->b->type, *c = n->c->type, *t;
	uint64_t strsize = ck->c->opts.strsize;

	if (type_is_string(b) || type_is_string(c)) {
		if (!check_convert(ck, &n->b, ck->t->t_string) || !check_convert(ck, &n->c, ck->t->t_string))
			return NULL;
		b = n->b->type;
		c = n->c->type;
		return (b->size ? b->size : strsize) >= (c->size ? c->size : strsize) ? b : c;
	}
	t = type_is_int(b) && type_is_int(c) ? check_usual(ck, n->b, n->c) : check_common_pointer(n->b, n->c);
	if (!t)
		return NULL;
	n->b = check_cast(ck, n->b, t);
	n->c = check_cast(ck, n->c, t);
	return t;
}

struct type *check_cond(struct checker *ck, struct node **np)
{
	struct node *n = *np;
	struct type *a = check_scalar(ck, &n->a, D_OP_SCALAR, "operator ?: expression must be of scalar type");
	struct type *b = check_value(ck, &n->b), *c = check_value(ck, &n->c);

	if (!a || !b || !c)
		return NULL;
	/* two actions have the same type; report them as actions */
	if ((b->kind == c->kind || b->kind == T_DYN || c->kind == T_DYN) && !check_branches(ck, n->b, n->c, "?:"))
		return NULL;
	n->type = common_type(ck, n);
	if (!n->type)
		return check_fail(ck, n->loc, D_OP_INCOMPAT,
				  "operator ?: operands must have compatible types: \"%s\" : \"%s\"",
				  check_text(ck, b), check_text(ck, c));
	check_fold(ck, np);
	return (*np)->type;
}
