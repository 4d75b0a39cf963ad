/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/interp/store.h"

#include <string.h>

#include "base/map.h"

enum { FEWEST = 16 };	/* initial number of slots */

void store_init(struct store *s, struct arena *a, uint32_t keysize, uint32_t valsize)
{
	*s = (struct store){ .arena = a, .keysize = keysize, .valsize = (valsize + 7) & ~7u };
}

const void *store_key(const struct store *s, const struct store_entry *e)
{
	return (const char *)e->value + s->valsize;
}

static uint64_t entry_hash(const struct store *s, uint64_t number, const void *key)
{
	return hash_key(key, s->keysize) ^ hash_key(&number, sizeof number);
}

/* The pointer to an element in its slot's list, or the NULL pointer at the end of the list. */
static struct store_entry **entry_place(const struct store *s, uint64_t hash, uint64_t number, const void *key)
{
	struct store_entry **p = &s->slots[hash & (s->nslots - 1)];

	while (*p && ((*p)->hash != hash || (*p)->number != number ||
		      (s->keysize && memcmp(store_key(s, *p), key, s->keysize) != 0)))
		p = &(*p)->next;
	return p;
}

void *store_find(const struct store *s, uint64_t number, const void *key)
{
	struct store_entry *e = s->n ? *entry_place(s, entry_hash(s, number, key), number, key) : NULL;

	return e ? e->value : NULL;
}

static void store_grow(struct store *s)
{
	struct store_entry **old = s->slots, *e, *next;
	size_t nold = s->nslots;

	s->nslots = nold ? nold * 2 : FEWEST;
	s->slots = arena_calloc(s->arena, s->nslots, sizeof(struct store_entry *));
	for (size_t i = 0; i < nold; i++) {
		for (e = old[i]; e; e = next) {
			struct store_entry **slot = &s->slots[e->hash & (s->nslots - 1)];

			next = e->next;
			e->next = *slot;
			*slot = e;
		}
	}
}

static struct store_entry *entry_new(struct store *s)
{
	struct store_entry *e = s->spare;

	if (!e)
		return arena_alloc(s->arena, sizeof *e + s->valsize + s->keysize);
	s->spare = e->next;
	memset(e, 0, sizeof *e + s->valsize);
	return e;
}

void *store_put(struct store *s, uint64_t number, const void *key)
{
	uint64_t hash = entry_hash(s, number, key);
	struct store_entry **p, *e;

	if (s->n >= s->nslots)
		store_grow(s);
	p = entry_place(s, hash, number, key);
	if (*p)
		return (*p)->value;
	e = entry_new(s);
	e->hash = hash;
	e->number = number;
	if (s->keysize)
		memcpy((char *)e->value + s->valsize, key, s->keysize);
	*p = e;
	s->n++;
	return e->value;
}

static void entry_free(struct store *s, struct store_entry *e)
{
	e->next = s->spare;
	s->spare = e;
	s->n--;
}

bool store_remove(struct store *s, uint64_t number, const void *key)
{
	struct store_entry **p = s->n ? entry_place(s, entry_hash(s, number, key), number, key) : NULL, *e;

	if (!p || !*p)
		return false;
	e = *p;
	*p = e->next;
	entry_free(s, e);
	return true;
}

size_t store_sweep(struct store *s, bool (*fn)(void *arg, const void *key), void *arg)
{
	size_t before = s->n;

	for (size_t i = 0; i < s->nslots; i++) {
		for (struct store_entry **p = &s->slots[i], *e; (e = *p);) {
			if (fn(arg, store_key(s, e))) {
				*p = e->next;
				entry_free(s, e);
			} else {
				p = &e->next;
			}
		}
	}
	return before - s->n;
}

void store_clear(struct store *s)
{
	struct store_entry *e, *next;

	for (size_t i = 0; s->n && i < s->nslots; i++) {
		for (e = s->slots[i]; e; e = next) {
			next = e->next;
			entry_free(s, e);
		}
		s->slots[i] = NULL;
	}
}

struct store_entry *store_next(const struct store *s, const struct store_entry *e)
{
	size_t i = e ? (e->hash & (s->nslots - 1)) + 1 : 0;

	if (e && e->next)
		return e->next;
	while (i < s->nslots && !s->slots[i])
		i++;
	return i < s->nslots ? s->slots[i] : NULL;
}
