/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "lang/format.h"

#include <ctype.h>
#include <string.h>

enum { FMT_MAXWIDTH = 4096 };

/* Conversions by letter. Those of DTrace that are not here yet have kind CONV_TEXT. */
static const struct {
	const char *letters;
	enum conv_kind kind;
} conversions[] = {
	{ "dioxuX", CONV_INT }, { "c", CONV_CHAR }, { "s", CONV_STR }, { "p", CONV_PTR }, { "Y", CONV_TIME },
	{ "k", CONV_STACK }, { "a", CONV_SYM }, { "A", CONV_USYM },
	{ "CeEfgGPSTwn", CONV_TEXT },
};

struct fmt_reader {
	struct arena *arena;
	struct diags *d;
	struct loc loc;
	const char *p, *end;
	bool printa, failed;
	unsigned n;			/* conversions so far */
	VEC(struct conv) conv;
};

static char fmt_peek(const struct fmt_reader *r)
{
	return r->p < r->end ? *r->p : '\0';
}

static void fmt_fail(struct fmt_reader *r, enum diag_tag tag, const char *why)
{
	if (!r->failed)
		diag(r->d, r->loc, tag, "format conversion #%u %s", r->n, why);
	r->failed = true;
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
	if (n > FMT_MAXWIDTH)
		fmt_fail(r, D_LIMIT, "has a width or precision above 4096");
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

static const char *quoted(struct fmt_reader *r, char letter)
{
	return arena_printf(r->arena, isprint((unsigned char)letter) ? "%%%c" : "%%\\%03o", (unsigned char)letter);
}

static void fmt_letter(struct fmt_reader *r, struct conv *c)
{
	char letter = fmt_peek(r);
	const char *what;

	if (!letter) {
		fmt_fail(r, D_SYNTAX, "is not complete: the format ends");
		return;
	}
	r->p++;
	c->spec = letter;
	what = quoted(r, letter);
	for (size_t i = 0; i < sizeof conversions / sizeof *conversions; i++) {
		if (!strchr(conversions[i].letters, letter))
			continue;
		if (conversions[i].kind == CONV_TEXT)
			fmt_fail(r, D_UNSUPPORTED, arena_printf(r->arena,
								"is %s, which is not available in this version of dtr",
								what));
		c->kind = c->at ? CONV_AGG : conversions[i].kind;
		return;
	}
	fmt_fail(r, D_SYNTAX, arena_printf(r->arena, "is %s: there is no such conversion", what));
}

/* Behind the '%'. */
static void fmt_conversion(struct fmt_reader *r)
{
	struct conv c = { .width = -1, .prec = -1 };

	r->n++;
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
	while (fmt_peek(r) && strchr("hlLqjzt", fmt_peek(r)))
		r->p++;
	fmt_letter(r, &c);
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

struct fmt *fmt_parse(struct arena *a, const char *text, size_t len, struct loc loc, bool printa, struct diags *d)
{
	const char *copy = arena_strndup(a, text, len);
	struct fmt_reader r = {
		.arena = a, .d = d, .loc = loc, .p = copy, .end = copy + strlen(copy), .printa = printa,
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
	return (c->kind != CONV_AGG) + (unsigned)c->dynwidth + (unsigned)c->dynprec;
}
