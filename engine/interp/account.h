/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The account of firings that this process makes (dtr_account): what has fired is counted here, what was due is the
 * source's word, and both meet only in the sum.
 *
 * Who owns what: the arena owns the counts. What can fail: nothing.
 */
#ifndef ENGINE_INTERP_ACCOUNT_H
#define ENGINE_INTERP_ACCOUNT_H

#include "engine/run/account.h"
#include "engine/sample/source.h"

/* What a probe has fired on a CPU. */
struct fired {
	uint64_t delivered;
	uint64_t made_up;	/* of those: told from the time that threads have run */
	uint64_t after;		/* firings of the time after the end, which nobody wants */
	uint64_t lost, lost_after;	/* as items have said: before the end, after it */
};

/* A probe that samples. */
struct account_probe {
	uint64_t interval;
	const struct fired *by_cpu;
	unsigned ncpus;
	const struct source_ops *ops;
	struct sample_source *source;
	uint32_t rate;
	int only_cpu;		/* -1: all */
};

/* One more firing: still wanted (active), or not. */
void fired_add(struct fired *f, const struct sample *s, bool active);
/* See dtr_account; the probe's name and interval are the caller's. */
bool account_sampler(const struct account_probe *p, int cpu, struct dtr_account *out);
void account_tick(uint64_t fired, uint64_t interval, uint64_t begun, uint64_t ended, struct dtr_account *out);

#endif
