/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* max(): the largest value. The cell holds value - INT64_MIN: 0 means "no value yet", and the larger cell wins. */
#include "aggregation/func.h"

/* Value to cell and back: the difference modulo 2^64 is the same as flipping these bits. */
#define FLIP INT64_MIN

static uint32_t max_size(const struct agg_spec *s)
{
	(void)s;
	return 8;
}

static void max_update(struct ir_builder *b, const struct agg_spec *s, struct ir_arg cell, struct ir_arg value,
		       struct ir_arg incr)
{
	ir_reg flipped = ir_emit(b, IR_XOR, value, ir_i(FLIP));

	(void)s, (void)incr;
	agg_emit_max(b, cell, flipped);
}

static void max_merge(const struct agg_spec *s, int64_t *dst, const int64_t *src)
{
	(void)s;
	if ((uint64_t)*src > (uint64_t)*dst)
		*dst = *src;
}

static int64_t max_number(const struct agg_spec *s, const int64_t *v, __int128 normal)
{
	(void)s;
	return agg_normal(*v ^ FLIP, normal);
}

static int max_compare(const struct agg_spec *s, const int64_t *a, const int64_t *b)
{
	return agg_order_of(max_number(s, a, 1), max_number(s, b, 1));
}

const struct agg_func agg_max = {
	.name = "max",
	.doc = "largest of the values",
	.takes_value = true,
	.may_be_zero = true,
	.size = max_size,
	.update = max_update,
	.merge = max_merge,
	.compare = max_compare,
	.number = max_number,
};
