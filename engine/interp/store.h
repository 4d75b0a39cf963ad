/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The elements of one keyed object of a program: values by a number (a CPU or a thread) and the script's key. An
 * element that was removed is used again, so that memory is bounded by the most elements that there were at a time.
 *
 * Who owns what: the arena owns all memory. A value stays where it is until it is removed.
 * What can fail: nothing (see arena.h).
 */
#ifndef ENGINE_INTERP_STORE_H
#define ENGINE_INTERP_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

struct store_entry {
	struct store_entry *next;	/* of its slot, or of those to be used again */
	uint64_t hash;
	uint64_t number;
	uint64_t value[];		/* valsize bytes, then the key */
};

struct store {
	struct arena *arena;
	uint32_t keysize, valsize;	/* bytes; valsize is a multiple of 8 */
	struct store_entry **slots;
	size_t nslots, n;		/* slots: a power of two; elements */
	struct store_entry *spare;
};

/* An empty store. valsize is rounded up to a multiple of 8. */
void store_init(struct store *s, struct arena *a, uint32_t keysize, uint32_t valsize);

/* The value under number and key (keysize bytes; NULL where keysize is 0), or NULL. */
void *store_find(const struct store *s, uint64_t number, const void *key);

/* The same, made (all zeros) where there is none. */
void *store_put(struct store *s, uint64_t number, const void *key);

/* Removes an element. False: there was none. */
bool store_remove(struct store *s, uint64_t number, const void *key);

/* Removes all elements. */
void store_clear(struct store *s);

/* The element after e; the first one for NULL; NULL at the end. The order depends on nothing but the calls. */
struct store_entry *store_next(const struct store *s, const struct store_entry *e);

/* The script's key of an element. */
const void *store_key(const struct store *s, const struct store_entry *e);

#endif
