/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A probe's timer, shared by the files of the profile provider. Private to providers/profile/.
 *
 * Ownership: the probe set's arena owns a timer; its perf events are open from attach to detach. Errors: attach
 * functions return -errno with a sentence in env->reason.
 */
#ifndef PROVIDERS_PROFILE_TIMER_H
#define PROVIDERS_PROFILE_TIMER_H

#include "providers/links.h"
#include "providers/perf.h"
#include "providers/provider.h"

/* Number of past intervals that a tick remembers: a power of two. */
enum { TICK_SLOTS = 256 };

/*
 * The GLOBAL object "NAME.clock", shared by both forms of a tick's program and the pacer. Interval n is the time around
 * n * interval after arming. A form writes n to the interval's slot before it fires.
 */
struct tick_words {
	uint64_t epoch;		/* ns, shortly before arming (tick_lead), so that firings are inside an interval;
				 * 0: not paced, every firing counts */
	uint64_t seen;		/* time of the perf event's last firing, ns */
	uint64_t slot[TICK_SLOTS];	/* indexed by n % TICK_SLOTS: the latest interval n that has fired */
};

struct timer {
	uint64_t interval;	/* ns */
	enum { TIMER_PROFILE, TIMER_TICK, TIMER_SWEEP } kind;
	struct attach_env *env;	/* while attached */
	struct perf_set events;
	struct links lasting;	/* instead of events, with env->lasting */

	/* tick, sweep */
	uint64_t start;		/* when the session became active; sweep: start of the first round; 0: not yet */

	/* sweep */
	uint64_t next;		/* due time of the next round; 0: not announced yet */
	uint64_t swept;		/* end of the last round */

	/* tick */
	struct tick_words *words;
	int cpu;		/* CPU of the perf event */
	uint64_t checked;	/* intervals up to this one were checked */
	uint64_t streak;	/* consecutive intervals for which the perf event fired */
	uint64_t span;		/* number of intervals from one check to the next */
	uint64_t given_up;	/* upper bound of intervals that did not fire because they were too old when checked */
};

struct timer *timer_of(const struct probe *p);
/* The address of the program's object that has the probe's name and a suffix, or NULL (as env->global). */
void *timer_object(const struct probe *p, struct attach_env *env, const char *suffix);

/* source.c: the event of a profile probe. name: value of -x profsrc, "cpu-clock" (NULL) or "cycles". Returns 0, or
 * -errno with a sentence in reason[n]. */
int source_attr(const char *name, uint64_t interval, struct perf_event_attr *attr, char *reason, size_t n);
/* True if the event counts nanoseconds. */
bool source_is_clock(const char *name);

/* late.c */
ir_reg late_emit(struct ir_builder *b, const struct probe *p);
/* Stores for the program when the events were enabled. Call it after opening or reopening them. */
void late_update(const struct probe *p);
/* Sets arg2 to 0, because due times are unknown. */
void late_unknown(const struct probe *p, struct attach_env *env);

/* count.c */
/* Sets the receiver of changes to a timer's perf events. */
void count_listen(struct timer *t);

/* lasting.c */
/* Attaches profile-N by links, which outlive this process if they are pinned. The events fire at once. */
int lasting_attach(struct timer *t, const struct perf_event_attr *event);

/* sweep.c */
enum { SWEEP_ARGS = 3 };	/* remaining CPUs; due time, 0: announces the next round; its due time */
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
