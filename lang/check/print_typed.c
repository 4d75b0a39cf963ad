/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * print(value): a value and its type. A structure, union or array is recorded byte by byte, up to printsize bytes; for
 * a pointer to one, its address and its bytes.
 */
#include "lang/check/print_typed.h"

#include "lang/check/checker.h"
#include "lang/check/conv.h"
#include "lang/types/type_find.h"

static bool is_compound(const struct type *t)
{
	return t->kind == T_STRUCT || t->kind == T_UNION || t->kind == T_ARRAY;
}

/* The first printsize bytes at this place, which becomes an array of bytes. */
static struct node *bytes_of(struct checker *ck, struct node *place)
{
	uint64_t most = ck->c->opts.printsize, n = place->type->size < most ? place->type->size : most;
	struct type *array = type_array(ck->t, ck->t->t_uchar, n);

	return check_wrap(ck, N_DEREF, check_wrap(ck, N_ADDR, place, check_pointer_to(ck, place, array)), array);
}

static bool has_size(struct checker *ck, struct node *n, struct type *t)
{
	if (t->kind == T_STRUCT || t->kind == T_UNION)
		type_is_defined(ck->t, t);
	if (t->size)
		return true;
	check_fail(ck, n->loc, D_PRINT_SIZE, "print( ) of a type without a size: \"%s\"", check_text(ck, t));
	return false;
}

void check_typed(struct checker *ck, struct node *call)
{
	struct node **args = arena_calloc(ck->a, 2, sizeof *args), *n = call->args[0];
	struct type *t = check_expr(ck, &call->args[0]);

	if (!t)
		return;
	n = call->args[0];
	call->shown = t;
	if (n->kind == N_AGG) {
		check_fail(ck, n->loc, D_PRINT_AGG, "print( ) may not be applied to an aggregation: use printa( )");
	} else if (t->kind == T_DYN) {
		check_fail(ck, n->loc, D_PRINT_DYN, "print( ) may not be applied to a dynamic expression: %s",
			   check_text(ck, t));
	} else if (t->kind == T_VOID || t->kind == T_FUNC || t->kind == T_SYMBOLIC) {
		check_fail(ck, n->loc, D_PRINT_VOID, "print( ) may not be applied to \"%s\"", check_text(ck, t));
	} else if (t->kind == T_PTR && is_compound(t->ref)) {
		if (!has_size(ck, n, t->ref))
			return;
		args[0] = n;
		args[1] = bytes_of(ck, check_wrap(ck, N_DEREF, n, t->ref));
		call->args = args;
		call->nargs = 2;
	} else if (is_compound(t) && has_size(ck, n, t)) {
		call->args[0] = bytes_of(ck, n);
	}
}
