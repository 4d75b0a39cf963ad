/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "base/diag.h"

#include <locale.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "base/escape.h"
#include "base/json.h"
#include "base/map.h"

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

static bool loc_same(struct loc a, struct loc b)
{
	return a.src == b.src && a.line == b.line && a.col == b.col;
}

/* Moves a diagnostic out of a text that dtr has made. Returns false if the place for which it is has one already. */
static bool leave_made_text(const struct diags *d, struct diag *x)
{
	const struct source *in = x->loc.src;

	for (; x->loc.src && x->loc.src->made_for.line; x->loc = x->loc.src->made_for)
		;
	for (size_t i = 0; x->loc.src != in && i < d->list.n; i++)
		if (d->list.v[i].warning == x->warning && loc_same(d->list.v[i].loc, x->loc))
			return false;
	return true;
}

static void diag_add(struct diags *d, struct diag x, const char *fmt, va_list ap)
{
	char *text;
	size_t n;

	if ((!x.warning && d->nerrors++ >= (d->max ? d->max : 20)) || !leave_made_text(d, &x))
		return;
	text = arena_vprintf(d->arena, fmt, ap);
	n = strlen(text);
	if (n > TEXT_MAX) {	/* it repeats a large part of the script, perhaps: its middle is left out */
		memcpy(text + TEXT_HEAD, " ... ", 5);
		memmove(text + TEXT_HEAD + 5, text + n - TEXT_TAIL, TEXT_TAIL + 1);
	}
	x.text = text;
	*VEC_ADD(d->arena, &d->list) = x;
}

void diag_note(struct diags *d, struct loc loc, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	*VEC_ADD(d->arena, &d->notes) = (struct diag){
		.tag = D_NONE, .warning = true, .note = true, .loc = loc, .text = arena_vprintf(d->arena, fmt, ap)
	};
	va_end(ap);
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

/* ---- order ---- */
bool loc_before(struct loc a, struct loc b)
{
	return a.src == b.src && (a.line < b.line || (a.line == b.line && a.col < b.col));
}

struct placed {
	struct diag diag;
	uintptr_t text;		/* the number of its text */
	size_t at;
};

static int placed_compare(const void *a, const void *b)
{
	const struct placed *x = a, *y = b;

	if (x->text != y->text)
		return x->text < y->text ? -1 : 1;
	if (loc_before(x->diag.loc, y->diag.loc) || loc_before(y->diag.loc, x->diag.loc))
		return loc_before(x->diag.loc, y->diag.loc) ? -1 : 1;
	return x->at < y->at ? -1 : 1;
}

void diags_sort(struct diags *d, size_t from)
{
	size_t n = d->list.n - from;
	struct placed *p;
	struct map texts;

	if (n < 2)
		return;
	p = arena_calloc(d->arena, n, sizeof *p);
	map_init(&texts, d->arena);
	for (size_t i = 0; i < n; i++) {
		struct diag *x = &d->list.v[from + i];
		void **text = map_put(&texts, &x->loc.src, sizeof x->loc.src);

		if (!*text)
			*text = (void *)(uintptr_t)(i + 1);
		p[i] = (struct placed){ *x, (uintptr_t)*text, i };
	}
	qsort(p, n, sizeof *p, placed_compare);
	for (size_t i = 0; i < n; i++)
		d->list.v[from + i] = p[i].diag;
}

/* ---- printing ---- */
/* Bytes of the character at s; 1 if it is invalid. */
static size_t char_length(const char *s, size_t n)
{
	size_t len = json_utf8_length((const unsigned char *)s, n);

	return len ? len : 1;
}

/* Appends a source line; control characters become `?`, so that the caret can be placed below a character. */
static void put_line(struct buf *out, const char *s, size_t n)
{
	for (size_t i = 0, len; i < n; i += len) {
		len = char_length(s + i, n - i);
		if (escape_plain(s + i, n - i, ESCAPE_TEXT))
			buf_put(out, s + i, len);
		else
			buf_putc(out, '?');
	}
}

/* A UTF-8 byte that does not start a character. */
static bool is_continuation(char c)
{
	return ((unsigned char)c & 0xc0) == 0x80;
}

/* The largest length up to n that does not split a character. */
static size_t whole_characters(const char *s, size_t n)
{
	size_t m = n;

	while (m && n - m < 3 && is_continuation(s[m]))
		m--;
	return is_continuation(s[m]) ? n : m;
}

const char *source_spec_name(enum source_spec spec)
{
	static const char *const names[] = {
		[SPEC_PROBE] = "probe specifier", [SPEC_PROVIDER] = "provider", [SPEC_MODULE] = "module",
		[SPEC_FUNCTION] = "function", [SPEC_ID] = "probe id",
	};

	return names[spec];
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
	escape_put(out, text, n, ESCAPE_LINE);
	if (cut)
		buf_puts(out, "...");
}

/* Appends the name and the texts around it, or nothing if it has no name. */
static void put_name(struct buf *out, const char *before, const char *name, const char *after)
{
	if (!name)
		return;
	buf_puts(out, before);
	escape_puts(out, name, ESCAPE_LINE);
	buf_puts(out, after);
}

#define ERROR_COLOUR "\033[1;31m"	/* bold red */
#define WARNING_COLOUR "\033[1;35m"	/* bold magenta */
#define TEXT_COLOUR "\033[1m"		/* bold */
#define NO_COLOUR "\033[0m"

/* Appends a text in a colour, if the style has colours. */
static void put_coloured(struct buf *out, unsigned style, const char *colour, const char *text)
{
	if (style & DIAG_COLOUR)
		buf_puts(out, colour);
	escape_puts(out, text, ESCAPE_TEXT);	/* it may have several lines */
	if (style & DIAG_COLOUR)
		buf_puts(out, NO_COLOUR);
}

static const char *colour_of(const struct diag *d)
{
	return d->warning ? WARNING_COLOUR : ERROR_COLOUR;
}

static void put_head(struct buf *out, const struct diag *d, const char *prog, unsigned style)
{
	const struct source *src = source_given(d->loc.src);

	put_name(out, "", prog, ": ");
	if (d->warning)
		put_coloured(out, style, WARNING_COLOUR, d->note ? "note: " : "warning: ");
	if (!src)
		return;
	if (d->warning) {
		put_name(out, "", src->name, ": ");
	} else if (src->name) {
		put_name(out, "failed to compile script ", src->name, ": ");
	} else {
		buf_printf(out, "invalid %s ", source_spec_name(src->spec));
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

/* The columns that the character of `len` bytes takes: 2 for wide ones, 0 for accents that follow a letter. The C
 * library's table of them belongs to locales for UTF-8. */
static unsigned char_columns(const char *s, size_t len)
{
	static const unsigned char first_bits[] = { 0, 0x7f, 0x1f, 0x0f, 0x07 };
	wchar_t c = 0;
	locale_t utf8, before;
	int columns;

	if (len < 2 || len >= sizeof first_bits)
		return 1;
	utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
	if (!utf8)
		return 1;
	c = (unsigned char)s[0] & first_bits[len];
	for (size_t i = 1; i < len; i++)
		c = c << 6 | (s[i] & 0x3f);
	before = uselocale(utf8);
	columns = wcwidth(c);
	uselocale(before);
	freelocale(utf8);
	return columns < 0 ? 1 : (unsigned)columns;
}

/* Appends the source line (of a long one, the part around the caret) and a caret below the column. */
static void put_caret(struct buf *out, const struct diag *d, unsigned style)
{
	const struct loc loc = d->loc;
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
	put_line(out, line + from, len - from);
	buf_puts(out, "\n      | ");
	for (size_t i = from, n; i < col; i += n) {
		n = char_length(line + i, len - i);
		buf_pad(out, line[i] == '\t' ? '\t' : ' ', char_columns(line + i, n));
	}
	put_coloured(out, style, colour_of(d), "^");
	buf_putc(out, '\n');
}

void diag_print(struct buf *out, const struct diag *d, const char *prog, unsigned style)
{
	put_head(out, d, prog, style);
	if (style & DIAG_TAGS) {
		buf_putc(out, '[');
		put_coloured(out, style, colour_of(d), diag_tag_name(d->tag));
		buf_puts(out, "] ");
	}
	if (d->loc.src && d->loc.line) {
		/* an included file */
		if (d->loc.src->of && d->loc.src != d->loc.src->of->shown)
			put_name(out, "\"", d->loc.src->name, "\", ");
		buf_printf(out, "line %u: ", d->loc.line);
	}
	put_coloured(out, style, TEXT_COLOUR, d->text);
	buf_putc(out, '\n');
	if (d->loc.src && d->loc.line)
		put_caret(out, d, style);
}
