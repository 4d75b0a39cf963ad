/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A set of pairs of numbers, which forgets all of them when there are SEEN_MAX.
 * Who owns what: seen_free gives its memory back (idempotent). What can fail: growing: then nothing new is in it.
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

/* True: it was not there, and is now. */
bool seen_add(struct seen *s, uint64_t a, uint64_t b);
void seen_free(struct seen *s);

#endif
