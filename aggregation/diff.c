/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The differences between two sets: rows that are new, gone, or have a different value. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "aggregation/func.h"
#include "aggregation/set.h"
#include "base/escape.h"

/* One row that changed. */
struct change {
	const struct agg_joint *row;
	__int128 by;		/* the absolute difference; of histograms the sum over all buckets */
	size_t seq;
};

struct diff_tally {
	size_t came, went, changed, same;
};

static int64_t number(const struct agg_table *t, const int64_t *v)
{
	return v ? t->desc->func->number(&t->desc->spec, v, t->normal) : 0;
}

static __int128 distance(__int128 a, __int128 b)
{
	return a > b ? a - b : b - a;
}

static __int128 change_of(const struct agg_table *const *t, const int64_t *const *v, const int64_t *nothing)
{
	struct agg_bucket a, b;
	__int128 sum = 0;

	if (!t[0]->desc->func->bucket)
		return distance(number(t[1], v[1]), number(t[0], v[0]));
	for (unsigned i = 0; t[0]->desc->func->bucket(&a, &t[0]->desc->spec, v[0] ? v[0] : nothing, i, t[0]->normal) &&
			     t[1]->desc->func->bucket(&b, &t[1]->desc->spec, v[1] ? v[1] : nothing, i,
						      t[1]->normal); i++)
		sum += distance(b.count, a.count);
	return sum;
}

static int change_compare(const void *pa, const void *pb)
{
	const struct change *a = pa, *b = pb;

	if (a->by != b->by)
		return a->by > b->by ? -1 : 1;
	return (a->seq > b->seq) - (a->seq < b->seq);	/* by key */
}

static void put_number(struct buf *out, const struct agg_table *t, const int64_t *v)
{
	if (v)
		buf_printf(out, " %16" PRId64, number(t, v));
	else
		buf_printf(out, " %16s", "-");
}

/* A difference of two 64-bit values needs 65 bits. */
static void put_delta(struct buf *out, __int128 by)
{
	char text[48], *p = text + sizeof text;
	bool minus = by < 0;

	*--p = '\0';
	if (minus)
		by = -by;
	do
		*--p = (char)('0' + (int)(by % 10));
	while (by /= 10);
	*--p = minus ? '-' : '+';
	buf_printf(out, " %16s", p);
}

static void put_bound(struct buf *out, bool there, int64_t v)
{
	char text[32];

	snprintf(text, sizeof text, "%" PRId64, v);
	buf_printf(out, " %16s", there ? text : "");
}

static void put_buckets(struct buf *out, const struct agg_table *const *t, const int64_t *const *v,
			const int64_t *nothing)
{
	struct agg_bucket a, b;

	buf_printf(out, "\n %16s %16s %16s %16s %16s\n", "from", "to", "before", "after", "change");
	for (unsigned i = 0; t[0]->desc->func->bucket(&a, &t[0]->desc->spec, v[0] ? v[0] : nothing, i, t[0]->normal) &&
			     t[1]->desc->func->bucket(&b, &t[1]->desc->spec, v[1] ? v[1] : nothing, i,
						      t[1]->normal); i++) {
		if (a.count == b.count)
			continue;
		put_bound(out, a.has_min, a.min);
		put_bound(out, a.has_max, a.max);
		buf_printf(out, " %16" PRId64 " %16" PRId64, a.count, b.count);
		put_delta(out, (__int128)b.count - a.count);
		buf_putc(out, '\n');
	}
}

static void put_change(struct buf *out, const struct agg_table *const *t, const struct agg_joint *row,
		       const int64_t *nothing)
{
	agg_print_key(out, row->table->desc, agg_row_key(row->table, row->row), t[0]->names);
	if (t[0]->desc->func->bucket) {
		put_buckets(out, t, row->value, nothing);
	} else {
		put_number(out, t[0], row->value[0]);
		put_number(out, t[1], row->value[1]);
		put_delta(out, (__int128)number(t[1], row->value[1]) - number(t[0], row->value[0]));
	}
	buf_putc(out, '\n');
}

static void put_head(struct buf *out, const struct agg_desc *d, const struct diff_tally *n)
{
	buf_puts(out, "\n@");
	escape_puts(out, strcmp(d->name, "_") ? d->name : "", ESCAPE_LINE);
	buf_printf(out, ", %s(): %zu changed, %zu added, %zu gone, %zu the same\n", d->func->name, n->changed, n->came,
		   n->went, n->same);
}

/* Fills c and returns the number of changes. rows: the rows of both tables, joined by key. */
static size_t find_changes(struct change *c, const struct agg_table *const *t, const struct agg_joint *rows, size_t n,
			   const int64_t *nothing, struct diff_tally *tally)
{
	size_t found = 0;

	for (size_t i = 0; i < n; i++) {
		const int64_t **v = rows[i].value;
		__int128 by = change_of(t, v, nothing);

		if (v[0] && v[1] && !by) {
			tally->same++;
			continue;
		}
		tally->went += !v[1];
		tally->came += !v[0];
		tally->changed += v[0] && v[1];
		c[found] = (struct change){ &rows[i], by, found };
		found++;
	}
	return found;
}

static int diff_tables(struct buf *out, const struct agg_table *const *t)
{
	const struct agg_order by_key = { .by_key = true };
	struct diff_tally tally = { 0 };
	int64_t *nothing = calloc(1, AGG_MAXVALUE);
	struct agg_joint *rows = NULL;
	struct change *c = NULL;
	size_t n = 0, found;
	int r = nothing ? agg_join(t, 2, &by_key, &rows, &n) : -ENOMEM;

	if (!r && !(c = calloc(n + 1, sizeof *c)))
		r = -ENOMEM;
	if (!r) {
		found = find_changes(c, t, rows, n, nothing, &tally);
		qsort(c, found, sizeof *c, change_compare);
		put_head(out, t[0]->desc, &tally);
		for (size_t i = 0; i < found; i++)
			put_change(out, t, c[i].row, nothing);
	}
	free(c);
	free(rows);
	free(nothing);
	return r;
}

int agg_diff(struct buf *out, const struct agg_set *from, const struct agg_set *to)
{
	int r = 0;

	for (unsigned i = 0; !r && i < from->n; i++) {
		const struct agg_table *const t[] = { &from->tables[i], &to->tables[i] };

		r = diff_tables(out, t);
	}
	return r;
}
