/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * -O annotated: an HTML page with the source text, each line with its executions and time, and tables of procedures and
 * variables. Of a source file that cannot be read, only the lines that the profile has are shown.
 */
#include <inttypes.h>
#include <string.h>

#include "engine/output/markup.h"
#include "engine/output/printer.h"
#include "engine/output/profile/profile.h"
#include "engine/output/profile/source.h"

static const char head[] =
	"<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>Profile</title><style>\n"
	"body { font-family: sans-serif } table { border-collapse: collapse }\n"
	"td, th { font-family: monospace; padding: 0 .6em; text-align: right; white-space: pre }\n"
	"td.text, th.text { text-align: left } tr.never { background: #fdd } tr.ran { background: #efe }\n"
	"i { display: inline-block; height: .8em; background: #c60 }\n"
	"</style></head><body>\n";

static void put_number(struct buf *out, bool known, int64_t n)
{
	buf_puts(out, "<td>");
	if (known)
		buf_printf(out, "%" PRId64, n);
	buf_puts(out, "</td>");
}

static void put_row(struct buf *out, const struct profile_row *r, unsigned parts, unsigned columns)
{
	buf_puts(out, "<tr>");
	for (unsigned i = 0; i < parts; i++) {
		buf_puts(out, "<td class=\"text\">");
		markup_text(out, r->part[i], strlen(r->part[i]));
		buf_puts(out, "</td>");
	}
	for (unsigned i = 0; i < columns; i++)
		put_number(out, r->has >> i & 1, r->value[i]);
	buf_puts(out, "</tr>\n");
}

/* ---- lines ---- */

/* The lines of one source file, by number. */
struct source_listing {
	struct buf *out;
	const struct profile_row *row;
	size_t n;
	int64_t largest;		/* count */
	bool timed;
};

/* Sums what is known of a line: it can be in several functions. Returns the number of rows. */
static size_t line_sum(const struct source_listing *l, int64_t line, int64_t *count, int64_t *time)
{
	size_t n = 0;

	*count = *time = 0;
	while (n < l->n && l->row[n].line == line) {
		*count += l->row[n].value[LINE_COUNT];
		*time += l->row[n].value[LINE_TIME];
		n++;
	}
	return n;
}

static void put_line(struct source_listing *l, int64_t line, const char *text, size_t len)
{
	int64_t count, time;
	size_t n = line_sum(l, line, &count, &time);

	l->row += n;
	l->n -= n;
	buf_printf(l->out, "<tr%s><td>%" PRId64 "</td>", !n ? "" : count ? " class=\"ran\"" : " class=\"never\"", line);
	put_number(l->out, n > 0, count);
	if (l->timed)
		put_number(l->out, n > 0, time);
	buf_printf(l->out, "<td class=\"text\"><i style=\"width:%dpx\"></i></td><td class=\"text\">",
		   (int)(l->largest ? 100.0 * (double)count / (double)l->largest : 0));
	markup_text(l->out, text, len);
	buf_puts(l->out, "</td></tr>\n");
}

static void put_listing(struct output *o, const struct profile_row *row, size_t n, bool timed)
{
	struct buf *out = &o->buf, source = { 0 };
	struct source_listing l = { .out = out, .row = row, .n = n, .timed = timed };
	const char *why = source_read(&source, &o->opts->sourcedir, row->part[0]);
	int64_t line = 1;

	for (size_t i = 0; i < n; i++)
		l.largest = row[i].value[LINE_COUNT] > l.largest ? row[i].value[LINE_COUNT] : l.largest;
	buf_puts(out, "<h2>");
	markup_text(out, row->part[0], strlen(row->part[0]));
	buf_puts(out, "</h2>\n");
	if (why)
		buf_printf(out, "<p>The source is not shown: %s.</p>\n", why);
	buf_printf(out, "<table><tr><th>LINE</th><th>EXECUTIONS</th>%s<th></th>"
		   "<th class=\"text\">SOURCE</th></tr>\n", timed ? "<th>TIME, ns</th>" : "");
	for (const char *s = buf_str(&source), *end; *s; s = end + (*end != '\0')) {
		end = s + strcspn(s, "\n");
		put_line(&l, line++, s, (size_t)(end - s));
	}
	while (l.n)
		put_line(&l, l.row->line, l.row->part[1], strlen(l.row->part[1]));
	buf_puts(out, "</table>\n");
	buf_free(&source);
}

/* A listing of each source file. */
static void put_listings(struct output *o, const struct program_profile *p)
{
	const struct profile_row *row = p->rows[PROFILE_LINE].v;

	for (size_t i = 0, end, n = p->rows[PROFILE_LINE].n; i < n; i = end) {
		for (end = i; end < n && !strcmp(row[end].part[0], row[i].part[0]); end++)
			;
		put_listing(o, row + i, end - i, p->timed);
	}
}

/* ---- tables ---- */

static const struct {
	enum profile_kind kind;
	unsigned parts, columns;
	const char *head;
} tables[] = {
	{ PROFILE_PROCEDURE, 2, 6, "<h2>Procedures: times in ns</h2>\n<table><tr><th class=\"text\">MODULE</th>"
	  "<th class=\"text\">PROCEDURE</th><th>CALLS</th><th>TOTAL</th><th>SELF</th><th>MEAN</th><th>MINIMUM</th>"
	  "<th>MAXIMUM</th></tr>\n" },
	{ PROFILE_BLOCK, 1, 2, "<h2>Blocks</h2>\n<table><tr><th class=\"text\">BLOCK</th><th>EXECUTIONS</th>"
	  "<th>TIME, ns</th></tr>\n" },
	{ PROFILE_VARIABLE, 3, 4, "<h2>Variables</h2>\n<table><tr><th class=\"text\">MODULE</th>"
	  "<th class=\"text\">PROCEDURE</th><th class=\"text\">VARIABLE</th><th>ACCESSES</th><th>CHANGES</th>"
	  "<th>MINIMUM</th><th>MAXIMUM</th></tr>\n" },
};

static void annotated_draw(struct output *o, const struct program_profile *p)
{
	buf_puts(&o->buf, head);
	for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
		if (!p->rows[tables[i].kind].n)
			continue;
		buf_puts(&o->buf, tables[i].head);
		for (size_t k = 0; k < p->rows[tables[i].kind].n; k++)
			put_row(&o->buf, &p->rows[tables[i].kind].v[k], tables[i].parts, tables[i].columns);
		buf_puts(&o->buf, "</table>\n");
	}
	profile_cost(&o->buf, p, "<p>");
	put_listings(o, p);
	buf_puts(&o->buf, "</body></html>\n");
}

static void annotated_begin(struct output *o)
{
	static const struct profile_format format = { annotated_draw };

	profile_begin(o, &format);
}

const struct printer printer_annotated = {
	.begin = annotated_begin,
	PROFILE_FILE,
};
