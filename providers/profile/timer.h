/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A probe's timer, shared by the files of the profile provider. Private to providers/profile/.
 *
 * Ownership: the probe set's arena owns a timer; its perf events are open from attach to detach.
 * Errors: attach functions return -errno with a sentence in env->why.
 */
#ifndef PROVIDERS_PROFILE_TIMER_H
#define PROVIDERS_PROFILE_TIMER_H

#include "providers/perf.h"
#include "providers/provider.h"

/* Number of past intervals for which a tick remembers whether they have fired: a power of two. */
enum { TICK_SLOTS = 256 };

/*
 * Shared by both forms of a tick's program and the pacer: the GLOBAL object "NAME.clock".
 * Interval n is the time around n * interval after arming. A form that fires for it first writes n to its slot.
 */
struct tick_words {
	uint64_t epoch;		/* ns, shortly before arming (tick_lead), so that firings are inside an interval;
				 * 0: not paced, every firing counts */
	uint64_t seen;		/* time of the last firing of the perf event, ns */
	uint64_t slot[TICK_SLOTS];	/* by n % TICK_SLOTS: the latest interval n that has fired */
};

struct timer {
	uint64_t interval;	/* ns */
	enum { TIMER_PROFILE, TIMER_TICK, TIMER_SWEEP } kind;
	struct attach_env *env;	/* while attached */
	struct perf_set events;

	/* tick, sweep */
	uint64_t start;		/* when the session became active; sweep: when the first round began; 0: not yet */

	/* sweep only */
	uint64_t next;		/* when the next round is due; 0: not announced yet */
	uint64_t swept;		/* when the last round ended */

	/* tick only */
	struct tick_words *words;
	int cpu;		/* CPU of the perf event */
	uint64_t checked;	/* intervals up to this one are done */
	uint64_t streak;	/* consecutive intervals that the perf event fired for */
	uint64_t span;		/* intervals from one check to the next */
	uint64_t given_up;	/* upper bound of intervals that did not fire because they were too old at a check */
};

struct timer *timer_of(const struct probe *p);

/* source.c: the event that drives a profile probe. name: "cpu-clock" (NULL) or "cycles", as -x profsrc selects it.
 * Returns 0, or -errno with a sentence in reason[n]. */
int source_attr(const char *name, uint64_t interval, struct perf_event_attr *attr, char *reason, size_t n);
/* True if the event counts nanoseconds. */
bool source_is_clock(const char *name);

/* late.c */
ir_reg late_emit(struct ir_builder *b, const struct probe *p);
/* Stores for the program when the events were enabled. Call it after opening or reopening events. */
void late_update(const struct probe *p);
/* The due times of firings are unknown: arg2 is 0. */
void late_unknown(const struct probe *p, struct attach_env *env);

/* count.c */
/* Emits code that counts a firing. */
void count_emit(struct ir_builder *b, const struct probe *p, bool alt);
/* Sets the receiver of changes of a timer's perf events. */
void count_listen(struct timer *t);

/* sweep.c */
enum { SWEEP_ARGS = 3 };	/* CPUs still to come; due time, 0: announces the next round; its time */
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
