/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A set of pairs of numbers. It is emptied when it has NUMBER_SET_MAX elements.
 * Ownership: number_set_free frees its memory (idempotent). Errors: without memory, number_set_add adds nothing.
 */
#ifndef ENGINE_OUTPUT_NUMBER_SET_H
#define ENGINE_OUTPUT_NUMBER_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct number_pair {
	uint64_t a, b;		/* a is never 0 */
};

struct number_set {
	struct number_pair *v;
	size_t n, slots;
};

enum { NUMBER_SET_MAX = 1 << 20 };

/* Adds a pair. Returns true if it is new. */
bool number_set_add(struct number_set *s, uint64_t a, uint64_t b);
void number_set_free(struct number_set *s);

#endif
