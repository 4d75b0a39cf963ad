/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the benches that run commands share: the list "NAME COMMAND... [-- NAME COMMAND...]..." and medians.
 * Plain data in the caller's memory; nothing can fail.
 */
#ifndef BENCH_JOBS_H
#define BENCH_JOBS_H

enum { JOBS_MAX = 16, JOBS_ROUNDS = 1000 };

struct job {
	const char *name;
	char **argv;			/* ends with NULL */
	double value[JOBS_ROUNDS];	/* one measurement a round */
	double extra;			/* the bench's own: peak memory, events */
	int failed;
};

/* Cuts argv (argc words) at each "--", writing NULLs into it. Returns how many jobs there are. */
int jobs_split(int argc, char **argv, struct job *jobs);

/* The median of the first `rounds` values; sorts them. */
double job_median(struct job *j, int rounds);

/* In the child of a fork: output to nowhere, then the command. Does not return. */
void job_exec(const struct job *j) __attribute__((noreturn));

#endif
