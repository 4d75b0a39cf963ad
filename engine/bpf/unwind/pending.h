/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Stacks that user space has unwound, by the number that stands for them in records and keys until they are shown.
 *
 * Ownership: the struct owns the frames until pending_close (idempotent; zeroed is closed). Errors: the oldest stacks
 * are dropped if there are too many; a stack that is not stored has no frames.
 */
#ifndef ENGINE_BPF_UNWIND_PENDING_H
#define ENGINE_BPF_UNWIND_PENDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pending_stack {
	uint64_t number;
	uint32_t n;
	uint64_t pc[];
};

struct unwind_pending {
	struct pending_stack **v;	/* by number % PENDING */
	size_t bytes;			/* of the stacks */
	uint64_t oldest;		/* no stack has a number below this */
	uint64_t lost;			/* numbers whose stacks were asked for, but dropped */
	bool nomem;
};

/* Stores the frames of a stack. */
void pending_add(struct unwind_pending *p, uint64_t number, const uint64_t *pc, uint32_t n);
/* Returns true if a word stands for a stack; stores its frames in pc[max], zero-padded. Ask once for each number. */
bool pending_frames(struct unwind_pending *p, uint64_t word, uint64_t *pc, uint32_t max);
void pending_close(struct unwind_pending *p);

#endif
