/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A hash map from byte strings to pointers, in an arena, with iteration in order of insertion.
 *
 * Ownership: the arena owns the table and copies of the keys; values are the caller's.
 * Errors: none (see arena.h).
 */
#ifndef BASE_MAP_H
#define BASE_MAP_H

#include <stddef.h>
#include <stdint.h>

struct map_entry {
	const void *key;
	size_t len;
	void *value;
	uint64_t hash;
};

struct map {
	struct arena *arena;
	struct map_entry *entries;	/* in order of insertion; n of them */
	size_t n, cap;
	uint32_t *slots;		/* index + 1, 0 = free; nslots is a power of two */
	size_t nslots;
};

void map_init(struct map *m, struct arena *a);

/* Returns a pointer to the value of a key, or NULL. Valid until the next map_put. */
void **map_find(const struct map *m, const void *key, size_t len);

/* The same, but adds the key with the value NULL if it is missing. */
void **map_put(struct map *m, const void *key, size_t len);

/* Get and set with C strings as keys. map_gets returns the value, or NULL. */
void *map_gets(const struct map *m, const char *key);
void map_sets(struct map *m, const char *key, void *value);

/* A hash that is fast for long keys. Only for tables in memory: its values may change. */
uint64_t hash_key(const void *key, size_t len);

/* FNV-1a over `len` bytes (http://www.isthe.com/chongo/tech/comp/fnv/, public domain). */
uint64_t hash_bytes(const void *p, size_t len);

#endif
