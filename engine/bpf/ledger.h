/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The ledger: where the firings of profile probes went that did not come. Two raw tracepoint programs watch the timers
 * behind our own perf events expire. At the entry to an expiration they note how many intervals the timer has left out
 * since the last one, at the exit whether the probe's program has run, and if not, what kept it from running.
 *
 * Who owns what: the ledger owns its maps, programs and links until ledger_close (idempotent; zeroed is closed).
 * What can fail: opening, where the kernel lacks something: -errno and a sentence in `why`.
 */
#ifndef ENGINE_BPF_LEDGER_H
#define ENGINE_BPF_LEDGER_H

#include <stddef.h>

#include "engine/bpf/firings.h"

/* Offsets in the kernel's structures, from its own types; those of perf_event count from the timer in it. */
struct ledger_types {
	int32_t id, owner, state, interrupts;	/* of struct perf_event */
	int32_t expires, base;			/* of struct hrtimer */
	int32_t cpu_base;			/* of struct hrtimer_clock_base */
	int64_t active;				/* from a CPU's hrtimer_bases to its bpf_prog_active; 0: not known */
};

/* ledger_types.c. 0 or -errno. */
int ledger_types(struct ledger_types *t, char *why, size_t n);

/* The ledger's memory, shared with its programs: words, then `now` by CPU, then slots by probe and CPU. */
struct ledger_words {
	uint64_t task, tgid;	/* of the thread that opens the events */
	uint64_t pad[6];
};

/* The expiration that is going on. */
struct ledger_now {
	uint64_t timer;		/* 0: none of ours */
	uint64_t slot;		/* its place in the memory */
	uint64_t fired, drops;	/* what was counted before it */
	uint64_t pad[4];
};

/* One perf event. Times are the timer's own: when it was to expire, CLOCK_MONOTONIC, ns. */
struct ledger_slot {
	uint64_t period;
	uint64_t fired_at, drops_at;	/* places in the session's data map */
	uint64_t first, last;		/* expirations; 0 = none yet */
	uint64_t throttled;		/* the kernel has stopped it for coming too often */
	int64_t shift[2];		/* by so much gaps between expirations were longer than whole periods; [1]: those
					 * in which it was throttled */
	uint64_t expired, delivered, records_lost;
	int64_t lost[DTR_NLOSSES];
	uint64_t pad[2];
};

/* What the map of events leads to, from an event's id. */
struct ledger_event {
	uint64_t slot, owner;
};

/* What the programs are made for. */
struct ledger_layout {
	struct ledger_types types;
	int ids, mem, data;		/* descriptors: the map of events, the memory, the session's data map */
	uint32_t mem_size, data_size;
	uint32_t cpuslots;		/* a power of two */
};

struct bpf_insn;
/* ledger_code.c: the programs at the entry and at the exit, and the one that notes who runs it. Returns the number of
 * instructions, at most `max`. */
enum ledger_prog { LEDGER_SELF, LEDGER_ENTRY, LEDGER_EXIT, LEDGER_NPROGS };
unsigned ledger_code(const struct ledger_layout *l, enum ledger_prog p, struct arena *a, struct bpf_insn *out,
		     unsigned max);

struct ledger {
	bool open;
	const struct bpf_loaded *loaded;
	struct ledger_layout layout;
	int prog[LEDGER_NPROGS], link[LEDGER_NPROGS];	/* descriptors, -1 = none */
	uint8_t *mem;
	size_t mem_len;
};

int ledger_open(struct ledger *g, const struct bpf_loaded *l, size_t nprobes, char *why, size_t n);
/* An event of an enabled probe that is about to be enabled. */
void ledger_watch(struct ledger *g, size_t probe, const struct firings_probe *p, const struct perf_news *n);
/* Brings what became of an event that has been disabled into the account: everything due until `end`.
 * dead: its CPU had gone offline. */
void ledger_settle(struct ledger *g, size_t probe, struct firings_cpu *c, const struct perf_news *n, uint64_t end,
		   bool dead);
/* What its programs have cost. */
void ledger_cost(const struct ledger *g, struct dtr_cost *out);
void ledger_close(struct ledger *g);

#endif
