/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/session/text.h"

#include <string.h>

#include "engine/session/cpp.h"

struct text *text_from_argument(struct dtr *t, const char *text, const char *what)
{
	struct text *x = arena_alloc(&t->arena, sizeof *x);

	x->src = (struct source){ .text = text, .len = strlen(text), .spec = what };
	x->kind = "description";
	text += strspn(text, " \t\n");
	x->name = arena_strndup(&t->arena, text, strcspn(text, "{/;"));
	if (t->opts.cpp && cpp_run(t, x))
		return NULL;
	return x;
}

struct text *text_from_file(struct dtr *t, const char *path)
{
	struct text *x = arena_alloc(&t->arena, sizeof *x);
	struct buf b = { 0 };
	int r = buf_read_file(&b, strcmp(path, "-") ? path : "/dev/stdin");

	if (r < 0 || b.failed) {
		session_message(t, "failed to open %s: %s", path, r < 0 ? strerror(-r) : "out of memory");
		buf_free(&b);
		return NULL;
	}
	/* The scanner skips "#!"; NULs inside are its business too. */
	x->src = (struct source){ .name = path, .text = arena_memdup(&t->arena, buf_str(&b), b.len + 1), .len = b.len };
	x->kind = "script";
	x->name = path;
	buf_free(&b);
	if (t->opts.cpp && cpp_run(t, x))
		return NULL;
	return x;
}
