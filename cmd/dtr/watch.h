/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A thread that waits for what ends a session from outside: a signal (SIGINT, SIGTERM, SIGHUP) or the end of the target
 * process. Once it is open the signals are blocked everywhere and read from a descriptor: no handler, no global.
 *
 * Ownership: the watch owns its descriptors and thread until watch_close (idempotent).
 * Errors: watch_open, -errno.
 */
#ifndef CMD_DTR_WATCH_H
#define CMD_DTR_WATCH_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "engine/session/dtr.h"

struct watch {
	struct dtr *session;
	int signals, quit, target;	/* descriptors, -1 = none */
	const char *created;	/* a file that the command has made, removed if it ends before anything has run; or NULL */
	bool running;
	atomic_bool target_gone, interrupted;
	uint64_t since;		/* when it was interrupted, monotonic ns */
	bool waited;		/* since then: the next signal is another request */
	bool late;		/* it was at its end already when it was interrupted */
	atomic_int failed;	/* -errno: it could not go on watching, and has stopped the session */
	pthread_t thread;
};

/* The process to watch. 0 or -errno (-ESRCH: there is none). */
int watch_target(struct watch *w, pid_t pid);
/* Before any other thread is started. From here on the first signal stops the session. Before anything has run it ends
 * the command like any other; while the end is being printed, after some seconds, with status 1. Another one, a quarter
 * of a second or more later, does so at once. */
int watch_open(struct watch *w, struct dtr *session);
void watch_close(struct watch *w);
/* Removes what `created` names, if it is still empty. */
void watch_remove_created(const struct watch *w);

#endif
