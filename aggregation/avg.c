/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* avg(): the mean. The cell is { count, sum }. */
#include "aggregation/func.h"

enum { COUNT, SUM, NWORDS };

static uint32_t avg_size(const struct agg_spec *s)
{
	(void)s;
	return NWORDS * 8;
}

static void avg_update(struct ir_builder *b, const struct agg_spec *s, struct ir_arg cell, struct ir_arg value,
		       struct ir_arg incr)
{
	(void)s;
	ir_emit_to(b, IR_XADD, 0, agg_word(cell, COUNT), incr);
	ir_emit_to(b, IR_XADD, 0, agg_word(cell, SUM), agg_emit_times(b, value, incr));
}

static void avg_merge(const struct agg_spec *s, int64_t *dst, const int64_t *src)
{
	(void)s;
	agg_add_words(dst, src, NWORDS);
}

static int64_t avg_number(const struct agg_spec *s, const int64_t *v, __int128 normal)
{
	(void)s;
	return (int64_t)ir_sdiv((uint64_t)agg_normal(v[SUM], normal), (uint64_t)v[COUNT]);
}

static void avg_fraction(const int64_t *v, int64_t *num, int64_t *den)
{
	*num = v[SUM];
	*den = v[COUNT] ? v[COUNT] : 1;
}

static int avg_compare(const struct agg_spec *s, const int64_t *a, const int64_t *b)
{
	return agg_order_of(avg_number(s, a, 1), avg_number(s, b, 1));
}

static void avg_parts(const int64_t *v, struct agg_parts *out)
{
	*out = (struct agg_parts){ .has_count = true, .has_sum = true, .count = v[COUNT], .sum = v[SUM] };
}

const struct agg_func agg_avg = {
	.name = "avg",
	.doc = "mean of the values",
	.takes_value = true,
	.scales = true,
	.size = avg_size,
	.update = avg_update,
	.merge = avg_merge,
	.compare = avg_compare,
	.number = avg_number,
	.fraction = avg_fraction,
	.parts = avg_parts,
};
