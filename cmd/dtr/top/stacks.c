/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/dtr/top/stacks.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "cmd/dtr/top/order.h"

enum { MOST_STACKS = 5 };

static bool has_stack_key(const struct top_table *t, const struct top_row *r)
{
	for (unsigned i = 0; i < t->n_keys; i++)
		if (r->keys[i].kind == DTR_STACK)
			return true;
	return false;
}

bool top_stacks_has(const struct top_tab *tab, const struct top_row *r)
{
	return tab->stacks || has_stack_key(tab->table, r);
}

bool top_stacks_wanted(const struct top_view *v, const struct top_tab *tab)
{
	(void)v;
	for (size_t i = 0; tab->stacks && i < tab->table->n; i++)
		if (tab->table->kind != TOP_BUCKETS && top_row_open(tab, tab->table->rows[i]))
			return true;
	return false;
}

/* Appends the frames of all stacks in the keys, one per line, innermost first. */
static void put_frames(struct buf *b, const struct dtr_key *keys, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		if (keys[i].kind != DTR_STACK || !keys[i].text)
			continue;
		for (const char *s = keys[i].text; *s;) {
			size_t len = strcspn(s, "\n");

			if (len)
				buf_printf(b, "      %.*s\n", (int)len, s);
			s += len + (s[len] == '\n');
		}
	}
}

/* The stacks of one row: the most frequent ones, how many there are, and the sum of all. */
struct found_stacks {
	const struct top_row *best[MOST_STACKS];
	unsigned n;
	size_t all;
	double total;
};

static void found_add(struct found_stacks *f, const struct top_table *t, const struct top_row *r)
{
	unsigned i = f->n < MOST_STACKS ? f->n++ : MOST_STACKS;

	f->all++;
	f->total += (double)r->value;
	for (; i > 0; i--) {
		const struct top_row *above = f->best[i - 1];

		if (r->value < above->value || (r->value == above->value && top_order_keys(t, above, r, 0) < 0))
			break;
		if (i < MOST_STACKS)
			f->best[i] = above;
	}
	if (i < MOST_STACKS)
		f->best[i] = r;
}

/* since: when the counts begin. */
static void put_found(struct buf *b, const struct found_stacks *f, unsigned n_keys, const char *since)
{
	for (unsigned i = 0; i < f->n; i++) {
		buf_printf(b, "    %5.1f %%  %lld since %s\n", 100 * (double)f->best[i]->value / f->total,
			   (long long)f->best[i]->value, since);
		put_frames(b, f->best[i]->keys, n_keys);
	}
	if (f->all > f->n)
		buf_printf(b, "    %zu other stacks\n", f->all - f->n);
	if (!f->all)
		buf_printf(b, "    no stacks since %s\n", since);
}

static void put_stacks(struct buf *b, const struct top_tab *tab, const struct top_row *r)
{
	const struct top_table *s = tab->stacks;
	struct found_stacks f = { 0 };

	if (!s) {
		put_frames(b, r->keys, tab->table->n_keys);
		return;
	}
	for (size_t i = 0; i < s->n; i++)
		if (s->rows[i]->value && top_keys_equal(s->rows[i]->keys, r->keys, tab->table->n_keys))
			found_add(&f, s, s->rows[i]);
	put_found(b, &f, s->n_keys, tab->apart ? "they are collected" : "the start");
}

static void row_lines(struct top_view *v, const struct top_tab *tab, struct top_row *r)
{
	struct buf b = { 0 };

	put_stacks(&b, tab, r);
	free(r->lines);
	r->lines = b.failed ? NULL : strdup(buf_str(&b));
	buf_free(&b);
	if (!r->lines)
		v->arena->oom(v->arena->oom_arg);
	r->n_lines = 0;
	for (const char *s = r->lines; (s = strchr(s, '\n')); s++)
		r->n_lines++;
}

void top_stacks_refresh(struct top_view *v, struct top_tab *tab)
{
	for (size_t i = 0; i < v->n; i++)
		if (tab->table->kind != TOP_BUCKETS && top_row_open(tab, v->order[i]))
			row_lines(v, tab, v->order[i]);
}
