/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * llquantize(): a histogram with equal steps in each magnitude.
 *
 * Magnitude m holds the values from factor^m to below factor^(m+1). The script's number of steps divides the range from
 * 0 to factor^(m+1); steps below factor^m are not used. If a step would be less than 1, it is 1.
 * Bucket 0 holds the values below factor^low, the last one those from factor^(high+1) on.
 */
#include "aggregation/func.h"
#include "aggregation/hist.h"

#include <inttypes.h>

enum { FACTOR, LOW, HIGH, STEPS, NPARAMS };
enum { MAX_BUCKETS = AGG_MAXVALUE / 8 };

static const struct {
	const char *name;
	enum diag_tag type, range, match;
	int64_t min;
} params[NPARAMS] = {
	{ "factor", D_LLQUANT_FACTORTYPE, D_LLQUANT_FACTORVAL, D_LLQUANT_FACTORMATCH, 0 },
	{ "low magnitude", D_LLQUANT_LOWTYPE, D_LLQUANT_LOWVAL, D_LLQUANT_LOWMATCH, 0 },
	{ "high magnitude", D_LLQUANT_HIGHTYPE, D_LLQUANT_HIGHVAL, D_LLQUANT_HIGHMATCH, 0 },
	{ "steps per magnitude", D_LLQUANT_NSTEPTYPE, D_LLQUANT_NSTEPVAL, D_LLQUANT_NSTEPMATCH, 1 },
};

/* One magnitude. */
struct mag {
	int64_t from, to;	/* to = factor * from */
	int64_t width;		/* of a bucket */
	unsigned bucket;	/* the first one */
	unsigned n;
};

static void mag_fill(struct mag *m, const struct agg_spec *s)
{
	int64_t steps = m->to > s->p[STEPS] ? s->p[STEPS] : m->to;

	m->width = m->to / steps;
	m->n = (unsigned)(steps - steps / s->p[FACTOR]);
}

static struct mag mag_first(const struct agg_spec *s)
{
	struct mag m = { .from = 1, .bucket = 1 };

	for (int64_t i = 0; i < s->p[LOW]; i++)
		m.from *= s->p[FACTOR];
	m.to = m.from * s->p[FACTOR];
	mag_fill(&m, s);
	return m;
}

/* Call it only if there is a next magnitude: factor^(high + 1) is the largest power that is known to fit. */
static void mag_next(struct mag *m, const struct agg_spec *s)
{
	m->bucket += m->n;
	m->from = m->to;
	m->to = m->from * s->p[FACTOR];
	mag_fill(m, s);
}

static unsigned mag_count(const struct agg_spec *s)
{
	return (unsigned)(s->p[HIGH] - s->p[LOW] + 1);
}

static unsigned bucket_count(const struct agg_spec *s)
{
	struct mag m = mag_first(s);

	for (unsigned i = 1; i < mag_count(s); i++)
		mag_next(&m, s);
	return m.bucket + m.n + 1;
}

static bool power_fits(int64_t factor, int64_t n)
{
	int64_t v = 1;

	for (int64_t i = 0; i < n; i++)
		if (__builtin_mul_overflow(v, factor, &v))
			return false;
	return true;
}

static bool steps_divide(int64_t factor, int64_t steps)
{
	int64_t v = factor;

	while (v < steps)
		v *= factor;
	return v % steps == 0 && steps % factor == 0;
}

static int check_together(const struct agg_spec *s, const struct agg_paramarg *arg, struct diags *d)
{
	int64_t factor = s->p[FACTOR], steps = s->p[STEPS];

	if (factor < 2)
		return diag(d, arg[FACTOR].loc, D_LLQUANT_FACTORSMALL,
			    "llquantize() factor must be two or more, not %" PRId64,
			    factor);
	if (s->p[LOW] > s->p[HIGH])
		return diag(d, arg[HIGH].loc, D_LLQUANT_MAGRANGE, "llquantize() high magnitude %" PRId64
			    " is below the low magnitude %" PRId64, s->p[HIGH], s->p[LOW]);
	if (steps < factor)
		return diag(d, arg[STEPS].loc, D_LLQUANT_FACTORNSTEPS, "llquantize() has fewer steps per magnitude (%"
			    PRId64 ") than its factor (%" PRId64 ")", steps, factor);
	if (!steps_divide(factor, steps))
		return diag(d, arg[STEPS].loc, D_LLQUANT_FACTOREVEN, "llquantize() steps per magnitude (%" PRId64
			    ") must be a multiple of the factor (%" PRId64 ") and divide a power of it", steps, factor);
	if (!power_fits(factor, s->p[HIGH] + 1))
		return diag(d, arg[HIGH].loc, D_LLQUANT_MAGTOOBIG, "llquantize() factor %" PRId64
			    " to the power of the high magnitude plus 1 (%" PRId64 ") does not fit in 64 bits", factor,
			    s->p[HIGH] + 1);
	if (bucket_count(s) > MAX_BUCKETS)
		return diag(d, arg[STEPS].loc, D_LLQUANT_NSTEPVAL,
			    "llquantize() has too many steps: they give %u buckets, the maximum is %d",
			    bucket_count(s), (int)MAX_BUCKETS);
	return 0;
}

static int llquantize_check(struct agg_spec *s, const struct agg_paramarg *arg, unsigned n, struct loc call,
			    struct diags *d)
{
	int err = 0;

	(void)call;
	*s = (struct agg_spec){ .nparams = NPARAMS };
	for (unsigned i = 0; i < n && i < NPARAMS; i++) {
		s->p[i] = arg[i].value;
		if (!arg[i].is_const)
			err = diag(d, arg[i].loc, params[i].type,
				   "llquantize() argument %u (%s) must be an integer constant", i + 2, params[i].name);
		else if (arg[i].value < params[i].min || arg[i].value > UINT16_MAX)
			err = diag(d, arg[i].loc, params[i].range, "llquantize() argument %u (%s) must be from %" PRId64
				   " to %d", i + 2, params[i].name, params[i].min, UINT16_MAX);
	}
	if (err || n < NPARAMS)
		return -1;
	return check_together(s, arg, d);
}

static int llquantize_match(const struct agg_spec *first, const struct agg_spec *now, struct loc call,
			    struct diags *d)
{
	for (unsigned i = 0; i < NPARAMS; i++)
		if (first->p[i] != now->p[i])
			return diag(d, call, params[i].match, "llquantize() %s %" PRId64 " differs from %" PRId64
				    " in the first use of this aggregation", params[i].name, now->p[i],
				    first->p[i]);
	return 0;
}

static int64_t llquantize_value(const struct agg_spec *s, unsigned bucket)
{
	struct mag m = mag_first(s);

	if (bucket == 0)
		return m.from;
	for (unsigned i = 1; i < mag_count(s) && bucket >= m.bucket + m.n; i++)
		mag_next(&m, s);
	return m.from + m.width * (int64_t)(bucket - m.bucket);
}

static struct hist llquantize_hist(const struct agg_spec *s)
{
	return (struct hist){
		.spec = s, .n = bucket_count(s), .open = true, .empty_first = 0, .empty_last = 1,
		.value = llquantize_value,
	};
}

static uint32_t llquantize_size(const struct agg_spec *s)
{
	return bucket_count(s) * 8;
}

/* If value < to: idx = first bucket + (value - from) / width, then jumps to `add`. Otherwise continues. */
static void emit_mag(struct ir_builder *b, const struct mag *m, struct ir_arg value, ir_reg idx, uint32_t add)
{
	uint32_t inside = b->block + 1, no = b->block + 2;
	ir_reg off;

	ir_emit(b, IR_BSLT, value, ir_i(m->to), ir_b(inside), ir_b(no));
	ir_enter(b, inside);
	off = ir_emit(b, IR_SUB, value, ir_i(m->from));
	off = hist_emit_divide(b, off, (uint64_t)m->width);
	ir_emit_to(b, IR_ADD, idx, ir_r(off), ir_i(m->bucket));
	ir_emit(b, IR_JMP, ir_b(add));
	ir_enter(b, no);
}

static void llquantize_update(struct ir_builder *b, const struct agg_spec *s, struct ir_arg cell, struct ir_arg value,
			      struct ir_arg incr)
{
	unsigned buckets = bucket_count(s), mags = mag_count(s);
	struct mag m = mag_first(s);
	ir_reg idx = ir_emit(b, IR_MOV, ir_i(0));
	uint32_t first = ir_newblock(b, NULL), add;

	/* Blocks in the order of the branches: two for each magnitude, values above, the addition. */
	for (unsigned i = 0; i < 2 * mags; i++)
		ir_newblock(b, NULL);
	add = ir_newblock(b, NULL);
	ir_emit(b, IR_BSLT, value, ir_i(m.from), ir_b(add), ir_b(first));
	ir_enter(b, first);
	for (unsigned i = 0; i < mags; i++) {
		if (i)
			mag_next(&m, s);
		emit_mag(b, &m, value, idx, add);
	}
	ir_emit_to(b, IR_MOV, idx, ir_i(buckets - 1));
	ir_enter(b, add);
	hist_emit_add(b, cell, idx, buckets, incr);
}

static void llquantize_merge(const struct agg_spec *s, int64_t *dst, const int64_t *src)
{
	agg_add_words(dst, src, bucket_count(s));
}

static int llquantize_compare(const struct agg_spec *s, const int64_t *a, const int64_t *b)
{
	struct hist h = llquantize_hist(s);

	return hist_compare(&h, a, b);
}

static void llquantize_print(struct buf *out, const struct agg_spec *s, const int64_t *v, __int128 normal)
{
	struct hist h = llquantize_hist(s);

	hist_print(out, &h, v, normal);
}

static bool llquantize_bucket(struct agg_bucket *out, const struct agg_spec *s, const int64_t *v, unsigned i,
			      __int128 normal)
{
	struct hist h = llquantize_hist(s);

	return hist_bucket(out, &h, v, i, normal);
}

const struct agg_func agg_llquantize = {
	.name = "llquantize",
	.doc = "histogram of equal steps inside each magnitude",
	.takes_value = true,
	.min_params = NPARAMS,
	.max_params = NPARAMS,
	.takes_incr = true,
	.scales = true,
	.check = llquantize_check,
	.match = llquantize_match,
	.size = llquantize_size,
	.update = llquantize_update,
	.merge = llquantize_merge,
	.compare = llquantize_compare,
	.histogram = llquantize_print,
	.bucket = llquantize_bucket,
};
