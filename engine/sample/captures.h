/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Items of a source on their way from the thread that takes them to the one that runs the script, in order.
 *
 * Ownership: captures_put takes the capture over; what captures_next stores is valid until the next call of it.
 * Errors: a capture that does not fit, or for which there is no memory, is counted as lost. Process events may take as
 * much memory as samples again: they fit longer.
 */
#ifndef ENGINE_SAMPLE_CAPTURES_H
#define ENGINE_SAMPLE_CAPTURES_H

#include <pthread.h>

#include "engine/sample/source.h"
#include "engine/sample/uregs.h"

struct captured {
	struct captured *next;
	struct source_item item;		/* captures_next sets its pointers */
	struct sample_task task;		/* if item.sample.task is not NULL */
	uint64_t regs[UREGS_PERF];		/* if item.sample.start.bits */
	uint64_t words[UREGS_MOST];		/* item.sample.uregs.n of them */
	size_t bytes;				/* allocated */
	char data[];				/* the copy of the stack; or the path of a mapping */
};

struct captures {
	pthread_mutex_t lock;
	struct captured *first, **last, *given;
	size_t bytes, most;			/* that wait; that may, of samples */
	uint64_t *lost;				/* samples, by rate, not reported yet */
	uint64_t lost_events;			/* process events; read it when nothing is put any more */
	unsigned nrates;
	int fd;					/* eventfd: readable when something waits */
};

/* Returns 0 or -errno. lost: nrates counters, zero, which the caller owns. */
int captures_open(struct captures *c, uint64_t *lost, unsigned nrates);
void captures_close(struct captures *c);

/* A capture with room for n bytes of data, otherwise zero. NULL: no memory. */
struct captured *capture_new(size_t n);
/* Appends a capture (NULL: there was no memory for it). rate: of a sample; for process events `nrates`. */
void captures_put(struct captures *c, struct captured *x, unsigned rate);
/* Takes the first item. Returns false if there is none. */
bool captures_next(struct captures *c, struct source_item *out);

#endif
