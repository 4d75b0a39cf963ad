/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Says on a terminal that something takes long, and what; erased when it is done. What is done within the delay says
 * nothing.
 *
 * Who owns what: the caller keeps `struct progress` from begin to end. `show` is called in a thread of its own; "" erases.
 * What can fail: nothing; without a thread nothing is said.
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
	uint64_t delay;			/* ns before the first word, and between two */
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t cond;
	bool running, done;
};

/* show NULL: nobody watches, and nothing is done. */
void progress_begin(struct progress *p, void (*show)(void *arg, const char *text), void *arg, const char *what,
		    uint64_t delay);
void progress_end(struct progress *p);

#endif
