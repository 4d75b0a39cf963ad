/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Functions without a family. */
#include "lang/check/checker.h"
#include "lang/func/family.h"
#include "lang/lower/expr.h"
#include "lang/lower/lower.h"
#include "lang/lower/speculation.h"

/* Two 32-bit numbers make one of 64 bits, as in DTrace; the type is int there, too. */
struct type *func_rand_check(struct checker *ck, struct node *call)
{
	(void)call;
	return ck->t->t_int;
}

struct ir_arg func_rand(struct lower *l, const struct node *call)
{
	return lower_fit(l, ir_r(ir_emit(&l->b, IR_RANDOM)), NULL, call->type);
}

struct type *func_speculation_check(struct checker *ck, struct node *call)
{
	(void)call;
	return ck->t->t_int;
}

struct ir_arg func_speculation(struct lower *l, const struct node *call)
{
	(void)call;
	return lower_new_speculation(l);
}
