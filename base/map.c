/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "base/map.h"

#include <string.h>

#include "base/arena.h"

uint64_t hash_bytes(const void *p, size_t len)
{
	const unsigned char *s = p;
	uint64_t h = 0xcbf29ce484222325u;

	for (size_t i = 0; i < len; i++)
		h = (h ^ s[i]) * 0x100000001b3u;
	return h;
}

/* Reads eight bytes at a time, because keys of aggregations are long. */
uint64_t hash_key(const void *key, size_t len)
{
	const unsigned char *s = key;
	uint64_t h = len, w = 0;

	for (; len > 8; s += 8, len -= 8) {
		memcpy(&w, s, 8);
		h = (h ^ w) * 0x9e3779b97f4a7c15u;
		h ^= h >> 32;
	}
	w = 0;
	if (len)
		memcpy(&w, s, len);
	h = (h ^ w) * 0x9e3779b97f4a7c15u;
	return h ^ h >> 32;
}

void map_init(struct map *m, struct arena *a)
{
	*m = (struct map){ .arena = a };
}

/* The slot of the key, or the free slot in which to store it. */
static size_t map_slot(const struct map *m, const void *key, size_t len, uint64_t hash)
{
	size_t i = hash & (m->nslots - 1);

	while (m->slots[i]) {
		const struct map_entry *e = &m->entries[m->slots[i] - 1];

		if (e->hash == hash && e->len == len && (len == 0 || memcmp(e->key, key, len) == 0))
			break;
		i = (i + 1) & (m->nslots - 1);
	}
	return i;
}

static void map_rehash(struct map *m)
{
	m->nslots = m->nslots ? m->nslots * 2 : 16;
	m->slots = arena_calloc(m->arena, m->nslots, sizeof *m->slots);
	for (size_t n = 0; n < m->n; n++) {
		size_t i = m->entries[n].hash & (m->nslots - 1);

		while (m->slots[i])
			i = (i + 1) & (m->nslots - 1);
		m->slots[i] = (uint32_t)n + 1;
	}
}

void **map_find(const struct map *m, const void *key, size_t len)
{
	size_t i;

	if (!m->nslots)
		return NULL;
	i = map_slot(m, key, len, hash_key(key, len));
	return m->slots[i] ? &m->entries[m->slots[i] - 1].value : NULL;
}

void **map_put(struct map *m, const void *key, size_t len)
{
	uint64_t hash = hash_key(key, len);
	struct map_entry *e;
	size_t i;

	if (m->n * 4 >= m->nslots * 3)
		map_rehash(m);
	i = map_slot(m, key, len, hash);
	if (m->slots[i])
		return &m->entries[m->slots[i] - 1].value;
	m->entries = vec_grow(m->arena, m->entries, m->n, &m->cap, sizeof *m->entries);
	e = &m->entries[m->n++];
	*e = (struct map_entry){ arena_memdup(m->arena, key, len), len, NULL, hash };
	m->slots[i] = (uint32_t)m->n;
	return &e->value;
}

void *map_gets(const struct map *m, const char *key)
{
	void **p = map_find(m, key, strlen(key));

	return p ? *p : NULL;
}

void map_sets(struct map *m, const char *key, void *value)
{
	*map_put(m, key, strlen(key)) = value;
}
