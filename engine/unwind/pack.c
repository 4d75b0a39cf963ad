/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/unwind/pack.h"

#include <stdlib.h>
#include <string.h>

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
	const _Atomic bool *stop;
};

static bool span_put(struct pack_spans *s, struct pack_span x)
{
	if (s->n == s->cap) {
		size_t cap = s->cap ? 2 * s->cap : FIRST_ROOM;
		struct pack_span *v = reallocarray(s->v, cap, sizeof *v);

		s->nomem |= !v;
		if (!v)
			return false;
		s->v = v;
		s->cap = cap;
	}
	s->sorted &= !s->n || s->v[s->n - 1].begin <= x.begin;
	s->v[s->n++] = x;
	return true;
}

static bool span_add(void *arg, const struct cfi_row *row)
{
	struct pack_spans *s = arg;

	return !(s->stop && *s->stop) &&
		span_put(s, (struct pack_span){ row->begin, row->end, rules_number(s->rules, s->section, row) });
}

static int span_order(const void *a, const void *b)
{
	const struct pack_span *x = a, *y = b;

	return x->begin != y->begin ? (x->begin < y->begin ? -1 : 1) : (x->end > y->end) - (x->end < y->end);
}

static bool spans_sorted(const struct pack_spans *s)
{
	for (size_t i = 1; i < s->n; i++)
		if (span_order(&s->v[i - 1], &s->v[i]) > 0)
			return false;
	return true;
}

/* Spans without gaps: those of a function. */
struct pack_run {
	uint64_t begin;
	size_t from, n;
};

static int run_order(const void *a, const void *b)
{
	const struct pack_run *x = a, *y = b;

	return x->begin != y->begin ? (x->begin < y->begin ? -1 : 1) : (x->from > y->from) - (x->from < y->from);
}

/* NULL: no memory. */
static struct pack_run *runs_of(const struct pack_spans *s, size_t *n)
{
	struct pack_run *run = NULL;
	size_t cap = 0;

	*n = 0;
	for (size_t i = 0; i < s->n; i++) {
		bool next = i && s->v[i - 1].end == s->v[i].begin;

		if (!next && *n == cap) {
			struct pack_run *v = reallocarray(run, cap = cap ? 2 * cap : FIRST_ROOM, sizeof *v);

			if (!v) {
				free(run);
				return NULL;
			}
			run = v;
		}
		if (!next)
			run[(*n)++] = (struct pack_run){ s->v[i].begin, i, 0 };
		run[*n - 1].n++;
	}
	return run;
}

/* Functions are rarely in order of address, but seldom overlap: sorting these is enough then. */
static void runs_sort(struct pack_spans *s)
{
	struct pack_span *v = malloc(s->n * sizeof *v);
	size_t n, at = 0;
	struct pack_run *run = v ? runs_of(s, &n) : NULL;

	if (run) {
		qsort(run, n, sizeof *run, run_order);
		for (size_t i = 0; i < n; i++) {
			memcpy(v + at, s->v + run[i].from, run[i].n * sizeof *v);
			at += run[i].n;
		}
		free(s->v);
		s->v = v;
		s->cap = s->n;
	} else {
		free(v);
	}
	s->nomem |= !run;
	free(run);
}

/* Those that begin at the same address are in order of their end. */
static void spans_sort(struct pack_spans *s)
{
	if (!s->sorted) {
		runs_sort(s);
		if (!spans_sorted(s))
			qsort(s->v, s->n, sizeof *s->v, span_order);
	}
	s->sorted = true;
}

/* Functions that linkers removed are at address 0, and those of damaged files anywhere. Where functions overlap, the
 * one that begins last counts, as for who looks up a single address. */
static void spans_separate(struct pack_spans *s)
{
	size_t n = 0;

	for (size_t i = 0; i < s->n; i++) {
		if (n && s->v[n - 1].end > s->v[i].begin)
			s->v[n - 1].end = s->v[i].begin;
		n -= n && s->v[n - 1].begin == s->v[n - 1].end;
		s->v[n++] = s->v[i];
	}
	s->n = n;
}

/* Returns the spans of a section in order of address, not overlapping; none if there is no section. Closes it. */
static struct pack_spans spans_of(struct cfi_source *f, struct rules *r, const _Atomic bool *stop)
{
	struct pack_spans s = { .sorted = true, .nomem = f->nomem, .rules = r, .stop = stop, .section = &f->section };

	if (f->section.machine)
		cfi_rows(&f->section, span_add, &s, NULL);
	cfi_close(f);
	spans_sort(&s);
	spans_separate(&s);
	return s;
}

/* Adds the parts of x that the first n spans, from *i on, do not cover. */
static void spans_fill(struct pack_spans *s, size_t n, size_t *i, struct pack_span x)
{
	while (*i < n && s->v[*i].end <= x.begin)
		++*i;
	for (size_t k = *i; x.begin < x.end; k++) {
		uint64_t end = k < n && s->v[k].begin < x.end ? s->v[k].begin : x.end;

		if (x.begin < end && !span_put(s, (struct pack_span){ x.begin, end, x.rule }))
			return;
		x.begin = k < n ? s->v[k].end : x.end;
	}
}

/* Adds those of `other`, where there are none. */
static void spans_merge(struct pack_spans *s, const struct pack_spans *other)
{
	size_t n = s->n, from = 0;

	for (size_t i = 0; i < other->n && !s->nomem; i++)
		spans_fill(s, n, &from, other->v[i]);
	spans_sort(s);
}

/* ---- rows of a file ---- */
static void row_add(struct pack *p, uint64_t at, uint32_t rule)
{
	if (p->n && p->v[p->n - 1].at == at)
		p->n--;		/* an empty gap */
	if (p->n && p->v[p->n - 1].rule == rule)
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

void pack_read(struct pack_input *in, struct object *o)
{
	cfi_open(&in->eh, o, CFI_EH_FRAME);
	cfi_open(&in->debug, o, CFI_DEBUG_FRAME);
}

bool pack_rows(struct pack *p, struct pack_input *in, struct rules *r, const _Atomic bool *stop)
{
	struct pack_spans eh = spans_of(&in->eh, r, stop), debug = spans_of(&in->debug, r, stop);

	*p = (struct pack){ 0 };
	spans_merge(&eh, &debug);
	p->nomem = eh.nomem || debug.nomem;
	for (size_t i = 0; i < eh.n && !p->nomem; i++) {
		row_add(p, eh.v[i].begin, eh.v[i].rule);
		row_add(p, eh.v[i].end, RULES_NONE);
	}
	free(eh.v);
	free(debug.v);
	return p->n && !p->nomem;
}

bool pack_file(struct pack *p, struct object *o, struct rules *r)
{
	struct pack_input in;

	pack_read(&in, o);
	return pack_rows(p, &in, r, NULL);
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

/* The number of the first row after a piece, which may be the last one that there is. */
static size_t row_after(const struct pack *p, uint64_t number)
{
	uint64_t next = piece_begin(number + 1);

	return next ? row_from(p, next) : p->n;
}

/* The table begins with the row of the code before the piece. Pages after the last row need no table if it is the end
 * of the code. */
struct pack_size pack_size(const struct pack *p, uint64_t number)
{
	size_t from = row_from(p, piece_begin(number)), to = row_after(p, number);
	uint32_t pages = PACK_PAGES;

	if (from == to && (!from || p->v[from - 1].rule == RULES_NONE))
		return (struct pack_size){ 0 };
	if (p->v[to - 1].rule == RULES_NONE)
		pages = (uint32_t)((p->v[to - 1].at - piece_begin(number)) >> UNWIND_PAGE_BITS) + 1;
	return (struct pack_size){ pages, (uint32_t)(pages + 1 + 1 + to - from) };
}

void pack_piece(const struct pack *p, uint64_t number, uint32_t pages, uint32_t word, uint32_t *out)
{
	size_t from = row_from(p, piece_begin(number)), to = row_after(p, number), i = from;
	uint32_t *row = out + pages + 1;

	*row++ = from ? p->v[from - 1].rule : RULES_NONE;
	for (uint32_t page = 0; page <= pages; page++) {
		uint64_t end = ((uint64_t)page + 1) * UNWIND_PAGE;

		out[page] = word + (uint32_t)(row - out);
		for (; i < to && p->v[i].at - piece_begin(number) < end; i++)
			*row++ = (uint32_t)(p->v[i].at & (UNWIND_PAGE - 1)) << 24 | p->v[i].rule;
	}
}
