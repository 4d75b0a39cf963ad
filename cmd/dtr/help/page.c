/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/dtr/help/page.h"

#include <ctype.h>
#include <string.h>

#include "base/fill.h"

#define FENCE "```"

enum { HEAD_MOST = 24, CODE_MARGIN = 4, BOLD = 1, PLAIN = 2 };	/* BOLD, PLAIN: marks in a text, of no width */

/* ---- blocks ---- */

static const char *next_line(const char *s)
{
	s += strcspn(s, "\n");
	return s + (*s == '\n');
}

static bool is_item(const char *s)
{
	size_t digits = strspn(s, "0123456789");

	return !strncmp(s, "- ", 2) || (digits && !strncmp(s + digits, ". ", 2));
}

static bool is_blank(const char *s)
{
	return *s == '\n' || !strncmp(s, "<!--", 4);
}

static bool begins_block(const char *s)
{
	return !*s || is_blank(s) || *s == '#' || *s == '|' || !strncmp(s, FENCE, strlen(FENCE)) || is_item(s);
}

static void next_code(const char **at, struct page_block *b)
{
	const char *s = next_line(*at);

	b->kind = PAGE_CODE;
	b->text = s;
	while (*s && strncmp(s, FENCE, strlen(FENCE)))
		s = next_line(s);
	b->n = (size_t)(s - b->text);
	*at = next_line(s);
}

bool page_next(const char **at, struct page_block *b)
{
	const char *s = *at;

	while (*s && is_blank(s))
		s = next_line(s);
	*at = s;
	*b = (struct page_block){ .kind = is_item(s) ? PAGE_ITEM : PAGE_TEXT, .text = s };
	if (!*s)
		return false;
	if (!strncmp(s, FENCE, strlen(FENCE))) {
		next_code(at, b);
		return true;
	}
	if (*s == '#') {
		b->kind = PAGE_HEADING;
		b->level = (unsigned)strspn(s, "#");
		b->text = s + b->level + strspn(s + b->level, " ");
		b->n = strcspn(b->text, "\n");
		*at = next_line(s);
		return true;
	}
	if (*s == '|')
		b->kind = PAGE_TABLE;
	do
		s = next_line(s);
	while (b->kind == PAGE_TABLE ? *s == '|' : !begins_block(s));
	b->n = (size_t)(s - b->text);
	*at = s;
	return true;
}

const char *page_row(struct page_row *r, const char *line)
{
	const char *end = line + strcspn(line, "\n"), *s = line + (*line == '|');

	r->n = 0;
	while (s < end && r->n < PAGE_CELLS) {
		const char *from = s;
		size_t n;

		while (s < end && !(*s == '|' && s[-1] != '\\'))
			s++;
		while (from < s && *from == ' ')
			from++;
		for (n = (size_t)(s - from); n && from[n - 1] == ' ';)
			n--;
		r->cell[r->n].text = from;
		r->cell[r->n++].n = n;
		s += s < end;
	}
	return next_line(line);
}

bool page_is_rule(const struct page_row *r)
{
	for (unsigned i = 0; i < r->n; i++)
		if (!r->cell[i].n || strspn(r->cell[i].text, "-:") < r->cell[i].n)
			return false;
	return true;
}

/* ---- text within a line ---- */

/* A link: its text, or for another page the command that shows it. Returns its length, 0: it is not a link. */
static size_t put_link(struct buf *out, const char *s, const char *end)
{
	const char *close = memchr(s, ']', (size_t)(end - s)), *last, *target;
	size_t n;

	if (!close || close + 1 >= end || close[1] != '(')
		return 0;
	target = close + 2;
	last = memchr(target, ')', (size_t)(end - target));
	if (!last)
		return 0;
	n = (size_t)(close - s - 1);
	if (n > 3 && !strncmp(close - 3, ".md", 3))
		buf_printf(out, "\"dtr help %.*s\"", (int)n - 3, s + 1);
	else
		buf_put(out, s + 1, n);
	return (size_t)(last + 1 - s);
}

/* Code: between one or two backticks. Returns its length, 0: it has no end. */
static size_t put_code(struct buf *out, const char *s, const char *end)
{
	size_t ticks = strspn(s, "`"), n = ticks;

	for (; s + n + ticks <= end; n++) {
		if (strncmp(s + n, "``", ticks))
			continue;
		buf_putc(out, BOLD);
		for (size_t i = ticks; i < n; i++)
			if (s[i] != '\\' || s[i + 1] != '|')
				buf_putc(out, s[i]);
		buf_putc(out, PLAIN);
		return n + ticks;
	}
	return 0;
}

/* A star that emphasises a word. */
static bool is_emphasis(const char *from, const char *s, const char *end)
{
	bool before = s > from && isalnum((unsigned char)s[-1]), after = s + 1 < end && isalpha((unsigned char)s[1]);

	return *s == '*' && before != after;
}

/* Appends the text without the signs of Markdown, with the marks BOLD and PLAIN. */
static void put_plain(struct buf *out, const char *s, size_t size)
{
	const char *from = s, *end = s + size;

	while (s < end) {
		size_t n = *s == '`' ? put_code(out, s, end) : *s == '[' ? put_link(out, s, end) : 0;

		if (!n && is_emphasis(from, s, end))
			n = 1;
		else if (!n)
			buf_putc(out, s[n++]);
		s += n;
	}
}

static void put_mark(struct buf *out, int mark, bool colour)
{
	if (colour)
		buf_puts(out, mark == BOLD ? "\033[1m" : "\033[0m");
}

static unsigned width_of(const char *s, size_t n)
{
	unsigned width = 0;

	for (size_t i = 0; i < n; i++)
		width += s[i] != BOLD && s[i] != PLAIN && (s[i] & 0xc0) != 0x80;
	return width;
}

static void put_marked(struct buf *out, const char *s, size_t n, bool colour)
{
	for (size_t i = 0; i < n; i++) {
		if (s[i] == BOLD || s[i] == PLAIN)
			put_mark(out, s[i], colour);
		else
			buf_putc(out, s[i]);
	}
}

/* Appends the words of a marked text from column `at` on; further lines begin in column `indent`. */
static void put_words(struct buf *out, const char *s, unsigned at, unsigned indent, bool colour)
{
	bool first = true;

	for (s += strspn(s, " \n"); *s; s += strspn(s, " \n")) {
		size_t n = strcspn(s, " \n");
		unsigned width = width_of(s, n);

		if (!first && at + 1 + width > FILL_WIDTH) {
			buf_putc(out, '\n');
			buf_pad(out, ' ', indent);
			at = indent;
		} else if (!first) {
			buf_putc(out, ' ');
			at++;
		}
		put_marked(out, s, n, colour);
		at += width;
		s += n;
		first = false;
	}
	buf_putc(out, '\n');
}

/* All lines begin in column `indent`, in which the first one is already. */
static void show_words(struct buf *out, const char *text, size_t n, unsigned indent, bool colour)
{
	struct buf plain = { 0 };

	put_plain(&plain, text, n);
	put_words(out, buf_str(&plain), indent, indent, colour);
	out->failed |= plain.failed;
	buf_free(&plain);
}

/* ---- blocks on a terminal ---- */

static void show_code(struct buf *out, const struct page_block *b)
{
	for (const char *s = b->text, *end = s + b->n; s < end; s = next_line(s)) {
		size_t n = strcspn(s, "\n");

		while (n && s[n - 1] == ' ')
			n--;
		buf_pad(out, ' ', n ? CODE_MARGIN : 0);
		buf_put(out, s, n);
		buf_putc(out, '\n');
	}
}

static void show_item(struct buf *out, const struct page_block *b, bool colour)
{
	size_t n = strcspn(b->text, " ") + 1;

	buf_puts(out, "  ");
	buf_put(out, b->text, n);
	show_words(out, b->text + n, b->n - n, 2 + (unsigned)n, colour);
}

/* Two columns: the second as it is. More: each cell after its column's title. */
static void put_cells(struct buf *plain, const struct page_row *r, const struct page_row *titles)
{
	bool any = false;

	for (unsigned i = 1; i < r->n; i++) {
		if (!r->cell[i].n)
			continue;
		if (any)
			buf_puts(plain, "; ");
		if (r->n > 2 && i < titles->n && titles->cell[i].n && strncmp(titles->cell[i].text, "desc", 4)) {
			put_plain(plain, titles->cell[i].text, titles->cell[i].n);
			buf_puts(plain, ": ");
		}
		put_plain(plain, r->cell[i].text, r->cell[i].n);
		any = true;
	}
}

static void show_row(struct buf *out, const struct page_row *r, const struct page_row *titles, unsigned column,
		     bool colour)
{
	struct buf head = { 0 }, rest = { 0 };
	unsigned width;

	if (r->n)
		put_plain(&head, r->cell[0].text, r->cell[0].n);
	put_cells(&rest, r, titles);
	width = 2 + width_of(buf_str(&head), head.len);
	buf_puts(out, "  ");
	if (rest.len && width + 2 > column) {
		put_words(out, buf_str(&head), 2, 4, colour);
		buf_pad(out, ' ', column);
	} else {
		put_marked(out, buf_str(&head), head.len, colour);
		buf_pad(out, ' ', rest.len ? column - width : 0);
	}
	put_words(out, buf_str(&rest), column, column, colour);
	out->failed |= head.failed || rest.failed;
	buf_free(&head);
	buf_free(&rest);
}

/* The column of the second cells. *failed is set if memory was missing. */
static unsigned table_column(const struct page_block *b, bool *failed)
{
	unsigned most = 0;

	for (const char *s = b->text; s < b->text + b->n;) {
		struct page_row r;
		struct buf head = { 0 };
		unsigned width;

		s = page_row(&r, s);
		if (r.n && !page_is_rule(&r))
			put_plain(&head, r.cell[0].text, r.cell[0].n);
		width = width_of(buf_str(&head), head.len);
		if (width <= HEAD_MOST && width > most)
			most = width;
		*failed |= head.failed;
		buf_free(&head);
	}
	return 2 + (most ? most : HEAD_MOST / 2) + 2;
}

static void show_table(struct buf *out, const struct page_block *b, bool colour)
{
	const unsigned column = table_column(b, &out->failed);
	struct page_row titles, r;
	const char *s = page_row(&titles, b->text);

	if (s < b->text + b->n)
		s = page_row(&r, s);	/* the rule */
	while (s < b->text + b->n) {
		s = page_row(&r, s);
		show_row(out, &r, &titles, column, colour);
	}
}

void page_show_row(struct buf *out, const struct page_row *r, const struct page_row *titles, bool colour)
{
	struct buf head = { 0 };
	unsigned width;

	if (r->n)
		put_plain(&head, r->cell[0].text, r->cell[0].n);
	width = width_of(buf_str(&head), head.len);
	show_row(out, r, titles, 2 + (width <= HEAD_MOST ? width : HEAD_MOST / 2) + 2, colour);
	out->failed |= head.failed;
	buf_free(&head);
}

void page_show(struct buf *out, const struct page_block *b, bool colour)
{
	const bool heading = b->kind == PAGE_HEADING;

	switch (b->kind) {
	case PAGE_HEADING:
	case PAGE_TEXT:
		if (heading)		/* bold as a whole */
			put_mark(out, BOLD, colour);
		show_words(out, b->text, b->n, 0, colour && !heading);
		if (heading)
			put_mark(out, PLAIN, colour);
		return;
	case PAGE_ITEM:
		show_item(out, b, colour);
		return;
	case PAGE_TABLE:
		show_table(out, b, colour);
		return;
	case PAGE_CODE:
		show_code(out, b);
		return;
	}
}
