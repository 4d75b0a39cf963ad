/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Texts of the language's own are cut into declarations. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "lang/syntax/declarations.h"

static const char text[] =
	"/* inline int no = 1; */\n"
	"inline int A = 1;\n"
	"inline string _b[struct x *E, int i] =\n\tE ? \"a;{\" : \"\\\";\";	// ; {\n"
	"typedef struct x {\n\tint a;	/* } */\n\tchar b[2];\n} x_t;\n"
	"\n"
	"translator x_t < struct y *Y > {\n\ta = Y->c == ';' ? '{' : '\\'';\n\tb = 0;\n};\n"
	"inlined_t v; inline\tlong C = (2);";

static const struct {
	enum declaration_kind kind;
	const char *name;
	uint32_t line;
	const char *first, *last;
} wanted[] = {
	{ KIND_INLINE, "A", 2, "inline int A", "= 1;" },
	{ KIND_INLINE, "_b", 3, "inline string", "\"\\\";\";" },
	{ KIND_OTHER, "", 5, "typedef", "} x_t;" },
	{ KIND_TRANSLATOR, "x_t", 10, "translator", "b = 0;\n};" },
	{ KIND_OTHER, "", 14, "inlined_t", "v;" },
	{ KIND_INLINE, "C", 14, "inline\tlong", "(2);" },
};

static void test_kinds(void **state)
{
	const struct source src = { .name = "own.d", .text = text, .len = strlen(text) };
	struct text_part from = { 0, src.len, 1 };
	struct declaration d;

	(void)state;
	for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
		const char *last = wanted[i].last;

		assert_true(declaration_next(&src, &from, &d));
		assert_int_equal(d.kind, wanted[i].kind);
		assert_int_equal(d.at.line, wanted[i].line);
		assert_int_equal(d.n, strlen(wanted[i].name));
		assert_memory_equal(d.n ? d.name : "", wanted[i].name, d.n);
		assert_memory_equal(text + d.at.pos, wanted[i].first, strlen(wanted[i].first));
		assert_memory_equal(text + d.at.pos + d.at.len - strlen(last), last, strlen(last));
	}
	assert_false(declaration_next(&src, &from, &d));
}

/* What is not complete ends at the end of the text. */
static void test_open(void **state)
{
	static const char *const texts[] = { "inline int A = \"x", "translator x < y", "/* a", "int x[{", "'\\", "\"" };

	(void)state;
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		const struct source src = { .name = "own.d", .text = texts[i], .len = strlen(texts[i]) };
		struct text_part from = { 0, src.len, 1 };
		struct declaration d;

		while (declaration_next(&src, &from, &d))
			assert_true(d.at.len > 0 && d.at.pos + d.at.len <= src.len);
		assert_int_equal(from.pos, src.len);
	}
}

static size_t lines_beginning(const char *s, const char *word)
{
	size_t n = !strncmp(s, word, strlen(word));

	while ((s = strchr(s, '\n')))
		n += !strncmp(++s, word, strlen(word));
	return n;
}

/* All that the language's own files declare is found. */
static void test_own(void **state)
{
	static const char *const files[] = { "prelude.d", "net.d", "constants.d", "elsewhere.d" };

	(void)state;
	for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
		struct buf path = { 0 }, content = { 0 };
		struct source src = { .name = files[i] };
		struct text_part from = { .line = 1 };
		struct declaration d;
		size_t n[KIND_TRANSLATOR + 1] = { 0 };

		buf_printf(&path, "%s/%s", SHARE, files[i]);
		assert_int_equal(buf_read_file(&content, buf_str(&path)), 0);
		src.text = buf_str(&content);
		src.len = content.len;
		while (declaration_next(&src, &from, &d)) {
			assert_true(d.kind == KIND_OTHER || d.n);
			n[d.kind]++;
		}
		assert_int_equal(n[KIND_INLINE], lines_beginning(src.text, "inline "));
		assert_int_equal(n[KIND_TRANSLATOR], lines_beginning(src.text, "translator "));
		buf_free(&content);
		buf_free(&path);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kinds), cmocka_unit_test(test_open), cmocka_unit_test(test_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
