/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* sum(): the total. */
#include "aggregation/func.h"

static uint32_t sum_size(const struct agg_spec *s)
{
	(void)s;
	return 8;
}

static void sum_update(struct ir_builder *b, const struct agg_spec *s, struct ir_arg cell, struct ir_arg value,
		       struct ir_arg incr)
{
	(void)s;
	ir_emit_to(b, IR_XADD, 0, cell, agg_emit_times(b, value, incr));
}

static void sum_merge(const struct agg_spec *s, int64_t *dst, const int64_t *src)
{
	(void)s;
	agg_add_words(dst, src, 1);
}

static int sum_compare(const struct agg_spec *s, const int64_t *a, const int64_t *b)
{
	(void)s;
	return agg_order_of(*a, *b);
}

static int64_t sum_number(const struct agg_spec *s, const int64_t *v, __int128 normal)
{
	(void)s;
	return agg_normal(*v, normal);
}

static void sum_parts(const int64_t *v, struct agg_parts *out)
{
	*out = (struct agg_parts){ .has_sum = true, .sum = v[0] };
}

const struct agg_func agg_sum = {
	.name = "sum",
	.doc = "total of the values",
	.takes_value = true,
	.may_be_zero = true,
	.scales = true,
	.size = sum_size,
	.update = sum_update,
	.merge = sum_merge,
	.compare = sum_compare,
	.number = sum_number,
	.parts = sum_parts,
};
