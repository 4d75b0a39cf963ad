/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Declarations that the two parts of the rootless engine share: user.c implements struct backend_ops, fire.c runs
 * probes as time passes. Private to them.
 *
 * Ownership: the session's arena owns all memory; close releases descriptors and the source.
 * Errors: none here; `err` holds an error of the source.
 */
#ifndef ENGINE_INTERP_FIRE_H
#define ENGINE_INTERP_FIRE_H

#include "engine/interp/account.h"
#include "engine/interp/chains.h"
#include "engine/interp/memory.h"
#include "engine/interp/world.h"
#include "engine/sample/tasks.h"

/* A probe that fires by the clock. */
struct clocked {
	const struct ir_func *func;
	uint64_t interval;
	uint64_t due;			/* tick: time of the next firing, ns of the source's clock */
	uint32_t rate;			/* profile: firings per second */
	size_t probe;
	struct fired *fired;		/* tick: one entry; profile: by CPU */
};

struct backend {
	struct world world;
	struct arena *arena;
	const struct options *opts;
	struct memory memory;
	struct chains chains;
	const struct source_ops *ops;
	struct sample_source *source;
	struct source_want want;
	struct clocked *ticks, *samplers;
	unsigned nticks, nsamplers;
	uint64_t *rates;
	unsigned nrates;
	struct sample self;
	struct task own;		/* `self` from /proc */
	struct source_item item;	/* the newest item of the source */
	bool held;			/* the item waits until the consumer has printed everything before it */
	struct symbols *symbols;
	int wake;			/* eventfd */
	bool armed, stopping;
	_Atomic bool asked;		/* a signal handler or another thread asked to stop */
	uint64_t spare_ticks;		/* recordings: how many more ticks may fire without samples in between */
	uint64_t skipped;		/* ns in which ticks were skipped because of that */
	uint64_t begun, ended;		/* when the session became active, when it ended; 0: not yet */
	bool past;			/* samples are not of this machine, now: every run gives the same result */
	struct run_about about;		/* what such samples are about */
	bool stepwise;			/* past, and aggregations are shown: print a record before the next sample */
	int err;			/* -errno of the source */
};

/* The source's clock, ns. */
uint64_t user_clock(struct backend *b);
/* CPU time of this thread, ns. */
uint64_t user_own_time(void);
/* Reads this process's data from /proc if the program needs it. */
void user_self_look(struct backend *b, uint64_t now);
/* Probes fire from now on. */
void user_armed(struct backend *b);
/* True while probes fire. */
bool user_active(const struct backend *b);
void user_run_at(struct backend *b, const struct ir_func *f, const struct sample *s, uint64_t time);
/* Processes items of the source while there is room for records. Returns true if there are more. */
bool user_step(struct backend *b);
bool user_account(struct backend *b, unsigned probe, int cpu, struct dtr_account *out);

#endif
