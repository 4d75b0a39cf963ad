/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Runs a command under supervision: keeps its output and messages, limits its time, finds processes that it leaves.
 * A result owns its texts (run_free). The caller becomes a subreaper and so inherits these processes.
 */
#ifndef TESTS_FAULTS_RUN_H
#define TESTS_FAULTS_RUN_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct trace;

struct run_plan {
	char *const *argv;
	const char *preload;	/* failalloc.so, with the plan's descriptor */
	int plan_fd;
	struct trace *trace;	/* NULL: not traced */
	const char *output;	/* a file that the command writes: its text is taken behind stdout's, and removed */
	const char *keys;	/* not NULL: standard input and output are a terminal, and these keys are its input */
	unsigned int seconds;	/* far more than it needs on any machine; reached only by a hang */
};

struct run_result {
	int status;		/* as waitpid() gave it */
	bool hung;		/* the command did not end in time */
	bool raw;		/* the terminal is left in another state: keys are not echoed */
	bool orphans;		/* something it started did not end in time */
	char *out, *err;
	size_t out_len, err_len;
};

/* Once, before the first run. */
int run_init(void);
/* 0 or -errno: nothing was run. */
int run(const struct run_plan *plan, struct run_result *r);
void run_free(struct run_result *r);

/* The same in two steps, to act in between: an untraced start, then the end. */
struct running {
	pid_t pid;
	int out, err;
	int terminal, slave;	/* -1: none */
	pthread_t screen;	/* reads what is drawn */
};
int run_start(const struct run_plan *plan, struct running *c);
void run_end(const struct run_plan *plan, struct running *c, struct run_result *r);

#endif
