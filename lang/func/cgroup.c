/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* _cgroup_is(kind, text), which stands for a comparison of the name of a control group with a constant. */
#include "lang/check/checker.h"
#include "lang/check/conv.h"
#include "lang/func/family.h"
#include "lang/lower/cgroup.h"
#include "lang/lower/lower.h"

/* The script itself cannot call it: names that begin with '_' are the prelude's. */
struct type *func_cgroup_is_check(struct checker *ck, struct node *call)
{
	for (unsigned i = 0; i < call->nargs; i++)
		if (!check_value(ck, &call->args[i]))
			return NULL;
	if (call->args[0]->kind == N_INT && val_is_cgroup((unsigned)call->args[0]->value) &&
	    call->args[0]->value <= VAL_IMAGE && call->args[1]->kind == N_STR)
		return ck->t->t_int;
	return check_fail(ck, call->loc, D_PROTO_ARG, "%s( ) is internal: compare cgroup, container, pod or image with "
			  "a constant string", call->str);
}

struct ir_arg func_cgroup_is(struct lower *l, const struct node *call)
{
	return lower_cgroup_is(l, call);
}
