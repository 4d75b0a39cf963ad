/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* -O tables: the profile of a program as tables and charts. */
#include <inttypes.h>
#include <string.h>

#include "base/escape.h"
#include "engine/output/list.h"
#include "engine/output/printer.h"
#include "engine/output/profile/chart.h"
#include "engine/output/profile/profile.h"

enum { NAME_LEAST = 9, NAME_MOST = 28 };	/* widths of columns of names */

/* ---- columns of names ---- */

/* Widths of the first parts of the rows. */
struct widths {
	int part[PROFILE_PARTS];
};

static struct widths widths_of(const struct program_profile *p, enum profile_kind kind)
{
	struct widths w;

	for (unsigned i = 0; i < PROFILE_PARTS; i++) {
		w.part[i] = NAME_LEAST;
		for (size_t k = 0; k < p->rows[kind].n; k++) {
			const struct profile_row *r = &p->rows[kind].v[k];
			const char *s = !i && r->file ? r->file : r->part[i];
			size_t n = strlen(s), most = NAME_MOST;
			int width = (int)escape_width(s, &n, most, ESCAPE_LINE);

			w.part[i] = width > w.part[i] ? width : w.part[i];
		}
	}
	return w;
}

/* Long names are cut. */
static void put_name(struct buf *out, const char *s, int width)
{
	escape_field(out, s, strlen(s), (struct escape_field){ -width, NAME_MOST, ESCAPE_LINE });
	buf_puts(out, "  ");
}

/* ---- lines ---- */

static void line_table(struct buf *out, const struct program_profile *p, const struct widths *w)
{
	buf_puts(out, "Lines\n\n");
	put_name(out, "MODULE", w->part[0]);
	put_name(out, "PROCEDURE", w->part[1]);
	buf_printf(out, "%7s %14s", "LINE", "EXECUTIONS");
	if (p->timed)
		buf_printf(out, " %16s", "TIME, ns");
	buf_putc(out, '\n');
	for (size_t i = 0; i < p->rows[PROFILE_LINE].n; i++) {
		const struct profile_row *r = &p->rows[PROFILE_LINE].v[i];

		put_name(out, r->file, w->part[0]);
		put_name(out, r->part[1], w->part[1]);
		buf_printf(out, "%7" PRId64 " %14" PRId64, r->line, r->value[LINE_COUNT]);
		if (p->timed)
			buf_printf(out, " %16" PRId64, r->value[LINE_TIME]);
		buf_putc(out, '\n');
	}
	buf_printf(out, "\nExecutions of lines: %" PRId64 "\n", profile_sum(p, PROFILE_LINE, LINE_COUNT));
}

static void line_chart(struct buf *out, const struct program_profile *p, const struct widths *w, size_t from, size_t to)
{
	const struct profile_row *v = p->rows[PROFILE_LINE].v;
	int64_t largest = 0, scale;

	for (size_t i = from; i < to; i++)
		largest = v[i].value[LINE_COUNT] > largest ? v[i].value[LINE_COUNT] : largest;
	scale = chart_scale(largest);
	buf_puts(out, "\nExecutions in ");
	escape_puts(out, v[from].file, ESCAPE_LINE);
	buf_puts(out, "\n\n");
	for (size_t i = from; i < to; i++) {
		put_name(out, v[i].part[1], w->part[1]);
		buf_printf(out, "%7" PRId64 "  ", v[i].line);
		chart_bar(out, v[i].value[LINE_COUNT], scale);
		buf_putc(out, '\n');
	}
	buf_printf(out, "\nScale: # is %" PRId64 " execution%s", scale, scale == 1 ? "\n" : "s");
	if (scale > 1)
		buf_puts(out, ", | half as many, ! less\n");
}

static void draw_lines(struct buf *out, const struct program_profile *p)
{
	const struct widths w = widths_of(p, PROFILE_LINE);
	const struct profile_row *row = p->rows[PROFILE_LINE].v;

	line_table(out, p, &w);
	for (size_t i = 0, end, n = p->rows[PROFILE_LINE].n; i < n; i = end) {
		for (end = i; end < n && !strcmp(row[end].part[0], row[i].part[0]); end++)
			;
		line_chart(out, p, &w, i, end);
	}
}

static void draw_blocks(struct buf *out, const struct program_profile *p)
{
	const struct widths w = widths_of(p, PROFILE_BLOCK);

	buf_puts(out, "Blocks\n\n");
	put_name(out, "BLOCK", w.part[0]);
	buf_printf(out, "%14s %16s\n", "EXECUTIONS", "TIME, ns");
	for (size_t i = 0; i < p->rows[PROFILE_BLOCK].n; i++) {
		const struct profile_row *r = &p->rows[PROFILE_BLOCK].v[i];

		put_name(out, r->part[0], w.part[0]);
		buf_printf(out, "%14" PRId64 " %16" PRId64 "\n", r->value[BLOCK_COUNT], r->value[BLOCK_TIME]);
	}
}

/* ---- procedures ---- */

/* A time that is known when a call has returned: the outermost one for TOTAL. */
static void put_time(struct buf *out, const struct profile_row *r, unsigned column, int width)
{
	if (r->has >> column & 1)
		buf_printf(out, " %*" PRId64, width, r->value[column]);
	else
		buf_printf(out, " %*s", width, "-");
}

static void procedure_table(struct buf *out, const struct program_profile *p, const struct widths *w, int64_t whole)
{
	buf_puts(out, "Procedures: times in ns\n\n");
	put_name(out, "MODULE", w->part[0]);
	put_name(out, "PROCEDURE", w->part[1]);
	buf_printf(out, "%10s %14s %14s %12s %12s %12s %8s\n", "CALLS", "TOTAL", "SELF", "MEAN", "MINIMUM", "MAXIMUM",
		   "SELF, %");
	for (size_t i = 0; i < p->rows[PROFILE_PROCEDURE].n; i++) {
		const struct profile_row *r = &p->rows[PROFILE_PROCEDURE].v[i];
		const int64_t *v = r->value;

		put_name(out, r->part[0], w->part[0]);
		put_name(out, r->part[1], w->part[1]);
		buf_printf(out, "%10" PRId64, v[PROC_CALLS]);
		put_time(out, r, PROC_TOTAL, 14);
		buf_printf(out, " %14" PRId64, v[PROC_SELF]);
		put_time(out, r, PROC_MEAN, 12);
		put_time(out, r, PROC_MINIMUM, 12);
		put_time(out, r, PROC_MAXIMUM, 12);
		buf_printf(out, " %8.4f\n", whole > 0 ? 100.0 * (double)v[PROC_SELF] / (double)whole : 0.0);
	}
}

static void procedure_chart(struct buf *out, const struct program_profile *p, const struct widths *w, int64_t whole)
{
	buf_puts(out, "\nTime of the procedures themselves, in percent\n\n");
	for (size_t i = 0; i < p->rows[PROFILE_PROCEDURE].n; i++) {
		const struct profile_row *r = &p->rows[PROFILE_PROCEDURE].v[i];

		put_name(out, r->part[0], w->part[0]);
		put_name(out, r->part[1], w->part[1]);
		chart_percent(out, r->value[PROC_SELF], whole);
		buf_putc(out, '\n');
	}
	buf_puts(out, "\nScale: # is one percent (rounded), ! less than one percent\n");
}

static void draw_procedures(struct buf *out, const struct program_profile *p)
{
	const struct widths w = widths_of(p, PROFILE_PROCEDURE);
	int64_t whole = profile_sum(p, PROFILE_PROCEDURE, PROC_SELF);

	procedure_table(out, p, &w, whole);
	buf_printf(out, "\nProcedures executed: %zu\nTotal time: %" PRId64 " ns\nDeepest call: %" PRId64 "\n",
		   p->rows[PROFILE_PROCEDURE].n, whole, profile_sum(p, PROFILE_DEPTH, 0));
	profile_cost(out, p, "");
	procedure_chart(out, p, &w, whole);
}

/* ---- variables ---- */

static void draw_variables(struct buf *out, const struct program_profile *p)
{
	const struct widths w = widths_of(p, PROFILE_VARIABLE);

	buf_puts(out, "Variables\n\n");
	put_name(out, "MODULE", w.part[0]);
	put_name(out, "PROCEDURE", w.part[1]);
	put_name(out, "VARIABLE", w.part[2]);
	buf_printf(out, "%12s %12s %20s %20s\n", "ACCESSES", "CHANGES", "MINIMUM", "MAXIMUM");
	for (size_t i = 0; i < p->rows[PROFILE_VARIABLE].n; i++) {
		const struct profile_row *r = &p->rows[PROFILE_VARIABLE].v[i];
		const int64_t *v = r->value;

		for (unsigned k = 0; k < 3; k++)
			put_name(out, r->part[k], w.part[k]);
		buf_printf(out, "%12" PRId64 " %12" PRId64 " ", v[VAR_ACCESSES], v[VAR_CHANGES]);
		if (v[VAR_ACCESSES])
			buf_printf(out, "%20" PRId64 " %20" PRId64 "\n", v[VAR_SMALLEST], v[VAR_LARGEST]);
		else
			buf_printf(out, "%20s %20s\n", "-", "-");
	}
}

/* ---- the printer ---- */

static void tables_draw(struct output *o, const struct program_profile *p)
{
	static const struct {
		enum profile_kind kind;
		void (*draw)(struct buf *out, const struct program_profile *p);
	} parts[] = {
		{ PROFILE_LINE, draw_lines }, { PROFILE_BLOCK, draw_blocks },
		{ PROFILE_PROCEDURE, draw_procedures }, { PROFILE_VARIABLE, draw_variables },
	};

	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
		if (!p->rows[parts[i].kind].n)
			continue;
		buf_putc(&o->buf, '\n');
		parts[i].draw(&o->buf, p);
	}
}

static void tables_begin(struct output *o)
{
	static const struct profile_format format = { tables_draw };

	profile_begin(o, &format);
}

const struct printer printer_tables = {
	.begin = tables_begin,
	.action = profile_action,
	.record_end = profile_record_end,
	.aggregations = profile_draw,
	.probes = list_text_head,
	.probe = list_text_probe,
	.note = profile_note,
};
