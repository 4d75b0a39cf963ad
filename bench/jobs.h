/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * For benchmarks that run commands: the list "NAME COMMAND... [-- NAME COMMAND...]..." and medians.
 * Plain data in the caller's memory; nothing can fail.
 */
#ifndef BENCH_JOBS_H
#define BENCH_JOBS_H

#include <sys/types.h>

enum { JOBS_MAX = 60, JOBS_ROUNDS = 200, JOBS_SPINNERS = 256 };

struct job {
	const char *name;
	char **argv;			/* ends with NULL */
	double value[JOBS_ROUNDS];	/* one measurement per round */
	double extra;			/* specific to the benchmark: peak memory, events */
	double cpu;			/* ms of CPU time in all rounds, of startup */
	int failed;
};

/* Cuts argv (argc words) at each "--", writing NULLs into it. Returns how many jobs there are. */
int jobs_split(int argc, char **argv, struct job *jobs);

/* The quantile `part` (0 to 1) of the first `rounds` values; 0.5 is the median. Sorts them. */
double job_quantile(struct job *j, int rounds, double part);

/* In a forked child: runs the command without input and messages, with output to `out` (-1: discarded). Does not
 * return. */
void job_exec(const struct job *j, int out) __attribute__((noreturn));

/* Busy processes, one on every CPU, which keep it from idling. */
enum spin_kind {
	SPIN_USER,	/* in user code */
	SPIN_IDLE,	/* the same, and only when nothing else runs */
	SPIN_DEEP,	/* half in user code, half in the kernel, below a dozen calls with frame pointers */
};
struct spinners {
	pid_t pid[JOBS_SPINNERS];
	int n;
};
/* fork(); the child ends with its parent and stays on the CPU. */
pid_t job_fork_on(int cpu);
void spinners_start(struct spinners *s, enum spin_kind kind);
void spinners_stop(struct spinners *s);

#endif
