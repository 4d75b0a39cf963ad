/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the benches that run commands share: the list "NAME COMMAND... [-- NAME COMMAND...]..." and medians.
 * Plain data in the caller's memory; nothing can fail.
 */
#ifndef BENCH_JOBS_H
#define BENCH_JOBS_H

#include <sys/types.h>

enum { JOBS_MAX = 40, JOBS_ROUNDS = 200, JOBS_SPINNERS = 256 };

struct job {
	const char *name;
	char **argv;			/* ends with NULL */
	double value[JOBS_ROUNDS];	/* one measurement a round */
	double extra;			/* the bench's own: peak memory, events */
	int failed;
};

/* Cuts argv (argc words) at each "--", writing NULLs into it. Returns how many jobs there are. */
int jobs_split(int argc, char **argv, struct job *jobs);

/* The value below which this part (0 to 1) of the first `rounds` lies; 0.5 is the median. Sorts them. */
double job_quantile(struct job *j, int rounds, double part);

/* In the child of a fork: input from and messages to nowhere, output to `out` (-1: nowhere), then the command. Does not
 * return. */
void job_exec(const struct job *j, int out) __attribute__((noreturn));

/* A spinner on every CPU, which keeps it from idling. lowest: one that runs only when nobody else wants to. */
struct spinners {
	pid_t pid[JOBS_SPINNERS];
	int n;
};
/* fork(); the child ends with its parent and stays on the CPU. */
pid_t job_fork_on(int cpu);
void spinners_start(struct spinners *s, int lowest);
void spinners_stop(struct spinners *s);

#endif
