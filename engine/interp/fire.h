/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the two parts of the engine that runs a script in this process share: user.c, which opens it and answers the session,
 * and fire.c, which runs probes as time goes by. Private to them.
 *
 * Who owns what: the session's arena owns all memory; descriptors and the source are given back by close.
 * What can fail: nothing here; what went wrong with the source stands in `err`.
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
	uint64_t due;			/* tick */
	uint32_t rate;			/* profile */
	size_t probe;
	struct fired *fired;		/* tick: one; profile: by CPU */
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
	struct task own;		/* what /proc tells of it */
	struct source_item item;	/* the newest of the source */
	bool held;			/* it waits for the consumer, who has to print what was before it */
	struct symbols *symbols;
	int wake;			/* eventfd */
	bool armed, stopping;
	_Atomic bool asked;		/* to stop, by a signal or another thread */
	uint64_t spare_ticks;		/* of a recording: how many more may fire without samples in between */
	uint64_t skipped;		/* ns in which ticks were left out for that */
	uint64_t begun, ended;		/* when it was armed, when the state was not active any more; 0: not yet */
	bool past;			/* the source is not this machine, now: everything is the same in each run */
	struct run_about about;		/* of it then */
	bool stepwise;			/* of it each record is to be printed before the next sample: it shows aggregations */
	int err;			/* of the source */
};

/* The source's clock. */
uint64_t user_clock(struct backend *b);
/* ns that this thread has run. */
uint64_t user_own_time(void);
/* What /proc tells of this process, if the program asks for that. */
void user_self_look(struct backend *b, uint64_t now);
/* From now on probes fire. */
void user_armed(struct backend *b);
/* Do they? */
bool user_active(const struct backend *b);
void user_run_at(struct backend *b, const struct ir_func *f, const struct sample *s, uint64_t time);
/* Takes what the source has, as far as there is room for records. True: there is more. */
bool user_step(struct backend *b);
bool user_account(struct backend *b, unsigned probe, int cpu, struct dtr_account *out);

#endif
