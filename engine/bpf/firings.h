/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The account of firings: for each probe that fires by the clock, how many firings were due on each CPU and how many
 * happened. With a ledger (ledger.h) it also attributes each loss to a cause.
 *
 * Ownership: the arena owns the accounts; the ledger is the caller's. Errors: none.
 */
#ifndef ENGINE_BPF_FIRINGS_H
#define ENGINE_BPF_FIRINGS_H

#include "base/arena.h"
#include "engine/bpf/firings_probe.h"

struct bpf_loaded;
struct d_prog;
struct perf_change;

struct ledger;

struct firings {
	const struct d_prog *prog;
	const struct bpf_loaded *loaded;
	struct ledger *ledger;	/* or NULL */
	struct firings_probe *v;	/* by enabled probe */
};

void firings_init(struct firings *f, struct arena *a, const struct d_prog *p, const struct bpf_loaded *l);
/* Handles a change of a perf event of an enabled probe. */
void firings_changed(struct firings *f, size_t probe, const struct perf_change *n);
/* Closes the account. Call it after the last firing, before the probe is detached. */
void firings_end(struct firings *f, size_t probe);
/* See dtr_account. */
bool firings_account(const struct firings *f, size_t probe, int cpu, struct dtr_account *out);

#endif
