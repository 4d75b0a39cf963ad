/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Bounds of integer expressions, derived from operators and types. For use after the checker.
 *
 * Ownership: plain data. Errors: none; unknown bounds have `known` false.
 */
#ifndef LANG_CHECK_RANGE_H
#define LANG_CHECK_RANGE_H

#include "lang/syntax/ast.h"

struct int_range {
	bool known;
	int64_t lo, hi;		/* bounds included */
};

/* Larger than any memory: sums of several such offsets cannot overflow. */
#define RANGE_MEMORY (1ll << 57)

struct int_range range_of(const struct node *n);
/* True if type t can represent all values of the range. */
bool range_fits(const struct int_range *r, const struct type *t);
/* True if an index in the range, of elements of `size` bytes, cannot exceed RANGE_MEMORY. */
bool range_indexes(const struct int_range *r, uint64_t size);
/* The smallest range that contains both; unknown if one of them is unknown. */
struct int_range range_join(struct int_range a, struct int_range b);

#endif
