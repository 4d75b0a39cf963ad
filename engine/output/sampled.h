/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Sampled aggregations, and the intervals of their shares (-x interval).
 *
 * An aggregation of count() with keys is sampled if every clause that adds to it has only probes profile-N, or only
 * probes sweep-N, of one interval. The share of a row is k / n: its count and the sum of all rows, including those that
 * trunc(n) has removed. The interval is that of Wilson, widened by the losses of the ledger (interval_wilson_lost in
 * base/interval.h). The losses are those of all probes profile-N of the interval, during the whole run and on all CPUs,
 * except firings that idle CPUs explain; they are known when tracing has ended, and 0 before. Firings of sweep-N are
 * not lost.
 *
 * Ownership: plain data. Errors: none.
 */
#ifndef ENGINE_OUTPUT_SAMPLED_H
#define ENGINE_OUTPUT_SAMPLED_H

#include "aggregation/agg.h"
#include "engine/output/output.h"

struct script;

struct sampling {
	uint64_t interval;		/* ns between two samples of a CPU */
	bool sweep;			/* sweep-N, not profile-N */
};

/* Stores what samples the events that clauses add to the aggregation. Returns false if not all of them are samples of
 * one interval. */
bool sampled_by(const struct script *s, const struct agg_desc *d, struct sampling *out);
/* With -x interval: sets agg_table.samples of those that are sampled. Call it after the rows have changed. */
void sampled_sum(const struct output *o, struct agg_table *tables, unsigned n);
/* Appends the number of samples and of those that are missing, if samples.on: "100, 3 lost". */
void sampled_total(struct buf *out, const struct agg_table *t);

#endif
