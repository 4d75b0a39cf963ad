/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The queue of records that wait to be printed.
 *
 * Ownership: the queue owns entries and bytes; queue_free frees them (idempotent).
 * Errors: without memory `failed` is set and records are lost.
 */
#ifndef ENGINE_SESSION_QUEUE_H
#define ENGINE_SESSION_QUEUE_H

#include "base/buf.h"
#include "lang/prog.h"

struct queued {
	uint64_t ts;
	size_t seq, off;		/* order of arrival; offset in `bytes` */
	uint32_t size;
	int cpu;
};

struct queue {
	struct queued *v;
	size_t n, cap;
	struct queued *spare;		/* for sorting */
	size_t spares;
	struct buf bytes;
	bool failed;			/* no memory: records were lost */
};

/* Adds a record. A record_fn; arg is the queue. */
void queue_add(void *arg, int cpu, const void *rec, uint32_t size);
/* Sorts by time, then CPU, then order of arrival. */
void queue_sort(struct queue *q);
/* Removes the first n records. */
void queue_drop(struct queue *q, size_t n);
/* Removes the records whose size is 0. Returns 0 or -ENOMEM. */
int queue_squeeze(struct queue *q);
void queue_free(struct queue *q);

#endif
