/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Derived firings: firings without a sample, computed as run time of a thread / interval, less its samples.
 *
 * An unprivileged user gets no samples of kernel code, but may read how long a thread has run. So the missing firings
 * happened in the kernel; they are delivered later, as firings in the kernel at an unknown address. A source without
 * any samples derives all firings.
 *
 * A thread that ends leaves a fraction of an interval. These fractions are summed over all threads, so that a thousand
 * processes that each run for half an interval get five hundred firings.
 *
 * Ownership: the source owns the tasks, the arena the rest. Errors: none; a time that cannot be read is read later.
 */
#ifndef ENGINE_SAMPLE_DERIVED_H
#define ENGINE_SAMPLE_DERIVED_H

#include "engine/sample/tasks.h"

struct derived {
	struct tasks *tasks;
	const uint64_t *interval;
	unsigned nrates;
	bool on;			/* firings are derived; if not, only ended threads are removed */
	enum sample_mode mode;		/* mode of derived firings; unknown: names and CPUs come only from /proc */
	bool stat;			/* samples need all data of /proc */
	uint64_t begun;			/* CLOCK_BOOTTIME */
	uint64_t counted, every, least;	/* time of the last reading; ns between two readings, and their minimum */
	uint64_t time;			/* of the firings being delivered */
	double *left;			/* by rate: fractions of firings that ended threads left */
	/* Returns how many of n derived firings of the thread are known losses. NULL: none. */
	uint64_t (*missed)(void *arg, struct task *t, unsigned rate, uint64_t n);
	void (*settle)(void *arg);	/* called after the times were read, to correct them. May be NULL */
	void *arg;
	bool timed;			/* threads have clocks */
	struct sample_task last;	/* data of a thread that has ended, for its last firings */
	bool delivering, fresh;		/* delivery is going on; it has not begun yet */
	struct task *at;
	unsigned rate;
};

void derived_init(struct derived *o, struct arena *a, struct tasks *ts, const uint64_t *interval, unsigned n);
/* Starts: run time before `now` (ns) is not counted. least: minimum ns between two readings. */
void derived_begin(struct derived *o, uint64_t now, uint64_t least);
/* A thread found after the start: if it is older than the session, its run time so far is not counted. */
void derived_found(const struct derived *o, struct task *t);
/* To be called before samples are read: reads the run times if due (or `last`), so that none is older than its samples.
 * derived_next then delivers the derived firings. */
void derived_read(struct derived *o, bool last);
/* Stores the next derived firing. Returns false if there is none. */
bool derived_next(struct derived *o, struct source_item *out);
/* Reads a thread's data from /proc again if it is old. */
void derived_refresh_task(struct task *t, uint64_t now);

#endif
