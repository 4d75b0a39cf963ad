/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Reports the account of firings (-x ledger) and the cost of probes (-x cost) at the end of a session.
 * Ownership: memory is in the output's arena. Errors: none.
 */
#ifndef ENGINE_OUTPUT_ACCOUNTS_H
#define ENGINE_OUTPUT_ACCOUNTS_H

#include "engine/output/output.h"
#include "engine/run/backend.h"

struct accounts {
	struct output *o;
	const struct backend_ops *ops;	/* NULL: nothing was run */
	struct backend *b;
	unsigned nprobes;
	uint64_t time;			/* when the probes were armed: CLOCK_MONOTONIC, ns */
	uint64_t spent;			/* CPU time of this process until then, ns */
	uint64_t *idle;			/* idle time of each CPU until then, ns; after accounts_end: since; or NULL */
	unsigned ncpus;
};

/* To be called when the backend is open. */
void accounts_open(struct accounts *l, struct output *o, const struct backend_ops *ops, struct backend *b);
/* To be called when the probes have been armed. here: the firings are of this machine's CPUs. */
void accounts_begin(struct accounts *l, bool here);
/* To be called when the probes have been disarmed. */
void accounts_end(struct accounts *l);
/* See dtr_account and dtr_cost. */
bool accounts_get(const struct accounts *l, unsigned i, int cpu, struct dtr_account *out, bool *beyond);
bool accounts_get_cost(const struct accounts *l, unsigned i, struct dtr_cost *out);
/* After accounts_end: stores how many firings of the probes profile-N are missing that idle CPUs do not explain, of how
 * many that were due. Returns false if that is not known. */
bool accounts_lost(const struct accounts *l, uint64_t *lost, uint64_t *due);
/* The same for the first probe profile-N on one CPU, or on all (-1): firings that were not delivered while the CPU was
 * idle, and other lost ones. sampled: how many firings of idle threads were delivered; the others that fit into the
 * idle time were not. Idle times are not used for all CPUs together. Returns false if it is not known. */
struct accounts_missing {
	uint64_t idle, lost;
};
bool accounts_missing(const struct accounts *l, int cpu, uint64_t sampled, struct accounts_missing *out);
/* After accounts_end: the same for all probes profile-N of an interval (ns) on all CPUs, summed up. `idle` is how many
 * the idle time of the CPUs explains. */
bool accounts_missing_of(const struct accounts *l, uint64_t interval, struct accounts_missing *out);
/* Report the accounts of firings as -x ledger says, and the cost with -x cost. */
void accounts_report(struct accounts *l);
void accounts_report_cost(struct accounts *l);

#endif
