/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A compiler for the tests of the parser. Who owns what: close_all gives everything back.
 * Each test program that includes this has its own copy; PRELUDE is the path of prelude.d.
 */
#ifndef TESTS_UNIT_PARSE_FIXTURE_H
#define TESTS_UNIT_PARSE_FIXTURE_H

#include <string.h>

#include "lang/compile.h"
#include "tests/lib/options.h"

struct fixture {
	struct arena arena;
	struct diags diags;
	struct compiler c;
	struct buf out;
};

static const char *const test_args[] = { "97", "foo", "a b", "-5", "0x1f", "", "\"quoted\"",
	"99999999999999999999", "pid_t" };
static const struct compile_env test_env = {
	.target = 4711, .prelude = PRELUDE, .argv0 = "x.d", .args = (const char **)test_args,
	.nargs = sizeof test_args / sizeof *test_args,
};

static inline void open_with(struct fixture *f, const struct d_options *opts, const struct compile_env *env)
{
	memset(f, 0, sizeof *f);
	arena_init(&f->arena, NULL, NULL);
	diags_init(&f->diags, &f->arena);
	compiler_init(&f->c, &f->arena, &f->diags, NULL, opts, env);
}

static inline void open_default(struct fixture *f)
{
	const struct d_options opts = test_options();

	open_with(f, &opts, &test_env);
}

static inline void close_all(struct fixture *f)
{
	compiler_close(&f->c);
	buf_free(&f->out);
	arena_free(&f->arena);
}

/* spec: enum source_spec, or FILE_TEXT: the text of a file. */
enum { FILE_TEXT = -1 };
static inline int parse_n(struct fixture *f, const char *text, size_t len, int spec)
{
	struct source *src = arena_alloc(&f->arena, sizeof *src);

	src->name = spec == FILE_TEXT ? "test.d" : NULL;
	src->spec = spec == FILE_TEXT ? SPEC_PROBE : (enum source_spec)spec;
	src->text = arena_strndup(&f->arena, text, len);
	src->len = len;
	return lang_parse(&f->c, src);
}

static inline int parse(struct fixture *f, const char *text)
{
	return parse_n(f, text, strlen(text), FILE_TEXT);
}

#endif
