/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* engine/output/progress.c: shows something after the delay, not before, and erases it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "engine/output/progress.h"

struct progress_seen {
	unsigned shown, erased, wrong;
};

static void show(void *arg, const char *text)
{
	struct progress_seen *s = arg;

	if (!*text)
		s->erased++;
	else if (strncmp(text, "counting ... ", 13) || s->erased)
		s->wrong++;
	else
		s->shown++;
}

/* However slow the machine is: far more than the delay passes. */
static void test_long(void **state)
{
	struct progress_seen s = { 0 };
	struct progress p;

	(void)state;
	progress_begin(&p, show, &s, "counting", 1000000);
	while (!__atomic_load_n(&s.shown, __ATOMIC_RELAXED))
		usleep(1000);
	progress_end(&p);
	assert_true(s.shown > 0);
	assert_int_equal(s.erased, 1);
	assert_int_equal(s.wrong, 0);
	progress_end(&p);
	assert_int_equal(s.erased, 1);
}

static void test_short(void **state)
{
	struct progress_seen s = { 0 };
	struct progress p;

	(void)state;
	progress_begin(&p, show, &s, "counting", 3600ull * 1000000000);
	progress_end(&p);
	assert_int_equal(s.shown + s.erased + s.wrong, 0);
}

/* Without a terminal no thread is started, and the end does not wait. */
static void test_nobody(void **state)
{
	struct progress p = { .running = true };

	(void)state;
	progress_begin(&p, NULL, NULL, "counting", 1);
	assert_false(p.running);
	progress_end(&p);
	assert_false(p.running);
	assert_false(p.done);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_long), cmocka_unit_test(test_short), cmocka_unit_test(test_nobody),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
