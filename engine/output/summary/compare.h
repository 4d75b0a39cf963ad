/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Two recordings compared (dtr diff): which functions have a larger or a smaller share of the samples that are not
 * idle. Rates and lengths may differ. The test, its correction for the number of functions and the intervals are those
 * of base/difference.h, with the lost samples of both.
 *
 * Ownership: the caller's arena. Errors: no memory for output (buf.failed).
 */
#ifndef ENGINE_OUTPUT_SUMMARY_COMPARE_H
#define ENGINE_OUTPUT_SUMMARY_COMPARE_H

#include "base/difference.h"
#include "engine/output/summary/summary.h"

/* Differences whose corrected P value is below this are significant. */
#define COMPARE_LEVEL 0.05

enum compare_side { COMPARE_BEFORE, COMPARE_AFTER, COMPARE_SIDES };

struct compare_row {
	const char *name;
	uint64_t count[COMPARE_SIDES];
	double share[COMPARE_SIDES];	/* 0 to 1 */
	double change;			/* of the share, -1 to 1 */
	struct share_interval interval;	/* of the change */
	double p, corrected;		/* the P value, and that corrected by Holm's method */
};

struct comparison {
	const struct summary *side[COMPARE_SIDES];
	VEC(struct compare_row) rows;	/* significant ones first, from the hottest to the coldest; then by P value */
	size_t changed;			/* significant rows */
};

/* Compares the functions of two summaries, which must live as long as the comparison. */
void compare_take(struct comparison *c, struct arena *a, const struct summary *before, const struct summary *after);
/* Append the comparison as text, or as JSON lines. all: also rows that are not significant. */
void compare_text(struct buf *out, const struct comparison *c, bool all);
void compare_json(struct buf *out, const struct comparison *c);
/* The page: the comparison and a differential flame graph of both sides' stacks. Each output has a picture of its
 * stacks (picture_take), or of nothing. Appends to o->buf; o has the page (picture_page_open). */
void compare_page(struct output *o, const struct comparison *c, const struct output *const side[COMPARE_SIDES]);

#endif
