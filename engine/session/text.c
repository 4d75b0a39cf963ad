/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/session/text.h"

#include <errno.h>
#include <string.h>

#include "engine/session/cpp.h"

static int text_preprocess(struct dtr *t, struct script_text *x)
{
	int r = cpp_run(&t->arena, &t->opts, &x->src);

	if (r == -ENOENT)
		output_message(&t->output, "failed to compile %s %s: no C preprocessor found (%s)", x->kind, x->name,
			       t->opts.cpppath ? t->opts.cpppath : "cpp, gcc, clang, cc");
	else if (r)
		output_message(&t->output, "failed to compile %s %s: preprocessor failed to process input program%s%s",
			       x->kind, x->name, r < 0 ? ": " : "", r < 0 ? strerror(-r) : "");
	return r ? -1 : 0;
}

/* The length of the descriptions at the beginning: up to the predicate or the body. The module can be a path. */
static size_t descriptions_length(const char *text)
{
	size_t n = strcspn(text, "{/;");

	if (n && text[n] == '/' && text[n - 1] == ':') {
		size_t path = strcspn(text + n, ":{;? \t\n");

		if (text[n + path] == ':')
			n += path + strcspn(text + n + path, "{/;");
	}
	return n;
}

struct script_text *text_from_argument(struct dtr *t, const char *text, enum source_spec spec)
{
	struct script_text *x = arena_alloc(&t->arena, sizeof *x);

	x->src = (struct source){ .text = text, .len = strlen(text), .spec = spec };
	x->kind = "description";
	text += strspn(text, " \t\n");
	x->name = arena_strndup(&t->arena, text, descriptions_length(text));
	if (t->opts.cpp && text_preprocess(t, x) < 0)
		return NULL;
	return x;
}

struct script_text *text_named(struct dtr *t, const char *text, const char *name)
{
	struct script_text *x = arena_alloc(&t->arena, sizeof *x);

	x->src = (struct source){ .name = name, .text = text, .len = strlen(text) };
	x->kind = "script";
	x->name = name;
	return x;
}

struct script_text *text_from_file(struct dtr *t, const char *path, const char *name)
{
	struct script_text *x = arena_alloc(&t->arena, sizeof *x);
	struct buf b = { 0 };
	int r = buf_read_file(&b, strcmp(path, "-") ? path : "/dev/stdin");

	if (r < 0 || b.failed) {
		output_message(&t->output, "failed to open %s: %s", path, r < 0 ? strerror(-r) : "out of memory");
		buf_free(&b);
		return NULL;
	}
	/* The scanner handles "#!" and NULs. */
	x->name = name ? name : path;
	x->src = (struct source){
		.name = x->name, .text = arena_memdup(&t->arena, buf_str(&b), b.len + 1), .len = b.len,
	};
	x->kind = "script";
	buf_free(&b);
	if (t->opts.cpp && text_preprocess(t, x) < 0)
		return NULL;
	return x;
}

void texts_print(const struct dtr *t, struct buf *out)
{
	for (size_t i = 0; i < t->texts.n; i++) {
		const struct source *src = &t->texts.v[i]->src;

		if (src->shown)
			src = src->shown;
		if (src->spec != SPEC_PROBE)
			buf_printf(out, "%s ", source_spec_name(src->spec));
		buf_put(out, src->text, src->len);
		buf_putc(out, '\n');
	}
}
