/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * cgroup, container, pod, image: in the kernel a number, shown as a name. Names exist only in this process, so all that
 * a program can do with one is to record it, to use it as a key, and to compare it with a constant.
 */
#include "lang/check/cgroup.h"

#include <string.h>

#include "lang/check/checker.h"
#include "lang/check/conv.h"
#include "lang/check/name.h"
#include "lang/func.h"
#include "lang/prelude.h"

static enum val_kind cgroup_kind(enum builtin bi)
{
	static const enum val_kind kinds[BI_COUNT] = {
		[BI_cgroup] = VAL_CGROUP, [BI_container] = VAL_CONTAINER, [BI_image] = VAL_IMAGE, [BI_pod] = VAL_POD,
	};

	return kinds[bi];
}

struct type *check_cgroup_type(struct checker *ck, enum builtin bi)
{
	const enum val_kind kind = cgroup_kind(bi);

	return val_is_cgroup(kind) ? type_symbolic(ck->t, (uint8_t)kind, sizeof(uint64_t)) : NULL;
}

static bool is_cgroup(const struct node *n)
{
	return n->kind == N_VAR && n->type->kind == T_SYMBOLIC;
}

bool check_names_cgroup(struct checker *ck, const struct node *n)
{
	return n->kind == N_IDENT ? !n->scope && val_is_cgroup(cgroup_kind(builtin_yielding(n->str))) &&
				    !check_find_var(ck, n) && !inline_find(ck->c, n->str) :
	       n->kind == N_VAR && n->type && n->type->kind == T_SYMBOLIC;
}

void *check_cgroup_value(struct checker *ck, const struct node *n)
{
	return check_fail(ck, n->loc, D_CG_EXPR,
			  "%s can only be printed, be a key of an aggregation, or be compared with a constant "
			  "string by == or !=; cgroupid is a number", n->str);
}

bool check_cgroup_comparison(struct checker *ck, struct node **np)
{
	struct node *n = *np, *name = is_cgroup(n->a) ? n->a : n->b, *text = name == n->a ? n->b : n->a, *call;

	if (!is_cgroup(name))
		return false;
	if ((n->op != OP_EQ && n->op != OP_NE) || text->kind != N_STR) {
		n->type = check_cgroup_value(ck, name);
		return true;
	}
	call = check_node(ck, N_CALL, n->loc, ck->t->t_int);
	call->str = "_cgroup_is";
	call->func = func_find(call->str);
	call->nargs = 2;
	call->args = arena_calloc(ck->a, 2, sizeof *call->args);
	call->args[0] = check_int(ck, name->loc, ck->t->t_int, name->type->symbolic);
	call->args[1] = text;
	*np = call;
	if (n->op == OP_EQ)
		return true;
	*np = check_wrap(ck, N_UNARY, call, ck->t->t_int);
	(*np)->op = OP_LNOT;
	return true;
}
