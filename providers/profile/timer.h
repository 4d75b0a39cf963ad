/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the files of the profile provider share: one probe's timer. Private to providers/profile/.
 *
 * Ownership: a timer lives in the probe set's arena; its perf events from attach to detach.
 * Errors: attaching: -errno and a sentence in env->why.
 */
#ifndef PROVIDERS_PROFILE_TIMER_H
#define PROVIDERS_PROFILE_TIMER_H

#include "providers/perf.h"
#include "providers/profile/profile.h"
#include "providers/provider.h"

/* How many intervals back a tick remembers which of them have fired: a power of two. */
enum { TICK_SLOTS = 256 };

/*
 * Shared by both forms of a tick's program and the pacer: the GLOBAL object "NAME.clock".
 * Interval n is the time around n * interval after arming. Who fires for it writes n into its slot first.
 */
struct tick_words {
	uint64_t epoch;		/* shortly before arming (tick_lead): firings land inside of an interval.
				 * 0: not paced, every firing counts */
	uint64_t seen;		/* when the perf event fired last */
	uint64_t slot[TICK_SLOTS];	/* the latest interval n that has fired, of those with this n % TICK_SLOTS */
};

struct timer {
	uint64_t interval;	/* ns */
	enum { TIMER_PROFILE, TIMER_TICK, TIMER_SWEEP } kind;
	struct attach_env *env;	/* while attached */
	struct perf_set events;

	/* tick, sweep */
	uint64_t start;		/* when the session became active; of a sweep: when its first round did; 0: not yet */

	/* sweep only */
	uint64_t next;		/* when the next round is due; 0: not announced yet */
	uint64_t swept;		/* when the last one was over */

	/* tick only */
	struct tick_words *words;
	int cpu;		/* where the perf event is */
	uint64_t checked;	/* intervals up to this one need no more care */
	uint64_t streak;	/* intervals in a row that the perf event has delivered by itself */
	uint64_t span;		/* intervals from one look to the next */
	uint64_t given_up;	/* so many, or fewer, have not fired: those that had lain too far back at a look */
};

struct timer *timer_of(const struct probe *p);

/* source.c: the event that drives a profile probe, as -x profsrc asks for it. 0 or -errno. */
int source_attr(const struct profile_opts *o, uint64_t interval, struct perf_event_attr *attr, char *why, size_t n);
/* Does the event count nanoseconds? */
bool source_is_clock(const struct profile_opts *o);

/* late.c */
ir_reg late_emit(struct ir_builder *b, const struct probe *p);
/* Tells the program when the events were enabled; after they were opened, and again when some were opened anew. */
void late_update(const struct probe *p);
/* Nobody knows when firings were due: arg2 is 0. */
void late_unknown(const struct probe *p, struct attach_env *env);

/* count.c */
/* Counts a firing. */
void count_emit(struct ir_builder *b, const struct probe *p, bool alt);
/* Where the news of a timer's perf events go. */
void count_listen(struct timer *t);

/* sweep.c */
enum { SWEEP_ARGS = 3 };	/* CPUs still to come; when it was due, 0: this announces the next one; for when */
ir_reg sweep_arg(struct ir_builder *b, unsigned n);
int sweep_attach(struct probe *p, struct attach_env *env);
uint64_t sweep_pace(struct probe *p, uint64_t now);
void sweep_last(struct probe *p);

/* tick.c */
void tick_prologue(struct ir_builder *b, const struct probe *p, bool alt, uint32_t skip);
int tick_attach(struct probe *p, struct attach_env *env);
int tick_start(struct probe *p);
uint64_t tick_pace(struct probe *p, uint64_t now);
uint64_t tick_expected(const struct timer *t, uint64_t end);
void tick_refresh(struct probe *p, const int *cpus, unsigned ncpus);

#endif
