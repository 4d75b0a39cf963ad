/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/dtr/top/view.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

const unsigned top_windows[TOP_WINDOWS] = { 0, 1, 10, 60 };

/* Histograms of so many rows are expanded from the start. */
enum { FEW_ROWS = 20 };

void top_view_init(struct top_view *v, struct arena *a, const char *title)
{
	*v = (struct top_view){ .arena = a, .title = title, .page = 1 };
}

void top_view_free(struct top_view *v)
{
	if (v->filtering)
		regfree(&v->regex);
	free(v->order);
	*v = (struct top_view){ 0 };
}

struct top_tab *top_view_tab(const struct top_view *v)
{
	return v->tab < v->n_tabs ? &v->tabs[v->tab] : NULL;
}

void top_view_say(struct top_view *v, bool wrong, const char *fmt, ...)
{
	va_list ap;

	v->wrong = wrong;
	va_start(ap, fmt);
	vsnprintf(v->message, sizeof v->message, fmt, ap);
	va_end(ap);
}

/* ---- columns and rows ---- */

unsigned top_view_columns(const struct top_tab *tab, struct top_column out[TOP_COLUMNS])
{
	static const char *const numbered[] = {
		"KEY 1", "KEY 2", "KEY 3", "KEY 4", "KEY 5", "KEY 6", "KEY 7", "KEY 8",
	};
	const struct top_table *t = tab->table;
	unsigned n = 0;

	if (top_table_adds(t))
		out[n++] = (struct top_column){ .kind = TOP_SHARE, .title = "SHARE", .number = true };
	if (tab->sampled)
		out[n++] = (struct top_column){ .kind = TOP_INTERVAL, .title = "95 % INTERVAL", .number = true };
	out[n++] = (struct top_column){
		.kind = TOP_VALUE, .title = tab->sampled ? "samples" : tab->exact ? "ns" : t->function, .number = true,
	};
	for (unsigned i = 0; i < t->n_keys && n < TOP_COLUMNS; i++)
		out[n++] = (struct top_column){
			.kind = TOP_KEY, .key = i,
			.number = t->n && t->rows[0]->keys[i].kind < DTR_TEXT,
			.title = tab->titles ? tab->titles[i] : t->n_keys == 1 || i >= 8 ? "KEY" : numbered[i],
		};
	return n;
}

unsigned top_view_intervals(const struct top_view *v)
{
	return top_windows[v->window];
}

struct share_interval top_view_interval(const struct top_view *v, const struct top_row *r)
{
	uint64_t n = v->total > 0 ? (uint64_t)v->total : 0, k = r->shown > 0 ? (uint64_t)r->shown : 0;

	return interval_wilson(k < n ? k : n, n);
}

unsigned top_row_range(const struct top_table *t, const struct top_row *r, unsigned *first)
{
	unsigned n = r->n_buckets;

	(void)t;
	*first = 0;
	while (*first < n && !r->buckets[*first].count)
		++*first;
	while (n > *first && !r->buckets[n - 1].count)
		n--;
	return n - *first;
}

bool top_row_open(const struct top_tab *tab, const struct top_row *r)
{
	return r->toggled ? r->open : tab->table->kind == TOP_BUCKETS && tab->table->n <= FEW_ROWS;
}

size_t top_row_height(const struct top_tab *tab, const struct top_row *r)
{
	unsigned first;

	if (!top_row_open(tab, r))
		return 1;
	return 1 + (tab->table->kind == TOP_BUCKETS ? top_row_range(tab->table, r, &first) : 0) + r->n_lines;
}
