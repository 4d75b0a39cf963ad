/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/symbols/spans.h"

#include <stdlib.h>

enum { BACK = 256 };			/* ranges that are compared with an address */

void spans_free(struct code_spans *s)
{
	free(s->v);
	*s = (struct code_spans){ 0 };
}

void spans_add(struct code_spans *s, uint64_t start, uint64_t end, uint64_t number)
{
	size_t room = s->room ? 2 * s->room : 16;
	struct code_span *v;

	if (start >= end)
		return;
	if (s->n == s->room) {
		v = realloc(s->v, room * sizeof *v);
		if (!v)
			return;
		s->v = v;
		s->room = room;
	}
	s->v[s->n++] = (struct code_span){ start, end, number };
	s->sorted = false;
}

/* Of ranges with the same start, the longer one comes first: what is nested follows. */
static int span_order(const void *x, const void *y)
{
	const struct code_span *a = x, *b = y;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	if (a->end != b->end)
		return a->end > b->end ? -1 : 1;
	return a->number < b->number ? -1 : a->number > b->number;
}

bool spans_find(struct code_spans *s, uint64_t addr, uint64_t *number)
{
	size_t lo = 0, hi = s->n;

	if (!s->sorted && s->n)
		qsort(s->v, s->n, sizeof *s->v, span_order);
	s->sorted = true;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (s->v[mid].start <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (size_t i = lo; i-- > 0 && lo - i <= BACK;) {
		if (addr < s->v[i].end) {
			*number = s->v[i].number;
			return true;
		}
	}
	return false;
}
