/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Stacks of processes by unwinding tables: from registers and a copy of the top of the stack, as perf events take
 * them. Rows of tables are kept by address, so that a frame that was met before costs a look into a cache. Code
 * without tables is left by its frame pointer; what is not in the copy, or makes no sense, ends the stack.
 *
 * Ownership: the unwinder owns all of it until unwinder_close (NULL is fine), which comes before the objects that
 * symbol_ops.code has told of are closed. Errors: opening (NULL: `why`); a stack that ends too early is
 * counted.
 */
#ifndef ENGINE_UNWIND_UNWIND_H
#define ENGINE_UNWIND_UNWIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/symbols/symbols.h"

/* Where a stack begins: what a sample of perf has. Nothing is aligned. */
struct unwind_start {
	unsigned bits;			/* of a word; 0: nothing is known */
	uint64_t mask;			/* which registers */
	const uint8_t *regs;		/* 8 bytes each */
	const uint8_t *stack;
	uint32_t size;
};

/* How stacks have ended. */
struct unwind_counts {
	uint64_t all;
	uint64_t cut;			/* the copy was too short */
	uint64_t lost;			/* no tables, no frame pointer, or what makes no sense */
	uint64_t unread;		/* went through a file that could not be read */
	bool nomem;			/* there was no memory for some */
};

struct unwinder;

struct unwinder *unwinder_open(const struct symbol_ops *ops, void *arg, char *why, size_t n);
/* One that knows no tables: frame pointers within the copy. NULL: no memory. */
struct unwinder *unwinder_pointers(void);
void unwinder_close(struct unwinder *u);
/* The registers to ask perf for; 0: this machine's stacks cannot be unwound. */
uint64_t unwind_mask(void);
/* Addresses, the innermost first: how many. at: when (CLOCK_MONOTONIC). *cut: the stack has more, or it ends where nothing says
 * the caller. */
uint32_t unwinder_run(struct unwinder *u, int64_t pid, uint64_t at, const struct unwind_start *s, uint64_t *pc,
		      uint32_t max, bool *cut);
const struct unwind_counts *unwinder_counts(const struct unwinder *u);
/* The path of a file that stacks lack: it cannot be read, or is another one now. NULL: there is none. */
const char *unwinder_unread(const struct unwinder *u);

#endif
