/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/unwind/pack.h"

#include <stdlib.h>
#include <string.h>

#include "engine/unwind/cfi_source.h"

enum { FIRST_ROOM = 1024 };

/* ---- rows of a section ---- */
struct pack_span {
	uint64_t begin, end;
	uint32_t rule;
};

struct pack_spans {
	struct pack_span *v;
	size_t n, cap;
	bool sorted, nomem;
	const struct cfi_section *section;
	struct rules *rules;
};

static bool span_add(void *arg, const struct cfi_row *row)
{
	struct pack_spans *s = arg;

	if (s->n == s->cap) {
		size_t cap = s->cap ? 2 * s->cap : FIRST_ROOM;
		struct pack_span *v = reallocarray(s->v, cap, sizeof *v);

		s->nomem |= !v;
		if (!v)
			return false;
		s->v = v;
		s->cap = cap;
	}
	s->sorted &= !s->n || s->v[s->n - 1].begin <= row->begin;
	s->v[s->n++] = (struct pack_span){ row->begin, row->end, rules_number(s->rules, s->section, row) };
	return true;
}

static int span_order(const void *a, const void *b)
{
	const struct pack_span *x = a, *y = b;

	return x->begin != y->begin ? (x->begin < y->begin ? -1 : 1) : (x->end > y->end) - (x->end < y->end);
}

/* Returns the spans of a section in order of address; none if the file lacks the section. */
static struct pack_spans spans_of(struct object *o, bool eh_frame, struct rules *r)
{
	struct pack_spans s = { .sorted = true, .rules = r };
	struct cfi_source source;

	if (!cfi_open(&source, o, eh_frame)) {
		s.nomem = source.nomem;
		return s;
	}
	s.section = &source.section;
	cfi_rows(&source.section, span_add, &s, NULL);
	cfi_close(&source);
	if (!s.sorted)
		qsort(s.v, s.n, sizeof *s.v, span_order);
	return s;
}

/* ---- rows of a file ---- */
static void row_add(struct pack *p, uint64_t at, uint32_t rule)
{
	if (p->n && p->v[p->n - 1].at == at)
		p->n--;		/* an empty gap, or overlapping functions of a damaged file */
	if (p->n && (p->v[p->n - 1].rule == rule || p->v[p->n - 1].at > at))
		return;
	if (p->n == p->cap) {
		size_t cap = p->cap ? 2 * p->cap : FIRST_ROOM;
		struct pack_row *v = reallocarray(p->v, cap, sizeof *v);

		p->nomem |= !v;
		if (!v)
			return;
		p->v = v;
		p->cap = cap;
	}
	p->v[p->n++] = (struct pack_row){ at, rule };
}

/* Adds the parts of [begin, end) that `first`, from span *i on, does not cover. */
static void rows_between(struct pack *p, const struct pack_spans *first, size_t *i, struct pack_span x)
{
	while (*i < first->n && first->v[*i].end <= x.begin)
		++*i;
	for (size_t k = *i; x.begin < x.end; k++) {
		uint64_t end = k < first->n && first->v[k].begin < x.end ? first->v[k].begin : x.end;

		if (x.begin < end) {
			row_add(p, x.begin, x.rule);
			row_add(p, end, RULES_NONE);
		}
		if (k == first->n)
			return;
		x.begin = first->v[k].end > x.begin ? first->v[k].end : x.begin;
	}
}

/* Merges two lists of spans. Where both have one, the first counts. */
static void rows_merge(struct pack *p, const struct pack_spans *first, const struct pack_spans *second)
{
	size_t covered = 0, k = 0;

	for (size_t i = 0; i <= first->n; i++) {
		uint64_t next = i < first->n ? first->v[i].begin : UINT64_MAX;

		for (; k < second->n && second->v[k].begin < next; k++)
			rows_between(p, first, &covered, second->v[k]);
		if (i == first->n)
			return;
		if (p->n && p->v[p->n - 1].at > first->v[i].begin)
			continue;	/* overlapping functions of a damaged file */
		row_add(p, first->v[i].begin, first->v[i].rule);
		row_add(p, first->v[i].end, RULES_NONE);
	}
}

bool pack_file(struct pack *p, struct object *o, struct rules *r)
{
	struct pack_spans eh = spans_of(o, true, r), debug = { 0 };

	*p = (struct pack){ 0 };
	debug = spans_of(o, false, r);
	rows_merge(p, &eh, &debug);
	p->nomem |= eh.nomem || debug.nomem;
	free(eh.v);
	free(debug.v);
	return p->n && !p->nomem;
}

void pack_close(struct pack *p)
{
	free(p->v);
	*p = (struct pack){ 0 };
}

/* ---- the table of a piece ---- */
/* The number of the first row at or after an address. */
static size_t row_from(const struct pack *p, uint64_t at)
{
	size_t low = 0, high = p->n;

	while (low < high) {
		size_t mid = (low + high) / 2;

		low = p->v[mid].at < at ? mid + 1 : low;
		high = p->v[mid].at < at ? high : mid;
	}
	return low;
}

static uint64_t piece_begin(uint64_t number)
{
	return number << PACK_PIECE_BITS;
}

/* The table begins with the row of the code before the piece. Pages after the last row need no table if it is the end
 * of the code. */
struct pack_size pack_size(const struct pack *p, uint64_t number)
{
	size_t from = row_from(p, piece_begin(number)), to = row_from(p, piece_begin(number + 1));
	uint32_t pages = PACK_PAGES;

	if (from == to && (!from || p->v[from - 1].rule == RULES_NONE))
		return (struct pack_size){ 0 };
	if (p->v[to - 1].rule == RULES_NONE)
		pages = (uint32_t)((p->v[to - 1].at - piece_begin(number)) >> UNWIND_PAGE_BITS) + 1;
	return (struct pack_size){ pages, (uint32_t)(pages + 1 + 1 + to - from) };
}

void pack_piece(const struct pack *p, uint64_t number, uint32_t pages, uint32_t word, uint32_t *out)
{
	size_t from = row_from(p, piece_begin(number)), to = row_from(p, piece_begin(number + 1)), i = from;
	uint32_t *row = out + pages + 1;

	*row++ = from ? p->v[from - 1].rule : RULES_NONE;
	for (uint32_t page = 0; page <= pages; page++) {
		uint64_t end = piece_begin(number) + ((uint64_t)page + 1) * UNWIND_PAGE;

		out[page] = word + (uint32_t)(row - out);
		for (; i < to && p->v[i].at < end; i++)
			*row++ = (uint32_t)(p->v[i].at & (UNWIND_PAGE - 1)) << 24 | p->v[i].rule;
	}
}
