/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * `dtr stat` with counts that a machine without performance counters cannot give: multiplexing, counters that an event
 * never had, relations between events of the processor. The counts are made up; tests/cmd/stat.t has real ones.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "cmd/dtr/stat/print.h"

#define MS 1000000ull

static struct dtr_count counts[] = {
	{ .name = "task-clock", .event = "task_clock", .time = true, .value = 500 * MS, .enabled = 500 * MS,
		.running = 500 * MS },
	{ .name = "cycles", .event = "PAPI_tot_cyc", .value = 1000000000, .enabled = 500 * MS, .running = 250 * MS },
	{ .name = "instructions", .event = "PAPI_tot_ins", .value = 3000000000, .enabled = 500 * MS,
		.running = 500 * MS },
	{ .name = "branches", .event = "PAPI_br_ins", .value = 400000, .enabled = 500 * MS, .running = 500 * MS },
	{ .name = "branch-misses", .event = "PAPI_br_msp", .value = 2000, .enabled = 500 * MS, .running = 100 * MS },
	{ .name = "cache-misses", .event = "PAPI_l3_tcm", .enabled = 500 * MS },
	{ .name = "MEM_LOAD_RETIRED:L3_MISS", .reason = "the counter is in use", .user_only = true },
	{ .name = "page-faults", .event = "page_faults", .value = 100, .enabled = 500 * MS, .running = 500 * MS,
		.user_only = true },
};

enum { NCOUNTS = sizeof counts / sizeof *counts };

static const struct stat_counts all = { counts, NCOUNTS, 0, 1000 * MS };

static void expect_derived(unsigned i, double number, const char *unit)
{
	const char *got_unit;
	double got = 0;

	stat_derive(&all, i, 1000 * MS, &got, &got_unit);
	if (!unit) {
		assert_null(got_unit);
		return;
	}
	assert_string_equal(got_unit, unit);
	assert_true(got > number * 0.999999 && got < number * 1.000001);
}

static void test_derive(void **state)
{
	(void)state;
	expect_derived(0, 0.5, "CPUs utilized");
	expect_derived(1, 4, "GHz");		/* 2e9 cycles, estimated, in half a second */
	expect_derived(2, 1.5, "insn per cycle");
	expect_derived(3, 800, "K/s");
	expect_derived(4, 2.5, "% of all branches");
	expect_derived(5, 0, NULL);
	expect_derived(6, 0, NULL);
	expect_derived(7, 200, "/s");
}

static void test_estimate(void **state)
{
	(void)state;
	assert_true(stat_estimate(&counts[1]) == 2e9);
	assert_true(stat_estimate(&counts[4]) == 10000);
	assert_true(stat_estimate(&counts[5]) == 0);
	assert_false(stat_is_counted(&counts[5]));
	assert_false(stat_is_counted(&counts[6]));
	assert_true(stat_is_counted(&(struct dtr_count){ .name = "cycles" }));
}

static void test_table(void **state)
{
	struct stat_args args = { .pid = 12 };
	struct stat_mean values[NCOUNTS] = { 0 };
	struct stat_total t = { .args = &args, .runs = 1, .counts = all, .value = values };
	struct buf b = { 0 };

	(void)state;
	for (unsigned i = 0; i < NCOUNTS; i++)
		stat_mean_add(&values[i], stat_estimate(&counts[i]));
	stat_mean_add(&t.elapsed, 1);
	stat_print_table(&b, &t);
	assert_string_equal(buf_str(&b),
		"\n Counts of process 12:\n\n"
		"            500.00 ms task-clock             #     0.500 CPUs utilized\n"
		"        2000000000    cycles                 #     4.000 GHz  (50.00 %)\n"
		"        3000000000    instructions           #     1.500 insn per cycle\n"
		"            400000    branches               #   800.000 K/s\n"
		"             10000    branch-misses          #     2.500 % of all branches  (20.00 %)\n"
		"     <not counted>    cache-misses\n"
		"   <not supported>    MEM_LOAD_RETIRED:L3_MISS [1]\n"
		"               100    page-faults            #   200.000 /s [2]\n"
		"\n          1.000000 s  elapsed\n"
		"\n [1] the counter is in use\n"
		" [2] only in user mode: counting in the kernel takes CAP_PERFMON, or "
		"kernel.perf_event_paranoid of at most 1\n\n");
	buf_free(&b);
}

static void test_deviation(void **state)
{
	static const double v[] = { 2, 4, 4, 4, 5, 5, 7, 9 };
	struct stat_mean m = { 0 };

	(void)state;
	for (unsigned i = 0; i < 8; i++)
		stat_mean_add(&m, v[i]);
	assert_true(m.mean > 4.999999 && m.mean < 5.000001);
	assert_true(stat_mean_deviation(&m) > 2.138089 && stat_mean_deviation(&m) < 2.138091);	/* sqrt(32 / 7) */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_derive), cmocka_unit_test(test_estimate), cmocka_unit_test(test_table),
		cmocka_unit_test(test_deviation),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
