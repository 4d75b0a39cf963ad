/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The list of aggregating functions, and IR that several of them emit. */
#include "aggregation/func.h"

#include <string.h>

const struct agg_func *const agg_funcs[] = {
#define AGG(name) &agg_##name,
#include "aggregation/functions.def"
	NULL
};

const struct agg_func *agg_func_find(const char *name)
{
	for (size_t i = 0; agg_funcs[i]; i++)
		if (strcmp(agg_funcs[i]->name, name) == 0)
			return agg_funcs[i];
	return NULL;
}

void agg_emit_max(struct ir_builder *b, struct ir_arg cell, ir_reg value)
{
	uint32_t lost = ir_newblock(b, "lost"), done = ir_newblock(b, NULL);
	ir_reg failed = ir_emit(b, IR_XMAX, cell, ir_r(value));

	ir_emit(b, IR_BNE, ir_r(failed), ir_i(0), ir_b(lost), ir_b(done));
	ir_enter(b, lost);
	ir_emit(b, IR_DROP, ir_i(IR_DROP_AGG));
	ir_enter(b, done);
}
