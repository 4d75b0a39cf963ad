/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/dtr/top/order.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"

static int key_compare(const struct dtr_key *a, const struct dtr_key *b)
{
	if (a->text && b->text && a->kind >= DTR_TEXT)
		return strcmp(a->text, b->text);
	if (a->kind == DTR_UINT)
		return (uint64_t)a->number < (uint64_t)b->number ? -1 : (uint64_t)a->number > (uint64_t)b->number;
	return a->number < b->number ? -1 : a->number > b->number;
}

int top_order_keys(const struct top_table *t, const struct top_row *a, const struct top_row *b, unsigned from)
{
	int r = 0;

	for (unsigned i = from; !r && i < t->n_keys; i++)
		r = key_compare(&a->keys[i], &b->keys[i]);
	return r;
}

struct order_by {
	const struct top_table *table;
	struct top_column column;
	bool reverse;
};

static int row_compare(const void *pa, const void *pb, void *arg)
{
	const struct top_row *a = *(struct top_row *const *)pa, *b = *(struct top_row *const *)pb;
	const struct order_by *by = arg;
	int r;

	if (by->column.kind == TOP_KEY)
		r = key_compare(&a->keys[by->column.key], &b->keys[by->column.key]);
	else
		r = a->shown > b->shown ? -1 : a->shown < b->shown;
	if (by->reverse)
		r = -r;
	return r ? r : top_order_keys(by->table, a, b, 0);
}

/* The filter is applied to the keys, separated by blanks; once to each row. */
static bool row_matches(const struct top_view *v, const struct top_table *t, struct top_row *r)
{
	struct buf b = { 0 };

	if (!v->filtering)
		return true;
	if (r->filtered == v->filters)
		return !r->hidden;
	for (unsigned i = 0; i < t->n_keys; i++) {
		if (i)
			buf_putc(&b, ' ');
		if (r->keys[i].text)
			buf_puts(&b, r->keys[i].text);
		else
			buf_printf(&b, r->keys[i].kind == DTR_UINT ? "%llu" : "%lld", (long long)r->keys[i].number);
	}
	if (b.failed)
		v->arena->oom(v->arena->oom_arg);
	r->hidden = regexec(&v->regex, buf_str(&b), 0, NULL, 0) != 0;
	r->filtered = v->filters;
	buf_free(&b);
	return !r->hidden;
}

static void order_room(struct top_view *v, size_t n)
{
	if (n <= v->cap)
		return;
	v->cap = 2 * n;
	v->order = reallocarray(v->order, v->cap, sizeof(struct top_row *));
	if (!v->order)
		v->arena->oom(v->arena->oom_arg);
}

/* The first row stays selected as such; any other one is found again. */
static void order_cursor(struct top_view *v, struct top_tab *tab)
{
	for (size_t i = 0; tab->held && i < v->n; i++)
		if (v->order[i] == tab->held) {
			tab->cursor = i;
			return;
		}
	if (tab->cursor >= v->n)
		tab->cursor = v->n ? v->n - 1 : 0;
	tab->held = tab->cursor ? v->order[tab->cursor] : NULL;
}

void top_order(struct top_view *v, struct top_tab *tab)
{
	const struct top_table *t = tab->table;
	const unsigned intervals = top_view_intervals(v);
	struct order_by by = { .table = t, .reverse = tab->reverse };
	struct top_column columns[TOP_COLUMNS];
	unsigned n = top_view_columns(tab, columns);

	by.column = columns[tab->sort < n ? tab->sort : 0];
	order_room(v, t->n);
	v->n = 0;
	v->total = 0;
	for (size_t i = 0; i < t->n; i++) {
		struct top_row *r = t->rows[i];

		r->shown = top_row_value(t, r, intervals);
		v->total += (double)r->shown;
		if (top_row_active(t, r, intervals) && row_matches(v, t, r))
			v->order[v->n++] = r;
	}
	if (v->n)
		qsort_r(v->order, v->n, sizeof(struct top_row *), row_compare, &by);
	order_cursor(v, tab);
}
