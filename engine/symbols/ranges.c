/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/symbols/ranges.h"

#include <stdlib.h>
#include <string.h>

enum { RANGES_MAX = 4096 };

/* The number of ranges that end before an address. */
static uint32_t ranges_before(const struct address_ranges *s, uint64_t addr)
{
	uint32_t lo = 0, hi = s->n;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (s->v[mid].end < addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static bool ranges_grow(struct address_ranges *s)
{
	uint32_t room = s->room ? 2 * s->room : 8;
	struct address_range *v = room > RANGES_MAX ? NULL : reallocarray(s->v, room, sizeof *v);

	s->full |= !v;
	if (!v)
		return false;
	s->v = v;
	s->room = room;
	return true;
}

void ranges_add(struct address_ranges *s, uint64_t start, uint64_t end)
{
	uint32_t at = ranges_before(s, start), last = at;
	struct address_range x = { start, end };

	if (start >= end)
		return;
	for (; last < s->n && s->v[last].start <= end; last++) {
		x.start = s->v[last].start < x.start ? s->v[last].start : x.start;
		x.end = s->v[last].end > x.end ? s->v[last].end : x.end;
	}
	if (last == at && s->n == s->room && !ranges_grow(s))
		return;
	memmove(s->v + at + 1, s->v + last, (s->n - last) * sizeof *s->v);
	s->v[at] = x;
	s->n += 1 - (last - at);
}

bool ranges_have(const struct address_ranges *s, uint64_t addr)
{
	uint32_t at = ranges_before(s, addr + 1);

	return at < s->n && s->v[at].start <= addr;
}

void ranges_join(struct address_ranges *s, const struct address_ranges *other)
{
	for (uint32_t i = 0; i < other->n; i++)
		ranges_add(s, other->v[i].start, other->v[i].end);
	s->full |= other->full;
}

void ranges_free(struct address_ranges *s)
{
	free(s->v);
	*s = (struct address_ranges){ 0 };
}
