/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Constant folding on the typed tree: every constant expression becomes one N_INT (or N_STR). */
#include "lang/check/fold.h"

#include <string.h>

#include "lang/check/checker.h"
#include "lang/check/conv.h"
#include "lang/syntax/fold.h"

static void become_int(struct node *n, uint64_t v)
{
	n->kind = N_INT;
	n->op = OP_NONE;
	n->value = type_extend(n->type, v);
	n->setting = (n->a && n->a->setting) || (n->b && n->b->setting);
	n->a = n->b = n->c = NULL;
}

static int string_order(const struct node *a, const struct node *b)
{
	size_t len = a->len < b->len ? a->len : b->len;
	int r = memcmp(a->str, b->str, len);

	return r ? r : (a->len > b->len) - (a->len < b->len);
}

static bool fold_logical(struct node *n)
{
	bool a = n->a->kind == N_INT, b = n->b->kind == N_INT;

	if (n->op == OP_LXOR && a && b)
		become_int(n, !n->a->value != !n->b->value);
	else if (n->op == OP_LAND && a && (!n->a->value || b))
		become_int(n, n->a->value && n->b->value);
	else if (n->op == OP_LOR && a && (n->a->value || b))
		become_int(n, n->a->value || n->b->value);
	return true;
}

static bool fold_binary(struct checker *ck, struct node *n)
{
	if (n->op == OP_LAND || n->op == OP_LOR || n->op == OP_LXOR)
		return fold_logical(n);
	if ((n->op == OP_DIV || n->op == OP_MOD) && node_is_zero(n->b)) {
		check_fail(ck, n->loc, D_DIV_ZERO, "expression contains division by zero");
		return false;
	}
	if (n->a->kind == N_STR && n->b->kind == N_STR)
		become_int(n, fold_operator(n->op, NULL, (uint64_t)(int64_t)string_order(n->a, n->b), 0));
	else if (n->a->kind == N_INT && n->b->kind == N_INT)
		become_int(n, fold_operator(n->op, n->a->type, n->a->value, n->b->value));
	return true;
}

/* The chosen operand of ?: is a value, not a place. */
static struct node *chosen_operand(struct checker *ck, const struct node *n)
{
	struct node *e = n->a->value ? n->b : n->c, *value;

	if (e->kind == N_INT || !type_is_scalar(n->type))
		return e;
	value = check_node(ck, N_CAST, n->loc, n->type);
	value->a = e;
	return value;
}

bool check_fold(struct checker *ck, struct node **np)
{
	struct node *n = *np;

	if (n->kind == N_BINARY)
		return fold_binary(ck, n);
	if (n->kind == N_UNARY && n->op <= OP_LNOT && n->a->kind == N_INT)
		become_int(n, fold_sign(n->op, n->a->value));
	else if (n->kind == N_COND && n->a->kind == N_INT)
		*np = chosen_operand(ck, n);
	else if (n->kind == N_CAST && n->a->kind == N_INT && type_is_scalar(n->type))
		become_int(n, n->a->value);
	return true;
}

bool node_const(const struct node *n, int64_t *v)
{
	if (n->kind != N_INT)
		return false;
	*v = (int64_t)n->value;
	return true;
}
