/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The basic blocks of a function: a thread that executes the first instruction of a block executes all others, unless a
 * signal interrupts it. A block ends before the target of any jump, and after a jump, a call (it may not return), and a
 * system call. Where it is not certain what an indirect jump can lead to, too many places count as targets. If none is
 * found, or that would take too long, each instruction of the function is a block of its own.
 *
 * Ownership: the caller's. Errors: none.
 */
#ifndef ENGINE_PROGRAMS_BLOCKS_H
#define ENGINE_PROGRAMS_BLOCKS_H

#include "engine/programs/entries.h"
#include "engine/programs/flows.h"

struct blocks_env {
	const struct decoder *decoder;
	const struct elf *elf;
	const struct functions *functions;	/* of the file */
	const struct entries *entries;	/* of the file; NULL: each instruction is a block of its own */
	uint64_t work;			/* done in tables so far: it is limited */
};

/* Sets flow.first of each instruction of a function. */
void blocks_find(struct flows *x, struct blocks_env *env, const struct program_function *f);
/* The offset of the first instruction of the block to which the one at `off` belongs; `off` if there is none. */
uint64_t blocks_at(const struct flows *x, uint64_t off);

/* The offset of the instruction of this block at which a probe costs least: from `off` on, or else before. */
uint64_t blocks_cheapest(const struct flows *x, uint64_t off);

#endif
