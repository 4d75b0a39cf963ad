/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A set of addresses, as ranges in order that do not touch each other.
 *
 * Ownership: ranges_free frees everything (idempotent; a zeroed struct is the empty set).
 * Errors: if there is no memory, or if there are too many ranges, the set is `full`: not all of its addresses are
 * known.
 */
#ifndef ENGINE_SYMBOLS_RANGES_H
#define ENGINE_SYMBOLS_RANGES_H

#include <stdbool.h>
#include <stdint.h>

struct address_range {
	uint64_t start, end;
};

struct address_ranges {
	struct address_range *v;
	uint32_t n, room;
	bool full;
};

void ranges_add(struct address_ranges *s, uint64_t start, uint64_t end);
bool ranges_have(const struct address_ranges *s, uint64_t addr);
/* Adds all of another set. */
void ranges_join(struct address_ranges *s, const struct address_ranges *other);
void ranges_free(struct address_ranges *s);

#endif
