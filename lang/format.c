/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "lang/format.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { FMT_MAXWIDTH = 4096 };

/* Conversions by letter. Those of DTrace that are not here yet have kind CONV_TEXT. */
static const struct {
	const char *letters;
	enum conv_kind kind;
} conversions[] = {
	{ "dioxuX", CONV_INT }, { "c", CONV_CHAR }, { "s", CONV_STR }, { "p", CONV_PTR }, { "Y", CONV_TIME },
	{ "aACeEfgGkPSTwn", CONV_TEXT },
};

struct fmt_reader {
	struct arena *arena;
	struct diags *d;
	struct loc loc;
	const char *p, *end;
	bool printa, failed;
	VEC(struct conv) conv;
};

static char fmt_peek(const struct fmt_reader *r)
{
	return r->p < r->end ? *r->p : '\0';
}

/* A decimal number, or '*'. */
static void fmt_number(struct fmt_reader *r, int *value, bool *dynamic)
{
	long n = 0;

	if (fmt_peek(r) == '*') {
		r->p++;
		*dynamic = true;
		return;
	}
	if (!isdigit((unsigned char)fmt_peek(r)))
		return;
	for (; isdigit((unsigned char)fmt_peek(r)); r->p++)
		n = n > FMT_MAXWIDTH ? n : n * 10 + (*r->p - '0');
	if (n > FMT_MAXWIDTH && !r->failed) {
		diag(r->d, r->loc, D_LIMIT, "width or precision in a format is larger than %d", FMT_MAXWIDTH);
		r->failed = true;
	}
	*value = (int)n;
}

static void fmt_flags(struct fmt_reader *r, struct conv *c)
{
	for (;; r->p++) {
		switch (fmt_peek(r)) {
		case '-': c->minus = true; break;
		case '0': c->zero = true; break;
		case '+': c->plus = true; break;
		case ' ': c->space = true; break;
		case '#': c->alt = true; break;
		case '\'': c->group = true; break;
		case '@': c->at = true; break;
		default: return;
		}
	}
}

static void fmt_letter(struct fmt_reader *r, struct conv *c)
{
	char letter = fmt_peek(r);

	if (!letter) {
		diag(r->d, r->loc, D_SYNTAX, "format ends in the middle of a conversion");
		r->failed = true;
		return;
	}
	r->p++;
	c->spec = letter;
	for (size_t i = 0; i < sizeof conversions / sizeof *conversions; i++) {
		if (!strchr(conversions[i].letters, letter))
			continue;
		if (conversions[i].kind == CONV_TEXT) {
			diag(r->d, r->loc, D_UNSUPPORTED, "conversion %%%c is not available in this version of dtr", letter);
			r->failed = true;
		}
		c->kind = c->at ? CONV_AGG : conversions[i].kind;
		return;
	}
	diag(r->d, r->loc, D_SYNTAX, isprint((unsigned char)letter) ? "%%%c is not a conversion" : "%%\\%03o is not a conversion",
	     (unsigned char)letter);
	r->failed = true;
}

/* Behind the '%'. */
static void fmt_conversion(struct fmt_reader *r)
{
	struct conv c = { .width = -1, .prec = -1 };

	fmt_flags(r, &c);
	fmt_number(r, &c.width, &c.dynwidth);
	if (fmt_peek(r) == '.') {
		r->p++;
		c.prec = 0;
		fmt_number(r, &c.prec, &c.dynprec);
	}
	if (fmt_peek(r) == '@') {	/* "%-8@d" */
		r->p++;
		c.at = true;
	}
	while (fmt_peek(r) == 'h' || fmt_peek(r) == 'l' || fmt_peek(r) == 'q' || fmt_peek(r) == 'j' || fmt_peek(r) == 'z')
		r->p++;
	fmt_letter(r, &c);
	if (c.at && !r->printa && !r->failed) {
		diag(r->d, r->loc, D_PRINTF_AGG_CONV, "%%@ is a conversion of printa()");
		r->failed = true;
	}
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

struct fmt *fmt_parse(struct arena *a, const char *text, size_t len, struct loc loc, bool printa, struct diags *d)
{
	const char *copy = arena_strndup(a, text, len);
	struct fmt_reader r = { .arena = a, .d = d, .loc = loc, .p = copy, .end = copy + strlen(copy), .printa = printa };
	struct fmt *f;

	while (r.p < r.end && !r.failed) {
		if (*r.p != '%') {
			fmt_text(&r);
		} else if (r.p[1] == '%') {
			*VEC_ADD(a, &r.conv) = (struct conv){ .kind = CONV_TEXT, .text = r.p, .len = 1, .width = -1, .prec = -1 };
			r.p += 2;
		} else {
			r.p++;
			fmt_conversion(&r);
		}
	}
	if (r.failed)
		return NULL;
	f = arena_alloc(a, sizeof *f);
	*f = (struct fmt){ r.conv.v, (unsigned)r.conv.n, copy, loc };
	return f;
}

unsigned conv_nargs(const struct conv *c)
{
	if (c->kind == CONV_TEXT)
		return 0;
	return 1u + c->dynwidth + c->dynprec;
}
