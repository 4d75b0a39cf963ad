/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Data of a probe that fires by the clock, for the account of firings (firings.h) and the ledger (ledger.h).
 * Ownership: plain data. Errors: none.
 */
#ifndef ENGINE_BPF_FIRINGS_PROBE_H
#define ENGINE_BPF_FIRINGS_PROBE_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/run/account.h"
#include "providers/provider.h"

struct firings_cpu {
	uint64_t before, after;	/* the current event was enabled between these two times; 0: no event */
	uint64_t period;	/* ns from one firing of the current event to the next */
	uint64_t away;		/* when the CPU went offline; 0: it did not */
	enum dtr_loss away_as;	/* where intervals from then on are lost */
	uint64_t watched;	/* ns for which events were enabled */
	uint64_t expected;
	int64_t lost[DTR_NLOSSES];
	uint64_t records_lost;
};

struct firings_probe {
	struct probe_due due;
	bool counts;		/* it fires by the clock */
	bool slowed;		/* its rate was lowered for some time */
	int64_t obj;		/* IR object NAME.fired */
	struct firings_cpu *cpu;
};

#endif
