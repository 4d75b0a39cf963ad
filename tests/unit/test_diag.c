/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* base/diag.c: recording and printing of diagnostics. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/diag.h"

static struct source text_of(const char *name, const char *text, enum source_spec spec)
{
	return (struct source){ .name = name, .text = text, .len = strlen(text), .spec = spec };
}

/* One diagnostic at line:col, as it is shown. */
static void expect(const struct source *src, uint32_t line, uint32_t col, bool warning, unsigned tags, const char *want)
{
	struct loc loc = { src, line, col };
	struct buf out = { 0 };
	struct arena a;
	struct diags d;

	arena_init(&a, NULL, NULL);
	diags_init(&d, &a);
	if (warning)
		diag_warn(&d, loc, D_SYNTAX, "wrong: %s", "x");
	else
		assert_int_equal(diag(&d, loc, D_SYNTAX, "wrong: %s", "x"), -1);
	assert_int_equal(d.list.n, 1);
	assert_int_equal(d.nerrors, !warning);
	diag_print(&out, &d.list.v[0], "dtr", tags);
	assert_string_equal(buf_str(&out), want);
	buf_free(&out);
	arena_free(&a);
}

/* Errors in texts that dtr has made are reported once, at the place that needs the texts; all are counted. */
static void test_made_texts(void **state)
{
	struct source s = text_of("x.d", "a { } b { }", SPEC_PROBE), made[3];
	struct arena a;
	struct diags d;

	(void)state;
	for (int i = 0; i < 3; i++)
		made[i] = text_of("made", "inline int x = ?;", SPEC_PROBE);
	made[0].made_for = (struct loc){ &s, 1, 1 };
	made[1].made_for = (struct loc){ &made[0], 1, 8 };
	made[2].made_for = (struct loc){ &s, 1, 7 };
	arena_init(&a, NULL, NULL);
	diags_init(&d, &a);
	diag_warn(&d, (struct loc){ &made[0], 1, 16 }, D_SYNTAX, "odd");
	diag(&d, (struct loc){ &made[0], 1, 16 }, D_SYNTAX, "first");
	diag(&d, (struct loc){ &made[0], 1, 3 }, D_SYNTAX, "second");
	diag(&d, (struct loc){ &made[1], 1, 16 }, D_SYNTAX, "third");
	diag(&d, (struct loc){ &made[2], 1, 16 }, D_SYNTAX, "fourth");
	diag(&d, (struct loc){ &s, 1, 1 }, D_SYNTAX, "fifth");
	assert_int_equal(d.nerrors, 5);
	assert_int_equal(d.list.n, 4);
	assert_string_equal(d.list.v[1].text, "first");
	assert_ptr_equal(d.list.v[1].loc.src, &s);
	assert_int_equal(d.list.v[1].loc.col, 1);
	assert_string_equal(d.list.v[2].text, "fourth");
	assert_int_equal(d.list.v[2].loc.col, 7);
	assert_string_equal(d.list.v[3].text, "fifth");
	arena_free(&a);
}

/* The text without escape sequences of colours is the same as without colours. */
static void test_colours(void **state)
{
	struct source s = text_of("x.d", "BEGIN { foo; }", SPEC_PROBE);
	struct buf out = { 0 };
	struct arena a;
	struct diags d;

	(void)state;
	arena_init(&a, NULL, NULL);
	diags_init(&d, &a);
	diag(&d, (struct loc){ &s, 1, 9 }, D_SYNTAX, "wrong: \033[31m");
	diag_warn(&d, (struct loc){ &s, 1, 1 }, D_SYNTAX, "odd");
	diag_print(&out, &d.list.v[0], "dtr", DIAG_TAGS | DIAG_COLOUR);
	diag_print(&out, &d.list.v[1], "dtr", DIAG_COLOUR);
	assert_string_equal(buf_str(&out),
		"dtr: failed to compile script x.d: [\033[1;31mD_SYNTAX\033[0m] line 1: "
		"\033[1mwrong: \\033[31m\033[0m\n"
		"    1 | BEGIN { foo; }\n"
		"      |         \033[1;31m^\033[0m\n"
		"dtr: \033[1;35mwarning: \033[0mx.d: line 1: \033[1modd\033[0m\n"
		"    1 | BEGIN { foo; }\n"
		"      | \033[1;35m^\033[0m\n");
	buf_free(&out);
	arena_free(&a);
}

static void test_script(void **state)
{
	struct source s = text_of("x.d", "first\nBEGIN { foo; }\nlast", SPEC_PROBE);

	(void)state;
	expect(&s, 2, 9, false, false,
	       "dtr: failed to compile script x.d: line 2: wrong: x\n"
	       "    2 | BEGIN { foo; }\n"
	       "      |         ^\n");
	expect(&s, 2, 9, false, true,
	       "dtr: failed to compile script x.d: [D_SYNTAX] line 2: wrong: x\n"
	       "    2 | BEGIN { foo; }\n"
	       "      |         ^\n");
	expect(&s, 2, 9, true, false,
	       "dtr: warning: x.d: line 2: wrong: x\n"
	       "    2 | BEGIN { foo; }\n"
	       "      |         ^\n");
	expect(&s, 3, 1, false, false,
	       "dtr: failed to compile script x.d: line 3: wrong: x\n"
	       "    3 | last\n"
	       "      | ^\n");
}

static void test_command_line(void **state)
{
	struct source s = text_of(NULL, "profile-1us", SPEC_PROBE), p = text_of(NULL, "nosuch", SPEC_PROVIDER);
	struct source none = text_of(NULL, "foo", SPEC_PROBE);

	(void)state;
	expect(&s, 1, 1, false, false,
	       "dtr: invalid probe specifier profile-1us: line 1: wrong: x\n"
	       "    1 | profile-1us\n"
	       "      | ^\n");
	expect(&p, 1, 1, false, true,
	       "dtr: invalid provider nosuch: [D_SYNTAX] line 1: wrong: x\n"
	       "    1 | nosuch\n"
	       "      | ^\n");
	expect(&none, 1, 1, false, false,
	       "dtr: invalid probe specifier foo: line 1: wrong: x\n"
	       "    1 | foo\n"
	       "      | ^\n");
	expect(&s, 1, 1, true, false,
	       "dtr: warning: line 1: wrong: x\n"
	       "    1 | profile-1us\n"
	       "      | ^\n");
}

/* Only the first line of a command-line text is repeated, and 200 bytes of it. */
static void test_title(void **state)
{
	struct source s = text_of(NULL, "BEGIN\n{ x }", SPEC_PROBE), end = text_of(NULL, "BEGIN\n", SPEC_PROBE);
	char text[301], want[1024];
	struct source longer;

	(void)state;
	expect(&s, 2, 3, false, false,
	       "dtr: invalid probe specifier BEGIN...: line 2: wrong: x\n"
	       "    2 | { x }\n"
	       "      |   ^\n");
	expect(&end, 1, 1, false, false,
	       "dtr: invalid probe specifier BEGIN: line 1: wrong: x\n"
	       "    1 | BEGIN\n"
	       "      | ^\n");
	memset(text, 'a', 300);
	text[300] = '\0';
	longer = text_of(NULL, text, SPEC_PROBE);
	snprintf(want, sizeof want,
		 "dtr: invalid probe specifier %.200s...: line 1: wrong: x\n"
		 "    1 | %.100s\n"
		 "      | ^\n", text, text);
	expect(&longer, 1, 1, false, false, want);
}

static void test_nowhere(void **state)
{
	struct source s = text_of("x.d", "abc", SPEC_PROBE);

	(void)state;
	expect(NULL, 0, 0, false, false, "dtr: wrong: x\n");
	expect(NULL, 0, 0, false, true, "dtr: [D_SYNTAX] wrong: x\n");
	expect(NULL, 0, 0, true, false, "dtr: warning: wrong: x\n");
	expect(&s, 0, 0, false, false, "dtr: failed to compile script x.d: wrong: x\n");
	/* places that the text does not have */
	expect(&s, 7, 1, false, false, "dtr: failed to compile script x.d: line 7: wrong: x\n");
	expect(&s, UINT32_MAX, UINT32_MAX, false, false, "dtr: failed to compile script x.d: line 4294967295: "
	       "wrong: x\n");
	expect(&s, 1, UINT32_MAX, false, false,
	       "dtr: failed to compile script x.d: line 1: wrong: x\n"
	       "    1 | abc\n"
	       "      |    ^\n");
	expect(&s, 1, 0, false, false,
	       "dtr: failed to compile script x.d: line 1: wrong: x\n"
	       "    1 | abc\n"
	       "      | ^\n");
}

static void test_characters(void **state)
{
	struct source tabs = text_of("x.d", "\ta\tb", SPEC_PROBE);
	struct source utf8 = text_of("x.d", "\xc3\xa4\xe2\x82\xac x", SPEC_PROBE);
	struct source control = text_of("x.d", "a\x1b[31m\x07\x7f\rb", SPEC_PROBE);
	struct source c1 = text_of("x.d", "\xc2\x9b\xc2\xa0x", SPEC_PROBE);
	struct source bad = text_of("x.d", "\x80\xff\xc2", SPEC_PROBE);
	struct source title = text_of(NULL, "\x1b]0;x\x07", SPEC_PROBE);
	struct source nul = { .name = "x.d", .text = "a\0b\nc", .len = 5 };

	(void)state;
	expect(&tabs, 1, 4, false, false,
	       "dtr: failed to compile script x.d: line 1: wrong: x\n"
	       "    1 | \ta\tb\n"
	       "      | \t \t^\n");
	expect(&utf8, 1, 7, false, false,
	       "dtr: failed to compile script x.d: line 1: wrong: x\n"
	       "    1 | \xc3\xa4\xe2\x82\xac x\n"
	       "      |    ^\n");
	expect(&control, 1, 10, false, false,
	       "dtr: failed to compile script x.d: line 1: wrong: x\n"
	       "    1 | a?[31m???b\n"
	       "      |          ^\n");
	expect(&c1, 1, 5, false, false,
	       "dtr: failed to compile script x.d: line 1: wrong: x\n"
	       "    1 | ?\xc2\xa0x\n"
	       "      |   ^\n");
	expect(&bad, 1, 3, false, false,
	       "dtr: failed to compile script x.d: line 1: wrong: x\n"
	       "    1 | ???\n"
	       "      |   ^\n");
	expect(&title, 1, 1, false, false,
	       "dtr: invalid probe specifier \\033]0;x\\a: line 1: wrong: x\n"
	       "    1 | ?]0;x?\n"
	       "      | ^\n");
	expect(&nul, 1, 3, false, false,
	       "dtr: failed to compile script x.d: line 1: wrong: x\n"
	       "    1 | a?b\n"
	       "      |   ^\n");
	expect(&nul, 2, 1, false, false,
	       "dtr: failed to compile script x.d: line 2: wrong: x\n"
	       "    2 | c\n"
	       "      | ^\n");
}

static void test_message(void **state)
{
	struct diag d = { .tag = D_SYNTAX, .text = "near '\x1b[1m'\nand\ton" };
	struct buf out = { 0 };

	(void)state;
	diag_print(&out, &d, "dtr", false);
	assert_string_equal(buf_str(&out), "dtr: near '\\033[1m'\nand\ton\n");
	buf_free(&out);
}

/* Wide characters take two columns, an accent of its own none. */
static void test_wide_line(void **state)
{
	struct source s = { .text = "a\xe6\x97\xa5\xe6\x9c\xac" "e\xcc\x81z" };
	struct diag d = { .tag = D_SYNTAX, .text = "x" };
	struct buf out = { 0 };

	(void)state;
	s.len = strlen(s.text);
	d.loc = (struct loc){ .src = &s, .line = 1, .col = (uint32_t)s.len };	/* the z */
	diag_print(&out, &d, "dtr", false);
	assert_non_null(strstr(buf_str(&out), "\n      |       ^\n"));
	buf_free(&out);
}

/* Of a long line the part around the caret: 80 columns before it, 20 from it on. */
static void test_long_line(void **state)
{
	char text[1001], want[512];
	struct source s;

	(void)state;
	for (int i = 0; i < 1000; i++)
		text[i] = (char)('a' + i % 26);
	text[1000] = '\0';
	s = text_of("x.d", text, SPEC_PROBE);
	snprintf(want, sizeof want,
		 "dtr: failed to compile script x.d: line 1: wrong: x\n"
		 "    1 | %.100s\n"
		 "      | %80s^\n", text + 419, "");
	expect(&s, 1, 500, false, false, want);
	snprintf(want, sizeof want,
		 "dtr: failed to compile script x.d: line 1: wrong: x\n"
		 "    1 | %s\n"
		 "      | %80s^\n", text + 919, "");
	expect(&s, 1, 1000, false, false, want);
	/* a character of several bytes is not cut, at either end */
	for (int i = 0; i < 999; i += 3)
		memcpy(text + i, "\xe2\x82\xac", 3);
	for (uint32_t col = 400; col < 406; col++) {
		struct buf out = { 0 };
		struct diag d = { .tag = D_SYNTAX, .loc = { &s, 1, col }, .text = "" };
		const char *shown, *end;

		diag_print(&out, &d, "dtr", false);
		shown = strstr(buf_str(&out), "1 | ") + 4;
		end = strchr(shown, '\n');
		assert_int_equal((unsigned char)shown[0], 0xe2);
		assert_int_equal((unsigned char)end[-1], 0xac);
		assert_int_equal((end - shown) % 3, 0);
		buf_free(&out);
	}
}

/* So that a hopeless text does not fill the screen. */
static void test_limit(void **state)
{
	struct arena a;
	struct diags d;

	(void)state;
	arena_init(&a, NULL, NULL);
	diags_init(&d, &a);
	for (int i = 0; i < 1000; i++) {
		diag(&d, (struct loc){ 0 }, D_SYNTAX, "%d", i);
		if (i < 3)
			diag_warn(&d, (struct loc){ 0 }, D_SYNTAX, "%d", i);
	}
	assert_int_equal(d.nerrors, 1000);
	assert_int_equal(d.list.n, 23);
	diags_init(&d, &a);
	d.max = 2;
	for (int i = 0; i < 5; i++)
		diag(&d, (struct loc){ 0 }, D_SYNTAX, "%d", i);
	assert_int_equal(d.list.n, 2);
	assert_string_equal(d.list.v[1].text, "1");
	arena_free(&a);
}

static void test_tags(void **state)
{
	(void)state;
	assert_string_equal(diag_tag_name(D_SYNTAX), "D_SYNTAX");
	assert_string_equal(diag_tag_text(D_SYNTAX), "syntax error");
	for (unsigned i = 0; i < DIAG_NTAGS; i++) {
		assert_memory_equal(diag_tag_name(i), "D_", 2);
		assert_true(*diag_tag_text(i));
		for (unsigned k = 0; k < i; k++)
			assert_string_not_equal(diag_tag_name(i), diag_tag_name(k));
	}
	assert_string_equal(diag_tag_text(DIAG_NTAGS), "");
}

/* A message keeps its beginning and its end. */
static void test_long_message(void **state)
{
	struct arena a;
	struct diags d;
	char *name;

	(void)state;
	arena_init(&a, NULL, NULL);
	diags_init(&d, &a);
	name = arena_alloc(&a, 1 << 20);
	memset(name, 'x', (1 << 20) - 1);
	diag(&d, (struct loc){ 0 }, D_SYNTAX, "begins %.980s ends", name);
	assert_int_equal(strlen(d.list.v[0].text), 992);
	diag(&d, (struct loc){ 0 }, D_SYNTAX, "begins %s ends", name);
	assert_int_equal(strlen(d.list.v[1].text), 905);
	assert_memory_equal(d.list.v[1].text, "begins xxx", 10);
	assert_string_equal(d.list.v[1].text + 905 - 5, " ends");
	assert_non_null(strstr(d.list.v[1].text, "x ... x"));
	arena_free(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_colours), cmocka_unit_test(test_made_texts),
		cmocka_unit_test(test_script), cmocka_unit_test(test_command_line), cmocka_unit_test(test_title),
		cmocka_unit_test(test_nowhere), cmocka_unit_test(test_characters), cmocka_unit_test(test_message),
		cmocka_unit_test(test_long_line), cmocka_unit_test(test_wide_line), cmocka_unit_test(test_long_message),
		cmocka_unit_test(test_limit), cmocka_unit_test(test_tags),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
