/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Ranges of addresses with a number each, which may be nested: what contains an address is found by bisection.
 *
 * Ownership: spans_free frees everything (idempotent). Errors: a range that is empty or finds no memory is not stored.
 */
#ifndef ENGINE_SYMBOLS_SPANS_H
#define ENGINE_SYMBOLS_SPANS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct code_span {
	uint64_t start, end, number;
};

struct code_spans {
	struct code_span *v;
	size_t n, room;
	bool sorted;
};

void spans_free(struct code_spans *s);
void spans_add(struct code_spans *s, uint64_t start, uint64_t end, uint64_t number);
/* Stores the number of the innermost range that contains the address. Returns false if there is none, or if it is
 * nested too deeply. */
bool spans_find(struct code_spans *s, uint64_t addr, uint64_t *number);

#endif
