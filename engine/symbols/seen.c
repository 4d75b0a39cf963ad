/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/symbols/seen.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST = 256, LAST = 1 << 14 };

/* Multiplication by the golden ratio spreads addresses that differ in few bits. */
static struct seen_symbol *slot_of(const struct seen_names *s, uint64_t addr)
{
	return &s->v[addr * 0x9e3779b97f4a7c15ull >> 32 & (s->n - 1)];
}

const struct seen_symbol *seen_get(const struct seen_names *s, uint64_t addr)
{
	const struct seen_symbol *e = s->n ? slot_of(s, addr) : NULL;

	return e && e->used && e->addr == addr ? e : NULL;
}

void seen_free(struct seen_names *s)
{
	for (uint32_t i = 0; i < s->n; i++)
		free(s->v[i].name);
	free(s->v);
	*s = (struct seen_names){ 0 };
}

/* Moves all symbols to a table of twice the size. */
static void table_grow(struct seen_names *s)
{
	struct seen_names wide = { .n = s->n ? 2 * s->n : FIRST };

	wide.v = calloc(wide.n, sizeof *wide.v);
	if (!wide.v)
		return;
	for (uint32_t i = 0; i < s->n; i++)
		if (s->v[i].used)
			*slot_of(&wide, s->v[i].addr) = s->v[i];
	free(s->v);
	*s = wide;
}

void seen_put(struct seen_names *s, uint64_t addr, uint64_t distance, const char *name)
{
	char *copy = name ? strdup(name) : NULL;
	struct seen_symbol *e;

	if (!s->n || (s->replaced > s->n && s->n < LAST))
		table_grow(s);
	if (!s->n || (name && !copy)) {
		free(copy);
		return;
	}
	e = slot_of(s, addr);
	s->replaced += e->used && e->addr != addr;
	free(e->name);
	*e = (struct seen_symbol){ addr, distance, copy, true };
}
