/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A set of pairs of numbers. It is emptied when it has SEEN_MAX elements.
 * Ownership: seen_free frees its memory (idempotent). Errors: without memory, seen_add adds nothing.
 */
#ifndef ENGINE_OUTPUT_SEEN_H
#define ENGINE_OUTPUT_SEEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct seen_pair {
	uint64_t a, b;		/* a is never 0 */
};

struct seen {
	struct seen_pair *v;
	size_t n, slots;
};

enum { SEEN_MAX = 1 << 20 };

/* Adds a pair. Returns true if it is new. */
bool seen_add(struct seen *s, uint64_t a, uint64_t b);
void seen_free(struct seen *s);

#endif
