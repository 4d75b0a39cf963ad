/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "lang/prelude.h"

#include <ctype.h>
#include <string.h>

#include "lang/type_find.h"

/* NULL: *err has the reason. */
static const struct source *file_read(struct compiler *c, const char *path, int *err)
{
	struct source *src = arena_alloc(c->arena, sizeof *src);
	struct buf text = { 0 };

	*err = buf_read_file(&text, path);
	if (!*err) {
		src->name = path;
		src->text = arena_strndup(c->arena, buf_str(&text), text.len);
		src->len = text.len;
	}
	buf_free(&text);
	return *err ? NULL : src;
}

static int prelude_read(struct compiler *c)
{
	int err;
	const struct source *src = file_read(c, arena_strdup(c->arena, c->env.prelude), &err);

	if (!src)
		return diag(c->diags, (struct loc){ 0 }, D_KTYPE, "cannot read %s: %s", c->env.prelude, strerror(-err));
	c->script->prelude = src;
	return lang_parse(c, src);
}

/* Marked as loaded first: names unknown to the prelude must not load it again. */
int prelude_load(struct compiler *c)
{
	if (c->prelude_loaded)
		return c->prelude_failed ? -1 : 0;
	c->prelude_loaded = true;
	/* it needs the kernel's types; without them the use of a name reports the error */
	if (c->env.prelude && !type_lookup(&c->types, "struct task_struct"))
		c->prelude_lack = c->types.error;
	c->prelude_failed = c->prelude_lack || (c->env.prelude && prelude_read(c));
	c->prelude_read = true;
	return c->prelude_failed ? -1 : 0;
}

/* A file in the same directory as the prelude. NULL: it cannot be read. */
static const struct source *beside_prelude(struct compiler *c, const char *name)
{
	const char *slash = c->env.prelude ? strrchr(c->env.prelude, '/') : NULL;
	int err;

	if (!slash)
		return NULL;
	return file_read(c, arena_printf(c->arena, "%.*s/%s", (int)(slash - c->env.prelude), c->env.prelude, name),
			 &err);
}

int prelude_elsewhere(struct compiler *c)
{
	if (c->elsewhere_loaded)
		return c->elsewhere_failed ? -1 : 0;
	c->elsewhere_loaded = true;
	c->elsewhere_failed = true;
	if (prelude_load(c))
		return -1;
	c->script->elsewhere = beside_prelude(c, "elsewhere.d");
	if (c->script->elsewhere && !lang_parse(c, c->script->elsewhere))
		c->elsewhere_failed = false;
	return c->elsewhere_failed ? -1 : 0;
}

struct inline_def *prelude_variable(struct compiler *c, const char *name)
{
	bool states = !strcmp(name, "tcp_state_string");

	if (states ? prelude_load(c) : strcmp(name, "curproc") || prelude_elsewhere(c))
		return NULL;
	return map_gets(&c->script->inlines, name);
}

/* The prelude and elsewhere.d define this type, if any file does. */
static struct type *prelude_own(struct compiler *c, const char *name)
{
	struct type *t;

	if (!c->prelude_loaded)
		prelude_load(c);
	t = type_lookup_script(&c->types, name);
	/* While the prelude is read, no type that it lacks is searched in the other file, which needs all the kernel's
	 * types. */
	if (t || c->prelude_failed || !c->prelude_read || c->elsewhere_loaded || types_lack(&c->types))
		return t;
	prelude_elsewhere(c);
	return type_lookup_script(&c->types, name);
}

struct type *prelude_type(struct compiler *c, const char *name)
{
	struct type *t = type_lookup(&c->types, name);
	const char *error = c->types.error;

	/* without kernel types, and dtr's own instead, the prelude does not help */
	if (t || c->elsewhere_loaded || (error && !types_lack(&c->types)))
		return t;
	t = prelude_own(c, name);
	if (!t)
		c->types.error = error;
	return t;
}

/* The names of all other constants begin with a capital, so other names need not load the file. */
static bool may_be_constant(const char *name)
{
	return isupper((unsigned char)*name) || !strcmp(name, "chip") || !strcmp(name, "lgrp") || !strcmp(name, "pset");
}

struct inline_def *prelude_constant(struct compiler *c, const char *name)
{
	if (!may_be_constant(name))
		return NULL;
	if (!c->constants_loaded) {
		c->constants_loaded = true;
		c->script->constants = beside_prelude(c, "constants.d");
		if (c->script->constants)
			lang_parse(c, c->script->constants);
	}
	return map_gets(&c->script->inlines, name);
}
