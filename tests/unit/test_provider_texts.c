/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* providers/: the texts they read: intervals and their refusals, patterns. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "providers/profile/profile.h"
#include "providers/provider.h"

#define SEC 1000000000ull
#define COUNT(a) (sizeof(a) / sizeof *(a))

/* ---- intervals ---- */

static void test_interval_units(void **state)
{
	static const struct { const char *text; uint64_t ns; } good[] = {
		{ "97", SEC / 97 }, { "97hz", SEC / 97 }, { "0097", SEC / 97 }, { "97HZ", SEC / 97 },
		{ "97Hz", SEC / 97 },
		{ "1", SEC }, { "5000", 200000 }, { "5000hz", 200000 }, { "4999", SEC / 4999 },
		{ "200000ns", 200000 }, { "200000nsec", 200000 }, { "200001NSEC", 200001 },
		{ "200us", 200000 }, { "200usec", 200000 }, { "250uSeC", 250000 },
		{ "1ms", 1000000 }, { "1msec", 1000000 }, { "10MS", 10000000 },
		{ "1s", SEC }, { "1sec", SEC }, { "2S", 2 * SEC }, { "3SEC", 3 * SEC },
		{ "1m", 60 * SEC }, { "1min", 60 * SEC }, { "5MIN", 300 * SEC },
		{ "1h", 3600 * SEC }, { "1hour", 3600 * SEC }, { "2HOUR", 7200 * SEC },
		{ "1d", 86400 * SEC }, { "1day", 86400 * SEC }, { "7Day", 7 * (86400 * SEC) },
		{ "0000000000000000000000000000000000001s", SEC },
		{ "9223372036s", 9223372036 * SEC }, { "9223372036854775807ns", INT64_MAX },
		{ "106751d", 106751 * (86400 * SEC) },
	};
	char why[256];

	(void)state;
	for (size_t i = 0; i < COUNT(good); i++) {
		uint64_t ns = 0;

		if (profile_parse_interval(good[i].text, &ns, why, sizeof why))
			fail_msg("%s: %s", good[i].text, why);
		assert_int_equal(ns, good[i].ns);
	}
}

static void test_interval_refusals(void **state)
{
	static const struct { const char *text, *why; } bad[] = {
		{ "5001", "interval 199960 ns is below the 200 us floor" },
		{ "199us", "interval 199000 ns is below the 200 us floor" },
		{ "199999ns", "interval 199999 ns is below the 200 us floor" },
		{ "1us", "interval 1000 ns is below the 200 us floor" },
		{ "1ns", "interval 1 ns is below the 200 us floor" },
		{ "2000000000", "interval 0 ns is below the 200 us floor" },
		{ "0", "not a number with a unit" }, { "0s", "not a number with a unit" },
		{ "000", "not a number with a unit" },
		{ "n", "not a number with a unit" }, { "", "not a number with a unit" },
		{ "hz", "not a number with a unit" },
		{ "1.5s", "not a number with a unit" }, { "1e3", "not a number with a unit" },
		{ "0x64", "not a number with a unit" }, { "-5s", "not a number with a unit" },
		{ "+5s", "not a number with a unit" }, { " 5s", "not a number with a unit" },
		{ "5 s", "not a number with a unit" }, { "5s ", "not a number with a unit" },
		{ "5s5", "not a number with a unit" },
		{ "5\xc2\xb5s", "not a number with a unit" }, { "\xff", "not a number with a unit" },
		{ "1secs", "unknown unit \"secs\"" }, { "1hours", "unknown unit" }, { "500usecs", "unknown unit" },
		{ "1x", "unknown unit" }, { "99999999999999999999x", "unknown unit" },
		{ "18446744074s", "too long" }, { "99999999999999999999hz", "too long" },
		{ "9223372036854775808ns", "too long" }, { "18446744073709551617s", "too long" },
		{ "106752d", "too long" }, { "9223372037s", "too long" },
	};
	uint64_t ns;
	char why[256];

	(void)state;
	for (size_t i = 0; i < COUNT(bad); i++) {
		why[0] = '\0';
		assert_int_equal(profile_parse_interval(bad[i].text, &ns, why, sizeof why), -1);
		if (!strstr(why, bad[i].why))
			fail_msg("%s: \"%s\" instead of \"%s\"", bad[i].text, why, bad[i].why);
	}
	/* a reason that does not fit is truncated */
	memset(why, 'x', sizeof why);
	assert_int_equal(profile_parse_interval("1secs", &ns, why, 8), -1);
	assert_int_equal(strlen(why), 7);
	assert_int_equal(why[8], 'x');
}

static void test_interval_long(void **state)
{
	static char text[1 << 20];
	uint64_t ns;
	char why[256];

	(void)state;
	memset(text, '0', sizeof text - 1);
	assert_int_equal(profile_parse_interval(text, &ns, why, sizeof why), -1);
	text[sizeof text - 2] = '7';
	assert_int_equal(profile_parse_interval(text, &ns, why, sizeof why), 0);
	assert_int_equal(ns, SEC / 7);
	memset(text, '9', sizeof text - 1);
	assert_int_equal(profile_parse_interval(text, &ns, why, sizeof why), -1);
	memset(text + 1, 'q', sizeof text - 2);
	assert_int_equal(profile_parse_interval(text, &ns, why, sizeof why), -1);
	assert_true(strlen(why) < sizeof why);
}

/* ---- patterns ---- */

static void test_glob(void **state)
{
	static const struct { const char *pattern, *s; bool yes; } t[] = {
		{ "", "", true }, { "", "anything", true }, { "*", "", true }, { "*", "x", true }, { "?", "", false },
		{ "?", "x", true }, { "x", "x", true }, { "x", "y", false }, { "x", "", false }, { "x", "xy", false },
		{ "profile-*", "profile-97", true }, { "profile-*", "profile-", true },
		{ "profile-*", "tick-1s", false },
		{ "*-1*", "tick-1s", true }, { "*s", "tick-1s", true }, { "*s", "tick-1sx", false },
		{ "t*k*s", "tick-1s", true },
		{ "[a-c]x", "bx", true }, { "[a-c]x", "dx", false }, { "[!a-c]x", "dx", true },
		{ "[!a-c]x", "ax", false },
		{ "[^a-c]x", "dx", true }, { "[]a]", "]", true }, { "[!]a]", "b", true }, { "[a-]", "-", true },
		{ "[a", "[a", true }, { "[a", "a", false }, { "[", "[", true }, { "[!", "[!", true },
		{ "\\*", "*", true }, { "\\*", "x", false }, { "a\\", "a\\", true }, { "[\\]]", "]", true },
		{ "profile-[1-9]*", "profile-97", true }, { "profile-[!1-9]*", "profile-97", false },
		{ "**", "", true }, { "a**b", "ab", true }, { "*?", "", false }, { "?*", "x", true },
		{ "[\x80-\xff]", "\xc3", true },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(t); i++) {
		if (probe_glob(t[i].pattern, t[i].s) != t[i].yes)
			fail_msg("glob %s on %s is not %d", t[i].pattern, t[i].s, t[i].yes);
	}
}

static void test_glob_time(void **state)
{
	static char pattern[2001], s[5001];

	(void)state;
	for (size_t i = 0; i + 2 < sizeof pattern; i += 2)
		memcpy(pattern + i, "*a", 2);
	pattern[sizeof pattern - 2] = 'b';
	memset(s, 'a', sizeof s - 1);
	assert_false(probe_glob(pattern, s));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_interval_units),
		cmocka_unit_test(test_interval_refusals),
		cmocka_unit_test(test_interval_long),
		cmocka_unit_test(test_glob),
		cmocka_unit_test(test_glob_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
