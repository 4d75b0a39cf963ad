/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Accounts of a run: for each probe, the delivered and lost firings and their cost.
 * Ownership: plain data; names belong to the session. Errors: none.
 */
#ifndef ENGINE_RUN_ACCOUNT_H
#define ENGINE_RUN_ACCOUNT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

/* Causes of losses: firings that were due and did not happen. */
enum dtr_loss {
	DTR_LOST_IDLE,		/* the CPU was idle: the kernel handled the timer without running the program */
	DTR_LOST_OFFLINE,	/* the CPU was offline */
	DTR_LOST_LATE,		/* the timer was so late that it skipped intervals (tick: too late to make up for) */
	DTR_LOST_THROTTLED,	/* the kernel throttled the event (kernel.perf_event_max_sample_rate) */
	DTR_LOST_NESTED,	/* it interrupted another BPF program of a perf event, or a system call on a BPF map */
	DTR_LOST_OWN,		/* like NESTED, but the system call was dtr's own: a snapshot */
	DTR_LOST_STOPPED,	/* the kernel stopped and restarted the event; negative: extra firings */
	DTR_LOST_REFUSED,	/* the timer expired on a busy CPU, but the kernel did not run the program: some kernels
				 * hide part of their code from samples */
	DTR_LOST_FULL,		/* rootless engine: no room for the sample in the kernel's buffer */
	DTR_LOST_PARTS,		/* rootless engine: threads ended or moved within an interval; negative: a surplus */
	DTR_LOST_UNKNOWN,	/* without causes: all losses except offline; with causes: 0, or the account is wrong */
	DTR_NLOSSES
};

/* The account of a probe that fires by the clock: expected = delivered + the sum of lost[]. */
struct dtr_account {
	const char *probe;
	int cpu;			/* -1 = all */
	bool each_cpu;			/* profile-N: there are also accounts by CPU */
	bool causes;			/* false: -x ledger is not set or not available */
	uint64_t interval;		/* ns */
	uint64_t expected, delivered;
	uint64_t made_up;		/* part of `delivered`: fired by dtr because the timer did not (tick) */
	uint64_t records_lost;		/* records of delivered firings that did not fit in a buffer */
	int64_t lost[DTR_NLOSSES];
};

/* After dtr_finish with a picture: its first aggregation with stacks, or its first one. */
struct dtr_picture {
	uint64_t value;			/* the sum of its values */
	const char *unit;		/* of the values: "samples", "nanoseconds", ...; NULL: unknown */
	uint64_t truncated;		/* part of the sum: stacks that are marked as truncated */
	bool marked;			/* every incomplete stack is marked */
	bool accounted;			/* `lost` is known: with -x ledger=warn, the default, and probes profile-N */
	uint64_t lost;			/* firings of the probes profile-N that were not delivered by busy CPUs */
};

/* After dtr_finish with -x cost: number of runs and total run time of a probe's program, including the alternative
 * program of a tick probe. */
struct dtr_cost {
	const char *probe;
	uint64_t runs, ns;
};

/* After dtr_finish with -x maxcost: a probe of whose firings some did not run. */
struct dtr_thinned {
	const char *probe;
	uint64_t run;			/* firings that ran although others did not: */
	uint64_t firings;		/* an estimate of all firings in that time, the sum of each one's N */
	uint64_t squares;		/* the sum of N * N */
	uint64_t most;			/* the largest N: one of N firings ran */
};

/* The standard error of dtr_thinned.firings: a firing runs with probability 1/N and then counts N, a variance of
 * N - 1 for each firing, of which N * (N - 1) for each that ran is an unbiased estimate (Horvitz and Thompson). */
double dtr_thinned_error(const struct dtr_thinned *t);

/* Why user stacks lack frames. */
enum dtr_stack_loss {
	DTR_STACK_BROKEN,		/* code without usable tables, or inconsistent data */
	DTR_STACK_UNREADABLE,
	DTR_STACK_LONG,			/* longer than what is copied */
	DTR_STACK_MANY,			/* more than could be handed over to this process */
	DTR_STACK_NESTED,		/* the CPU was walking other stacks */
	DTR_STACK_ELSEWHERE,		/* memory that is not copied: on another stack, or below the stack pointer */
	DTR_STACK_DROPPED,		/* unwound, but not shown before others needed its memory */
	DTR_NSTACK_LOSSES
};

/* After dtr_finish with -x ledger: user stacks that clauses recorded. */
struct dtr_stacks {
	uint64_t all;
	uint64_t walked;		/* of these, by the programs in the kernel */
	uint64_t unwound;		/* of these, in this process */
	uint64_t lacking[DTR_NSTACK_LOSSES];	/* of all: without some frames */
};

/* The word for a cause in JSON. */
const char *dtr_stack_loss_name(enum dtr_stack_loss cause);
/* The sum of the causes. */
uint64_t dtr_stacks_lacking(const struct dtr_stacks *n);
/* Appends the causes that occurred, with their numbers. */
void dtr_stacks_text(const struct dtr_stacks *n, struct buf *out);

#endif
