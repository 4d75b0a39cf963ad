/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Firings that nobody saw, told from the time that threads have run: time / interval, less the samples.
 *
 * A user without privilege gets no sample of the kernel's code: where a timer expires there, nothing is written. But how
 * long a thread has run is no secret, so what is missing fell into the kernel; it is handed out some time later, as firings
 * in the kernel at an address that is not known. Where there are no samples at all, all firings are owed.
 *
 * A thread that ends leaves a part of an interval. These parts add up over all threads that end, so that a thousand
 * processes that each run for half an interval get their five hundred firings.
 *
 * Ownership: the source owns the tasks; the arena the rest. Errors: none; a time that cannot be read is
 * read later.
 */
#ifndef ENGINE_SAMPLE_OWED_H
#define ENGINE_SAMPLE_OWED_H

#include "engine/sample/tasks.h"

struct owed {
	struct tasks *tasks;
	const uint64_t *interval;
	unsigned nrates;
	bool on;			/* something is owed; if not, only what has ended is tidied up */
	enum sample_mode mode;		/* unknown: nobody but /proc tells of names and CPUs */
	bool stat;			/* samples are to tell all that /proc does */
	uint64_t begun;			/* CLOCK_BOOTTIME */
	uint64_t counted, every, least;	/* times were read last; are to be read, at least */
	uint64_t time;			/* of what is handed out */
	double *left;			/* by rate: parts of firings that ended threads leave */
	/* Of n firings that the thread is owed so many are known not to have come. NULL: none. */
	uint64_t (*missed)(void *arg, struct task *t, unsigned rate, uint64_t n);
	void (*settle)(void *arg);	/* the times were read: what else is known of them? NULL: nothing */
	void *arg;
	bool timed;			/* threads are to have clocks */
	struct sample_task last;	/* what is known of a thread that has ended, for its last firings */
	bool owing, fresh;		/* handing out: fresh: not begun yet */
	struct task *at;
	unsigned rate;
};

void owed_init(struct owed *o, struct arena *a, struct tasks *ts, const uint64_t *interval, unsigned n);
/* What has run before the start owes nothing. least: how often to look. */
void owed_begin(struct owed *o, uint64_t now, uint64_t least);
/* A thread that was found after that: one that is older than the session owes nothing so far, either. */
void owed_found(const struct owed *o, struct task *t);
/* To be called before samples are taken: reads the times, if it is time for that (or the last one), so that none is older
 * than its samples. owed_next then hands out what is owed. */
void owed_read(struct owed *o, bool last);
/* The next firing that is owed. False: there is none. */
bool owed_next(struct owed *o, struct source_item *out);
/* Reads /proc for what a sample says of its thread, if that is old. */
void owed_refresh_task(struct task *t, uint64_t now);

#endif
