/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "base/fill.h"

#include <string.h>

#define USAGE "usage: "

enum { MARGIN = 2, HEAD_MOST = 20 };

static unsigned columns(const char *s, size_t n)
{
	unsigned c = 0;

	for (size_t i = 0; i < n; i++)
		c += (s[i] & 0xc0) != 0x80;
	return c;
}

/* Length of a word together with what must stay on its line: "-x oformat", "1 %". */
static size_t word(const char *s, const char *end)
{
	size_t n = 0, from;

	for (;;) {
		for (from = n; s + n < end && !strchr(" \t\n", s[n]);)
			n++;
		from += s[from] == '(' || s[from] == '"';
		if (n == from || s + n + 1 >= end || s[n] != ' ' || s[n + 1] == ' ')
			return n;
		if (s[n + 1] != '%' && (n != from + 2 || s[from] != '-'))
			return n;
		n++;
	}
}

/* Adds the words of s, beginning in column `at`; further lines begin in column `indent`. Returns the column. */
static unsigned words(struct buf *out, const char *s, size_t n, unsigned at, unsigned indent)
{
	const char *end = s + n;
	bool first = true;

	for (;;) {
		size_t len;
		unsigned width;

		while (s < end && (*s == ' ' || *s == '\t' || *s == '\n'))
			s++;
		len = word(s, end);
		if (!len)
			return at;
		width = columns(s, len);
		if (at > indent && at + !first + width > FILL_WIDTH) {
			buf_putc(out, '\n');
			buf_pad(out, ' ', indent);
			at = indent;
		} else if (!first) {
			buf_putc(out, ' ');
			at++;
		}
		buf_put(out, s, len);
		at += width;
		s += len;
		first = false;
	}
}

static void row(struct buf *out, const char *head, size_t nhead, unsigned at, const char *text, size_t n)
{
	unsigned here = MARGIN + columns(head, nhead);

	buf_pad(out, ' ', MARGIN);
	buf_put(out, head, nhead);
	if (here + 1 > at) {
		buf_putc(out, '\n');
		here = 0;
	}
	buf_pad(out, ' ', at - here);
	words(out, text, n, at, at);
	buf_putc(out, '\n');
}

void fill_row(struct buf *out, const char *head, unsigned at, const char *text)
{
	row(out, head, strlen(head), at, text, strlen(text));
}

static const char *line_end(const char *s)
{
	return s + strcspn(s, "\n");
}

static bool is_row(const char *s)
{
	return *s == ' ' || *s == '\t';
}

/* Splits a row into its head and its text. Returns the text, or NULL if the row has no tab. */
static const char *row_split(const char *s, const char **head, size_t *nhead)
{
	const char *end = line_end(s), *tab;

	*head = s + strspn(s, " \t");
	tab = memchr(*head, '\t', (size_t)(end - *head));
	if (!tab)
		return NULL;
	*nhead = (size_t)(tab - *head);
	return tab + strspn(tab, "\t ");
}

/* Formats neighbouring rows. Returns the text after them. */
static const char *rows(struct buf *out, const char *s)
{
	unsigned widest = 0;
	const char *head, *text, *next;
	size_t nhead = 0;

	for (const char *p = s; is_row(p); p = line_end(p) + (*line_end(p) == '\n'))
		if (row_split(p, &head, &nhead) && columns(head, nhead) > widest && columns(head, nhead) <= HEAD_MOST)
			widest = columns(head, nhead);
	for (; is_row(s); s = next) {
		next = line_end(s) + (*line_end(s) == '\n');
		text = row_split(s, &head, &nhead);
		if (text)
			row(out, head, nhead, MARGIN + (widest ? widest : 6) + 2, text,
			    (size_t)(line_end(text) - text));
		else
			buf_put(out, s, (size_t)(next - s));
	}
	return s;
}

/* Formats a paragraph or an empty line. Returns the text after it. */
static const char *paragraph(struct buf *out, const char *s)
{
	bool usage = !strncmp(s, USAGE, strlen(USAGE));
	const char *end = line_end(s);

	while (!usage && *end && end[1] && end[1] != '\n' && !is_row(end + 1) && end != s)
		end = line_end(end + 1);
	words(out, s, (size_t)(end - s), 0, usage ? strlen(USAGE) + 4 : 0);
	buf_putc(out, '\n');
	return end + (*end == '\n');
}

void fill_text(struct buf *out, const char *text)
{
	while (*text)
		text = is_row(text) ? rows(out, text) : paragraph(out, text);
}
