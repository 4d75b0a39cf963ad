/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The ledger's memory (engine/bpf/ledger.h): ledger_words, then a ledger_now per CPU, then a ledger_slot per probe and
 * CPU. Each begins on a cache line of its own.
 *
 * Ownership: the ledger. Errors: none.
 */
#ifndef RT_PROGRAMS_LEDGER_H
#define RT_PROGRAMS_LEDGER_H

#include <stdint.h>

/* The causes that the programs count; all have the numbers of enum dtr_loss. */
enum ledger_cause {
	LEDGER_IDLE, LEDGER_LATE = 2, LEDGER_THROTTLED, LEDGER_NESTED, LEDGER_OWN, LEDGER_STOPPED, LEDGER_REFUSED,
	LEDGER_CAUSES = 11
};

struct ledger_words {
	uint64_t task, tgid;	/* the thread that opens the events */
	uint64_t pad[6];
};

/* The current expiration on a CPU. */
struct ledger_now {
	uint64_t timer;		/* 0: not one of ours */
	uint64_t slot;		/* offset of its slot in the memory */
	uint64_t fired, drops;	/* counts before the expiration */
	uint64_t pad[4];
};

/* One perf event. Times are the timer's due times: CLOCK_MONOTONIC, ns. */
struct ledger_slot {
	uint64_t period;
	uint64_t fired_at, drops_at;	/* offsets in the session's data map */
	uint64_t first, last;		/* expirations; 0 = none yet */
	uint64_t throttled;		/* the kernel has throttled it */
	int64_t shift[2];		/* ns by which gaps between expirations exceed whole periods; [1]: of gaps with
					 * throttling */
	uint64_t expired, delivered, records_lost;
	int64_t lost[LEDGER_CAUSES];
	uint64_t pad[2];
};

/* Value of the map of events; its key is an event's ID. */
struct ledger_event {
	uint64_t slot, owner;
};

#endif
