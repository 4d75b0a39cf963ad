/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A thread that waits for external ends of a session: a signal (SIGINT, SIGTERM, SIGHUP) or the end of the target
 * process. While it is open, these signals are blocked in all threads and read from a signalfd, without a handler.
 *
 * Ownership: the watch owns its descriptors and thread until watch_close (idempotent).
 * Errors: watch_open and watch_target return -errno.
 */
#ifndef CMD_DTR_WATCH_H
#define CMD_DTR_WATCH_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "engine/dtr.h"

struct watch {
	struct dtr *session;
	int signals, quit;	/* descriptors, -1 = none */
	int target[DTR_TARGETS];	/* of the targets */
	unsigned ntargets;
	const char *created;	/* a file that dtr created, to be removed if it ends before anything has run; or NULL */
	bool running;
	atomic_bool target_gone, interrupted;
	uint64_t since;		/* time of the interruption, CLOCK_MONOTONIC, ns */
	bool waited;		/* enough time has passed: the next signal is a new request */
	bool late;		/* the session was already ending when interrupted */
	unsigned writes;	/* dtr_writes when the wait began */
	atomic_int failed;	/* -errno: watching failed, and the session was stopped */
	void (*leave)(void *arg);	/* called before the watch ends the process, in its thread; or NULL */
	void *leave_arg;
	pthread_t thread;
};

/* Adds a process to watch: when all have ended, so does the session. Returns 0 or -errno (-ESRCH: no such process). */
int watch_target(struct watch *w, pid_t pid);
/* Call it before any other thread is started. From then on the first signal stops the session. Before anything has
 * run, a signal ends the command as usual. If it takes seconds to print the end, or if nobody reads the output for
 * seconds, the signal ends the command with status 1; a second signal, at least a quarter of a second later, does so
 * at once. */
int watch_open(struct watch *w, struct dtr *session);
void watch_close(struct watch *w);
/* Removes the file `created` if it is still empty. */
void watch_remove_created(const struct watch *w);

#endif
