/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The elements of one keyed object of a program: a hash table that maps a number (a CPU or a thread) and the script's
 * key to a value. Removed elements are reused, so memory is bounded by the largest number of elements at one time.
 *
 * Ownership: the arena owns all memory. A value does not move until it is removed.
 * Errors: none (see arena.h).
 */
#ifndef ENGINE_INTERP_STORE_H
#define ENGINE_INTERP_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

struct store_entry {
	struct store_entry *next;	/* next in its slot, or in `spare` */
	uint64_t hash;
	uint64_t number;
	uint64_t value[];		/* valsize bytes, then the key */
};

struct store {
	struct arena *arena;
	uint32_t keysize, valsize;	/* bytes; valsize is a multiple of 8 */
	struct store_entry **slots;
	size_t nslots, n;		/* number of slots (a power of two); of elements */
	struct store_entry *spare;
};

/* Initialises an empty store. valsize is rounded up to a multiple of 8. */
void store_init(struct store *s, struct arena *a, uint32_t keysize, uint32_t valsize);

/* Returns the value of number and key (keysize bytes; NULL if keysize is 0), or NULL. */
void *store_find(const struct store *s, uint64_t number, const void *key);

/* Like store_find, but adds a zeroed element if there is none. */
void *store_put(struct store *s, uint64_t number, const void *key);

/* Removes an element. Returns false if there was none. */
bool store_remove(struct store *s, uint64_t number, const void *key);

/* Removes the elements for which fn returns true. Returns their number. key: the script's key. */
size_t store_sweep(struct store *s, bool (*fn)(void *arg, const void *key), void *arg);

/* Removes all elements. */
void store_clear(struct store *s);

/* Returns the element after e (NULL: the first), or NULL at the end. The order depends only on the previous calls. */
struct store_entry *store_next(const struct store *s, const struct store_entry *e);

/* Returns the script's key of an element. */
const void *store_key(const struct store *s, const struct store_entry *e);

#endif
