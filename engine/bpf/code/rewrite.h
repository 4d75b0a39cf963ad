/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Prepares a function for code generation: splits long blocks so that the function can be cut between them, and keeps
 * registers in memory if the stack has no room for them.
 *
 * Ownership: the arena owns the new function; it shares only names and source locations with the old one.
 * Errors: none (see arena.h).
 */
#ifndef ENGINE_BPF_CODE_REWRITE_H
#define ENGINE_BPF_CODE_REWRITE_H

#include "base/arena.h"
#include "ir/ir.h"

/* Returns f with blocks of at most about `most` operations; a call of a library function counts as several. Each split
 * adds a jmp. Returns f itself if no block needs splitting. */
const struct ir_func *rewrite_blocks(struct arena *a, const struct ir_func *f, uint32_t most);

/*
 * Returns a copy of f with registers in memory: each register r (1..nregs) with slot[r] != 0 becomes the 8 bytes at
 * offset 8 * (slot[r] - 1) of object `obj`, stored after each write and loaded before each read.
 */
struct ir_func *rewrite_registers(struct arena *a, const struct ir_func *f, const uint32_t *slot, uint32_t obj);

#endif
