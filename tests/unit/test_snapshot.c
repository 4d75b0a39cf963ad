/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* dtr_snapshot on the engine that needs no privilege. tests/kernel/test_snapshot.c tests it on that of the kernel. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/lib/snapshots.h"

static void test_values(void **state)
{
	struct snapshots s;

	(void)state;
	assert_true(snapshots_open(&s, "BEGIN { @[\"a\"] = count(); @[\"b\"] = count(); @[\"b\"] = count(); }"
				   "BEGIN { @q = quantize(9); @q = quantize(-1); @v[(char)-3, 5u] = avg(10); }"
				   "BEGIN { @v[-3, 5u] = avg(20); }", "user", NULL));
	snapshots_take(&s);
	assert_string_equal(snapshots_rows(&s, ""), "a=1 n=1\nb=2 n=2\n");
	assert_string_equal(snapshots_rows(&s, "q"), "=2 n=2 [-1,-1]:1 [8,15]:1\n");
	assert_string_equal(snapshots_rows(&s, "v"), "-3,5=15 n=2 s=30\n");
	snapshots_close(&s);
}

/* Of the lines of printa(), which do not begin with a blank. */
static long long total(const char *rows, char before)
{
	long long n = 0;

	for (; *rows; rows = strchr(rows, '\n') + 1)
		if (*rows != ' ' && *rows != '\n')
			n += atoll(before ? strchr(rows, before) + 1 : rows);
	return n;
}

/* What was printed before each clear() and what is left at the end are all values. */
static void test_clear(void **state)
{
	long long last = 0, n, printed;
	struct snapshots s;

	(void)state;
	assert_true(snapshots_open(&s, "tick-1ms { @all = count(); @n[i++ & 3] = count(); }"
				   "tick-20ms { printa(\"%@d\\n\", @n); trunc(@n); }", "user", NULL));
	while (last < 200) {
		assert_int_equal(dtr_work(s.t), DTR_MORE);
		snapshots_take(&s);
		n = total(snapshots_rows(&s, "all"), '=');
		assert_true(n >= last);
		last = n;
	}
	dtr_finish(s.t);
	printed = total(snapshots_printed(&s, 0), 0);
	assert_true(printed > 0);
	snapshots_take(&s);
	n = total(snapshots_rows(&s, "all"), '=');
	assert_true(n >= last);
	assert_int_equal(printed + total(snapshots_rows(&s, "n"), '='), n);
	snapshots_close(&s);
}

static int stop(void *arg, const struct dtr_row *r)
{
	(void)r;
	++*(int *)arg;
	return 7;
}

static void note(void *arg, const char *text)
{
	(void)text;
	++*(int *)arg;
}

static void test_misuse(void **state)
{
	struct snapshots s;
	struct dtr *t;
	int n = 0;

	(void)state;
	assert_true(snapshots_open(&s, "BEGIN { @[1] = count(); @[2] = count(); }", "user", NULL));
	assert_int_equal(dtr_agg_rows(s.t, 0, stop, &n), 0);
	snapshots_take(&s);
	assert_int_equal(dtr_agg_rows(s.t, 0, stop, &n), 7);
	assert_int_equal(n, 1);
	assert_int_equal(dtr_agg_rows(s.t, 1, stop, &n), 0);
	snapshots_close(&s);

	n = 0;
	t = dtr_open(&(struct dtr_config){ .progname = "dtr", .message = note, .arg = &n });
	assert_int_equal(dtr_agg_count(t), 0);
	assert_int_equal(dtr_snapshot(t), -1);
	assert_int_equal(n, 1);
	dtr_close(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_values), cmocka_unit_test(test_clear), cmocka_unit_test(test_misuse),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
