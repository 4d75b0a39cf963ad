/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The metrics of a session: its aggregations, what was left out, and its losses. -O openmetrics prints them once, at
 * the end; `dtr serve` renders them while the session runs.
 *
 * Ownership: the caller's buffer. Errors: no memory (out->failed).
 */
#ifndef ENGINE_OUTPUT_METRICS_PAGE_H
#define ENGINE_OUTPUT_METRICS_PAGE_H

#include "engine/dtr.h"
#include "engine/output/metrics/metrics.h"
#include "engine/output/output.h"

struct page {
	struct arena *arena;
	const struct output *output;
	enum metrics_form form;
	const struct dtr_metric *extra;	/* [nextra] */
	unsigned nextra;
};

/* Appends the whole text. *dropped: the series beyond -x maxseries, which are not in it. */
void page_put(struct buf *out, const struct page *p, const struct agg_table *tables, unsigned n, uint64_t *dropped);

#endif
