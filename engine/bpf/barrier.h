/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Waits until every program that is running at the time of the call has finished. Perf event programs run with
 * interrupts off, so an empty program that an interrupt runs on every CPU runs after them (about 15 us). Raw tracepoint
 * programs can be interrupted; they need an RCU grace period (about 10 ms).
 *
 * Ownership: the struct owns a descriptor until barrier_close (idempotent).
 * Errors: barrier_wait returns 0, or -errno if there is no memory for the program and no grace period is available.
 * CPUs that went offline are skipped.
 */
#ifndef ENGINE_BPF_BARRIER_H
#define ENGINE_BPF_BARRIER_H

#include <stdbool.h>

struct barrier {
	int progfd;	/* -1 until first needed */
	enum barrier_kind { BARRIER_INTERRUPT, BARRIER_RCU /* some programs are not perf event programs */ } kind;
};

void barrier_init(struct barrier *b, enum barrier_kind kind);
int barrier_wait(struct barrier *b, const int *cpus, unsigned ncpus);
void barrier_close(struct barrier *b);

#endif
