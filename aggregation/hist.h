/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Drawing and comparing, shared by all histograms. Private to aggregation/.
 * Ownership: output goes into the caller's buffer. Errors: no memory (buf->failed).
 */
#ifndef AGGREGATION_HIST_H
#define AGGREGATION_HIST_H

#include "aggregation/agg.h"

struct hist {
	const struct agg_spec *spec;
	unsigned n;			/* buckets */
	bool open;			/* the first bucket is "< " its value, the last ">= " */
	unsigned empty_first, empty_last;	/* range of buckets shown if all are empty */
	int64_t (*value)(const struct agg_spec *s, unsigned bucket);
};

void hist_print(struct buf *out, const struct hist *h, const int64_t *counts, __int128 normal);
/* See agg_func.bucket. */
bool hist_bucket(struct agg_bucket *out, const struct hist *h, const int64_t *counts, unsigned i, __int128 normal);
/* Compares by the sum of all values, then by the count of 0, as DTrace does. */
int hist_compare(const struct hist *h, const int64_t *a, const int64_t *b);
/* Emits IR that adds the weight to bucket `idx` of n. */
void hist_emit_add(struct ir_builder *b, struct ir_arg cell, ir_reg idx, unsigned n, struct ir_arg incr);
/* Emits x / width, as a shift if possible. */
ir_reg hist_emit_divide(struct ir_builder *b, ir_reg x, uint64_t width);

#endif
