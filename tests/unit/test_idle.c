/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* How much of what a sampler lost idle CPUs explain. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "engine/dtr.h"
#include "engine/host/cpus.h"
#include "engine/host/idle.h"
#include "engine/run/backend.h"
#include "tests/lib/replay.h"

#define MS 1000000ull

static void test_explains(void **state)
{
	uint64_t tick = 1000000000u / (uint64_t)sysconf(_SC_CLK_TCK);

	(void)state;
	/* never more than there are */
	assert_int_equal(idle_explains(0, 1000 * MS, MS), 0);
	assert_int_equal(idle_explains(900, 1000 * MS, MS), 900);
	/* as many as fit into the time, and a tick that was not counted yet */
	assert_int_equal(idle_explains(5000, 1000 * MS, MS), 1000 + tick / MS + 1);
	assert_int_equal(idle_explains(5000, 1000 * MS, 10 * MS), 100 + tick / (10 * MS) + 1);
	/* idle time explains nothing if there was none */
	assert_int_equal(idle_explains(5000, 0, MS), 0);
	assert_int_equal(idle_explains(5000, 1000 * MS, 0), 0);
}

enum { MAXCPUS = 4096, IDLE = 4, IOWAIT = 5 };	/* columns of /proc/stat, the name is the first */

/* What /proc/stat says of each CPU, in ns; 0: not listed. */
static void stat_read(uint64_t *ns, unsigned n)
{
	FILE *f = fopen("/proc/stat", "r");
	char line[1024];

	assert_non_null(f);
	memset(ns, 0, n * sizeof *ns);
	while (fgets(line, sizeof line, f)) {
		char *save, *word = strtok_r(line, " ", &save);
		uint64_t ticks = 0;
		unsigned long cpu;

		if (strncmp(word, "cpu", 3) || !word[3])
			continue;
		cpu = strtoul(word + 3, NULL, 10);
		assert_true(cpu < n);
		for (int column = 1; column <= IOWAIT; column++) {
			word = strtok_r(NULL, " ", &save);
			if (column == IDLE || column == IOWAIT)
				ticks += strtoull(word, NULL, 10);
		}
		ns[cpu] = ticks * (1000000000u / (uint64_t)sysconf(_SC_CLK_TCK));
	}
	fclose(f);
}

static void test_read(void **state)
{
	static uint64_t before[MAXCPUS], idle[MAXCPUS], after[MAXCPUS];
	unsigned n = cpus_possible(), listed = 0;

	(void)state;
	memset(idle, 0xff, sizeof idle);
	stat_read(before, MAXCPUS);
	idle_read(idle, n);
	stat_read(after, MAXCPUS);
	for (unsigned i = 0; i < n; i++) {
		/* the time of waiting for I/O may decrease, by a tick or so: proc(5) */
		assert_in_range(idle[i] + 1000000000, before[i], after[i] + 2000000000);
		listed += idle[i] > 0;
	}
	assert_true(listed > 0);
	assert_int_equal(idle[n], UINT64_MAX);

	/* fewer than there are */
	memset(idle, 0xff, sizeof idle);
	idle_read(idle, 1);
	assert_in_range(idle[0] + 1000000000, before[0], after[0] + 2000000000);
	assert_int_equal(idle[1], UINT64_MAX);
	idle_read(idle, 0);
}

/* ---- the warning ---- */

static struct dtr_account account;	/* what the engine says of the only probe */

static bool says(struct backend *b, unsigned probe, int cpu, struct dtr_account *out)
{
	(void)b;
	*out = account;
	return probe == 0 && cpu < 0;
}

static void take_message(void *arg, const char *text)
{
	buf_puts(arg, text);
}

/* The warning at the end of a session whose engine has such an account. */
static void expect_warning(const char *want)
{
	struct backend_ops ops = backend_replay;
	struct replay events = { .src = { .text = "", .name = "none" } };
	struct buf said = { 0 };
	struct dtr_config config = {
		.progname = "dtr", .out = fopen("/dev/null", "w"), .message = take_message, .arg = &said, .share = ".",
	};
	struct dtr *t = dtr_open(&config);

	session_use(t, &ops, &events);
	ops.accounts = &(const struct backend_accounts){ .account = says };
	account.probe = "profile-997";
	account.cpu = -1;
	account.each_cpu = true;
	account.interval = 1003009;
	dtr_option(t, "quiet", NULL);
	dtr_option(t, "nolibs", NULL);
	assert_int_equal(dtr_add_text(t, "profile-997 { }", DTR_PROBE), 0);
	assert_int_equal(dtr_compile(t), 0);
	assert_int_equal(dtr_go(t), 0);
	dtr_finish(t);
	dtr_close(t);
	fclose(config.out);
	assert_string_equal(buf_str(&said), want);
	buf_free(&said);
}

static void test_warning(void **state)
{
	(void)state;
	account = (struct dtr_account){ .expected = 1000, .delivered = 900, .lost = { [DTR_LOST_UNKNOWN] = 100 } };
	expect_warning("dtr: warning: profile-997: 100 of 1000 firings (10.0 %) were not delivered; -x ledger accounts "
		       "for them\n");
	account = (struct dtr_account){ .expected = 1000, .delivered = 900, .lost = { [DTR_LOST_IDLE] = 100 } };
	expect_warning("");
	account = (struct dtr_account){ .expected = 1000, .delivered = 900, .lost = { [DTR_LOST_OFFLINE] = 100 } };
	expect_warning("");
	account = (struct dtr_account){ .expected = 1000, .delivered = 500,
					.lost = { [DTR_LOST_IDLE] = 300, [DTR_LOST_FULL] = 200 } };
	expect_warning("dtr: warning: profile-997: 200 of 1000 firings (20.0 %) were not delivered, not counting those "
		       "of idle CPUs; "
		       "-x ledger accounts for them\n");
	account = (struct dtr_account){ .expected = 1000, .delivered = 400,
					.lost = { [DTR_LOST_IDLE] = 591, [DTR_LOST_FULL] = 9 } };
	expect_warning("");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_explains), cmocka_unit_test(test_read), cmocka_unit_test(test_warning),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
