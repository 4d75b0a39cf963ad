/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The account of firings in the interpreter (dtr_account). It compares two independent numbers: the firings counted
 * here, and the firings due according to the source.
 *
 * Ownership: the arena owns the counts. Errors: none.
 */
#ifndef ENGINE_INTERP_ACCOUNT_H
#define ENGINE_INTERP_ACCOUNT_H

#include "engine/run/account.h"
#include "engine/sample/source.h"

/* Firings of a probe on a CPU. */
struct fired {
	uint64_t delivered;
	uint64_t made_up;	/* part of `delivered`: derived from the run time of threads */
	uint64_t after;		/* firings after the end of the session, which are not run */
	uint64_t lost, lost_after;	/* losses reported by items: before the end, after it */
};

/* A probe that fires per sample. */
struct account_probe {
	uint64_t interval;
	const struct fired *by_cpu;
	unsigned ncpus;
	const struct source_ops *ops;
	struct sample_source *source;
	uint32_t rate;
	int only_cpu;		/* -1: all */
};

/* Counts n firings of a sample. active: before the end of the session. */
void fired_add(struct fired *f, const struct sample *s, uint64_t n, bool active);
/* Fills in *out (see dtr_account), except the probe's name and interval, which the caller sets. Times: ns. */
bool account_sampler(const struct account_probe *p, int cpu, struct dtr_account *out);
void account_tick(uint64_t fired, uint64_t interval, uint64_t begun, uint64_t ended, struct dtr_account *out);

#endif
