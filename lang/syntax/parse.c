/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Syntax errors. */
#include "lang/syntax/parse.h"

#include <ctype.h>
#include <string.h>

int parse_error(struct parser *p, struct loc loc, enum diag_tag tag, const char *fmt, ...)
{
	struct diags *d = p->c->diags;
	va_list ap;
	char *text;

	if (d->nerrors >= d->max)
		p->stop = true;		/* more errors would not help */
	va_start(ap, fmt);
	text = arena_vprintf(p->a, fmt, ap);
	va_end(ap);
	return diag(d, loc, tag, "%s", text);
}

void parse_limit(struct parser *p, struct loc loc, const char *what)
{
	if (!p->stop)
		parse_error(p, loc, D_LIMIT, "%s", what);
	p->stop = true;
}

/* The text of the token, shortened, without control characters. */
static const char *token_text(struct parser *p, struct loc loc)
{
	size_t n = p->pos - p->start;
	char *text;

	if (loc.line != p->loc.line || loc.col != p->loc.col || !n || p->start >= p->src->len)
		return NULL;
	n = n > p->src->len - p->start ? p->src->len - p->start : n;
	text = arena_strndup(p->a, p->src->text + p->start, n > 40 ? 40 : n);
	for (char *s = text; *s; s++)
		if (!isprint((unsigned char)*s))
			*s = '?';
	return text;
}

void parse_syntax(struct parser *p, struct loc loc, const char *const *expected, int n)
{
	bool muted = p->muted || p->stop;
	const char *token = token_text(p, loc);
	struct buf b = { 0 };

	p->muted = false;
	p->panic = true;
	if (muted)
		return;
	if (token)
		buf_printf(&b, "syntax error near \"%s\"", token);
	else
		buf_puts(&b, "syntax error near end of input");
	for (int i = 0; i < n; i++)
		buf_printf(&b, "%s%s", i == 0 ? ", expected " : i == n - 1 ? " or " : ", ", expected[i]);
	parse_error(p, loc, D_SYNTAX, "%s", buf_str(&b));
	buf_free(&b);
}

void parse_resume(struct parser *p)
{
	p->panic = p->muted = false;
	p->used = true;
}
