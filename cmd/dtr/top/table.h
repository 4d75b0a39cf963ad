/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The tables of `dtr top`: an aggregation over the last intervals. Each snapshot (dtr_snapshot) adds an interval: what
 * has been added to each row since the snapshot before. Knows nothing of screens and sessions.
 *
 *	top_table_begin(t);
 *	dtr_agg_rows(session, i, top_table_add, t);
 *	top_table_end(t);
 *
 * A row that a script removes (clear(), trunc()) or sets back counts from 0 again: its value is then what was added.
 * A sum that falls, but keeps its sign, looks the same; the values of such an interval are wrong.
 *
 * Ownership: the table owns its rows and copies of their keys, until top_table_free. A row lives while it is in
 * snapshots, and TOP_PAST intervals longer.
 * Errors: without memory, arena->oom is called, which does not return. Nothing is allocated in the arena.
 */
#ifndef CMD_DTR_TOP_TABLE_H
#define CMD_DTR_TOP_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "engine/dtr.h"

enum { TOP_PAST = 60 };			/* intervals that a table remembers */

/* What the numbers of a function mean over an interval. */
enum top_kind {
	TOP_COUNT,			/* count(): adds up, never falls */
	TOP_SUM,			/* sum(): adds up */
	TOP_MEAN,			/* avg(): the quotient of two sums */
	TOP_STATE,			/* min(), max(), stddev(): only since the start */
	TOP_BUCKETS,			/* quantize() and the like: a count for each bucket */
};

struct top_bucket {
	int64_t from, to;
	int64_t count;			/* as of the last snapshot */
	int64_t past[TOP_PAST];		/* added in each interval: a ring, like those of rows */
	unsigned seen;
};

struct top_row {
	struct dtr_key *keys;		/* of the table's n_keys; numbers without texts */
	int64_t value;			/* since the start, as dtr prints it */
	int64_t sum, count;		/* since the start; the sum of a count() is the count */
	int64_t (*past)[2];		/* sum and count added in each interval; NULL for TOP_STATE */
	struct top_bucket *buckets;	/* ascending */
	unsigned n_buckets;
	unsigned seen;			/* the number of the last snapshot that had it */
	bool open, toggled;		/* expanded; the user has chosen that */
	bool hidden;			/* by the filter */
	unsigned filtered;		/* by which filter: a number (view.h) */
	int64_t shown;			/* the value in the window */
	char *lines;			/* the expansion, if it is text; or NULL */
	unsigned n_lines;
	uint64_t hash;
	uint32_t next;			/* in the same slot: index + 1 */
};

struct top_table {
	struct arena *arena;
	char *name, *function;
	enum top_kind kind;
	unsigned n_keys;
	struct top_row **rows;
	size_t n, cap;
	uint32_t *slots;		/* index + 1 of the first row */
	size_t n_slots;			/* a power of two */
	unsigned snapshots;
	double lengths[TOP_PAST];	/* of the intervals, seconds */
};

/* Makes an empty table for an aggregation. */
void top_table_init(struct top_table *t, struct arena *a, const struct dtr_agg *agg);
void top_table_free(struct top_table *t);

/* A snapshot; `seconds` since the one before. */
void top_table_begin(struct top_table *t, double seconds);
/* For dtr_agg_rows: arg is the table. Returns 0. */
int top_table_add(void *arg, const struct dtr_row *row);
void top_table_end(struct top_table *t);

/* True if the first n keys are equal. */
bool top_keys_equal(const struct dtr_key *a, const struct dtr_key *b, unsigned n);
/* The row with these keys, or NULL. */
struct top_row *top_table_find(const struct top_table *t, const struct dtr_key *keys);
/* The value over the last `intervals`; 0: since the start. TOP_BUCKETS: the number of values. */
int64_t top_row_value(const struct top_table *t, const struct top_row *r, unsigned intervals);
/* True if the row is in the last snapshot (0), or if something was added to it in the last `intervals`; a sum() that is
 * the same as before counts as nothing. */
bool top_row_active(const struct top_table *t, const struct top_row *r, unsigned intervals);
/* What was added to a bucket `ago` intervals ago (0: the last one); 0 if that is too long ago. */
int64_t top_bucket_past(const struct top_table *t, const struct top_bucket *b, unsigned ago);
/* The length of the last `intervals`, seconds. */
double top_table_length(const struct top_table *t, unsigned intervals);
/* True if the values of rows can be added, so that a row has a share of their sum. */
bool top_table_adds(const struct top_table *t);

#endif
