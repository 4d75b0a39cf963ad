/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A function made ready for generation: in blocks short enough to be cut between, with registers in memory where the
 * stack has no room for them.
 *
 * Who owns what: the arena owns the new function; it shares nothing with the old one but names and places.
 * What can fail: nothing (see arena.h).
 */
#ifndef ENGINE_BPF_REWRITE_H
#define ENGINE_BPF_REWRITE_H

#include "base/arena.h"
#include "ir/ir.h"

/* f with blocks of about `most` operations at most, where calls of library functions count as many (and a jmp more where
 * a block is divided); f itself where that is so already. */
const struct ir_func *rewrite_blocks(struct arena *a, const struct ir_func *f, uint32_t most);

/*
 * f with registers in memory: register r with slot[r] != 0 (1..nregs) becomes the 8 bytes at 8 * (slot[r] - 1) of
 * object `obj`, stored once it is written and loaded where it is read.
 */
struct ir_func *rewrite_registers(struct arena *a, const struct ir_func *f, const uint32_t *slot, uint32_t obj);

#endif
