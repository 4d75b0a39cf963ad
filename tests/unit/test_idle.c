/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* How much of what a sampler lost idle CPUs explain. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <unistd.h>

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

static void test_read(void **state)
{
	unsigned n = cpus_possible(), some = 0;
	uint64_t idle[n];

	(void)state;
	idle_read(idle, n);
	for (unsigned i = 0; i < n; i++)
		some += idle[i] > 0;
	assert_true(some > 0);
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
