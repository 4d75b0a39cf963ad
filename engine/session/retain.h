/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * bufpolicy=fill and bufpolicy=ring: keep at most bufsize bytes of records per CPU until tracing ends. fill keeps the
 * oldest and ends tracing when a CPU is full; ring keeps the newest.
 *
 * Ownership: retain_free frees the struct's memory (idempotent). The queue owns the records.
 * Errors: -ENOMEM.
 */
#ifndef ENGINE_SESSION_RETAIN_H
#define ENGINE_SESSION_RETAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/run/options.h"
#include "engine/session/queue.h"

struct retain_cpu {
	uint64_t bytes;		/* fill: bytes kept; ring: bytes counted back from the newest */
	bool full;
};

struct retention {
	struct retain_cpu *cpu;
	unsigned ncpus;
	size_t kept;		/* fill: number of records of the queue that are kept */
	uint64_t since;		/* ring: bytes of the queue at the last check */
	bool filled;		/* fill: a CPU is full */
};

/* Reduces the queue to bufsize. Without `exact`, ring tolerates twice as much (while tracing). Returns 0 or -ENOMEM. */
int retain_records(struct retention *k, struct queue *q, const struct options *o, bool exact);
void retain_free(struct retention *k);

#endif
