/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Resolves the stack numbers in keys of aggregations to frames. The kernel's tables of stacks are read when an unknown
 * number is found.
 *
 * Aggregations with two generations have separate tables, also with two, which flip together with those of the
 * aggregations. A program may take a number from one generation and add its row to the other. So the numbers of a
 * generation are kept until all such aggregations have been read once more.
 *
 * Ownership: stacks_close frees everything (idempotent). Errors: a stack that cannot be read has no frames; `err` says
 * why.
 */
#ifndef ENGINE_BPF_STACKS_H
#define ENGINE_BPF_STACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/map.h"

struct bpf_loaded;
struct unwinds;

struct stack_frames {
	uint64_t turn;		/* turn in which it was last seen */
	uint64_t owner;		/* 0: not stored in the table */
	uint32_t n;
	uint64_t pc[];
};

/* Of aggregations that are kept, or cleared when they are read. */
enum stacks_kind { STACKS_KEPT, STACKS_CLEARED, STACKS_KINDS };

struct stacks {
	const struct bpf_loaded *loaded;
	struct stack_kind {
		struct stack_frames **v;	/* by number - `base`; NULL = unknown */
		uint64_t base, n;
	} kind[STACKS_KINDS];
	uint64_t turn;
	/* See unwinds_later; NULL: there are no such words. */
	bool (*later)(struct unwinds *u, uint64_t word, uint64_t *pc, uint32_t max);
	struct unwinds *later_arg;
	struct codes *const *codes;	/* interpreted functions, if any are wanted; NULL: none */
	int err;		/* why some stacks have no frames: -errno */
};

void stacks_init(struct stacks *s, const struct bpf_loaded *l);
/* Makes programs use the other generation. */
void stacks_flip(struct stacks *s);
/* After a barrier: reads the old generation and empties it. */
void stacks_turn(struct stacks *s);
/* Forgets numbers of earlier turns, after all rows from before the turn have been read. */
void stacks_forget(struct stacks *s);
/* Implements agg_table.frames; arg is the struct stacks. */
void stacks_frames(void *arg, uint64_t number, uint64_t *owner, uint64_t *pc, uint32_t n);
void stacks_close(struct stacks *s);

#endif
