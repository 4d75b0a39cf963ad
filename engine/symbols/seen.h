/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The symbols of addresses that were looked up before: the same addresses are shown again and again, and a search reads
 * from the file. Each address has one slot; a later address with the same slot replaces it. The cache grows while many
 * addresses are replaced, up to 16,384 slots.
 *
 * Ownership: seen_free frees everything (idempotent; a zeroed struct is empty). Errors: without memory nothing is kept.
 */
#ifndef ENGINE_SYMBOLS_SEEN_H
#define ENGINE_SYMBOLS_SEEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct seen_symbol {
	uint64_t addr;
	uint64_t distance;		/* from the start of the symbol, in bytes */
	char *name;			/* NULL: the address has no symbol */
	bool used;
};

struct seen_names {
	struct seen_symbol *v;
	uint32_t n;			/* slots: 0 or a power of two */
	uint32_t replaced;		/* since n has changed */
};

/* The slot of an address if it holds this address, else NULL. Valid until the next seen_put. */
const struct seen_symbol *seen_get(const struct seen_names *s, uint64_t addr);
/* Keeps a copy of the name (NULL: no symbol). */
void seen_put(struct seen_names *s, uint64_t addr, uint64_t distance, const char *name);
void seen_free(struct seen_names *s);

#endif
