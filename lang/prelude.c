/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "lang/prelude.h"

#include <string.h>

#include "lang/parse.h"

static int prelude_read(struct compiler *c)
{
	struct source *src = arena_alloc(c->arena, sizeof *src);
	struct buf text = { 0 };
	int err = buf_read_file(&text, c->opts.prelude);

	if (err) {
		buf_free(&text);
		return diag(c->diags, (struct loc){ 0 }, D_KTYPE, "cannot read %s: %s", c->opts.prelude, strerror(-err));
	}
	src->name = arena_strdup(c->arena, c->opts.prelude);
	src->text = arena_strndup(c->arena, buf_str(&text), text.len);
	src->len = text.len;
	buf_free(&text);
	c->script->prelude = src;
	return parse_text(c, src);
}

/* Marked as loaded first: what the prelude does not know itself must not load it again. */
int prelude_load(struct compiler *c)
{
	if (c->prelude_loaded)
		return c->prelude_failed ? -1 : 0;
	c->prelude_loaded = true;
	if (c->opts.prelude && prelude_read(c))
		c->prelude_failed = true;
	return c->prelude_failed ? -1 : 0;
}

struct type *prelude_type(struct compiler *c, const char *name)
{
	struct type *t = type_lookup(&c->types, name);
	const char *error = c->types.error;

	/* without kernel types the prelude is of no use either */
	if (t || error || c->prelude_loaded)
		return t;
	prelude_load(c);
	return type_lookup_script(&c->types, name);
}
