/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/session/library.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "engine/session/text.h"
#include "lang/syntax/depend.h"

enum lib_state { LIB_NEW, LIB_BUSY, LIB_LOADED, LIB_SKIPPED };

struct library {
	const char *name;		/* without its directory */
	struct script_text *text;
	enum lib_state state;
};

struct libraries {
	struct dtr *t;
	VEC(struct library) list;
};

static int name_compare(const void *x, const void *y)
{
	return strcmp(*(const char *const *)x, *(const char *const *)y);
}

static bool is_library(const char *name)
{
	size_t n = strlen(name);

	return n > 2 && *name != '.' && !strcmp(name + n - 2, ".d");
}

static int directory_read(struct libraries *l, const char *dir)
{
	struct arena *a = &l->t->arena;
	DIR *d = opendir(dir);
	VEC(const char *) names = { 0 };

	if (!d) {
		output_message(&l->t->output, "failed to open library directory %s: %s", dir, strerror(errno));
		return -1;
	}
	for (struct dirent *e; (e = readdir(d));)
		if (is_library(e->d_name))
			*VEC_ADD(a, &names) = arena_strdup(a, e->d_name);
	closedir(d);
	if (names.n)
		qsort(names.v, names.n, sizeof *names.v, name_compare);
	for (size_t i = 0; i < names.n; i++) {
		struct script_text *x = text_from_file(l->t, arena_printf(a, "%s/%s", dir, names.v[i]), NULL);

		if (!x)
			return -1;
		*VEC_ADD(a, &l->list) = (struct library){ .name = names.v[i], .text = x };
	}
	return 0;
}

static int library_parse(struct libraries *l, struct library *lib)
{
	struct compiler *c = &l->t->comp;
	bool empty = c->opts.empty;
	int r;

	c->opts.empty = true;
	r = lang_parse(c, &lib->text->src);
	c->opts.empty = empty;
	if (c->script->clauses)
		r = diag(c->diags, c->script->clauses->loc, D_SYNTAX,
			 "a library can contain only declarations, no clauses");
	lib->state = LIB_LOADED;
	*VEC_ADD(c->arena, &c->libraries) = lib->name;
	return r;
}

static int library_visit(struct libraries *l, struct library *lib);

/* Returns 1 if the library is available and loaded, 0 if it was skipped, -1 after a message. */
static int library_depends(struct libraries *l, const struct library *lib, const char *name)
{
	for (size_t i = 0; i < l->list.n; i++) {
		if (strcmp(l->list.v[i].name, name))
			continue;
		if (library_visit(l, &l->list.v[i]) < 0)
			return -1;
		return l->list.v[i].state == LIB_LOADED;
	}
	if (depend_met(&l->t->comp, "library", name))
		return 1;
	output_message(&l->t->output, "library %s depends on %s, which does not exist", lib->text->name, name);
	return -1;
}

/* Loads a library after those it depends on, or skips it. */
static int library_visit(struct libraries *l, struct library *lib)
{
	const char *at = lib->text->src.text;
	struct depend d;

	if (lib->state == LIB_BUSY) {
		output_message(&l->t->output, "library %s depends on itself", lib->text->name);
		return -1;
	}
	if (lib->state != LIB_NEW)
		return 0;
	lib->state = LIB_BUSY;
	while (depend_next(&at, &l->t->arena, &d)) {
		int met = strcmp(d.kind, "library") ? depend_met(&l->t->comp, d.kind, d.name) :
			  library_depends(l, lib, d.name);

		if (met < 0)
			return -1;
		if (!met) {
			lib->state = LIB_SKIPPED;
			return 0;
		}
	}
	return library_parse(l, lib);
}

int library_load(struct dtr *t)
{
	struct libraries l = { .t = t };

	for (unsigned i = 0; i < t->opts.libdir.n; i++)
		if (directory_read(&l, t->opts.libdir.v[i]) < 0)
			return -1;
	for (size_t i = 0; i < l.list.n; i++)
		if (library_visit(&l, &l.list.v[i]) < 0)
			return -1;
	return 0;
}
