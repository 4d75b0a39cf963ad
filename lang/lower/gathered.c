/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "lang/lower/gathered.h"

#include "lang/lower/expr.h"

uint32_t lower_gather_state(struct lower *l)
{
	int64_t o = ir_obj_find(l->ir, "gather");

	return o >= 0 ? (uint32_t)o :
	       ir_obj_add(l->ir, &(struct ir_obj){ .name = "gather", .kind = IR_O_TEMP, .size = 8 });
}

struct ir_arg lower_gathered_size(struct lower *l)
{
	return lower_op(l, IR_AND, ir_r(ir_emit(&l->b, IR_LD64, ir_m(lower_gather_state(l), 0))), ir_i(UINT32_MAX));
}
