/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* engine/sample/captures.h: order, and what is lost where memory is short. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/sample/captures.h"

enum { RATES = 2, MOST = 64 << 10 };

static void put(struct captures *c, enum source_kind kind, unsigned rate, uint64_t weight)
{
	struct captured *x = capture_new(1000);

	assert_non_null(x);
	x->item.kind = kind;
	x->item.sample.weight = weight;
	x->item.sample.rate = rate;
	captures_put(c, x, rate);
}

static void test_order(void **state)
{
	struct source_item item;
	struct captures c;
	uint64_t lost[RATES] = { 0 };

	(void)state;
	assert_int_equal(captures_open(&c, lost, RATES), 0);
	assert_false(captures_next(&c, &item));
	put(&c, SOURCE_SAMPLE, 0, 5);
	put(&c, SOURCE_FORK, RATES, 0);
	put(&c, SOURCE_SAMPLE, 1, 7);
	assert_true(captures_next(&c, &item));
	assert_int_equal(item.sample.weight, 5);
	assert_true(captures_next(&c, &item));
	assert_int_equal(item.kind, SOURCE_FORK);
	assert_true(captures_next(&c, &item));
	assert_int_equal(item.sample.weight, 7);
	assert_false(captures_next(&c, &item));
	assert_int_equal(c.bytes, 0);
	captures_close(&c);
}

/* Nobody takes anything. */
static void test_full(void **state)
{
	enum { N = 1000, WEIGHT = 3 };
	uint64_t lost[RATES] = { 0 }, kinds[SOURCE_CHANGE + 1] = { 0 };
	uint64_t firings = 0, reported = 0;
	struct source_item item;
	struct captures c;

	(void)state;
	assert_int_equal(captures_open(&c, lost, RATES), 0);
	c.most = MOST;
	for (int i = 0; i < N; i++) {
		put(&c, SOURCE_SAMPLE, 1, WEIGHT);
		assert_true(c.bytes <= MOST);
	}
	for (int i = 0; i < N; i++) {
		put(&c, SOURCE_MAP, RATES, 0);
		assert_true(c.bytes <= 2 * MOST);
	}
	captures_put(&c, NULL, 1);		/* there was no memory for it */
	captures_put(&c, NULL, RATES);
	while (captures_next(&c, &item)) {
		kinds[item.kind]++;
		firings += item.kind == SOURCE_SAMPLE ? item.sample.weight : 0;
		reported += item.kind == SOURCE_LOST ? item.lost : 0;
		assert_int_equal(item.sample.rate, item.kind == SOURCE_MAP ? RATES : 1);
	}
	assert_true(kinds[SOURCE_SAMPLE] > 0 && kinds[SOURCE_MAP] > 0);
	assert_int_equal(firings + reported, N * WEIGHT + 1);
	assert_int_equal(kinds[SOURCE_MAP] + c.lost_events, N + 1);
	assert_int_equal(c.bytes, 0);
	put(&c, SOURCE_SAMPLE, 0, 1);		/* there is room again */
	assert_true(captures_next(&c, &item));
	assert_int_equal(item.kind, SOURCE_SAMPLE);
	captures_close(&c);
}

int main(void)
{
	static const struct CMUnitTest tests[] = { cmocka_unit_test(test_order), cmocka_unit_test(test_full) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
