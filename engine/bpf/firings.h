/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The account of firings: for each probe that fires by the clock, how many were due on each CPU and how many came.
 * With a ledger (ledger.h) it also knows where the others went.
 *
 * Who owns what: the arena owns the accounts; the ledger is the caller's. What can fail: nothing.
 */
#ifndef ENGINE_BPF_FIRINGS_H
#define ENGINE_BPF_FIRINGS_H

#include "engine/bpf/bpf.h"
#include "engine/run/account.h"
#include "lang/prog.h"
#include "providers/perf.h"

struct ledger;

struct firings_cpu {
	uint64_t before, after;	/* the present event was enabled between these two; 0: there is none */
	uint64_t away;		/* since when there has been none on a CPU that had one; 0: not so */
	uint64_t expected;
	int64_t lost[DTR_NLOSSES];
	uint64_t records_lost;
};

struct firings_probe {
	struct probe_due due;
	bool counts;		/* it fires by the clock */
	int64_t obj;		/* NAME.fired */
	struct firings_cpu *cpu;
};

struct firings {
	const struct d_prog *prog;
	const struct bpf_loaded *loaded;
	struct ledger *ledger;	/* or NULL */
	struct firings_probe *v;	/* by enabled probe */
};

void firings_init(struct firings *f, struct arena *a, const struct d_prog *p, const struct bpf_loaded *l);
/* What became of a perf event of an enabled probe. */
void firings_news(struct firings *f, size_t probe, const struct perf_news *n);
/* Once nothing fires any more, before the probe is detached. */
void firings_end(struct firings *f, size_t probe);
/* See dtr_account. */
bool firings_account(const struct firings *f, size_t probe, int cpu, struct dtr_account *out);

#endif
