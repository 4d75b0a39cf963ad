/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Waits until no program that was running is running any more.
 * Perf event programs run with interrupts off: an empty program run on every CPU by an interrupt comes behind them
 * (some 15 us). Raw tracepoint programs may be interrupted: these need a grace period of RCU (some 10 ms).
 * Who owns what: a descriptor until barrier_close (idempotent). What can fail: waiting (-errno), where there is neither
 * memory for the program nor a grace period to be had. A CPU that went is skipped.
 */
#ifndef ENGINE_BPF_BARRIER_H
#define ENGINE_BPF_BARRIER_H

#include <stdbool.h>

struct barrier {
	int progfd;	/* -1 until it is needed */
	bool rcu;	/* some program is not a perf event's */
};

void barrier_init(struct barrier *b, bool rcu);
int barrier_wait(struct barrier *b, const int *cpus, unsigned ncpus);
void barrier_close(struct barrier *b);

#endif
