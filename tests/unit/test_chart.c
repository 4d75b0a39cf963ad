/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* engine/output/profile/chart.c: scales and bars. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "engine/output/profile/chart.h"

static void test_scale(void **state)
{
	(void)state;
	assert_int_equal(chart_scale(300000), 5358);
	assert_int_equal(chart_scale(CHART_WIDTH), 1);
	assert_int_equal(chart_scale(CHART_WIDTH + 1), 2);
	assert_int_equal(chart_scale(1), 1);
	assert_int_equal(chart_scale(0), 1);
	assert_int_equal(chart_scale(-1), 1);
	assert_int_equal(chart_scale(INT64_MAX), INT64_MAX / CHART_WIDTH + 1);
}

static void check_bar(int64_t value, int64_t scale, unsigned units, const char *end)
{
	struct buf b = { 0 };

	chart_bar(&b, value, scale);
	assert_int_equal(strspn(buf_str(&b), "#"), units);
	assert_string_equal(buf_str(&b) + units, end);
	buf_free(&b);
}

static void test_bar(void **state)
{
	(void)state;
	check_bar(0, 5358, 0, "");
	check_bar(1, 5358, 0, "!");
	check_bar(2678, 5358, 0, "!");
	check_bar(2679, 5358, 0, "|");
	check_bar(5000, 5358, 0, "|");
	check_bar(5358, 5358, 1, "");
	check_bar(5358 + 2678, 5358, 1, "");
	check_bar(10000, 5358, 1, "|");
	check_bar(95000, 5358, 17, "|");
	check_bar(300000, 5358, 55, "|");
	check_bar(3, 1, 3, "");
	check_bar(INT64_MAX, chart_scale(INT64_MAX), 55, "|");
}

static void check_percent(int64_t value, int64_t whole, unsigned units, const char *end)
{
	struct buf b = { 0 };

	chart_percent(&b, value, whole);
	assert_int_equal(strspn(buf_str(&b), "#"), units);
	assert_string_equal(buf_str(&b) + units, end);
	buf_free(&b);
}

static void test_percent(void **state)
{
	(void)state;
	check_percent(0, 99228433, 0, "");
	check_percent(252, 99228433, 0, "!");
	check_percent(1385000, 99228433, 1, "");
	check_percent(5510000, 99228433, 6, "");
	check_percent(19010000, 99228433, 19, "");
	check_percent(1, 1, 100, "");
	check_percent(1, 0, 0, "!");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_scale), cmocka_unit_test(test_bar), cmocka_unit_test(test_percent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
