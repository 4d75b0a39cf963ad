/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Text to tree. */
#include <string.h>

#include "lang/prelude.h"
#include "lang/syntax/gram.h"
#include "lang/syntax/lex.h"
#include "lang/syntax/parse.h"

/* Rejects a text with NULs, in one message: the scanner would need quadratic time for many of them. */
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

/* Bytes of a mark that an editor has put before the text. */
static size_t parse_bom(const struct source *src)
{
	static const char bom[3] = { '\xef', '\xbb', '\xbf' };

	return src->len >= sizeof bom && !memcmp(src->text, bom, sizeof bom) ? sizeof bom : 0;
}

static uint32_t column_of(const struct source *src, size_t pos)
{
	const char *line = pos ? memrchr(src->text, '\n', pos) : NULL;

	return (uint32_t)(line ? src->text + pos - line : (ptrdiff_t)pos + 1);
}

int lang_parse_part(struct compiler *c, const struct source *src, struct text_part part)
{
	struct parser p = { .c = c, .src = src, .from = src, .a = c->arena, .pos = part.pos, .line = part.line,
		.col = column_of(src, part.pos) };
	size_t before = c->diags->nerrors;

	if (scan_open(&p, src->text + part.pos, part.len))
		return diag(c->diags, (struct loc){ src, 0, 0 }, D_LIMIT, "no memory for the scanner");
	dparse_parse(&p);
	scan_close(&p);
	return c->diags->nerrors == before ? 0 : -1;
}

int lang_parse(struct compiler *c, const struct source *src)
{
	struct parser p = { .c = c, .src = src, .from = src->shown ? src->shown : src, .a = c->arena, .line = 1,
		.col = 1 };
	struct loc top = { src, 1, 1 };
	size_t before = c->diags->nerrors;
	bool own;

	if (src->len > PARSE_MAXTEXT)
		return diag(c->diags, top, D_LIMIT, "this text is too long");
	if (parse_nul(&p))
		return -1;
	p.pos = parse_bom(src);
	if (scan_open(&p, src->text + p.pos, src->len - p.pos))
		return diag(c->diags, (struct loc){ src, 0, 0 }, D_LIMIT, "no memory for the scanner");
	dparse_parse(&p);
	scan_close(&p);
	if (!p.used && !c->opts.empty && c->diags->nerrors == before)
		diag(c->diags, top, D_EMPTY, "empty D program translation unit");
	/* now, because its inlines (SRUN ...) may be used before the first name that needs its types */
	if (p.prelude && c->diags->nerrors == before) {
		own = c->types.own_used;
		prelude_load(c);
		compile_note_own(c, own, p.prelude->loc, p.prelude->str);
	}
	return c->diags->nerrors == before ? 0 : -1;
}
