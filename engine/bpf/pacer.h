/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The pacer: a thread that calls the providers' `pace` at the times they request, so that a tick probe fires even if
 * its CPU's timer does not.
 *
 * Ownership: the thread belongs to the pacer until pacer_stop (idempotent). Errors: pacer_start.
 */
#ifndef ENGINE_BPF_PACER_H
#define ENGINE_BPF_PACER_H

#include <pthread.h>

#include "lang/prog.h"

struct pacer {
	const struct d_prog *prog;
	uint64_t *due;		/* by enabled probe: CLOCK_MONOTONIC, ns; 0 = never again */
	pthread_t thread;
	pthread_mutex_t lock;	/* held while a probe is being paced */
	pthread_cond_t change;
	bool running, stop;
	pid_t owner;		/* the process that has the thread */
};

/* Starts the thread if some probe needs pacing. Returns 0 or -errno. */
int pacer_start(struct pacer *p, struct arena *a, const struct d_prog *prog);
void pacer_stop(struct pacer *p);
/* No probe is paced while the caller holds this lock. */
void pacer_lock(struct pacer *p);
void pacer_unlock(struct pacer *p);

#endif
