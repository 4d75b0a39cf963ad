/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/dtr/top/page.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/escape.h"
#include "cmd/dtr/top/draw.h"

static const char page_head[] =
	"<style>\n"
	"body { font: 14px sans-serif; margin: 1em; color: #222; background: #fff }\n"
	"table { border-collapse: collapse } th { text-align: left; border-bottom: 1px solid #888 }\n"
	"th, td { padding: 1px 10px 1px 0; white-space: nowrap } .n { text-align: right }\n"
	"pre { margin: 0 0 0 2em }\n"
	".heat td { padding: 0; min-width: 7px; height: 14px } .heat td.n { padding: 0 8px }\n"
	"</style>\n";

static void put_text(struct buf *b, const char *s, size_t n)
{
	static const char *const names[128] = { ['<'] = "&lt;", ['>'] = "&gt;", ['&'] = "&amp;", ['"'] = "&quot;" };
	struct buf safe = { 0 };

	escape_put(&safe, s, n, ESCAPE_TEXT);
	for (size_t i = 0; i < safe.len; i++) {
		unsigned char c = (unsigned char)safe.data[i];

		if (c < 128 && names[c])
			buf_puts(b, names[c]);
		else
			buf_putc(b, c);
	}
	b->failed |= safe.failed;
	buf_free(&safe);
}

static void put_cell(struct buf *b, const char *tag, bool number, const struct buf *text)
{
	buf_printf(b, "<%s%s>", tag, number ? " class=n" : "");
	put_text(b, buf_str(text), text->len);
	buf_printf(b, "</%s>", tag);
}

/* White to red: the density of a cell. */
static void put_heat(struct buf *b, int64_t count, int64_t most)
{
	unsigned level = top_level(count, most);

	if (!level)
		buf_puts(b, "<td></td>");
	else
		buf_printf(b, "<td style=\"background:hsl(%u,90%%,%u%%)\" title=\"%" PRId64 "\"></td>",
			   60 - 60 * level / (TOP_LEVELS - 1), 85 - 4 * level, count);
}

static void put_buckets(struct buf *b, const struct top_table *t, const struct top_row *r)
{
	unsigned columns = t->snapshots < TOP_PAST ? t->snapshots : TOP_PAST, first;
	unsigned n = top_row_range(t, r, &first);
	int64_t most = top_row_most(t, r, columns);

	buf_puts(b, "<table class=heat>\n");
	for (unsigned i = first; i < first + n; i++) {
		buf_printf(b, "<tr><td class=n>%" PRId64 "</td>", r->buckets[i].from);
		for (unsigned ago = columns; ago-- > 0;)
			put_heat(b, top_bucket_past(t, &r->buckets[i], ago), most);
		buf_printf(b, "<td class=n>%" PRId64 "</td></tr>\n", r->buckets[i].count);
	}
	buf_puts(b, "</table>");
}

static void put_expansion(struct buf *b, const struct top_tab *tab, const struct top_row *r, unsigned columns)
{
	buf_printf(b, "<tr><td colspan=%u>", columns);
	if (tab->table->kind == TOP_BUCKETS) {
		put_buckets(b, tab->table, r);
	} else {
		buf_puts(b, "<pre>");
		put_text(b, r->lines ? r->lines : "", r->lines ? strlen(r->lines) : 0);
		buf_puts(b, "</pre>");
	}
	buf_puts(b, "</td></tr>\n");
}

static void put_rows(struct buf *b, const struct top_view *v, const struct top_tab *tab)
{
	struct top_column columns[TOP_COLUMNS];
	unsigned n = top_view_columns(tab, columns);
	struct buf cell = { 0 };

	buf_puts(b, "<table>\n<tr>");
	for (unsigned k = 0; k < n; k++) {
		buf_reset(&cell);
		buf_puts(&cell, columns[k].title);
		put_cell(b, "th", columns[k].number, &cell);
	}
	buf_puts(b, "</tr>\n");
	for (size_t i = 0; i < v->n; i++) {
		buf_puts(b, "<tr>");
		for (unsigned k = 0; k < n; k++) {
			buf_reset(&cell);
			top_cell(&cell, v, tab, &columns[k], v->order[i]);
			put_cell(b, "td", columns[k].number, &cell);
		}
		buf_puts(b, "</tr>\n");
		if (top_row_open(tab, v->order[i]))
			put_expansion(b, tab, v->order[i], n);
	}
	buf_puts(b, "</table>\n");
	b->failed |= cell.failed;
	buf_free(&cell);
}

static void put_paragraph(struct buf *b, const struct buf *text)
{
	buf_puts(b, "<p>");
	put_text(b, buf_str(text), text->len);
	buf_puts(b, "</p>\n");
}

void top_page(struct buf *b, const struct top_view *v, const char *title)
{
	const struct top_tab *tab = top_view_tab(v);
	struct buf text = { 0 };

	buf_puts(b, "<!DOCTYPE html>\n<html lang=en><head><meta charset=utf-8><title>");
	put_text(b, title, strlen(title));
	buf_printf(b, "</title>\n%s</head><body>\n<h1>", page_head);
	put_text(b, title, strlen(title));
	buf_puts(b, "</h1>\n");
	top_describe(&text, v);
	put_paragraph(b, &text);
	buf_reset(&text);
	if (top_summary(&text, v, true))
		put_paragraph(b, &text);
	b->failed |= text.failed;
	buf_free(&text);
	if (tab)
		put_rows(b, v, tab);
	buf_puts(b, "</body></html>\n");
}

/* A file that does not exist yet: NAME.html, NAME-2.html... */
static int page_create(const char *prog, const struct tm *when, char *name, size_t n)
{
	char time[32];
	int fd;

	strftime(time, sizeof time, "%Y%m%d-%H%M%S", when);
	snprintf(name, n, "%.16s-top-%s.html", prog, time);
	fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	for (int i = 2; fd < 0 && errno == EEXIST && i < 100; i++) {
		snprintf(name, n, "%.16s-top-%s-%d.html", prog, time, i);
		fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	}
	return fd < 0 ? -errno : fd;
}

int top_page_save(const struct top_view *v, const char *prog, char *name, size_t n, char *reason, size_t reason_n)
{
	time_t now = time(NULL);
	struct buf b = { 0 }, title = { 0 };
	const struct top_tab *tab = top_view_tab(v);
	char host[65] = "", when[32];
	struct tm tm;
	int fd, r;

	gethostname(host, sizeof host - 1);
	localtime_r(&now, &tm);
	strftime(when, sizeof when, "%Y-%m-%d %H:%M:%S", &tm);
	buf_printf(&title, "%s: %s, %s, %s", v->title, tab ? tab->table->name : "", host, when);
	top_page(&b, v, buf_str(&title));
	fd = page_create(prog, &tm, name, n);
	r = b.failed || title.failed ? -ENOMEM : fd < 0 ? fd : buf_write_fd(fd, buf_str(&b), b.len);
	if (fd >= 0 && close(fd) < 0 && !r)
		r = -errno;
	if (r < 0 && fd >= 0)
		unlink(name);
	if (r < 0)
		snprintf(reason, reason_n, "failed to write %s: %s", name, strerror(-r));
	buf_free(&title);
	buf_free(&b);
	return r < 0 ? -1 : 0;
}
