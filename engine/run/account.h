/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Accounts of a run: what became of the firings of each probe, and what they cost.
 * Ownership: plain data; names belong to the session. Errors: none.
 */
#ifndef ENGINE_RUN_ACCOUNT_H
#define ENGINE_RUN_ACCOUNT_H

#include <stdbool.h>
#include <stdint.h>

/* Where firings went that were due and did not come. */
enum dtr_loss {
	DTR_LOST_IDLE,		/* the CPU was idle: the kernel handled the timer without running the program */
	DTR_LOST_OFFLINE,	/* the CPU was offline */
	DTR_LOST_LATE,		/* the timer came so late that it left intervals out (tick: too late to make up for) */
	DTR_LOST_THROTTLED,	/* the kernel throttled the event (kernel.perf_event_max_sample_rate) */
	DTR_LOST_NESTED,	/* it interrupted another BPF program of a perf event, or a system call on a BPF map */
	DTR_LOST_OWN,		/* the same, and the system call was ours: a snapshot */
	DTR_LOST_STOPPED,	/* the kernel stopped the event and started it again; below 0: it came that much more often */
	DTR_LOST_REFUSED,	/* the timer expired on a busy CPU, and the kernel left the program out for reasons of its own:
				 * some do not let samples see all of their code */
	DTR_LOST_FULL,		/* of an engine that samples: the sample found no room in the kernel's buffer */
	DTR_LOST_PARTS,		/* the same: threads ended or moved within an interval; below 0: the other way round */
	DTR_LOST_UNKNOWN,	/* without causes: everything but offline; with them: 0, or the account is wrong */
	DTR_NLOSSES
};

/* What became of the firings of a probe that fires by the clock: expected = delivered + the sum of lost[]. */
struct dtr_account {
	const char *probe;
	int cpu;			/* -1 = all */
	bool each_cpu;			/* profile-N: accounts by CPU exist too */
	bool causes;			/* false: -x ledger was not asked for, or cannot be had */
	uint64_t interval;		/* ns */
	uint64_t expected, delivered;
	uint64_t made_up;		/* of those delivered: by dtr itself where no timer came (tick) */
	uint64_t records_lost;		/* records of delivered firings that found their buffer full */
	int64_t lost[DTR_NLOSSES];
};

/* After dtr_finish with -x cost: what a probe's program has cost, tick's second form included. */
struct dtr_cost {
	const char *probe;
	uint64_t runs, ns;
};

#endif
