/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * quantize(): a histogram of powers of two, of both signs.
 * Bucket 63 holds 0, bucket 64 + k the values from 2^k to below 2^(k+1), bucket 62 - k their negatives.
 */
#include "aggregation/func.h"
#include "aggregation/hist.h"

enum { ZERO = 63, NBUCKETS = 2 * ZERO + 1 };

static int64_t quantize_value(const struct agg_spec *s, unsigned bucket)
{
	(void)s;
	if (bucket < ZERO)
		return -(int64_t)(1ull << (ZERO - 1 - bucket));
	return bucket == ZERO ? 0 : (int64_t)(1ull << (bucket - ZERO - 1));
}

static struct hist quantize_hist(const struct agg_spec *s)
{
	return (struct hist){
		.spec = s, .n = NBUCKETS, .empty_first = ZERO - 1, .empty_last = ZERO + 1, .value = quantize_value,
	};
}

static uint32_t quantize_size(const struct agg_spec *s)
{
	(void)s;
	return NBUCKETS * 8;
}

/*
 * The number of significant bits of x, 0..64, by bisection. It emits no branches, and no comparisons, whose results
 * need a branch in BPF: with six branches, the kernel's verifier would have to check 64 paths.
 */
static ir_reg emit_bits(struct ir_builder *b, ir_reg x)
{
	ir_reg minus = ir_emit(b, IR_NEG, ir_r(x));
	ir_reg any = ir_emit(b, IR_OR, ir_r(x), ir_r(minus));
	ir_reg bits = ir_emit(b, IR_LSHR, ir_r(any), ir_i(63));

	for (int half = 32, log = 5; log >= 0; half /= 2, log--) {
		/* top is below 2^half: adding 2^half - 1 carries into bit `half` exactly if it is not 0 */
		ir_reg top = ir_emit(b, IR_LSHR, ir_r(x), ir_i(half));
		ir_reg carried = ir_emit(b, IR_ADD, ir_r(top), ir_i((1ll << half) - 1));
		ir_reg is = ir_emit(b, IR_LSHR, ir_r(carried), ir_i(half));
		ir_reg shift = ir_emit(b, IR_SHL, ir_r(is), ir_i(log));

		bits = ir_emit(b, IR_ADD, ir_r(bits), ir_r(shift));
		x = ir_emit(b, IR_LSHR, ir_r(x), ir_r(shift));
	}
	return bits;
}

static void quantize_update(struct ir_builder *b, const struct agg_spec *s, struct ir_arg cell, struct ir_arg value,
			    struct ir_arg incr)
{
	ir_reg sign = ir_emit(b, IR_ASHR, value, ir_i(63));
	ir_reg flip = ir_emit(b, IR_XOR, value, ir_r(sign));
	ir_reg abs = ir_emit(b, IR_SUB, ir_r(flip), ir_r(sign));
	ir_reg bits = emit_bits(b, abs);
	/* only INT64_MIN has 64 bits: it goes to the bucket of -2^62 */
	ir_reg over = ir_emit(b, IR_LSHR, ir_r(bits), ir_i(6));
	ir_reg rank = ir_emit(b, IR_SUB, ir_r(bits), ir_r(over));
	ir_reg turned = ir_emit(b, IR_XOR, ir_r(rank), ir_r(sign));
	ir_reg away = ir_emit(b, IR_SUB, ir_r(turned), ir_r(sign));
	ir_reg idx = ir_emit(b, IR_ADD, ir_r(away), ir_i(ZERO));

	(void)s;
	hist_emit_add(b, cell, idx, NBUCKETS, incr);
}

static void quantize_merge(const struct agg_spec *s, int64_t *dst, const int64_t *src)
{
	(void)s;
	agg_add_words(dst, src, NBUCKETS);
}

static int quantize_compare(const struct agg_spec *s, const int64_t *a, const int64_t *b)
{
	struct hist h = quantize_hist(s);

	return hist_compare(&h, a, b);
}

static void quantize_print(struct buf *out, const struct agg_spec *s, const int64_t *v, __int128 normal)
{
	struct hist h = quantize_hist(s);

	hist_print(out, &h, v, normal);
}

static bool quantize_bucket(struct agg_bucket *out, const struct agg_spec *s, const int64_t *v, unsigned i,
			    __int128 normal)
{
	struct hist h = quantize_hist(s);

	return hist_bucket(out, &h, v, i, normal);
}

const struct agg_func agg_quantize = {
	.name = "quantize",
	.doc = "histogram of powers of two",
	.takes_value = true,
	.takes_incr = true,
	.scales = true,
	.size = quantize_size,
	.update = quantize_update,
	.merge = quantize_merge,
	.compare = quantize_compare,
	.histogram = quantize_print,
	.bucket = quantize_bucket,
};
