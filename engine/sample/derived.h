/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Derived firings: firings without a sample. Their number is the run time of a thread divided by the interval, minus
 * the number of its samples.
 *
 * An unprivileged user gets no samples of kernel code, but may read how long a thread has run. So the missing firings
 * happened in the kernel. They are delivered later, as firings in the kernel at an unknown address. A source without
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
	bool on;			/* firings are derived; otherwise, only ended threads are removed */
	enum sample_mode mode;		/* mode of derived firings; unknown: only /proc provides names and CPUs */
	bool stat;			/* samples need all data from /proc */
	uint64_t begun;			/* CLOCK_BOOTTIME */
	uint64_t counted, every, least;	/* time of the last reading; ns between two readings, and their minimum */
	uint64_t time;			/* time of the firings being delivered */
	double *left;			/* by rate: sum of the fractions of firings that ended threads left */
	/* Returns how many of n derived firings of the thread are known losses. NULL: none. */
	uint64_t (*missed)(void *arg, struct task *t, unsigned rate, uint64_t n);
	void (*settle)(void *arg);	/* corrects the times after they were read; may be NULL */
	void *arg;
	bool timed;			/* threads have clocks */
	struct sample_task last;	/* data of a thread that has ended, for its last firings */
	bool delivering, fresh;		/* firings are being delivered; delivery has not started yet */
	struct task *at;
	unsigned rate;
};

void derived_init(struct derived *o, struct arena *a, struct tasks *ts, const uint64_t *interval, unsigned n);
/* Starts: run time before `now` (ns) is not counted. least: minimum ns between two readings. */
void derived_begin(struct derived *o, uint64_t now, uint64_t least);
/* Initialises a thread found after the start: if it is older than the session, its run time so far is not counted. */
void derived_found(const struct derived *o, struct task *t);
/* Reads the run times if they are due (or `last`); derived_next then delivers the derived firings. Call it before
 * reading samples, so that a thread's run time is never newer than its samples. */
void derived_read(struct derived *o, bool last);
/* Stores the next derived firing. Returns false if there is none. */
bool derived_next(struct derived *o, struct source_item *out);
/* Reads a thread's data from /proc again if they are old. */
void derived_refresh_task(struct task *t, uint64_t now);

#endif
