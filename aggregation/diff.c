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

/* Two tables of one aggregation, and how many rows were found to be what. */
struct table_pair {
	const struct agg_table *t[2];
	const int64_t *nothing;		/* the value of a row that one of them lacks */
	size_t came, went, changed, same;
};

static int64_t row_number(const struct agg_table *t, const int64_t *v)
{
	return v ? t->desc->func->number(&t->desc->spec, v, t->normal) : 0;
}

static __int128 distance(__int128 a, __int128 b)
{
	return a > b ? a - b : b - a;
}

/* The buckets with this number in both tables. False: there are no more. */
static bool bucket_pair(const struct table_pair *p, const int64_t *const *v, unsigned i, struct agg_bucket out[2])
{
	for (unsigned k = 0; k < 2; k++)
		if (!p->t[k]->desc->func->bucket(&out[k], &p->t[k]->desc->spec, v[k] ? v[k] : p->nothing, i,
						 p->t[k]->normal))
			return false;
	return true;
}

static __int128 change_of(const struct table_pair *p, const int64_t *const *v)
{
	struct agg_bucket b[2];
	__int128 sum = 0;

	if (!p->t[0]->desc->func->bucket)
		return distance(row_number(p->t[1], v[1]), row_number(p->t[0], v[0]));
	for (unsigned i = 0; bucket_pair(p, v, i, b); i++)
		sum += distance(b[1].count, b[0].count);
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
		buf_printf(out, " %16" PRId64, row_number(t, v));
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

static void put_buckets(struct buf *out, const struct table_pair *p, const int64_t *const *v)
{
	struct agg_bucket b[2];

	buf_printf(out, "\n %16s %16s %16s %16s %16s\n", "from", "to", "before", "after", "change");
	for (unsigned i = 0; bucket_pair(p, v, i, b); i++) {
		if (b[0].count == b[1].count)
			continue;
		put_bound(out, b[0].has_min, b[0].min);
		put_bound(out, b[0].has_max, b[0].max);
		buf_printf(out, " %16" PRId64 " %16" PRId64, b[0].count, b[1].count);
		put_delta(out, (__int128)b[1].count - b[0].count);
		buf_putc(out, '\n');
	}
}

static void put_change(struct buf *out, const struct table_pair *p, const struct agg_joint *row)
{
	const int64_t **v = row->value;

	agg_print_key(out, row->table->desc, agg_row_key(row->table, row->row), p->t[0]->names);
	if (p->t[0]->desc->func->bucket) {
		put_buckets(out, p, v);
	} else {
		put_number(out, p->t[0], v[0]);
		put_number(out, p->t[1], v[1]);
		put_delta(out, (__int128)row_number(p->t[1], v[1]) - row_number(p->t[0], v[0]));
	}
	buf_putc(out, '\n');
}

/* Fills c and returns the number of changes. rows: the rows of both tables, joined by key. */
static size_t find_changes(struct table_pair *p, const struct agg_joint *rows, size_t n, struct change *c)
{
	size_t found = 0;

	for (size_t i = 0; i < n; i++) {
		const int64_t **v = rows[i].value;
		__int128 by = change_of(p, v);

		if (v[0] && v[1] && !by) {
			p->same++;
			continue;
		}
		p->went += !v[1];
		p->came += !v[0];
		p->changed += v[0] && v[1];
		c[found] = (struct change){ &rows[i], by, found };
		found++;
	}
	return found;
}

static int diff_tables(struct buf *out, const struct agg_table *from, const struct agg_table *to)
{
	const struct agg_order by_key = { .by_key = true };
	const struct agg_desc *d = from->desc;
	int64_t *nothing = calloc(1, AGG_MAXVALUE);
	struct table_pair p = { .t = { from, to }, .nothing = nothing };
	struct agg_joint *rows = NULL;
	struct change *changes = NULL;
	size_t n = 0, found;
	int r = nothing ? agg_join(p.t, 2, &by_key, &rows, &n) : -ENOMEM;

	if (!r && !(changes = calloc(n + 1, sizeof *changes)))
		r = -ENOMEM;
	if (!r) {
		found = find_changes(&p, rows, n, changes);
		qsort(changes, found, sizeof *changes, change_compare);
		buf_puts(out, "\n@");
		escape_puts(out, strcmp(d->name, "_") ? d->name : "", ESCAPE_LINE);
		buf_printf(out, ", %s(): %zu changed, %zu added, %zu gone, %zu the same\n", d->func->name, p.changed,
			   p.came, p.went, p.same);
		for (size_t i = 0; i < found; i++)
			put_change(out, &p, changes[i].row);
	}
	free(changes);
	free(rows);
	free(nothing);
	return r;
}

int agg_diff(struct buf *out, const struct agg_set *from, const struct agg_set *to)
{
	int r = 0;

	for (unsigned i = 0; !r && i < from->n; i++)
		r = diff_tables(out, &from->tables[i], &to->tables[i]);
	return r;
}
