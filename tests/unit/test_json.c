/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The writer of JSON, and the reader that the other tests judge it by. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/json.h"
#include "tests/lib/jsoncheck.h"

static void is(struct buf *b, const char *want)
{
	assert_string_equal(buf_str(b), want);
	buf_reset(b);
}

static void test_commas(void **state)
{
	struct buf b = { 0 };

	(void)state;
	json_open(&b, '{');
	json_name(&b, "a");
	json_int(&b, -5);
	json_name(&b, "b");
	json_open(&b, '[');
	json_null(&b);
	json_bool(&b, true);
	json_open(&b, '{');
	json_close(&b, '}');
	json_text(&b, "[:");
	json_uint(&b, 1);
	json_close(&b, ']');
	json_name(&b, "c");
	json_hex(&b, 0xfff);
	json_close(&b, '}');
	buf_putc(&b, '\n');
	json_bytes(&b, "\0\xff", 2);
	is(&b, "{\"a\":-5,\"b\":[null,true,{},\"[:\",1],\"c\":\"0xfff\"}\n\"00ff\"");
	buf_free(&b);
}

static void test_numbers(void **state)
{
	struct buf b = { 0 };

	(void)state;
	json_int(&b, INT64_MIN);
	is(&b, "-9223372036854775808");
	json_uint(&b, UINT64_MAX);
	is(&b, "18446744073709551615");
	json_hex(&b, UINT64_MAX);
	is(&b, "\"0xffffffffffffffff\"");
	buf_free(&b);
}

static void test_strings(void **state)
{
	static const struct { const char *text; size_t n; const char *want; } cases[] = {
		{ "", 0, "\"\"" },
		{ "plain/ text", 11, "\"plain/ text\"" },
		{ "\"\\\b\f\n\r\t", 7, "\"\\\"\\\\\\b\\f\\n\\r\\t\"" },
		{ "\0\1\x1f\x7f", 4, "\"\\u0000\\u0001\\u001f\\u007f\"" },
		{ "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80", 9, "\"\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80\"" },
		{ "a\xff" "b\x80", 4, "\"a\\u00ffb\\u0080\"" },
		{ "\xc0\xaf", 2, "\"\\u00c0\\u00af\"" },			/* overlong */
		{ "\xed\xa0\x80", 3, "\"\\u00ed\\u00a0\\u0080\"" },	/* a surrogate */
		{ "\xf4\x90\x80\x80", 4, "\"\\u00f4\\u0090\\u0080\\u0080\"" },	/* above U+10FFFF */
		{ "\xe2\x82", 2, "\"\\u00e2\\u0082\"" },			/* cut */
		{ "\xe2\x82\xac", 2, "\"\\u00e2\\u0082\"" },		/* bytes after the end are not read */
		{ "\xc3\xa4\xc3", 3, "\"\xc3\xa4\\u00c3\"" },
	};
	struct buf b = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		json_string(&b, cases[i].text, cases[i].n);
		is(&b, cases[i].want);
	}
	buf_free(&b);
}

/* Any bytes: independent code can read the output. */
static void test_random(void **state)
{
	static const unsigned char leads[] = { 0xc2, 0xdf, 0xe0, 0xed, 0xef, 0xf0, 0xf4, 0x80, 0xbf, '"', '\\', 0 };
	uint64_t seed = 88172645463325252u;
	struct buf b = { 0 };
	size_t at;

	(void)state;
	for (int round = 0; round < 20000; round++) {
		char text[24];
		size_t n = 0, want = round % sizeof text;

		while (n < want) {
			seed ^= seed << 13;
			seed ^= seed >> 7;
			seed ^= seed << 17;
			text[n++] = (char)(seed & 1 ? leads[(seed >> 8) % sizeof leads] : (seed >> 8) & 0xff);
			if (n < want && seed & 2)
				text[n++] = (char)(0x80 | ((seed >> 16) & 0x3f));
		}
		buf_reset(&b);
		json_string(&b, text, n);
		assert_null(json_check(b.data, b.len, &at));
	}
	buf_free(&b);
}

static const char *lines(const char *text, unsigned *line)
{
	return json_check_lines(text, strlen(text), line);
}

static void test_reader(void **state)
{
	static const char *const good[] = {
		"0", "-1.5e+3", "[]", "{}", " [1, {\"a\": [true, false, null]}] ", "\"\\u00fF\\n\xe2\x82\xac\"",
	};
	static const char *const bad[] = {
		"", "01", "-", "1.", "1e", "tru", "[1,]", "[1 2]", "{\"a\"}", "{\"a\":1,}", "{a:1}",
		"{\"a\":1,\"a\":2}", "[", "{",
		"\"", "\"\\x\"", "\"\\u12g4\"", "\"\t\"", "\"\xff\"", "\"\xc0\xaf\"", "\"\xed\xa0\x80\"",
		"\"\xe2\x82\"", "1 2",
		"nan", "'a'",
	};
	unsigned line;
	size_t at;

	(void)state;
	for (size_t i = 0; i < sizeof good / sizeof good[0]; i++)
		assert_null(json_check(good[i], strlen(good[i]), &at));
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
		if (!json_check(bad[i], strlen(bad[i]), &at))
			fail_msg("taken for JSON: %s", bad[i]);
	assert_null(lines("", &line));
	assert_null(lines("{\"type\":\"a\"}\n{\"type\":\"b\",\"c\":1}\n", &line));
	assert_non_null(lines("{\"type\":\"a\"}\n\n", &line));
	assert_int_equal(line, 2);
	assert_non_null(lines("{\"type\":\"a\"}", &line));
	assert_non_null(lines("{\"typo\":\"a\"}\n", &line));
	assert_non_null(lines("[\"type\"]\n", &line));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_commas), cmocka_unit_test(test_numbers), cmocka_unit_test(test_strings),
		cmocka_unit_test(test_random), cmocka_unit_test(test_reader),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
