/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The parser on hostile texts: deep, long, random, cut off. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/unit/parse_fixture.h"

/* ---- hostile texts ---- */

static void repeat(struct buf *b, const char *before, const char *s, unsigned n, const char *after)
{
	buf_puts(b, before);
	for (unsigned i = 0; i < n; i++)
		buf_puts(b, s);
	buf_puts(b, after);
}

static void test_deep(void **state)
{
	static const struct { const char *before, *s, *after; } rows[] = {
		{ "BEGIN { x = ", "(", "" }, { "BEGIN { x = ", "!", "1; }" }, { "BEGIN { x = 1", "+1", "; }" },
		{ "BEGIN { x = ", "a[", "" }, { "BEGIN { ", "if (1) ", "x; }" }, { "BEGIN { ", "if (1) x; else ",
		  "y; }" },
		{ "BEGIN { ", "if (1) {", "" }, { "BEGIN { x = ", "1 ? ", "1; }" }, { "BEGIN { x = 1", " ? 1 : 1",
		  "; }" },
		{ "BEGIN { ", "x = ", "1; }" }, { "BEGIN { x", "->y", "; }" }, { "BEGIN { x", "[1]", "; }" },
		{ "BEGIN { x = ", "(int)", "1; }" }, { "BEGIN { x = ", "sizeof ", "1; }" }, { "BEGIN { 1", ", 1",
		  "; }" },
		{ "int ", "*", "x; BEGIN" }, { "int x", "[1]", "; BEGIN" }, { "int ", "(", "" }, { "", "struct {", "" },
		{ "int f", "()", "; BEGIN" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct fixture f;
		struct buf text = { 0 };
		bool limit = false;

		open_default(&f);
		repeat(&text, rows[i].before, rows[i].s, 100000, rows[i].after);
		assert_int_equal(parse(&f, buf_str(&text)), -1);
		for (size_t j = 0; j < f.diags.list.n; j++)
			limit |= f.diags.list.v[j].tag == D_LIMIT;
		if (!limit)
			fail_msg("no D_LIMIT in %s%s...: %s", rows[i].before, rows[i].s, f.diags.list.v[0].text);
		lang_print_tree(&f.out, f.c.script, false);
		buf_free(&text);
		close_all(&f);
	}
}

static void test_long(void **state)
{
	enum { GOOD = -1 };
	static const struct { const char *before, *s, *after; int first; } rows[] = {	/* the first error's tag */
		{ "BEGIN { f(1", ", 1", "); }", GOOD }, { "BEGIN { ", "x;", " }", GOOD }, { "BEGIN", ", BEGIN", " { }",
		  GOOD },
		{ "", "BEGIN { x = 1; }\n", "", GOOD }, { "int x", ", y", "; BEGIN", GOOD }, { "BEGIN { \"", "a",
		  "\"; }", GOOD },
		{ "/*", "*", "*/ BEGIN", GOOD }, { "", "// x\n", "BEGIN", GOOD }, { "", "\n", "BEGIN", GOOD },
		{ "BEGIN { ", "{", "", D_SYNTAX }, { "BEGIN { ab", "c", "; }", GOOD }, { "", "#pragma D option q\n",
		  "BEGIN", GOOD },
		{ "enum { A", ", A", " }; BEGIN", D_UNKNOWN }, { "BEGIN { @[1", ",1", "] = count(); }", GOOD },
		{ "BEGIN { x = 0", "1", "; }", D_INT_OFLOW }, { "a", ":", "", D_PDESC_INVAL },
		{ "BEGIN /x", " / /**/ x", "/ { }", D_LIMIT }, { "BEGIN { x = ", "(a", "", D_LIMIT },
		{ "", "(x ", "", D_SYNTAX }, { "", "\xff", "", D_SYNTAX },
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct fixture f;
		struct buf text = { 0 };

		open_default(&f);
		repeat(&text, rows[i].before, rows[i].s, 100000, rows[i].after);
		assert_int_equal(parse(&f, buf_str(&text)), rows[i].first == GOOD ? 0 : -1);
		assert_int_equal(f.diags.nerrors ? (int)f.diags.list.v[0].tag : GOOD, rows[i].first);
		buf_free(&text);
		close_all(&f);
	}
}

static uint64_t next_random(uint64_t *s)
{
	*s ^= *s << 13;
	*s ^= *s >> 7;
	*s ^= *s << 17;
	return *s;
}

static void test_random_bytes(void **state)
{
	uint64_t seed = 0x9e3779b97f4a7c15;
	unsigned refused = 0;

	(void)state;
	for (int i = 0; i < 3000; i++) {
		struct fixture f;
		char text[200];
		size_t n = next_random(&seed) % sizeof text;
		int r;

		for (size_t j = 0; j < n; j++)
			text[j] = i % 2 ? next_random(&seed) : 32 + next_random(&seed) % 95;
		open_default(&f);
		f.c.types.btf_path = "/nonexistent";
		r = parse_n(&f, text, n, FILE_TEXT);
		assert_int_equal(r == 0, f.diags.nerrors == 0);
		refused += f.diags.nerrors > 0;
		lang_print_tree(&f.out, f.c.script, true);
		buf_reset(&f.out);
		for (size_t j = 0; j < f.diags.list.n; j++)
			diag_print(&f.out, &f.diags.list.v[j], "dtr", true);
		assert_int_equal(f.out.len == 0, f.diags.list.n == 0);
		close_all(&f);
	}
	assert_true(refused > 2800);
}

static void test_random_tokens(void **state)
{
	static const char *const tokens[] = {
		"BEGIN", "{", "}", "{", "}", "(", ")", "[", "]", ";", ";", ",", "/", "/", "=", "==", "+", "-", "*", "&",
		"?", ":",
		"->", ".", "++", "!", "@a", "@", "x", "y", "1", "0x2", "'c'", "\"s\"", "int", "string", "struct",
		"union",
		"enum", "typedef", "inline", "translator", "self", "this", "sizeof", "offsetof", "stringof", "xlate",
		"<", ">", "if",
		"else", "$1", "$$1",
		"$9", "pid_t", "const", "unsigned", "long", "profile-97", "a:b:c:d", "/* c */", "// d\n",
		"\n#pragma D option q\n",
		"foo", "T", "...", "'", "\"", "`k", "while", "provider", "5", ":3", "*x", "(x)", "(x *)", "struct s {",
		"int a;",
	};
	uint64_t seed = 0x2545f4914f6cdd1d;

	(void)state;
	for (int i = 0; i < 6000; i++) {
		struct fixture f;
		struct buf text = { 0 };

		for (unsigned n = next_random(&seed) % 60; n > 0; n--)
			buf_printf(&text, "%s ", tokens[next_random(&seed) % (sizeof tokens / sizeof *tokens)]);
		open_default(&f);
		f.c.types.btf_path = "/nonexistent";
		if (parse(&f, buf_str(&text)) == 0)
			assert_int_equal(f.diags.nerrors, 0);
		else
			assert_true(f.diags.nerrors > 0);
		lang_print_tree(&f.out, f.c.script, true);
		buf_free(&text);
		close_all(&f);
	}
}

/* Every prefix of a text that holds some of everything. */
static void test_prefixes(void **state)
{
	static const char text[] =
		"#pragma D option a=b\ntypedef struct s { int a : 3; struct { char b[4]; }; struct s *n; } s_t;\n"
		"enum e { A, B = sizeof (s_t) }; inline int I = (int)A + 1; self int t[int, string];\n"
		"translator struct s < s_t *P > { a = P->n->a ? 'x' : \"y\"[1]; };\n"
		"BEGIN, pid$1:a::b*, 3 /x == 1 / 2 && (s_t *)self->t[1, \"q\"] != 0/ { /* c */ @q[stringof(arg0)] = "
		"sum(1);\n"
		"if (offsetof(s_t, n) ^^ !x++) { this->z = xlate <struct s>(k).a; } else y = $$1, `j; } END /x/;";

	(void)state;
	for (size_t n = 0; n <= sizeof text - 1; n++) {
		struct fixture f;
		int r;

		open_default(&f);
		f.c.types.btf_path = "/nonexistent";
		r = parse_n(&f, text, n, FILE_TEXT);
		assert_int_equal(r == 0, f.diags.nerrors == 0);
		lang_print_tree(&f.out, f.c.script, true);
		close_all(&f);
		if (n == sizeof text - 1)
			assert_int_equal(r, 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_deep),
		cmocka_unit_test(test_long),
		cmocka_unit_test(test_random_bytes),
		cmocka_unit_test(test_random_tokens),
		cmocka_unit_test(test_prefixes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
