/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * -x maxcost: measures what the session costs, and lets only one of N firings of a probe run while it costs more.
 * Clocks are made slower first (struct provider_clock.slow).
 *
 * The cost is the run time of the programs (cost.h) and the CPU time of this process. It is compared with a share of
 * the time of all online CPUs. Probes that cost little keep all firings: N is chosen so that no probe costs more than
 * the same amount.
 *
 * Ownership: the arena owns the memory; the engine's objects and programs must outlive it. Errors: none; a governor of
 * zeros is off.
 */
#ifndef ENGINE_BPF_GOVERN_GOVERNOR_H
#define ENGINE_BPF_GOVERN_GOVERNOR_H

#include "base/arena.h"
#include "engine/bpf/govern/cost.h"
#include "engine/bpf/govern/model.h"

struct bpf_loaded;
struct d_prog;

/* Sums over the last second or so, in ns; older parts count less. */
struct governor_recent {
	double time;			/* since the start, at most a second: how much these cover */
	double spent, allowed;
};

struct governor {
	struct arena *arena;
	const struct d_prog *prog;
	double limit;			/* share of all CPUs' time, 0 to 1; 0: off */
	struct governed *v;		/* by enabled probe */
	size_t n;
	uint64_t begun, last, due;	/* CLOCK_MONOTONIC, ns */
	uint64_t own;			/* CPU time of this process at `last`, ns */
	struct governor_recent recent;	/* since an N became larger */
	struct governor_recent before;	/* when that happened */
	double fixed;			/* mean of what thinning cannot change, as a share of one CPU */
	unsigned press;			/* N is larger by this factor than the model says */
	double spent, allowed;		/* in all, ns */
	bool thinned, stopped;
};

/* What a pass has found. */
enum governor_verdict { GOVERNOR_FINE, GOVERNOR_THINS /* for the first time */, GOVERNOR_STOPS };

/* Call it when the programs are loaded. share: limit of the cost, 0 to 1. */
void governor_open(struct governor *g, struct arena *a, const struct d_prog *p, const struct bpf_loaded *l,
		   double share);
/* The measurement begins: the probes have been activated. */
void governor_begin(struct governor *g);
/* Call it often. ncpus: number of online CPUs. other: the run time of programs of the engine's own so far, ns. */
enum governor_verdict governor_pass(struct governor *g, unsigned ncpus, uint64_t other);
/* Call it at the end: what was spent since the last pass counts, too. */
void governor_end(struct governor *g, unsigned ncpus, uint64_t other);
/* The share of all CPUs' time that was spent, 0 to 1. */
double governor_spent(const struct governor *g);
/* The probe that costs most of those that cannot be thinned any more, or NULL. */
const struct governed *governor_culprit(const struct governor *g);

#endif
