/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Splits functions that are too long for one program. The verifier keeps at most 8,192 pending branches
 * (BPF_COMPLEXITY_LIMIT_JMP_SEQ), its time grows with the square of the length, and a program names at most 64 maps
 * (MAX_USED_MAPS). Such a function becomes a chain of programs, each of which tail-calls the next. Values that are live
 * across a cut are saved in per-CPU memory of the function.
 *
 * Ownership: the arena owns everything. Errors: none; a function that cannot be cut remains one program.
 */
#ifndef ENGINE_BPF_CODE_CHAIN_H
#define ENGINE_BPF_CODE_CHAIN_H

#include "base/arena.h"
#include "ir/ir.h"

/* What a block costs the verifier. */
struct block_cost {
	uint32_t insns, branches;
	const uint32_t *map;	/* the maps that it names, with duplicates */
	uint32_t nmaps;
};

enum {
	CHAIN_INSNS = 8192,	/* target number of instructions in a part */
	CHAIN_BRANCHES = 2048,
	CHAIN_MAPS = 40,	/* maps that only this part names: the kernel's limit is 64 in total */
	CHAIN_MAX = 32,		/* parts: the kernel allows 33 tail calls (MAX_TAIL_CALL_CNT) */
};

/* A function that may have to be cut. */
struct chain_want {
	const struct ir_func *f;
	const bool *reached;			/* of each block */
	const struct block_cost *cost;		/* likewise */
	uint32_t nmaps;				/* of the image */
	uint32_t insns;				/* target size of a part */
};

struct chain {
	const struct ir_func *f;
	const bool *reached;
	uint32_t n;		/* number of parts */
	uint32_t *from;		/* n + 1 elements: the first block of each part, then the end */
	uint32_t *cut;		/* n + 1 elements: position (regalloc.h) of that block's first operation */
	ir_reg **saved;		/* n + 1 elements: registers that are live into each part, terminated by 0 */
	uint32_t most_saved;
};

/* Plans where to cut a function; n = 1 if it need not or cannot be cut. */
void chain_plan(struct chain *c, struct arena *a, const struct chain_want *w);

/* Returns part i as a function. It first loads its registers from the object `save`. Its last block stores the
 * registers of the next part there and returns. *next is the number of that block (UINT32_MAX in the last part); the
 * engine emits the tail call there. */
struct ir_func *chain_part(const struct chain *c, struct arena *a, uint32_t i, uint32_t save, uint32_t *next);

#endif
