/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Where the probe description of an argument ends: at white space or at the clause. */
static size_t spec_length(const char *s)
{
	return strcspn(s, " \t\r\n/{;");
}

static const char *spec_from_id(struct dtr *t, const char *s, size_t n)
{
	char *end;
	unsigned long id = strtoul(s, &end, 10);

	if (isdigit((unsigned char)*s) && end == s + n) {
		for (size_t i = 0; i < t->probes.list.n; i++) {
			const struct probe *p = t->probes.list.v[i];

			if (p->id == id)
				return arena_printf(&t->arena, "%s:%s:%s:%s", p->provname, p->mod, p->func, p->name);
		}
	}
	session_message(t, "invalid probe ID %.*s: no probe has this number", (int)n, s);
	return NULL;
}

/* A description names its parts from the right, so that a provider alone needs three colons behind it. */
static const char *spec_from_part(struct dtr *t, const char *s, size_t n, const char *what)
{
	static const struct { const char *what, *colons; } parts[] = {
		{ "provider", ":::" }, { "module", "::" }, { "function", ":" },
	};

	for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
		if (!strcmp(what, parts[i].what))
			return arena_printf(&t->arena, "%.*s%s", (int)n, s, parts[i].colons);
	if (!strcmp(what, "probe id"))
		return spec_from_id(t, s, n);
	return arena_strndup(&t->arena, s, n);
}

struct text *text_from_argument(struct dtr *t, const char *text, const char *what)
{
	struct text *x = arena_alloc(&t->arena, sizeof *x);
	size_t skip = strspn(text, " \t\r\n"), n = spec_length(text + skip);
	const char *full = text, *spec;

	if (strcmp(what, "probe specifier")) {
		spec = spec_from_part(t, text + skip, n, what);
		if (!spec)
			return NULL;
		full = arena_printf(&t->arena, "%.*s%s%s", (int)skip, text, spec, text + skip + n);
	}
	x->src = (struct source){ .text = full, .len = strlen(full), .spec = "probe specifier" };
	x->kind = "description";
	x->name = arena_strndup(&t->arena, text, strcspn(text, "{/;"));
	return x;
}

struct text *text_from_file(struct dtr *t, const char *path)
{
	struct text *x = arena_alloc(&t->arena, sizeof *x);
	struct buf b = { 0 };
	char *text;
	int r = buf_read_file(&b, strcmp(path, "-") ? path : "/dev/stdin");

	if (r < 0 || b.failed) {
		session_message(t, "failed to open %s: %s", path, r < 0 ? strerror(-r) : "out of memory");
		buf_free(&b);
		return NULL;
	}
	text = arena_memdup(&t->arena, buf_str(&b), b.len + 1);	/* NULs inside are the scanner's business */
	if (!strncmp(text, "#!", 2))
		memset(text, ' ', strcspn(text, "\n"));
	x->src = (struct source){ .name = path, .text = text, .len = b.len };
	x->kind = "script";
	x->name = path;
	buf_free(&b);
	return x;
}
