/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Shows on a terminal that an operation takes long, and erases that at its end. Operations shorter than the delay show
 * nothing.
 *
 * Ownership: the caller keeps `struct progress` from begin to end. `show` is called in a separate thread; "" erases.
 * Errors: none; without a thread, nothing is shown.
 */
#ifndef ENGINE_OUTPUT_PROGRESS_H
#define ENGINE_OUTPUT_PROGRESS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

struct progress {
	void (*show)(void *arg, const char *text);
	void *arg;
	const char *what;
	uint64_t delay;			/* ns before the first text and between two */
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t cond;
	bool running, done;
};

/* show NULL: does nothing. */
void progress_begin(struct progress *p, void (*show)(void *arg, const char *text), void *arg, const char *what,
		    uint64_t delay);
void progress_end(struct progress *p);

#endif
