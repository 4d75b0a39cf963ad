/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "tests/lib/dcheck.h"

#include <string.h>

#include "tests/lib/options.h"

void dcheck_open(struct dcheck *w, const char *text, size_t len, const char *prelude)
{
	const struct compile_env env = { .target = -1, .prelude = prelude };
	const struct d_options opts = test_options();

	memset(w, 0, sizeof *w);
	arena_init(&w->arena, NULL, NULL);
	diags_init(&w->diags, &w->arena);
	probe_set_init(&w->probes, &w->arena);
	probe_set_enumerate(&w->probes);
	compiler_init(&w->c, &w->arena, &w->diags, &w->probes, &opts, &env);
	w->src = (struct source){ .name = "test.d", .text = text, .len = len };
}

void dcheck_run(struct dcheck *w)
{
	*VEC_ADD(&w->arena, &w->c.texts) = &w->src;
	w->err = lang_compile(&w->c, STAGE_CHECKED);
}

void dcheck_compile(struct dcheck *w, const char *text, const char *prelude)
{
	dcheck_open(w, text, strlen(text), prelude);
	dcheck_run(w);
}

void dcheck_close(struct dcheck *w)
{
	compiler_close(&w->c);
	arena_free(&w->arena);
}

static const char *dcheck_one(struct dcheck *w, size_t i)
{
	const struct diag *d = &w->diags.list.v[i];

	return arena_printf(&w->arena, "%u:%u %s %s", d->loc.line, d->loc.col, diag_tag_name(d->tag), d->text);
}

const char *dcheck_first(struct dcheck *w)
{
	return w->diags.list.n ? dcheck_one(w, 0) : "none";
}

const char *dcheck_all(struct dcheck *w)
{
	const char *all = dcheck_first(w);

	for (size_t i = 1; i < w->diags.list.n; i++)
		all = arena_printf(&w->arena, "%s\n%s", all, dcheck_one(w, i));
	return all;
}
