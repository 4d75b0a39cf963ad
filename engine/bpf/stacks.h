/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The frames behind the numbers that aggregations have for stacks: what the kernel's tables of stacks hold, read when a
 * number is met that is not known yet.
 *
 * Aggregations that are cleared have tables of their own, of two generations like theirs, which turn when they do. A program may
 * have its number from the generation before and add its row to the new one, or the other way round. So the numbers of a turn are
 * known until all such aggregations have been read once more.
 *
 * Who owns what: stacks_close frees everything (idempotent). What can fail: a stack that cannot be read has no frames, and `err` says why.
 */
#ifndef ENGINE_BPF_STACKS_H
#define ENGINE_BPF_STACKS_H

#include "engine/bpf/bpf.h"

struct stack_frames {
	uint64_t turn;		/* in which it was met last */
	uint64_t owner;		/* 0: the table does not say */
	uint32_t n;
	uint64_t pc[];
};

struct stacks {
	const struct bpf_loaded *loaded;
	struct stack_kind {
		struct stack_frames **v;	/* by number, from `base` on; NULL = not known */
		uint64_t base, n;
	} kind[2];		/* [true]: those of aggregations that are cleared */
	uint64_t turn;
	int err;		/* why some have no frames, -errno */
};

void stacks_init(struct stacks *s, const struct bpf_loaded *l);
/* Programs fill the other generation from now on. */
void stacks_flip(struct stacks *s);
/* After a barrier: what the old generation has is known, and it is empty. */
void stacks_turn(struct stacks *s);
/* All rows that had been made before the turn have been read. */
void stacks_forget(struct stacks *s);
/* agg_table.frames; arg: struct stacks *. */
void stacks_frames(void *arg, uint64_t number, uint64_t *owner, uint64_t *pc, uint32_t n);
void stacks_close(struct stacks *s);

#endif
