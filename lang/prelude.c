/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "lang/prelude.h"

#include <ctype.h>
#include <string.h>

#include "lang/syntax/declarations.h"
#include "lang/types/type_find.h"

enum own_file { OWN_PRELUDE, OWN_NET, OWN_CONSTANTS, OWN_ELSEWHERE };

static const struct {
	const char *name;
	enum text_origin origin;
} own_files[PRELUDE_FILES] = {
	[OWN_PRELUDE] = { "prelude.d", FROM_PRELUDE },
	[OWN_NET] = { "net.d", FROM_PRELUDE },
	[OWN_CONSTANTS] = { "constants.d", FROM_CONSTANTS },
	[OWN_ELSEWHERE] = { "elsewhere.d", FROM_ELSEWHERE },
};

/* compiler.files */
enum { FILE_UNREAD, FILE_BEGUN, FILE_READ, FILE_FAILED };

/* An inline or a translator. */
struct own_declaration {
	enum own_file file;
	const struct source *src;
	struct declaration d;
	bool parsed;
};

/* All are in the directory of prelude.d. */
static const char *own_path(struct compiler *c, enum own_file which)
{
	const char *prelude = c->env.prelude, *slash = strrchr(prelude, '/');

	if (which == OWN_PRELUDE)
		return arena_strdup(c->arena, prelude);
	return arena_printf(c->arena, "%.*s%s", slash ? (int)(slash + 1 - prelude) : 0, prelude, own_files[which].name);
}

/* Notes inlines and translators, and parses the other declarations. */
static int own_declare(struct compiler *c, enum own_file which, const struct source *src)
{
	struct text_part rest = { 0, src->len, 1 };
	struct declaration d;
	int r = 0;

	while (declaration_next(src, &rest, &d) && !r) {
		struct own_declaration *own;

		if (d.kind == KIND_OTHER) {
			r = lang_parse_part(c, src, d.at);
			continue;
		}
		own = arena_alloc(c->arena, sizeof *own);
		*own = (struct own_declaration){ which, src, d, false };
		if (d.kind == KIND_TRANSLATOR)
			*VEC_ADD(c->arena, &c->own_translators) = own;
		else
			*map_put(&c->own_inlines, d.name, d.n) = own;
	}
	return r;
}

static void parse_declaration(struct compiler *c, struct own_declaration *own)
{
	uint8_t before = c->files[own->file];

	if (own->parsed)
		return;
	own->parsed = true;
	c->files[own->file] = FILE_BEGUN;
	lang_parse_part(c, own->src, own->d.at);
	c->files[own->file] = before;
}

struct inline_def *inline_find(struct compiler *c, const char *name)
{
	struct inline_def *def = map_gets(&c->script->inlines, name);
	struct own_declaration *own = def ? NULL : map_gets(&c->own_inlines, name);

	if (!own || own->parsed)
		return def;
	parse_declaration(c, own);
	return map_gets(&c->script->inlines, name);
}

void prelude_translators(struct compiler *c, const struct type *to)
{
	for (size_t i = 0; i < c->own_translators.n; i++) {
		struct own_declaration *own = c->own_translators.v[i];
		const struct type *t = own->parsed ? NULL :
			type_lookup_script(&c->types, arena_strndup(c->arena, own->d.name, own->d.n));

		if (t && type_same(t, to))
			parse_declaration(c, own);
	}
}

void prelude_all(struct compiler *c)
{
	for (size_t i = 0; i < c->own_inlines.n; i++)
		parse_declaration(c, c->own_inlines.entries[i].value);
	for (size_t i = 0; i < c->own_translators.n; i++)
		parse_declaration(c, c->own_translators.v[i]);
}

/* A script needs prelude.d, if there is a path; it may lack the others. */
static int own_parse(struct compiler *c, enum own_file which)
{
	struct source *src = arena_alloc(c->arena, sizeof *src);
	struct buf text = { 0 };
	int err;

	if (!c->env.prelude)
		return which == OWN_PRELUDE ? 0 : -1;
	src->name = own_path(c, which);
	src->origin = own_files[which].origin;
	err = buf_read_file(&text, src->name);
	if (!err) {
		src->text = arena_strndup(c->arena, buf_str(&text), text.len);
		src->len = text.len;
	}
	buf_free(&text);
	if (err && which == OWN_PRELUDE)
		return diag(c->diags, (struct loc){ 0 }, D_KTYPE, "cannot read %s: %s", src->name, strerror(-err));
	return err ? -1 : own_declare(c, which, src);
}

/* Reads a file once. A name that the file itself lacks does not read it again. */
static int own_load(struct compiler *c, enum own_file which)
{
	if (c->files[which] == FILE_UNREAD) {
		c->files[which] = FILE_BEGUN;
		c->files[which] = own_parse(c, which) ? FILE_FAILED : FILE_READ;
	}
	return c->files[which] == FILE_FAILED ? -1 : 0;
}

int prelude_load(struct compiler *c)
{
	/* it needs the kernel's types; without them the use of a name reports the error */
	if (c->files[OWN_PRELUDE] == FILE_UNREAD && c->env.prelude && !type_lookup(&c->types, "struct task_struct")) {
		c->prelude_lack = c->types.error;
		if (c->prelude_lack)
			c->files[OWN_PRELUDE] = FILE_FAILED;
	}
	return own_load(c, OWN_PRELUDE);
}

static int net_load(struct compiler *c)
{
	return prelude_load(c) ? -1 : own_load(c, OWN_NET);
}

int prelude_elsewhere(struct compiler *c)
{
	return prelude_load(c) ? -1 : own_load(c, OWN_ELSEWHERE);
}

struct inline_def *prelude_variable(struct compiler *c, const char *name)
{
	bool states = !strcmp(name, "tcp_state_string");

	if (states ? net_load(c) : strcmp(name, "curproc") || prelude_elsewhere(c))
		return NULL;
	return inline_find(c, name);
}

/* One of the files that need the kernel's types is being read. No type that it lacks is searched in the others. */
static bool is_reading(const struct compiler *c)
{
	return c->files[OWN_PRELUDE] == FILE_BEGUN || c->files[OWN_NET] == FILE_BEGUN ||
	       c->files[OWN_ELSEWHERE] == FILE_BEGUN;
}

/* A type that one of the files defines. */
static struct type *own_type(struct compiler *c, const char *name)
{
	static int (*const load[])(struct compiler *c) = { prelude_load, net_load, prelude_elsewhere };
	struct type *t = NULL;

	for (size_t i = 0; !t && i < sizeof load / sizeof *load; i++) {
		if (i && types_lack(&c->types))
			return NULL;
		load[i](c);
		t = type_lookup_script(&c->types, name);
	}
	return t;
}

struct type *prelude_type(struct compiler *c, const char *name)
{
	struct type *t = type_lookup(&c->types, name);
	const char *error = c->types.error;

	/* without kernel types, and dtr's own instead, the prelude does not help */
	if (t || is_reading(c) || (error && !types_lack(&c->types)))
		return t;
	t = own_type(c, name);
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
	own_load(c, OWN_CONSTANTS);
	return inline_find(c, name);
}
