/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Functions without a family. */
#include "lang/check/checker.h"
#include "lang/func/func.h"
#include "lang/lower/lower.h"

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
