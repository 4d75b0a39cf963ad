/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * bufpolicy=fill and bufpolicy=ring: records are kept until tracing ends, at most bufsize bytes of each CPU. fill keeps
 * the oldest, and tracing ends when a CPU's are full; ring keeps the newest.
 *
 * Ownership: keep_free frees what was taken (idempotent). The records are the queue's.
 * Errors: memory only: -ENOMEM.
 */
#ifndef ENGINE_SESSION_KEEP_H
#define ENGINE_SESSION_KEEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/run/options.h"
#include "engine/session/queue.h"

struct keep_cpu {
	uint64_t bytes;		/* fill: kept; ring: counted from the newest back */
	bool full;
};

struct keep {
	struct keep_cpu *cpu;
	unsigned ncpus;
	size_t seen;		/* fill: so many records of the queue are kept for good */
	uint64_t since;		/* ring: bytes of the queue when it was looked at last */
	bool filled;		/* fill: a CPU's are full */
};

/* Brings the queue within bufsize. exact: ring tolerates twice as much while tracing goes on. */
int keep_records(struct keep *k, struct queue *q, const struct options *o, bool exact);
void keep_free(struct keep *k);

#endif
