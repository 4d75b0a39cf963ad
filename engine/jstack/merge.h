/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Puts interpreted frames into a native stack. Each native call of an interpreter has data on the native stack, so the
 * address of the data says which native frame the interpreted frames replace.
 * Ownership: the caller owns everything. Errors: none; interpreted frames without a native frame are omitted.
 */
#ifndef ENGINE_JSTACK_MERGE_H
#define ENGINE_JSTACK_MERGE_H

#include <stdbool.h>
#include <stdint.h>

/* A native stack, innermost frame first. */
struct jstack_native {
	const uint64_t *pc;
	const uint64_t *sp;		/* the stack pointer in each frame */
	uint32_t n;
	uint64_t end;			/* the last frame ends here */
};

/* An interpreted frame. */
struct jstack_frame {
	uint64_t word;			/* what the stack shows; 0: hidden */
	uint64_t entry;			/* not 0: address of the data of the native call that runs this frame and all
					   since the previous one with an entry */
};

/* Stores the merged stack in out[max] and returns how many words; *cut: there would be more. *placed: how many entries
 * had a native frame. */
uint32_t jstack_merge(const struct jstack_native *s, const struct jstack_frame *f, uint32_t n, uint64_t *out,
		      uint32_t max, bool *cut, uint32_t *placed);

#endif
