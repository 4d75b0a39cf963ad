/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Aggregations of count() as shares of their sum, each with its 95 % interval (-x shares). With -x shares=group, a
 * first key that is an integer is the group, and shares are parts of its sum.
 *
 * The other keys make the name of a row:
 *	a kernel address of 0	"user": the CPU was not in the kernel
 *	a routine of idle CPUs	"idle"
 *	a symbol after a module or a stack	only shows whether it is such a routine
 * Rows of a group with equal names are added up.
 *
 * If the script has @idle[cpu], the samples that were delivered on idle CPUs, and there the row of key -1, then the
 * firings of profile-N that were not delivered while a CPU was idle are counted as "idle". Other lost samples could
 * belong to any row, so they make its interval wider.
 *
 * Ownership: the caller's arena. Errors: shares_take returns -ENOMEM.
 */
#ifndef ENGINE_OUTPUT_SHARES_SHARES_H
#define ENGINE_OUTPUT_SHARES_SHARES_H

#include "base/interval.h"
#include "engine/output/output.h"

struct share_row {
	int64_t group;			/* 0 if there are no groups */
	const char *name;
	uint64_t count;
	double share;			/* 0 to 1 */
	struct share_interval interval;
	bool tied;			/* the interval overlaps that of the previous row of the group */
};

struct shares_group {
	int64_t group;
	size_t first, n;		/* rows */
	uint64_t total;			/* their counts */
	uint64_t idle;			/* of these, firings that were not delivered */
	uint64_t lost;			/* other firings that were not delivered */
};

/* What took the samples. */
struct share_source {
	const char *name;		/* "a timer"; NULL: unknown */
	const char *blind;		/* a sentence: what it cannot see */
};

struct shares {
	const struct agg_table *table;
	const char *what;		/* of a row: "ROUTINE", "MODULE", "LINE", "KEY" */
	bool grouped, cpus;		/* there are groups; they are CPUs */
	bool known;			/* `lost` of the groups is known */
	VEC(struct share_row) rows;	/* by group, then by count, the largest first */
	VEC(struct shares_group) groups;	/* one if there are no groups, even without rows */
};

struct shares_list {
	struct shares *v;
	size_t n, cap;
	struct share_source source;
};

/* True if all aggregations are counts. */
bool shares_all(const struct agg_table *tables, unsigned n);
/* Makes the shares of all aggregations of count() that have rows; of the first one if none has. */
int shares_take(struct shares_list *out, struct arena *a, const struct output *o, const struct agg_table *tables,
		unsigned n);
/* What a mark of `tied` means. */
#define SHARES_TIED "~ cannot be distinguished from the row above: the intervals overlap"
/* Appends the number of samples of a group and of those that are missing: "100, 3 lost". */
void shares_total(struct buf *out, const struct shares *s, const struct shares_group *g);
/* True for a routine in which the kernel waits on an idle CPU. name: with or without "module`" and ".suffix". */
bool shares_idle(const char *name);
/* What has taken the samples of a session. */
struct share_source shares_source(const struct output *o);

#endif
