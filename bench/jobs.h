/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * For benchmarks that run commands: the list "NAME COMMAND... [-- NAME COMMAND...]..." and medians.
 * Plain data in the caller's memory; nothing can fail.
 */
#ifndef BENCH_JOBS_H
#define BENCH_JOBS_H

#include <sys/types.h>

enum { JOBS_MAX = 40, JOBS_ROUNDS = 200, JOBS_SPINNERS = 256 };

struct job {
	const char *name;
	char **argv;			/* ends with NULL */
	double value[JOBS_ROUNDS];	/* one measurement per round */
	double extra;			/* specific to the benchmark: peak memory, events */
	int failed;
};

/* Cuts argv (argc words) at each "--", writing NULLs into it. Returns how many jobs there are. */
int jobs_split(int argc, char **argv, struct job *jobs);

/* The quantile `part` (0 to 1) of the first `rounds` values; 0.5 is the median. Sorts them. */
double job_quantile(struct job *j, int rounds, double part);

/* In a forked child: runs the command without input and messages, with output to `out` (-1: discarded). Does not
 * return. */
void job_exec(const struct job *j, int out) __attribute__((noreturn));

/* A busy process on every CPU, which keeps it from idling. lowest: it runs only when nothing else does. */
struct spinners {
	pid_t pid[JOBS_SPINNERS];
	int n;
};
/* fork(); the child ends with its parent and stays on the CPU. */
pid_t job_fork_on(int cpu);
void spinners_start(struct spinners *s, int lowest);
void spinners_stop(struct spinners *s);

#endif
