/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* lquantize(): a histogram of equal steps. Bucket 0 holds values below the base, the last one values from the limit. */
#include "aggregation/func.h"
#include "aggregation/hist.h"

#include <inttypes.h>

enum { BASE, LIMIT, STEP, NPARAMS };
enum { MAX_STEP = UINT16_MAX, MAX_LEVELS = AGG_MAXVALUE / 8 - 2 };

static const struct {
	const char *name;
	enum diag_tag type, range, match;
	int64_t min, max;
} params[NPARAMS] = {
	{ "base", D_LQUANT_BASETYPE, D_LQUANT_BASEVAL, D_LQUANT_MATCHBASE, INT32_MIN, INT32_MAX },
	{ "limit", D_LQUANT_LIMTYPE, D_LQUANT_LIMVAL, D_LQUANT_MATCHLIM, INT32_MIN, INT32_MAX },
	{ "step", D_LQUANT_STEPTYPE, D_LQUANT_STEPVAL, D_LQUANT_MATCHSTEP, 1, MAX_STEP },
};

static unsigned lquantize_levels(const struct agg_spec *s)
{
	return (unsigned)((s->p[LIMIT] - s->p[BASE]) / s->p[STEP]);
}

static int lquantize_check_step(const struct agg_spec *s, struct loc at, struct diags *d)
{
	int64_t span = s->p[LIMIT] - s->p[BASE];

	if (s->p[STEP] > span)
		return diag(d, at, D_LQUANT_STEPLARGE, "lquantize() step %" PRId64 " is larger than the range of %"
			    PRId64, s->p[STEP], span);
	if (span / s->p[STEP] > MAX_LEVELS)
		return diag(d, at, D_LQUANT_STEPSMALL, "lquantize() step %" PRId64 " is too small: it gives %" PRId64
			    " levels, the maximum is %d", s->p[STEP], span / s->p[STEP], (int)MAX_LEVELS);
	return 0;
}

static int lquantize_check_param(const struct agg_paramarg *arg, unsigned i, struct diags *d)
{
	if (!arg->is_const)
		return diag(d, arg->loc, params[i].type, "lquantize() argument %u (%s) must be an integer constant",
			    i + 2, params[i].name);
	if (i == STEP && arg->value <= 0)
		return diag(d, arg->loc, D_LQUANT_STEPTYPE,
			    "lquantize() argument %u (step) must be a non-zero positive integer constant", i + 2);
	if (arg->value < params[i].min || arg->value > params[i].max)
		return diag(d, arg->loc, params[i].range, "lquantize() argument %u (%s) must be from %" PRId64
			    " to %" PRId64, i + 2, params[i].name, params[i].min, params[i].max);
	return 0;
}

static int lquantize_check(struct agg_spec *s, const struct agg_paramarg *arg, unsigned n, struct loc call,
			   struct diags *d)
{
	int err = 0;

	*s = (struct agg_spec){ .p = { [STEP] = 1 }, .nparams = NPARAMS };
	for (unsigned i = 0; i < n && i < NPARAMS; i++)
		s->p[i] = arg[i].value;
	for (unsigned i = 0; i < n && i < STEP; i++)
		err |= lquantize_check_param(&arg[i], i, d);
	if (!err && n > LIMIT && s->p[LIMIT] < s->p[BASE])
		return diag(d, arg[LIMIT].loc, D_LQUANT_MISMATCH, "lquantize() limit %" PRId64
			    " is below the base %" PRId64, s->p[LIMIT], s->p[BASE]);
	if (n > STEP)
		err |= lquantize_check_param(&arg[STEP], STEP, d);
	if (err || n <= LIMIT)
		return -1;
	return lquantize_check_step(s, n > STEP ? arg[STEP].loc : call, d);
}

static int lquantize_match(const struct agg_spec *first, const struct agg_spec *now, struct loc call, struct diags *d)
{
	for (unsigned i = 0; i < NPARAMS; i++)
		if (first->p[i] != now->p[i])
			return diag(d, call, params[i].match, "lquantize() %s %" PRId64 " differs from %" PRId64
				    " in the first use of this aggregation", params[i].name, now->p[i],
				    first->p[i]);
	return 0;
}

static int64_t lquantize_value(const struct agg_spec *s, unsigned bucket)
{
	return s->p[BASE] + s->p[STEP] * (bucket ? (int64_t)bucket - 1 : 0);
}

static struct hist lquantize_hist(const struct agg_spec *s)
{
	return (struct hist){
		.spec = s, .n = lquantize_levels(s) + 2, .open = true, .empty_first = 0, .empty_last = 2,
		.value = lquantize_value,
	};
}

static uint32_t lquantize_size(const struct agg_spec *s)
{
	return (lquantize_levels(s) + 2) * 8;
}

static void lquantize_update(struct ir_builder *b, const struct agg_spec *s, struct ir_arg cell, struct ir_arg value,
			     struct ir_arg incr)
{
	unsigned levels = lquantize_levels(s);
	uint32_t above = ir_newblock(b, NULL), inside = ir_newblock(b, NULL), add = ir_newblock(b, NULL);
	ir_reg idx = ir_emit(b, IR_MOV, ir_i(0)), off, level;

	ir_emit(b, IR_BSLT, value, ir_i(s->p[BASE]), ir_b(add), ir_b(above));
	ir_enter(b, above);
	/* as an unsigned number the difference cannot overflow */
	off = ir_emit(b, IR_SUB, value, ir_i(s->p[BASE]));
	level = hist_emit_divide(b, off, (uint64_t)s->p[STEP]);
	ir_emit_to(b, IR_MOV, idx, ir_i(levels + 1));
	ir_emit(b, IR_BULT, ir_r(level), ir_i(levels), ir_b(inside), ir_b(add));
	ir_enter(b, inside);
	ir_emit_to(b, IR_ADD, idx, ir_r(level), ir_i(1));
	ir_enter(b, add);
	hist_emit_add(b, cell, idx, levels + 2, incr);
}

static void lquantize_merge(const struct agg_spec *s, int64_t *dst, const int64_t *src)
{
	agg_add_words(dst, src, lquantize_levels(s) + 2);
}

static int lquantize_compare(const struct agg_spec *s, const int64_t *a, const int64_t *b)
{
	struct hist h = lquantize_hist(s);

	return hist_compare(&h, a, b);
}

static void lquantize_print(struct buf *out, const struct agg_spec *s, const int64_t *v, __int128 normal)
{
	struct hist h = lquantize_hist(s);

	hist_print(out, &h, v, normal);
}

static bool lquantize_bucket(struct agg_bucket *out, const struct agg_spec *s, const int64_t *v, unsigned i,
			     __int128 normal)
{
	struct hist h = lquantize_hist(s);

	return hist_bucket(out, &h, v, i, normal);
}

const struct agg_func agg_lquantize = {
	.name = "lquantize",
	.doc = "histogram of equal steps",
	.takes_value = true,
	.min_params = LIMIT + 1,
	.max_params = NPARAMS,
	.takes_incr = true,
	.scales = true,
	.check = lquantize_check,
	.match = lquantize_match,
	.size = lquantize_size,
	.update = lquantize_update,
	.merge = lquantize_merge,
	.compare = lquantize_compare,
	.histogram = lquantize_print,
	.bucket = lquantize_bucket,
};
