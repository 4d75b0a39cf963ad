/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The ledger: attributes lost firings of timed probes to causes. Two raw tracepoint programs (hrtimer_expire_entry,
 * hrtimer_expire_exit; rt/programs/ledger.c) watch the timers of our own perf events. At the entry of an expiration
 * they count the intervals that the timer skipped since the previous expiration. At the exit they check whether the
 * probe's program ran and, if not, why.
 *
 * Ownership: the ledger owns its maps, programs and links until ledger_close (idempotent; zeroed is closed).
 * Errors: ledger_open returns -errno and a sentence in `reason` if the kernel lacks something.
 */
#ifndef ENGINE_BPF_LEDGER_H
#define ENGINE_BPF_LEDGER_H

#include <stddef.h>

#include "engine/bpf/firings_probe.h"
#include "providers/perf.h"

struct bpf_loaded;

/* Offsets in bytes in the kernel's structures, from its BTF. Those of perf_event are relative to the timer in it. */
struct ledger_types {
	int32_t id, owner, state, interrupts;	/* of struct perf_event */
	int32_t expires, base;			/* of struct hrtimer */
	int32_t cpu_base;			/* of struct hrtimer_clock_base */
	int64_t active;				/* from hrtimer_bases to bpf_prog_active; 0 = unknown */
};

/* Reads the offsets (ledger_types.c). Returns 0, or -errno with a sentence in reason[n]. */
int ledger_read_types(struct ledger_types *t, char *reason, size_t n);

/* Parameters of the programs. */
struct ledger_layout {
	struct ledger_types types;
	int ids, mem, data;		/* descriptors: the map of events, the memory, the session's data map */
	uint32_t mem_size, data_size;
	uint32_t cpuslots;		/* a power of two */
};

enum ledger_prog { LEDGER_SELF, LEDGER_ENTRY, LEDGER_EXIT, LEDGER_NPROGS };

struct ledger {
	bool open;
	const struct bpf_loaded *loaded;
	struct ledger_layout layout;
	int prog[LEDGER_NPROGS], link[LEDGER_NPROGS];	/* descriptors, -1 = none */
	uint8_t *mem;
	size_t mem_len;
};

int ledger_open(struct ledger *g, const struct bpf_loaded *l, size_t nprobes, char *reason, size_t n);
/* Starts watching an event of an enabled probe; call it before the event is enabled. */
void ledger_watch(struct ledger *g, size_t probe, const struct firings_probe *p, const struct perf_change *n);
/* How an event ended. */
struct ledger_end {
	uint64_t time;		/* firings are due until then: CLOCK_MONOTONIC, ns */
	bool dead;		/* its CPU went offline */
};

/* Adds a disabled event to the account, with everything due until its end. */
void ledger_settle(struct ledger *g, size_t probe, struct firings_cpu *c, const struct perf_change *n,
		   struct ledger_end end);
/* Adds the cost of the ledger's programs to *out. */
void ledger_cost(const struct ledger *g, struct dtr_cost *out);
void ledger_close(struct ledger *g);

#endif
