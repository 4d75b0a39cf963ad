/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The output of `dtr stat`: the table, lines of intervals, JSON.
 *
 * Ownership: the caller's buffers; strings of counts are not copied. Errors: no memory (buf.failed).
 */
#ifndef CMD_DTR_STAT_PRINT_H
#define CMD_DTR_STAT_PRINT_H

#include "base/buf.h"
#include "cmd/dtr/stat/measure.h"

/* Mean and standard deviation of several runs. */
struct stat_mean {
	unsigned n;
	double mean, squares;		/* squares: the sum of the squares of the differences from the mean */
};

void stat_mean_add(struct stat_mean *m, double v);
/* The sample standard deviation; 0 for fewer than two values. */
double stat_mean_deviation(const struct stat_mean *m);

/* All runs. */
struct stat_total {
	const struct stat_args *args;
	unsigned runs;
	struct stat_counts counts;	/* the sums of all runs: value, enabled, running */
	struct stat_mean *value;	/* by event: the estimated counts (stat_estimate) */
	struct stat_mean elapsed, user, sys;	/* s */
	int status;
};

/* False if it could not be counted, or never had a counter. What has not run yet has counted 0. */
bool stat_is_counted(const struct dtr_count *c);
/* The estimate of a count for the whole time: value * enabled / running. 0 if it never had a counter. */
double stat_estimate(const struct dtr_count *c);
/* Appends what a count means with others of the same time ("1.52 insn per cycle"), nothing if that is unknown.
 * *number: its value; *unit: what it is; NULL: nothing is known. elapsed: of the counts, ns. (derive.c) */
void stat_derive(const struct stat_counts *c, unsigned i, uint64_t elapsed, double *number, const char **unit);

void stat_print_table(struct buf *b, const struct stat_total *t);
void stat_print_interval(struct buf *b, const struct stat_args *args, const struct stat_counts *c, bool first);
void stat_print_json(struct buf *b, const struct stat_total *t);

#endif
