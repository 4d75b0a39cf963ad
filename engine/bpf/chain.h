/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Functions too long for one program: the verifier follows at most 8,192 branches that it has not looked at yet, its
 * time grows with the square of the length, and a program names 64 maps at most. Such a function becomes a chain of
 * programs, each continuing in the next by tail call. What lives across a cut lies in memory of the function's own, by
 * CPU.
 *
 * Who owns what: the arena owns everything. What can fail: nothing; a function that cannot be cut stays in one piece.
 */
#ifndef ENGINE_BPF_CHAIN_H
#define ENGINE_BPF_CHAIN_H

#include "base/arena.h"
#include "ir/ir.h"

/* What a block costs the verifier. */
struct block_cost {
	uint32_t insns, branches;
	const uint32_t *map;	/* the maps that it names, with repetitions */
	uint32_t nmaps;
};

enum {
	CHAIN_INSNS = 8192,	/* a part has about as many instructions */
	CHAIN_BRANCHES = 2048,
	CHAIN_MAPS = 40,	/* and so many maps of its own: the kernel takes 64, those that all parts name included */
	CHAIN_MAX = 32,		/* parts: the kernel follows 33 tail calls */
};

struct chain {
	uint32_t n;		/* parts */
	uint32_t *from;		/* n + 1: the first block of each, and the end */
	uint32_t *cut;		/* n + 1: position (regalloc.h) of that block's first operation */
	ir_reg **saved;		/* n + 1: registers that live into each part, ended by 0 */
	uint32_t most_saved;
};

/* Where to cut f; n = 1 if it need not or cannot be. nmaps: of the image; insns: about so many in a part. */
void chain_plan(struct chain *c, struct arena *a, const struct ir_func *f, const bool *reached,
		const struct block_cost *cost, uint32_t nmaps, uint32_t insns);

/* Part i as a function by itself. It begins by loading its registers from the object `save`; the last block stores
 * those of the next part there, and returns: *next is that block's number (UINT32_MAX in the last part), where the
 * backend emits the tail call. */
struct ir_func *chain_part(const struct chain *c, struct arena *a, const struct ir_func *f, const bool *reached,
			   uint32_t i, uint32_t save, uint32_t *next);

#endif
