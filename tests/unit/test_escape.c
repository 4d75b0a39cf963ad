/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Escaping of control characters: each byte and each character, then random texts compared with a model. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/escape.h"
#include "base/json.h"

static void expect(const char *text, size_t n, enum escape_set set, const char *want)
{
	struct buf b = { 0 };
	size_t all = n;

	escape_put(&b, text, n, set);
	assert_string_equal(buf_str(&b), want);
	assert_int_equal(escape_width(text, &all, SIZE_MAX, set), strlen(want));
	assert_int_equal(all, n);
	buf_free(&b);
}

static void test_bytes(void **state)
{
	static const char letters[] = "\a\b\f\n\r\t\v";

	(void)state;
	for (int c = 1; c < 256; c++) {
		char byte = (char)c, plain[2] = { byte }, escaped[8];
		const char *at = strchr(letters, c);

		snprintf(escaped, sizeof escaped, at ? "\\%c" : "\\%03o", at ? "abfnrtv"[at - letters] : c);
		expect(&byte, 1, ESCAPE_NOTHING, plain);
		expect(&byte, 1, ESCAPE_LINE, c >= ' ' && c < 0x7f ? plain : escaped);
		expect(&byte, 1, ESCAPE_TEXT, (c >= ' ' && c < 0x7f) || c == '\n' || c == '\t' ? plain : escaped);
	}
	expect("a\0b", 3, ESCAPE_LINE, "a\\0b");
	expect("\"\\\xc3\xa4", 4, ESCAPE_C, "\\\"\\\\\\303\\244");
	expect("", 0, ESCAPE_LINE, "");
}

static void test_characters(void **state)
{
	static const struct { const char *text, *want; } rows[] = {
		{ "\xc2\x80", "\\302\\200" }, { "\xc2\x9b" "31m", "\\302\\23331m" }, { "\xc2\x9f", "\\302\\237" },
		{ "\xc2\xa0", "\xc2\xa0" }, { "na\xc3\xafve \xe2\x82\xac \xf0\x9f\x90\x8d",
		  "na\xc3\xafve \xe2\x82\xac \xf0\x9f\x90\x8d" },
		{ "\xc3", "\\303" }, { "\xe2\x82", "\\342\\202" }, { "\xc0\xaf", "\\300\\257" },
		{ "\xed\xa0\x80", "\\355\\240\\200" },
		{ "\xf4\x90\x80\x80", "\\364\\220\\200\\200" }, { "\x9b" "0m", "\\2330m" },
		{ "\033]0;x\007", "\\033]0;x\\a" }, { "12345678\r12345678\n", "12345678\\r12345678\\n" },
		{ "c:\\temp\\033", "c:\\temp\\033" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		expect(rows[i].text, strlen(rows[i].text), ESCAPE_LINE, rows[i].want);
		expect(rows[i].want, strlen(rows[i].want), ESCAPE_LINE, rows[i].want);	/* again: the same */
	}
}

/* Widths count printed columns; characters and escape sequences are never split. */
static void test_columns(void **state)
{
	static const struct { const char *text; size_t most, n, width; } rows[] = {
		{ "abc", 2, 2, 2 }, { "a\033b", 4, 1, 1 }, { "a\033b", 5, 2, 5 }, { "\xc3\xa4x", 1, 0, 0 },
		{ "\xc3\xa4x", 2, 2, 2 },
		{ "\n\n", 3, 1, 2 }, { "abcdefghijkl", 10, 10, 10 },
	};
	struct buf b = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		size_t n = strlen(rows[i].text);

		assert_int_equal(escape_width(rows[i].text, &n, rows[i].most, ESCAPE_LINE), rows[i].width);
		assert_int_equal(n, rows[i].n);
	}
	escape_column(&b, "\033x", 2, 8, ESCAPE_LINE);
	escape_column(&b, "\033x", 2, -8, ESCAPE_LINE);
	escape_column(&b, "\033x", 2, 2, ESCAPE_LINE);
	assert_string_equal(buf_str(&b), "   \\033x\\033x   \\033x");
	buf_free(&b);
}

/* Reverses the escapes of a text that had no backslashes. */
static size_t unescape(const char *s, size_t n, char *to)
{
	static const char letters[] = "abfnrtv0", bytes[] = "\a\b\f\n\r\t\v\0";
	size_t got = 0;

	for (size_t i = 0; i < n; i++) {
		const char *at = s[i] == '\\' ? memchr(letters, s[i + 1], sizeof letters - 1) : NULL;
		bool octal = s[i] == '\\' && i + 3 < n && s[i + 1] >= '0' && s[i + 1] <= '3' && s[i + 2] >= '0' &&
			s[i + 2] <= '7';

		if (octal) {
			to[got++] = (char)((s[i + 1] - '0') << 6 | (s[i + 2] - '0') << 3 | (s[i + 3] - '0'));
			i += 3;
		} else if (at) {
			to[got++] = bytes[at - letters];
			i++;
		} else {
			to[got++] = s[i];
		}
	}
	return got;
}

static void check_random(const char *text, size_t n)
{
	struct buf b = { 0 };
	char back[256];
	size_t len;

	escape_put(&b, text, n, ESCAPE_LINE);
	for (size_t i = 0; i < b.len; i += len) {
		len = json_utf8_length((const unsigned char *)b.data + i, b.len - i);
		assert_true(len);
		assert_true((unsigned char)b.data[i] >= ' ' && b.data[i] != 0x7f);
		assert_false(len == 2 && (unsigned char)b.data[i] == 0xc2 && (unsigned char)b.data[i + 1] < 0xa0);
	}
	assert_int_equal(unescape(buf_str(&b), b.len, back), n);
	assert_memory_equal(back, text, n);
	buf_free(&b);
}

static void test_random(void **state)
{
	static const char *const parts[] = { "abc", "\xc3\xa4", "\xc2", "\x9b", "\033[", "\xe2\x82\xac", "\xff", "\n",
		"x", "\xf0\x9f", "\x7f" };
	char text[64];

	(void)state;
	srandom(1);
	for (int round = 0; round < 100000; round++) {
		size_t n = 0;

		for (long k = random() % 12; k > 0; k--) {
			const char *p = parts[(size_t)random() % (sizeof parts / sizeof parts[0])];

			memcpy(text + n, p, strlen(p));
			n += strlen(p);
		}
		check_random(text, n);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bytes), cmocka_unit_test(test_characters), cmocka_unit_test(test_columns),
		cmocka_unit_test(test_random),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
