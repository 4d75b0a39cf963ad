/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "lang/syntax/format.h"

#include <ctype.h>
#include <string.h>

#include "base/json.h"

enum { FMT_MAXWIDTH = 1 << 24 };

/* Conversions by letter; those that need a 'w' or 'l' before it come first. */
static const struct {
	const char *letters;
	enum { NARROW, WIDE } size;
	enum conv_kind kind;
} conversions[] = {
	{ "c", WIDE, CONV_WCHAR }, { "s", WIDE, CONV_WSTR },
	{ "dioxuX", NARROW, CONV_INT }, { "cC", NARROW, CONV_CHAR }, { "sSJ", NARROW, CONV_STR },
	{ "p", NARROW, CONV_PTR }, { "YT", NARROW, CONV_TIME }, { "P", NARROW, CONV_PORT },
	{ "k", NARROW, CONV_STACK }, { "a", NARROW, CONV_SYM }, { "A", NARROW, CONV_USYM },
	{ "eEfgG", NARROW, CONV_FLOAT }, { "r", NARROW, CONV_AGG },
};

struct fmt_reader {
	struct arena *arena;
	struct diags *d;
	struct loc loc;
	const char *p, *end;
	const char *start;		/* start of the current conversion */
	bool printa, failed;
	unsigned n;			/* conversions so far */
	VEC(struct conv) conv;
};

static char fmt_peek(const struct fmt_reader *r)
{
	return r->p < r->end ? *r->p : '\0';
}

static void fmt_fail(struct fmt_reader *r, enum diag_tag tag, const char *reason)
{
	if (!r->failed)
		diag(r->d, r->loc, tag, "format conversion #%u %s", r->n, reason);
	r->failed = true;
}

/* A decimal number. */
static int fmt_number(struct fmt_reader *r)
{
	long n = 0;

	for (; isdigit((unsigned char)fmt_peek(r)); r->p++)
		n = n > FMT_MAXWIDTH ? n : n * 10 + (*r->p - '0');
	if (n > FMT_MAXWIDTH)
		fmt_fail(r, D_LIMIT, "has a width or precision above 16777216");
	return (int)n;
}

/* The current conversion as written in the script: "%-5z". */
static const char *as_typed(const struct fmt_reader *r)
{
	struct buf b = { 0 };
	const char *s, *end = r->p;

	/* the rest of a multibyte character */
	while (end < r->end && (*end & 0xc0) == 0x80)
		end++;
	for (const char *p = r->start; p < end; p++) {
		size_t len = json_utf8_length((const unsigned char *)p, (size_t)(end - p));

		if (len > 1) {
			buf_put(&b, p, len);
			p += len - 1;
		} else {
			buf_printf(&b, isprint((unsigned char)*p) ? "%c" : "\\%03o", (unsigned char)*p);
		}
	}
	s = arena_strdup(r->arena, buf_str(&b));
	buf_free(&b);
	return s;
}

/* Reports the end of the format after a size. libdtrace takes some sizes for conversion letters. */
static void fmt_ends(struct fmt_reader *r)
{
	if (strchr("qjzt", r->p[-1]))
		fmt_fail(r, D_SYNTAX, arena_printf(r->arena, "is undefined: %s", as_typed(r)));
	else
		fmt_fail(r, D_SYNTAX, "name expected before end of format string");
}

static void fmt_undefined(struct fmt_reader *r, char letter)
{
	if (letter == '%')
		fmt_fail(r, D_SYNTAX, "cannot be combined with other format flags: %%");
	else if (letter == '$')
		fmt_fail(r, D_SYNTAX, "uses unsupported positional format (%n$)");
	else
		fmt_fail(r, D_SYNTAX, arena_printf(r->arena, "is undefined: %s", as_typed(r)));
}

static void fmt_letter(struct fmt_reader *r, struct conv *c, bool wide)
{
	char letter = fmt_peek(r);

	if (!letter) {
		fmt_ends(r);
		return;
	}
	r->p++;
	c->spec = letter;
	for (size_t i = 0; i < sizeof conversions / sizeof *conversions; i++) {
		if (!strchr(conversions[i].letters, letter) || (conversions[i].size == WIDE && !wide) ||
		    (conversions[i].kind == CONV_AGG && !c->at))
			continue;
		c->kind = c->at ? CONV_AGG : conversions[i].kind;
		return;
	}
	fmt_undefined(r, letter);
}

/* The last of '0' and '-' wins. */
static bool fmt_flag(struct conv *c, char ch)
{
	switch (ch) {
	case '-': c->minus = true; c->zero = false; return true;
	case '0': c->zero = true; c->minus = false; return true;
	case '+': return c->plus = true;
	case ' ': return c->space = true;
	case '#': return c->alt = true;
	case '\'': return c->group = true;
	case '@': return c->at = true;
	default: return false;
	}
}

/* Reads a width or, after '.', a precision. Returns false if there is neither. */
static bool fmt_size(struct fmt_reader *r, struct conv *c, bool *dot, bool *width)
{
	char ch = fmt_peek(r);

	if (ch == '.' && !*dot) {
		*dot = true;
		c->prec = 0;
	} else if (ch == '?' && !*dot) {
		c->width = 2 * sizeof(void *);
	} else if (ch == '*' && !(*dot ? c->dynprec : c->dynwidth)) {
		*(*dot ? &c->dynprec : &c->dynwidth) = true;
	} else if (isdigit((unsigned char)ch) && (*dot || *width || ch != '0')) {
		*(*dot ? &c->prec : &c->width) = fmt_number(r);
		return *width = true;
	} else {
		return false;
	}
	r->p++;
	return true;
}

/* After '%': flags, width and precision, in any order as in DTrace; then sizes; then the letter. */
static void fmt_conversion(struct fmt_reader *r)
{
	struct conv c = { .width = -1, .prec = -1 };
	bool dot = false, width = false, wide = false;

	r->n++;
	while (fmt_peek(r) && !r->failed) {
		if (fmt_size(r, &c, &dot, &width))
			continue;
		if (!fmt_flag(&c, fmt_peek(r)))
			break;
		r->p++;
	}
	for (; fmt_peek(r) && strchr("hlLwqjzt", fmt_peek(r)); r->p++) {
		wide |= fmt_peek(r) == 'w' || fmt_peek(r) == 'l';
		if (fmt_peek(r) == 'h')
			c.bits = c.bits ? 8 : 16;
	}
	fmt_letter(r, &c, wide);
	if (c.at && !r->printa)
		fmt_fail(r, D_PRINTF_AGG_CONV, "is %@, which is only for printa( )");
	*VEC_ADD(r->arena, &r->conv) = c;
}

static void fmt_text(struct fmt_reader *r)
{
	struct conv c = { .kind = CONV_TEXT, .text = r->p, .width = -1, .prec = -1 };

	while (r->p < r->end && *r->p != '%')
		r->p++;
	c.len = (size_t)(r->p - c.text);
	*VEC_ADD(r->arena, &r->conv) = c;
}

struct fmt *fmt_parse(struct arena *a, const char *text, size_t len, struct loc loc, enum fmt_user user,
		      struct diags *d)
{
	const char *copy = arena_strndup(a, text, len);
	struct fmt_reader r = {
		.arena = a, .d = d, .loc = loc, .p = copy, .end = copy + strlen(copy),
		.printa = user == FMT_PRINTA,
	};
	struct fmt *f;

	while (r.p < r.end && !r.failed) {
		if (*r.p != '%') {
			fmt_text(&r);
		} else if (r.p[1] == '%') {
			*VEC_ADD(a, &r.conv) = (struct conv){
				.kind = CONV_TEXT, .text = r.p, .len = 1, .width = -1, .prec = -1,
			};
			r.p += 2;
		} else {
			r.start = r.p++;
			fmt_conversion(&r);
		}
	}
	if (r.failed)
		return NULL;
	f = arena_alloc(a, sizeof *f);
	*f = (struct fmt){ r.conv.v, (unsigned)r.conv.n, copy, loc };
	return f;
}
