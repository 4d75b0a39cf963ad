/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "base/fill.h"

#include <ctype.h>
#include <string.h>

#define USAGE "usage: "

enum { MARGIN = 2, HEAD_MOST = 20 };

/* A part of a text. */
struct fill_part {
	const char *s;
	size_t n;
};

static unsigned column_count(struct fill_part p)
{
	unsigned c = 0;

	for (size_t i = 0; i < p.n; i++)
		c += (p.s[i] & 0xc0) != 0x80;
	return c;
}

/* Length of a word together with what must stay on its line: "-x oformat", "1 %". */
static size_t word_length(const char *s, const char *end)
{
	size_t n = 0, from;

	for (;;) {
		for (from = n; s + n < end && !strchr(" \t\n", s[n]);)
			n++;
		from += s[from] == '(' || s[from] == '"';
		if (n == from || s + n + 1 >= end || s[n] != ' ' || s[n + 1] == ' ')
			return n;
		if ((s[n + 1] != '%' || isalpha((unsigned char)s[n + 2])) && (n != from + 2 || s[from] != '-'))
			return n;
		n++;
	}
}

/* Adds the words of a text, beginning in column `at`; further lines begin in column `indent`. */
static void put_words(struct buf *out, struct fill_part text, unsigned at, unsigned indent)
{
	const char *s = text.s, *end = s + text.n;
	bool first = true;

	for (;;) {
		struct fill_part word;
		unsigned width;

		while (s < end && (*s == ' ' || *s == '\t' || *s == '\n'))
			s++;
		word = (struct fill_part){ s, word_length(s, end) };
		if (!word.n)
			return;
		width = column_count(word);
		if (at > indent && at + !first + width > FILL_WIDTH) {
			buf_putc(out, '\n');
			buf_pad(out, ' ', indent);
			at = indent;
		} else if (!first) {
			buf_putc(out, ' ');
			at++;
		}
		buf_put(out, s, word.n);
		at += width;
		s += word.n;
		first = false;
	}
}

static void put_row(struct buf *out, struct fill_part head, unsigned at, struct fill_part text)
{
	unsigned here = MARGIN + column_count(head);

	buf_pad(out, ' ', MARGIN);
	buf_put(out, head.s, head.n);
	if (here + 1 > at) {
		buf_putc(out, '\n');
		here = 0;
	}
	buf_pad(out, ' ', at - here);
	put_words(out, text, at, at);
	buf_putc(out, '\n');
}

void fill_row(struct buf *out, const char *head, unsigned at, const char *text)
{
	put_row(out, (struct fill_part){ head, strlen(head) }, at, (struct fill_part){ text, strlen(text) });
}

static const char *line_end(const char *s)
{
	return s + strcspn(s, "\n");
}

static bool is_row(const char *s)
{
	return *s == ' ' || *s == '\t';
}

/* Splits a row into its head and its text. Returns false if it has no tab. */
static bool row_split(const char *s, struct fill_part *head, struct fill_part *text)
{
	const char *end = line_end(s), *tab;

	head->s = s + strspn(s, " \t");
	tab = memchr(head->s, '\t', (size_t)(end - head->s));
	if (!tab)
		return false;
	head->n = (size_t)(tab - head->s);
	text->s = tab + strspn(tab, "\t ");
	text->n = strcspn(text->s, "\n");
	return true;
}

unsigned fill_column(const char *s)
{
	struct fill_part head, text;
	unsigned widest = 0;

	for (; is_row(s); s = line_end(s) + (*line_end(s) == '\n'))
		if (row_split(s, &head, &text) && column_count(head) > widest && column_count(head) <= HEAD_MOST)
			widest = column_count(head);
	return MARGIN + (widest ? widest : 6) + 2;
}

/* Formats neighbouring rows. Returns the text after them. */
static const char *put_rows(struct buf *out, const char *s)
{
	const unsigned column = fill_column(s);
	struct fill_part head, text;
	const char *next;

	for (; is_row(s); s = next) {
		next = line_end(s) + (*line_end(s) == '\n');
		if (row_split(s, &head, &text))
			put_row(out, head, column, text);
		else
			buf_put(out, s, (size_t)(next - s));
	}
	return s;
}

/* Formats a paragraph or an empty line. Returns the text after it. */
static const char *put_paragraph(struct buf *out, const char *s)
{
	bool usage = !strncmp(s, USAGE, strlen(USAGE));
	const char *end = line_end(s);

	while (!usage && *end && end[1] && end[1] != '\n' && !is_row(end + 1) && end != s)
		end = line_end(end + 1);
	put_words(out, (struct fill_part){ s, (size_t)(end - s) }, 0, usage ? strlen(USAGE) + 4 : 0);
	buf_putc(out, '\n');
	return end + (*end == '\n');
}

void fill_text(struct buf *out, const char *text)
{
	while (*text)
		text = is_row(text) ? put_rows(out, text) : put_paragraph(out, text);
}
