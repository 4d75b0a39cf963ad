/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* count(): the number of calls. */
#include "aggregation/func.h"

static uint32_t count_size(const struct agg_spec *s)
{
	(void)s;
	return 8;
}

static void count_update(struct ir_builder *b, const struct agg_spec *s, struct ir_arg cell, struct ir_arg value,
			 struct ir_arg incr)
{
	(void)s, (void)value;
	ir_emit_to(b, IR_XADD, 0, cell, incr);
}

static void count_merge(const struct agg_spec *s, int64_t *dst, const int64_t *src)
{
	(void)s;
	agg_add_words(dst, src, 1);
}

static int count_compare(const struct agg_spec *s, const int64_t *a, const int64_t *b)
{
	(void)s;
	return agg_order_of(*a, *b);
}

static int64_t count_number(const struct agg_spec *s, const int64_t *v, __int128 normal)
{
	(void)s;
	return agg_normal(*v, normal);
}

static void count_parts(const int64_t *v, struct agg_parts *out)
{
	*out = (struct agg_parts){ .has_count = true, .count = v[0] };
}

const struct agg_func agg_count = {
	.name = "count",
	.doc = "number of calls",
	.scales = true,
	.size = count_size,
	.update = count_update,
	.merge = count_merge,
	.compare = count_compare,
	.number = count_number,
	.parts = count_parts,
};
