/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/dtr/trace/summary.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/map.h"

enum { CALLS, NS, ERRORS, COLUMNS };

struct trace_row {
	const char *call;
	uint64_t n[COLUMNS];
};

struct trace_table {
	struct arena *arena;
	struct map rows;	/* by call */
	unsigned column;	/* being read */
};

static void row_count(struct trace_table *s, const char *call, unsigned column, uint64_t n)
{
	struct trace_row *row = map_gets(&s->rows, call);

	if (!row) {
		row = arena_calloc(s->arena, 1, sizeof *row);
		row->call = arena_strdup(s->arena, call);
		map_sets(&s->rows, row->call, row);
	}
	row->n[column] += n;
}

static int row_add(void *arg, const struct dtr_row *r)
{
	struct trace_table *s = arg;

	row_count(s, r->keys[0].text, s->column, (uint64_t)r->value);
	return 0;
}

static bool is_selected(const struct trace_options *o, const char *call)
{
	for (size_t i = 0; i < o->ncalls; i++)
		if (o->on[i] && !strcmp(o->calls[i].name, call))
			return true;
	return false;
}

static int summary_read(struct trace_table *s, struct dtr *t)
{
	static const char *const names[COLUMNS] = { "calls", "ns", "errors" };
	struct dtr_agg g;

	if (dtr_snapshot(t) < 0)
		return -1;
	for (unsigned i = 0; dtr_agg(t, i, &g); i++)
		for (s->column = 0; s->column < COLUMNS; s->column++)
			if (!strcmp(g.name, names[s->column]) && dtr_agg_rows(t, i, row_add, s) < 0)
				return -1;
	return 0;
}

/* The most time first. */
static int row_order(const void *a, const void *b)
{
	const struct trace_row *const *x = a, *const *y = b;

	if ((*x)->n[NS] != (*y)->n[NS])
		return (*x)->n[NS] < (*y)->n[NS] ? 1 : -1;
	return strcmp((*x)->call, (*y)->call);
}

static void put_row(struct buf *out, const uint64_t n[COLUMNS], uint64_t all, const char *call)
{
	char errors[24] = "";

	if (n[ERRORS])
		snprintf(errors, sizeof errors, "%" PRIu64, n[ERRORS]);
	buf_printf(out, "%6.2f %11.6f %11.0f %9" PRIu64 " %9s %s\n", all ? 100.0 * (double)n[NS] / (double)all : 0.0,
		   (double)n[NS] / 1e9, n[CALLS] ? (double)n[NS] / 1e3 / (double)n[CALLS] : 0.0, n[CALLS], errors,
		   call);
}

static void json_row(struct buf *out, const struct trace_row *r)
{
	json_line_open(out, "summary");
	json_member_text(out, "call", r->call);
	json_member_uint(out, "calls", r->n[CALLS]);
	json_member_uint(out, "errors", r->n[ERRORS]);
	json_member_uint(out, "ns", r->n[NS]);
	json_line_close(out);
}

int trace_summary(struct buf *out, const struct trace_options *o, struct dtr *t, bool executed)
{
	static const char line[] = "------ ----------- ----------- --------- --------- ----------------\n";
	const bool json = o->json;
	struct trace_table s = { .arena = o->arena };
	struct trace_row **rows;
	uint64_t all[COLUMNS] = { 0 };

	map_init(&s.rows, o->arena);
	if (summary_read(&s, t) < 0)
		return -1;
	if (executed && is_selected(o, "execve"))
		row_count(&s, "execve", CALLS, 1);
	rows = arena_calloc(o->arena, s.rows.n + 1, sizeof *rows);
	for (size_t i = 0; i < s.rows.n; i++) {
		rows[i] = s.rows.entries[i].value;
		for (unsigned k = 0; k < COLUMNS; k++)
			all[k] += rows[i]->n[k];
	}
	qsort(rows, s.rows.n, sizeof *rows, row_order);
	if (!json)
		buf_printf(out, "%% time     seconds  usecs/call     calls    errors syscall\n%s", line);
	for (size_t i = 0; i < s.rows.n; i++)
		if (json)
			json_row(out, rows[i]);
		else
			put_row(out, rows[i]->n, all[NS], rows[i]->call);
	if (!json) {
		buf_puts(out, line);
		put_row(out, all, all[NS], "total");
	}
	return 0;
}
