/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Records that wait for their turn to be printed.
 *
 * Ownership: the queue owns entries and bytes; queue_free gives them back (idempotent).
 * Errors: memory only; `failed` is then set, and records are lost.
 */
#ifndef ENGINE_SESSION_QUEUE_H
#define ENGINE_SESSION_QUEUE_H

#include "base/buf.h"
#include "lang/prog.h"

struct queued {
	uint64_t ts;
	size_t seq, off;		/* order of arrival; place in the bytes */
	uint32_t size;
	int cpu;
};

struct queue {
	struct queued *v;
	size_t n, cap;
	struct buf bytes;
	bool failed;			/* no memory: records were lost */
};

/* A record_fn: arg is the queue. */
void queue_add(void *arg, int cpu, const void *rec, uint32_t size);
/* By time; of one time by CPU, then as they came. */
void queue_sort(struct queue *q);
/* Forgets the first n records. */
void queue_drop(struct queue *q, size_t n);
/* Forgets the records whose size is 0. 0 or -ENOMEM. */
int queue_squeeze(struct queue *q);
void queue_free(struct queue *q);

#endif
