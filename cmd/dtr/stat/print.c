/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/dtr/stat/print.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/escape.h"
#include "base/interval.h"
#include "base/json.h"

/* ---- means ---- */

void stat_mean_add(struct stat_mean *m, double v)
{
	double d = v - m->mean;

	m->mean += d / ++m->n;
	m->squares += d * (v - m->mean);	/* Welford's method */
}

double stat_mean_deviation(const struct stat_mean *m)
{
	return m->n > 1 ? interval_root(m->squares / (m->n - 1)) : 0;
}

/* ---- text ---- */

enum { MAX_NOTES = 8 };

/* Reasons why events were not counted, or only in part, numbered from 1. */
struct stat_notes {
	const char *text[MAX_NOTES];
	unsigned n;
};

static unsigned note_number(struct stat_notes *s, const char *text)
{
	for (unsigned i = 0; i < s->n; i++)
		if (!strcmp(s->text[i], text))
			return i + 1;
	if (s->n == MAX_NOTES)
		return MAX_NOTES;
	s->text[s->n++] = text;
	return s->n;
}

static const char user_only[] = "only in user mode: counting in the kernel takes CAP_PERFMON, or "
	"kernel.perf_event_paranoid of at most 1";
static const char never[] = "always 0: this event happens only in the kernel";

/* The count itself, in the form of its column. */
static void put_value(struct buf *b, const struct dtr_count *c, double v)
{
	if (c->reason)
		buf_printf(b, "%18s    ", "<not supported>");
	else if (!stat_is_counted(c))
		buf_printf(b, "%18s    ", "<not counted>");
	else if (c->time)
		buf_printf(b, "%18.2f ms ", v / 1e6);
	else
		buf_printf(b, "%18.0f    ", v);
}

static void put_notes(struct buf *b, struct stat_notes *notes, const struct dtr_count *c)
{
	if (c->reason)
		buf_printf(b, " [%u]", note_number(notes, c->reason));
	if (c->user_only && stat_is_counted(c))
		buf_printf(b, " [%u]", note_number(notes, user_only));
	if (c->never && !c->reason)
		buf_printf(b, " [%u]", note_number(notes, never));
}

/* A row of the table: an event, and what its count means. */
struct stat_row {
	const struct stat_counts *counts;
	unsigned event;			/* its number in them */
	double value;
	uint64_t elapsed;
	const struct stat_mean *mean;	/* of several runs; or NULL */
};

static void put_row(struct buf *b, const struct stat_row *r, struct stat_notes *notes)
{
	const struct dtr_count *c = &r->counts->v[r->event];
	const struct stat_mean *mean = r->mean;
	const char *unit;
	double number;

	put_value(b, c, r->value);
	buf_printf(b, "%-22s", c->name);
	stat_derive(r->counts, r->event, r->elapsed, &number, &unit);
	if (unit)
		buf_printf(b, " # %9.3f %s", number, unit);
	if (unit && mean && mean->n > 1)
		buf_printf(b, "  (+- %.2f %%)", mean->mean != 0 ? 100 * stat_mean_deviation(mean) / mean->mean : 0.0);
	if (!c->reason && c->running && c->running < c->enabled)
		buf_printf(b, "  (%.2f %%)", 100.0 * (double)c->running / (double)c->enabled);
	put_notes(b, notes, c);
	while (b->len && b->data[b->len - 1] == ' ')
		buf_cut(b, b->len - 1);
	buf_putc(b, '\n');
}

static void put_seconds(struct buf *b, const struct stat_mean *m, const char *what)
{
	buf_printf(b, "%18.6f s  %s", m->mean, what);
	if (m->n > 1)
		buf_printf(b, "  (+- %.2f %%)", m->mean > 0 ? 100 * stat_mean_deviation(m) / m->mean : 0.0);
	buf_putc(b, '\n');
}

static void put_title(struct buf *b, const struct stat_total *t)
{
	buf_puts(b, "\n Counts of ");
	if (t->args->all)
		buf_puts(b, "all CPUs");
	if (t->args->all && t->args->words)
		buf_puts(b, " during ");
	if (t->args->pid)
		buf_printf(b, "process %d", (int)t->args->pid);
	if (t->args->words)
		buf_putc(b, '\'');
	for (char **w = t->args->words; w && *w; w++) {
		buf_puts(b, w == t->args->words ? "" : " ");
		escape_puts(b, *w, ESCAPE_LINE);
	}
	if (t->args->words)
		buf_putc(b, '\'');
	if (t->runs > 1)
		buf_printf(b, ", %u runs", t->runs);
	buf_puts(b, ":\n\n");
}

void stat_print_table(struct buf *b, const struct stat_total *t)
{
	struct stat_notes notes = { 0 };

	put_title(b, t);
	for (unsigned i = 0; i < t->counts.n; i++) {
		const struct stat_row row = { &t->counts, i, t->value[i].mean, t->counts.end, &t->value[i] };

		put_row(b, &row, &notes);
	}
	buf_putc(b, '\n');
	put_seconds(b, &t->elapsed, "elapsed");
	if (t->args->words) {
		put_seconds(b, &t->user, "user");
		put_seconds(b, &t->sys, "system");
	}
	for (unsigned i = 0; i < notes.n; i++)
		buf_printf(b, "%s [%u] %s\n", i ? "" : "\n", i + 1, notes.text[i]);
	buf_putc(b, '\n');
}

/* ---- JSON ---- */

static void json_count(struct buf *b, const struct stat_counts *c, unsigned i, uint64_t elapsed,
		       const struct stat_mean *mean)
{
	const struct dtr_count *v = &c->v[i];
	const char *unit;
	double number;

	json_member_text(b, "event", v->name);
	json_name(b, "value");
	if (!stat_is_counted(v))
		json_null(b);
	else
		json_float(b, mean ? mean->mean : stat_estimate(v), 17);
	if (v->time)
		json_member_text(b, "unit", "ns");
	if (mean && mean->n > 1)
		json_member_float(b, "deviation", stat_mean_deviation(mean), 6);
	json_member_uint(b, "enabled", v->enabled);
	json_member_uint(b, "running", v->running);
	if (v->reason)
		json_member_text(b, "reason", v->reason);
	if (v->user_only && stat_is_counted(v))
		json_member_text(b, "mode", "user");
	stat_derive(c, i, elapsed, &number, &unit);
	if (!unit)
		return;
	json_member_float(b, "derived", number, 6);
	json_member_text(b, "derived_unit", unit);
}

static void json_time(struct buf *b, const char *name, const struct stat_mean *seconds)
{
	json_member_uint(b, name, (uint64_t)(seconds->mean * 1e9 + 0.5));
}

void stat_print_json(struct buf *b, const struct stat_total *t)
{
	for (unsigned i = 0; i < t->counts.n && !t->args->interval; i++) {
		json_line_open(b, "count");
		json_count(b, &t->counts, i, t->counts.end, &t->value[i]);
		json_line_close(b);
	}
	json_line_open(b, "stat");
	json_member_uint(b, "runs", t->runs);
	json_time(b, "elapsed", &t->elapsed);
	if (t->args->words) {
		json_time(b, "user", &t->user);
		json_time(b, "system", &t->sys);
		json_member_uint(b, "status", (uint64_t)t->status);
	}
	json_line_close(b);
}

/* ---- intervals ---- */

static void json_interval(struct buf *b, const struct stat_counts *c)
{
	for (unsigned i = 0; i < c->n; i++) {
		json_line_open(b, "count");
		json_member_uint(b, "time", c->end);
		json_count(b, c, i, c->end - c->begin, NULL);
		json_line_close(b);
	}
}

void stat_print_interval(struct buf *b, const struct stat_args *args, const struct stat_counts *c, bool first)
{
	struct stat_notes notes = { 0 };

	if (args->json) {
		json_interval(b, c);
		return;
	}
	if (first)
		buf_printf(b, "%14s %18s    %s\n", "time, s", "count", "event");
	for (unsigned i = 0; i < c->n; i++) {
		const struct stat_row row = { c, i, stat_estimate(&c->v[i]), c->end - c->begin, NULL };

		buf_printf(b, "%14.6f ", (double)c->end / 1e9);
		put_row(b, &row, &notes);
	}
	for (unsigned i = 0; i < notes.n && first; i++)
		buf_printf(b, " [%u] %s\n", i + 1, notes.text[i]);
}
