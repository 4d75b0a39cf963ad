/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * stddev(): the standard deviation, sqrt(mean of squares - square of mean).
 * The cell is { count, sum, low and high half of the sum of squares }.
 */
#include "aggregation/func.h"

enum { COUNT, SUM, SQ_LOW, SQ_HIGH, NWORDS };

static uint32_t stddev_size(const struct agg_spec *s)
{
	(void)s;
	return NWORDS * 8;
}

struct wide {
	ir_reg low, high;
};

/* |v|^2 in 128 bits, from halves: (2^32 a + b)^2 = 2^64 a^2 + 2^33 ab + b^2. |v| <= 2^63, so 2ab fits in 64 bits. */
static struct wide emit_square(struct ir_builder *b, struct ir_arg value)
{
	ir_reg sign = ir_emit(b, IR_ASHR, value, ir_i(63));
	ir_reg flip = ir_emit(b, IR_XOR, value, ir_r(sign));
	ir_reg abs = ir_emit(b, IR_SUB, ir_r(flip), ir_r(sign));
	ir_reg hi = ir_emit(b, IR_LSHR, ir_r(abs), ir_i(32));
	ir_reg lo = ir_emit(b, IR_ZEXT32, ir_r(abs));
	ir_reg hihi = ir_emit(b, IR_MUL, ir_r(hi), ir_r(hi));
	ir_reg lolo = ir_emit(b, IR_MUL, ir_r(lo), ir_r(lo));
	ir_reg hilo = ir_emit(b, IR_MUL, ir_r(hi), ir_r(lo));
	ir_reg twice = ir_emit(b, IR_SHL, ir_r(hilo), ir_i(1));
	/* The middle: all terms of 2^32 and above, except a^2; less than 2^33. */
	ir_reg lolo_top = ir_emit(b, IR_LSHR, ir_r(lolo), ir_i(32));
	ir_reg twice_low = ir_emit(b, IR_ZEXT32, ir_r(twice));
	ir_reg middle = ir_emit(b, IR_ADD, ir_r(lolo_top), ir_r(twice_low));
	ir_reg middle_up = ir_emit(b, IR_SHL, ir_r(middle), ir_i(32));
	ir_reg lolo_low = ir_emit(b, IR_ZEXT32, ir_r(lolo));
	ir_reg carry = ir_emit(b, IR_LSHR, ir_r(middle), ir_i(32));
	ir_reg twice_top = ir_emit(b, IR_LSHR, ir_r(twice), ir_i(32));
	ir_reg high = ir_emit(b, IR_ADD, ir_r(hihi), ir_r(twice_top));

	return (struct wide){
		.low = ir_emit(b, IR_OR, ir_r(middle_up), ir_r(lolo_low)),
		.high = ir_emit(b, IR_ADD, ir_r(high), ir_r(carry)),
	};
}

/* sq * incr in 128 bits, from halves of the low word: incr is at most 2^32, so no product of a half overflows. */
static struct wide emit_times(struct ir_builder *b, struct wide sq, struct ir_arg incr)
{
	ir_reg low, lower, upper, carry, high;

	if (incr.kind == IR_IMM && incr.imm == 1)
		return sq;
	low = ir_emit(b, IR_MUL, ir_r(ir_emit(b, IR_ZEXT32, ir_r(sq.low))), incr);
	upper = ir_emit(b, IR_MUL, ir_r(ir_emit(b, IR_LSHR, ir_r(sq.low), ir_i(32))), incr);
	carry = ir_emit(b, IR_LSHR, ir_r(low), ir_i(32));
	upper = ir_emit(b, IR_ADD, ir_r(upper), ir_r(carry));
	lower = ir_emit(b, IR_ZEXT32, ir_r(low));
	high = ir_emit(b, IR_MUL, ir_r(sq.high), incr);
	return (struct wide){
		.low = ir_emit(b, IR_OR, ir_r(ir_emit(b, IR_SHL, ir_r(upper), ir_i(32))), ir_r(lower)),
		.high = ir_emit(b, IR_ADD, ir_r(high), ir_r(ir_emit(b, IR_LSHR, ir_r(upper), ir_i(32)))),
	};
}

/*
 * Two atomic additions form a 128-bit one: the old low half gives the carry of this update, whatever other contexts
 * added in between.
 */
static void stddev_update(struct ir_builder *b, const struct agg_spec *s, struct ir_arg cell, struct ir_arg value,
			  struct ir_arg incr)
{
	struct wide sq = emit_times(b, emit_square(b, value), incr);
	ir_reg old, sum, carry, high;

	(void)s;
	ir_emit_to(b, IR_XADD, 0, agg_word(cell, COUNT), incr);
	ir_emit_to(b, IR_XADD, 0, agg_word(cell, SUM), agg_emit_times(b, value, incr));
	old = ir_emit(b, IR_XADD, agg_word(cell, SQ_LOW), ir_r(sq.low));
	sum = ir_emit(b, IR_ADD, ir_r(old), ir_r(sq.low));
	carry = ir_emit(b, IR_ULT, ir_r(sum), ir_r(sq.low));
	high = ir_emit(b, IR_ADD, ir_r(sq.high), ir_r(carry));
	ir_emit_to(b, IR_XADD, 0, agg_word(cell, SQ_HIGH), ir_r(high));
}

static unsigned __int128 square_sum(const int64_t *v)
{
	return (unsigned __int128)(uint64_t)v[SQ_HIGH] << 64 | (uint64_t)v[SQ_LOW];
}

static void stddev_merge(const struct agg_spec *s, int64_t *dst, const int64_t *src)
{
	unsigned __int128 sq = square_sum(dst) + square_sum(src);

	(void)s;
	agg_add_words(dst, src, SQ_LOW);
	dst[SQ_LOW] = (int64_t)(uint64_t)sq;
	dst[SQ_HIGH] = (int64_t)(uint64_t)(sq >> 64);
}

/* The largest integer whose square is at most n, computed bit by bit. */
static uint64_t square_root(unsigned __int128 n)
{
	uint64_t root = 0;

	for (int bit = 63; bit >= 0; bit--) {
		uint64_t with = root | 1ull << bit;

		if ((unsigned __int128)with * with <= n)
			root = with;
	}
	return root;
}

/* The values were squared before dividing by `normal`, so the squares are divided twice. */
static int64_t stddev_number(const struct agg_spec *s, const int64_t *v, __int128 normal)
{
	unsigned __int128 mean_sq = square_sum(v), by = (unsigned __int128)(normal < 0 ? -normal : normal), sq_mean;
	uint64_t root;
	int64_t mean;

	(void)s;
	if (!v[COUNT])
		return 0;
	if (by > 1)
		mean_sq = mean_sq / by / by;
	mean_sq /= (uint64_t)v[COUNT];
	mean = (int64_t)ir_sdiv((uint64_t)agg_normal(v[SUM], normal), (uint64_t)v[COUNT]);
	sq_mean = (unsigned __int128)((__int128)mean * mean);
	/* only a sum that overflowed can be so large */
	root = mean_sq > sq_mean ? square_root(mean_sq - sq_mean) : 0;
	return root > INT64_MAX ? INT64_MAX : (int64_t)root;
}

static int stddev_compare(const struct agg_spec *s, const int64_t *a, const int64_t *b)
{
	return agg_order_of(stddev_number(s, a, 1), stddev_number(s, b, 1));
}

static void stddev_parts(const int64_t *v, struct agg_parts *out)
{
	*out = (struct agg_parts){ .has_count = true, .has_sum = true, .count = v[COUNT], .sum = v[SUM] };
}

const struct agg_func agg_stddev = {
	.name = "stddev",
	.doc = "standard deviation of the values",
	.takes_value = true,
	.scales = true,
	.size = stddev_size,
	.update = stddev_update,
	.merge = stddev_merge,
	.compare = stddev_compare,
	.number = stddev_number,
	.parts = stddev_parts,
};
