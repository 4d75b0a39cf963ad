/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * -x maxcost in the rootless engine (govern.c): takes fewer samples if the session costs more than it may. The cost is
 * the CPU time of this process and the time for which the source makes threads stand still.
 *
 * A rate is lowered by a factor, a power of two, if all its probes can be thinned (lang/thin.h): then a sample is taken
 * when so many firings are due, and its firing counts for all of them. The fastest rates are lowered first.
 *
 * Ownership: the session's arena owns the memory. Errors: none.
 */
#ifndef ENGINE_INTERP_GOVERNED_H
#define ENGINE_INTERP_GOVERNED_H

#include <stdbool.h>
#include <stdint.h>

/* Sums, ns. */
struct govern_sums {
	double time, spent, allowed;
};

struct govern {
	double limit;			/* share of all CPUs' time, 0 to 1; 0: off */
	unsigned ncpus;
	uint64_t *factor, *most;	/* by rate: the factor now, and the largest so far */
	bool *fixed;			/* by rate: a probe of it cannot be thinned */
	uint64_t least;			/* ns between two samples of a thread: at least this */
	uint64_t last, due;		/* CLOCK_MONOTONIC, ns */
	uint64_t own, stood;		/* CPU time of this process, and time of standing threads, at `last`, ns */
	struct govern_sums all, recent;	/* since the start; since the last change, the last second or so */
	unsigned calm;			/* windows in a row that would allow more samples */
	bool thinned, stopped;
};

/* The firings of one sample of this rate run as one. */
static inline bool govern_joins(const struct govern *g, uint32_t rate)
{
	return g->limit > 0 && g->factor[rate] > 1;
}

#endif
