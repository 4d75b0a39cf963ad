/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Parts of stacks (struct unwind_stack_part) until their handover follows.
 *
 * Ownership: the struct owns copies until parts_close (idempotent; zeroed is closed). Errors: a part that is not stored
 * is missing in its stack.
 */
#ifndef ENGINE_BPF_UNWIND_PARTS_H
#define ENGINE_BPF_UNWIND_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rt/unwind.h"

enum { PARTS_STACKS = 16 };

struct unwind_parts {
	struct parts_stack {
		uint64_t number;	/* 0: unused */
		uint32_t n;
		/* each has room for UNWIND_COPY bytes; NULL: not allocated */
		struct unwind_stack_part *part[UNWIND_PARTS];
	} stack[PARTS_STACKS];		/* by number % PARTS_STACKS: a new one replaces an old one */
};

/* Stores a part of `size` bytes. */
void parts_add(struct unwind_parts *p, const struct unwind_stack_part *part, size_t size);
/* The parts of the stack with a number, for parts_read. NULL: there are none. */
const struct parts_stack *parts_of(const struct unwind_parts *p, uint64_t number);
/* Implements unwind_start.more; arg is a struct parts_stack or NULL. */
bool parts_read(const void *arg, uint64_t addr, void *out, unsigned n);
void parts_close(struct unwind_parts *p);

#endif
