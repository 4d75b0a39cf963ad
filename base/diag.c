/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "base/diag.h"

#include <stdarg.h>
#include <string.h>

enum {
	WINDOW = 100,		/* columns of the source line that are shown */
	TITLE_MAX = 200,	/* bytes of a command-line text that a message repeats */
};

static const struct {
	const char *name, *text;
} tags[DIAG_NTAGS] = {
#define DIAG(tag, text) { #tag, text },
#include "base/diag.def"
#undef DIAG
};

const char *diag_tag_name(enum diag_tag tag)
{
	return tag < DIAG_NTAGS ? tags[tag].name : "D_UNKNOWN";
}

const char *diag_tag_text(enum diag_tag tag)
{
	return tag < DIAG_NTAGS ? tags[tag].text : "";
}

void diags_init(struct diags *d, struct arena *a)
{
	*d = (struct diags){ .arena = a, .max = 20 };
}

enum { TEXT_MAX = 1000, TEXT_HEAD = 600, TEXT_TAIL = 300 };

/* A message that repeats a megabyte of the script helps nobody: its middle goes. */
static void clip(char *text)
{
	size_t n = strlen(text);

	if (n <= TEXT_MAX)
		return;
	memcpy(text + TEXT_HEAD, " ... ", 5);
	memmove(text + TEXT_HEAD + 5, text + n - TEXT_TAIL, TEXT_TAIL + 1);
}

static void diag_add(struct diags *d, struct diag x, const char *fmt, va_list ap)
{
	char *text;

	if (!x.warning && d->nerrors++ >= (d->max ? d->max : 20))
		return;
	text = arena_vprintf(d->arena, fmt, ap);
	clip(text);
	x.text = text;
	*VEC_ADD(d->arena, &d->list) = x;
}

int diag(struct diags *d, struct loc loc, enum diag_tag tag, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	diag_add(d, (struct diag){ .tag = tag, .loc = loc }, fmt, ap);
	va_end(ap);
	return -1;
}

void diag_warn(struct diags *d, struct loc loc, enum diag_tag tag, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	diag_add(d, (struct diag){ .tag = tag, .warning = true, .loc = loc }, fmt, ap);
	va_end(ap);
}

/* Bytes of the control character at s, or 0. In UTF-8 U+0080 to U+009F are some, too. */
static size_t control_length(const char *s, size_t n)
{
	unsigned char c = (unsigned char)*s, next = n > 1 ? (unsigned char)s[1] : 0;

	if (c == 0xc2 && next >= 0x80 && next < 0xa0)
		return 2;
	return (c < 0x20 && c != '\t') || c == 0x7f;
}

/* Text of the source, made harmless for a terminal. */
static void put_safe(struct buf *out, const char *s, size_t n)
{
	while (n) {
		size_t len = control_length(s, n);

		buf_putc(out, len ? '?' : *s);
		len += !len;
		s += len;
		n -= len;
	}
}

/* A message repeats parts of the source; it may have several lines. */
static void put_text(struct buf *out, const char *text)
{
	for (;;) {
		size_t n = strcspn(text, "\n");

		put_safe(out, text, n);
		if (!text[n])
			return;
		buf_putc(out, '\n');
		text += n + 1;
	}
}

/* A UTF-8 byte that does not start a character. */
static bool is_continuation(char c)
{
	return ((unsigned char)c & 0xc0) == 0x80;
}

/* The largest length up to n that does not cut a character. */
static size_t whole_characters(const char *s, size_t n)
{
	size_t m = n;

	while (m && n - m < 3 && is_continuation(s[m]))
		m--;
	return is_continuation(s[m]) ? n : m;
}

const struct source *source_given(const struct source *s)
{
	return s && s->of ? s->of : s;
}

/* The first line of a command-line text, shortened. */
static void put_title(struct buf *out, const char *text)
{
	size_t n = strcspn(text, "\n");
	bool cut = text[n] == '\n' && text[n + 1] != '\0';

	if (n > TITLE_MAX) {
		n = whole_characters(text, TITLE_MAX);
		cut = true;
	}
	put_safe(out, text, n);
	if (cut)
		buf_puts(out, "...");
}

static void put_head(struct buf *out, const struct diag *d, const char *prog)
{
	const struct source *src = source_given(d->loc.src);

	buf_printf(out, "%s: ", prog);
	if (d->warning)
		buf_puts(out, "warning: ");
	if (!src)
		return;
	if (d->warning) {
		if (src->name)
			buf_printf(out, "%s: ", src->name);
	} else if (src->name) {
		buf_printf(out, "failed to compile script %s: ", src->name);
	} else {
		buf_printf(out, "invalid %s ", src->spec ? src->spec : "probe specifier");
		put_title(out, src->shown ? src->shown->text : src->text);
		buf_puts(out, ": ");
	}
}

/* Start of line `line` (from 1), or NULL. */
static const char *find_line(const struct source *src, uint32_t line)
{
	const char *p = src->text, *end = src->text + src->len;

	while (--line) {
		p = memchr(p, '\n', (size_t)(end - p));
		if (!p)
			return NULL;
		p++;
	}
	return p;
}

const char *loc_text(struct loc l)
{
	const char *line = l.src && l.line && l.col ? find_line(l.src, l.line) : NULL;

	return line && l.col - 1 <= strcspn(line, "\n") ? line + l.col - 1 : NULL;
}

/* The source line and a caret below the column; of a long line the part around the caret. */
static void put_caret(struct buf *out, struct loc loc)
{
	const char *line = find_line(loc.src, loc.line), *end;
	size_t len, col, from = 0;

	if (!line || !loc.src->len)
		return;
	len = (size_t)(loc.src->text + loc.src->len - line);
	end = len ? memchr(line, '\n', len) : NULL;
	if (end)
		len = (size_t)(end - line);
	col = loc.col ? loc.col - 1 : 0;
	if (col > len)
		col = len;
	if (col > WINDOW - 20)
		from = whole_characters(line, col - (WINDOW - 20));
	if (len - from > WINDOW)
		len = from + whole_characters(line + from, WINDOW);
	buf_printf(out, "%5u | ", loc.line);
	put_safe(out, line + from, len - from);
	buf_puts(out, "\n      | ");
	for (size_t i = from; i < col; i++)
		if (!is_continuation(line[i]))
			buf_putc(out, line[i] == '\t' ? '\t' : ' ');
	buf_puts(out, "^\n");
}

void diag_print(struct buf *out, const struct diag *d, const char *prog, bool with_tag)
{
	put_head(out, d, prog);
	if (with_tag)
		buf_printf(out, "[%s] ", diag_tag_name(d->tag));
	if (d->loc.src && d->loc.line) {
		/* a file that the text includes */
		if (d->loc.src->of && d->loc.src != d->loc.src->of->shown)
			buf_printf(out, "\"%s\", ", d->loc.src->name);
		buf_printf(out, "line %u: ", d->loc.line);
	}
	put_text(out, d->text);
	buf_putc(out, '\n');
	if (d->loc.src && d->loc.line)
		put_caret(out, d->loc);
}
