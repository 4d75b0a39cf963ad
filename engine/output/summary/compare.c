/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/output/summary/compare.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/json.h"
#include "base/map.h"

/* ---- rows ---- */

static void add_side(struct comparison *c, struct arena *a, struct map *rows, enum compare_side side)
{
	const struct summary_list *list = &c->side[side]->functions;

	for (size_t i = 0; i < list->n; i++) {
		void **slot = map_put(rows, list->v[i].name, strlen(list->v[i].name));

		if (!*slot) {
			*VEC_ADD(a, &c->rows) = (struct compare_row){ .name = list->v[i].name };
			*slot = (void *)c->rows.n;
		}
		c->rows.v[(size_t)*slot - 1].count[side] += list->v[i].count;
	}
}

static void row_test(const struct comparison *c, struct compare_row *r)
{
	struct share_count n[COMPARE_SIDES];

	for (int i = 0; i < COMPARE_SIDES; i++) {
		n[i] = (struct share_count){ r->count[i], c->side[i]->busy, c->side[i]->lost };
		r->share[i] = n[i].n ? (double)n[i].k / (double)n[i].n : 0;
	}
	r->change = r->share[COMPARE_AFTER] - r->share[COMPARE_BEFORE];
	r->interval = difference_interval(n[COMPARE_BEFORE], n[COMPARE_AFTER]);
	r->p = difference_p(n[COMPARE_BEFORE], n[COMPARE_AFTER]);
}

static int by_p(const void *x, const void *y)
{
	const struct compare_row *a = x, *b = y;
	const double size[] = { a->change < 0 ? -a->change : a->change, b->change < 0 ? -b->change : b->change };

	if (a->p != b->p)
		return a->p < b->p ? -1 : 1;
	if (size[0] != size[1])
		return size[0] > size[1] ? -1 : 1;
	return strcmp(a->name, b->name);
}

static int by_change(const void *x, const void *y)
{
	const struct compare_row *a = x, *b = y;

	if (a->change != b->change)
		return a->change > b->change ? -1 : 1;
	return strcmp(a->name, b->name);
}

static void rows_correct(struct comparison *c, struct arena *a)
{
	double *p = arena_calloc(a, c->rows.n + 1, sizeof *p);

	for (size_t i = 0; i < c->rows.n; i++)
		p[i] = c->rows.v[i].p;
	difference_holm(p, c->rows.n);
	for (size_t i = 0; i < c->rows.n; i++) {
		c->rows.v[i].corrected = p[i];
		c->changed += p[i] < COMPARE_LEVEL;
	}
}

void compare_take(struct comparison *c, struct arena *a, const struct summary *before, const struct summary *after)
{
	struct map rows;

	*c = (struct comparison){ .side = { before, after } };
	map_init(&rows, a);
	add_side(c, a, &rows, COMPARE_BEFORE);
	add_side(c, a, &rows, COMPARE_AFTER);
	for (size_t i = 0; i < c->rows.n; i++)
		row_test(c, &c->rows.v[i]);
	if (c->rows.n)
		qsort(c->rows.v, c->rows.n, sizeof *c->rows.v, by_p);
	rows_correct(c, a);
	if (c->changed)
		qsort(c->rows.v, c->changed, sizeof *c->rows.v, by_change);
}

/* ---- text ---- */

static const char *const side_names[] = { [COMPARE_BEFORE] = "before", [COMPARE_AFTER] = "after" };

static void put_side(struct buf *out, const struct summary *s, const char *name)
{
	struct buf date = { 0 };

	summary_date(&date, s);
	buf_printf(out, "%-7s ", name);
	escape_puts(out, s->path, ESCAPE_LINE);
	buf_printf(out, ": %s%s%.3f s, %s, %" PRIu64 " samples", buf_str(&date), date.len ? ", " : "",
		   (double)s->duration / 1e9, s->probe, s->samples);
	if (s->busy < s->samples)
		buf_printf(out, ", %" PRIu64 " of them not idle", s->busy);
	buf_printf(out, ", %" PRIu64 " lost\n", s->lost);
	out->failed |= date.failed;
	buf_free(&date);
}

static void put_row(struct buf *out, const struct compare_row *r)
{
	char p[32];

	snprintf(p, sizeof p, r->corrected > 0 ? "%.2g" : "< 1e-300", r->corrected);
	buf_printf(out, "%7.2f %% %7.2f %% %+8.2f %+8.2f .. %+7.2f %9s   ", 100 * r->share[COMPARE_BEFORE],
		   100 * r->share[COMPARE_AFTER], 100 * r->change, 100 * r->interval.low, 100 * r->interval.high, p);
	escape_puts(out, r->name, ESCAPE_LINE);
	buf_putc(out, '\n');
}

void compare_text(struct buf *out, const struct comparison *c, bool all)
{
	const size_t n = all ? c->rows.n : c->changed;

	for (int i = 0; i < COMPARE_SIDES; i++)
		put_side(out, c->side[i], side_names[i]);
	if (n)
		buf_printf(out, "\n%9s %9s %8s %19s %9s   %s\n", "BEFORE", "AFTER", "CHANGE", "95 % INTERVAL", "P",
			   "FUNCTION");
	for (size_t i = 0; i < n; i++)
		put_row(out, &c->rows.v[i]);
	buf_printf(out, "\nThe shares of %zu of %zu functions differ significantly (P < %g).\n", c->changed, c->rows.n,
		   COMPARE_LEVEL);
	buf_puts(out, "P: Fisher's exact test, corrected for the number of functions by Holm's method.\n");
}

/* ---- JSON ---- */

enum { DIGITS = 6 };

static void put_change(struct buf *b, const struct compare_row *r)
{
	json_line_open(b, "change");
	json_member_text(b, "name", r->name);
	for (int i = 0; i < COMPARE_SIDES; i++) {
		json_name(b, side_names[i]);
		json_open(b, '{');
		json_member_uint(b, "count", r->count[i]);
		json_member_float(b, "share", r->share[i], DIGITS);
		json_close(b, '}');
	}
	json_member_float(b, "change", r->change, DIGITS);
	json_member_float(b, "low", r->interval.low, DIGITS);
	json_member_float(b, "high", r->interval.high, DIGITS);
	json_member_float(b, "p", r->p, DIGITS);
	json_member_float(b, "corrected", r->corrected, DIGITS);
	json_name(b, "significant");
	json_bool(b, r->corrected < COMPARE_LEVEL);
	json_line_close(b);
}

void compare_json(struct buf *b, const struct comparison *c)
{
	json_line_open(b, "comparison");
	json_member_uint(b, "schema", 1);
	for (int i = 0; i < COMPARE_SIDES; i++) {
		json_name(b, side_names[i]);
		json_open(b, '{');
		summary_facts(b, c->side[i]);
		json_close(b, '}');
	}
	json_member_uint(b, "functions", c->rows.n);
	json_member_uint(b, "changed", c->changed);
	json_member_float(b, "level", COMPARE_LEVEL, DIGITS);
	json_line_close(b);
	for (size_t i = 0; i < c->rows.n; i++)
		put_change(b, &c->rows.v[i]);
}
