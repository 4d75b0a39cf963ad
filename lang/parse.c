/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Stage 1: text -> tree. */
#include "lang/parse.h"

#include <ctype.h>
#include <string.h>

#include "lang/gram.h"
#include "lang/prelude.h"

/* ---- diagnostics ---- */

int parse_error(struct parser *p, struct loc loc, enum diag_tag tag, const char *fmt, ...)
{
	struct diags *d = p->c->diags;
	va_list ap;
	char *text;

	if (d->nerrors >= d->max)
		p->stop = true;		/* nobody would see more of them */
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

/* The token as it stands in the text, cut and without what a terminal would obey. */
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

/* ---- texts ---- */

/* What holds a NUL is no text. Said once: the scanner would take quadratic time over many of them. */
static int parse_nul(struct parser *p)
{
	const char *nul = memchr(p->src->text, '\0', p->src->len), *line = p->src->text;
	struct loc loc = { p->src, 1, 1 };

	if (!nul)
		return 0;
	for (const char *s; (s = memchr(line, '\n', (size_t)(nul - line))); line = s + 1)
		loc.line++;
	loc.col = (uint32_t)(nul - line) + 1;
	return diag(p->c->diags, loc, D_SYNTAX, "invalid character 0x00: not a text file");
}

static int parse_run(struct parser *p)
{
	const char *bom = "\xef\xbb\xbf";
	size_t skip = p->src->len >= 3 && !memcmp(p->src->text, bom, 3) ? 3 : 0;

	p->pos = skip;
	if (scan_open(p, p->src->text + skip, p->src->len - skip))
		return diag(p->c->diags, (struct loc){ p->src, 0, 0 }, D_LIMIT, "no memory for the scanner");
	dparse_parse(p);
	scan_close(p);
	return 0;
}

int parse_text(struct compiler *c, const struct source *src)
{
	struct parser p = { .c = c, .src = src, .from = src->shown ? src->shown : src, .a = c->arena, .line = 1, .col = 1 };
	struct loc top = { src, 1, 1 };
	size_t before = c->diags->nerrors;

	if (src->len > PARSE_MAXTEXT)
		return diag(c->diags, top, D_LIMIT, "this text is too long");
	if (parse_nul(&p) || parse_run(&p))
		return -1;
	if (!p.used && !c->opts.empty && c->diags->nerrors == before)
		diag(c->diags, top, D_EMPTY, "empty D program translation unit");
	/* now, because its inlines (SRUN ...) may stand before the name that needs its types */
	if (p.prelude && c->diags->nerrors == before)
		prelude_load(c);
	return c->diags->nerrors == before ? 0 : -1;
}

int lang_parse(struct compiler *c, const struct source *src)
{
	return parse_text(c, src);
}
