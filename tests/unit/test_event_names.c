/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* providers/: names of events, as attributes of perf events. Nothing is opened. */
#include <elf.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/arch/arch.h"
#include "providers/cpc/cpc.h"
#include "providers/perf.h"
#include "providers/pmu.h"
#include "providers/profile/profile.h"
#include "providers/profile/timer.h"

#define SEC 1000000000ull

/* ---- profsrc ---- */

static void test_sources(void **state)
{
	struct perf_event_attr attr;
	struct buf help = { 0 };
	char why[256];

	(void)state;
	assert_int_equal(source_attr(NULL, 1000000, &attr, why, sizeof why), 0);
	assert_int_equal(attr.type, PERF_TYPE_SOFTWARE);
	assert_int_equal(attr.config, PERF_COUNT_SW_CPU_CLOCK);
	assert_int_equal(attr.sample_period, 1000000);
	assert_int_equal(attr.freq, 0);
	assert_true(source_is_clock(NULL));
	assert_true(source_is_clock("cpu-clock"));
	assert_false(source_is_clock("cycles"));
	assert_int_equal(source_attr("cycles", 2 * SEC, &attr, why, sizeof why), -EINVAL);
	assert_non_null(strstr(why, "one second"));
	assert_int_equal(source_attr("cycles", SEC / 97, &attr, why, sizeof why), 0);
	assert_int_equal(attr.freq, 1);
	assert_int_equal(attr.sample_freq, 97);
	assert_int_equal(attr.type, PERF_TYPE_HARDWARE);
	assert_int_equal(attr.config, PERF_COUNT_HW_CPU_CYCLES);
	assert_int_equal(source_attr("moonlight", 1000000, &attr, why, sizeof why), -EINVAL);
	assert_string_equal(why, "profsrc=moonlight: must be cpu-clock or cycles");
	profile_source_help(&help);
	assert_non_null(strstr(buf_str(&help), "cpu-clock "));
	assert_non_null(strstr(buf_str(&help), "\n  cycles "));
	buf_free(&help);
}

static void test_pmu(void **state)
{
	struct pmu_event e;
	char why[256];

	(void)state;
	assert_true(pmu_encode("no_such_event_at_all", &e, why, sizeof why) < 0);
	assert_non_null(strstr(why, "no_such_event_at_all: "));
}

/* ---- cpc ---- */

static void test_events(void **state)
{
	struct perf_event_attr attr;
	char why[256];

	(void)state;
	for (size_t i = 0; event_row(i); i++) {
		assert_ptr_equal(event_find(event_row(i)->name), event_row(i));
		for (unsigned k = 0; k < 3 && event_row(i)->other[k]; k++)
			assert_ptr_equal(event_find(event_row(i)->other[k]), event_row(i));
	}
	assert_string_equal(event_find("page-faults")->name, "page_faults");
	assert_string_equal(event_find("papi_TOT_CYC")->name, "PAPI_tot_cyc");
	assert_null(event_find("page_fault"));
	assert_int_equal(event_attr("L1-dcache-load-misses", "", &attr, why, sizeof why), EVENT_HARDWARE);
	assert_int_equal(attr.type, PERF_TYPE_HW_CACHE);
	assert_int_equal(attr.config, 0x10000);
	assert_int_equal(event_attr("cs", "", &attr, why, sizeof why), EVENT_SOFTWARE);
	assert_int_equal(event_attr("cs", "0x1", &attr, why, sizeof why), -EINVAL);
	assert_string_equal(why, "context_switches has no umask");
}

static void parse_cpc(const char *name, struct cpc *c, const char *expected)
{
	char why[256] = "";

	assert_int_equal(cpc_parse(name, c, why, sizeof why), *expected ? -1 : 1);
	assert_string_equal(why, expected);
}

static void test_cpc(void **state)
{
	char why[256];
	struct cpc c;

	(void)state;
	parse_cpc("page-faults-user-1", &c, "");
	assert_int_equal(c.attr.type, PERF_TYPE_SOFTWARE);
	assert_int_equal(c.attr.sample_period, 1);
	assert_true(!c.attr.exclude_user && c.attr.exclude_kernel && !c.attr.pinned);
	parse_cpc("cycles-kernel-5000", &c, "");
	assert_true(c.attr.exclude_user && !c.attr.exclude_kernel && c.attr.pinned && c.kind == EVENT_HARDWARE);
	parse_cpc("task_clock-all-9223372036854775807", &c, "");
	assert_int_equal(c.kind, EVENT_CLOCK);
	parse_cpc("task_clock-all-9223372036854775808", &c, "the count is too large: at most 2^63-1");
	parse_cpc("cycles-all-4999", &c, "count 4999 is below the floor of 5000");
	assert_int_equal(cpc_parse("cycles-10000", &c, why, sizeof why), 0);
	assert_int_equal(cpc_parse("-all-10000", &c, why, sizeof why), 0);
}

static void count_name(void *arg, const char *name)
{
	assert_true(*name);
	++*(unsigned *)arg;
}

/* The names of a processor that this machine need not have. */
static void test_processor(void **state)
{
	struct cpc c, hex;
	unsigned n = 0;
	int err;

	(void)state;
	setenv("LIBPFM_FORCE_PMU", "skl", 1);
	err = pmu_each(count_name, &n);
	if (err == -ENOENT || ARCH_ELF != EM_X86_64) {	/* libpfm4 knows the processors of its own kind */
		unsetenv("LIBPFM_FORCE_PMU");
		skip();
	}
	assert_int_equal(err, 0);
	assert_true(n > 50);
	parse_cpc("MEM_LOAD_RETIRED-user-L3_MISS-10000", &c, "");
	assert_int_equal(c.attr.type, PERF_TYPE_RAW);
	assert_int_equal(c.attr.config & 0xffff, 0x20d1);
	parse_cpc("MEM_LOAD_RETIRED-user-0x20-10000", &hex, "");
	assert_int_equal(hex.attr.config & 0xffff, 0x20d1);
	unsetenv("LIBPFM_FORCE_PMU");
}

static void test_perf_reason(void **state)
{
	(void)state;
	assert_non_null(strstr(perf_reason(-ENOENT), "no performance counters"));
	assert_non_null(strstr(perf_reason(-EMFILE), "too many open files"));
	assert_true(strstr(perf_reason(-EPERM), "CAP_PERFMON") || strstr(perf_reason(-EPERM), "policy"));
	assert_string_equal(perf_reason(-EINVAL), strerror(EINVAL));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sources),
		cmocka_unit_test(test_pmu),
		cmocka_unit_test(test_events),
		cmocka_unit_test(test_cpc),
		cmocka_unit_test(test_processor),
		cmocka_unit_test(test_perf_reason),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
