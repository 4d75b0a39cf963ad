/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* engine/run/options.c: values, limits, names, the environment. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "engine/run/options.h"

#define SEC 1000000000ull

static struct options fresh(void)
{
	struct options o;

	options_init(&o);
	return o;
}

static int set(struct options *o, const char *name, const char *value)
{
	char why[256];

	return option_set(o, name, value, why, sizeof why);
}

static void test_defaults(void **state)
{
	struct options o = fresh();

	(void)state;
	assert_int_equal(o.bufsize, 256 * 1024);
	assert_int_equal(o.d.aggsize, 4 << 20);
	assert_int_equal(o.aggtable, 256 << 10);
	assert_int_equal(o.vartable, 256 << 10);
	assert_int_equal(o.dynvarsize, 4 << 20);
	assert_int_equal(o.d.strsize, 256);
	assert_int_equal(o.switchrate, SEC / 10);
	assert_int_equal(o.statusrate, SEC);
	assert_false(o.quiet || o.d.destructive || o.d.zdefs || o.errtags || o.droptags || o.d.defaultargs ||
		     o.d.share_self);
	assert_false(o.order.by_key || o.order.reverse);
	assert_null(o.clock_source);
}

static void test_sizes(void **state)
{
	static const struct { const char *text; uint64_t size; } good[] = {
		{ "4096", 4096 }, { "4k", 4096 }, { "16K", 16384 }, { "3m", 3 << 20 }, { "1g", 1 << 30 },
		{ "5g", 1 << 30 }, { "16", 16 }, { "1048576", 1 << 20 },
	};
	static const char *const bad[] = {
		"", "k", "4kb", "-4k", " 4k", "4 k", "0", "1025g", "18446744073709551616", "99999999999999999999k",
		"18446744073709551615k", "0x1000", "banana", "1.5m",
	};
	struct options o = fresh();

	(void)state;
	for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
		assert_int_equal(set(&o, "bufsize", good[i].text), 0);
		assert_int_equal(o.bufsize, good[i].size);
	}
	o.bufsize = 77;
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		assert_int_equal(set(&o, "bufsize", bad[i]), -1);
		assert_int_equal(o.bufsize, 77);
	}
	assert_int_equal(set(&o, "bufsize", NULL), -1);
}

/* Sizes that are possible elsewhere get the nearest possible value. */
static void test_nearest(void **state)
{
	struct options o = fresh();

	(void)state;
	assert_int_equal(set(&o, "aggsize", "1k"), 0);
	assert_int_equal(o.d.aggsize, 4096);
	assert_int_equal(set(&o, "aggsize", "8g"), 0);
	assert_int_equal(o.d.aggsize, 4ull << 30);
	assert_int_equal(set(&o, "aggsize", "5000"), 0);
	assert_int_equal(o.d.aggsize, 5000);
	assert_int_equal(set(&o, "aggsize", "0"), -1);
}

/* The error for a value out of range has both bounds. */
static void test_ranges(void **state)
{
	static const char *const names[] = {
		"aggsize", "aggtable", "bufsize", "dynvarsize", "nspec", "specsize", "stackframes", "stackindent",
		"statusrate", "strsize", "switchrate", "vartable", "cleanrate",
	};
	struct options o = fresh();
	char why[256];

	(void)state;
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		why[0] = '\0';
		assert_int_equal(option_set(&o, names[i], strstr(names[i], "rate") ? "99999d" : "99999999999999", why,
					    sizeof why), -1);
		if (!strstr(why, "must be from "))
			fail_msg("%s: %s", names[i], why);
	}
}

static void test_strsize(void **state)
{
	struct options o = fresh();

	(void)state;
	assert_int_equal(set(&o, "strsize", "17"), 0);
	assert_int_equal(o.d.strsize, 24);
	assert_int_equal(set(&o, "strsize", "4096"), 0);
	assert_int_equal(o.d.strsize, 4096);
	assert_int_equal(set(&o, "strsize", "4097"), -1);
	assert_int_equal(set(&o, "strsize", "5"), 0);
	assert_int_equal(o.d.strsize, 16);
	assert_int_equal(set(&o, "strsize", "0"), -1);
}

static void test_rates(void **state)
{
	static const struct { const char *text; uint64_t ns; } good[] = {
		{ "10", SEC / 10 }, { "10hz", SEC / 10 }, { "10HZ", SEC / 10 }, { "3", SEC / 3 }, { "1000ns", 1000 },
		{ "5us", 5000 }, { "5usec", 5000 }, { "7ms", 7000000 }, { "7msec", 7000000 }, { "2s", 2 * SEC },
		{ "2sec", 2 * SEC }, { "1m", 60 * SEC }, { "1min", 60 * SEC }, { "1h", 3600 * SEC },
		{ "1hour", 3600 * SEC },
		{ "1d", 86400 * SEC }, { "1day", 86400 * SEC },
	};
	static const char *const bad[] = {
		"", "0", "0s", "hz", "s", "2d", "25h", "1secs", "1 s", "-1s", "2000000000hz", "99999999999999999999s",
	};
	struct options o = fresh();

	(void)state;
	for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
		assert_int_equal(set(&o, "switchrate", good[i].text), 0);
		assert_int_equal(o.switchrate, good[i].ns);
	}
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
		assert_int_equal(set(&o, "switchrate", bad[i]), -1);
	assert_int_equal(o.switchrate, 86400 * SEC);
}

static void test_booleans(void **state)
{
	static const char *const on[] = { "1", "yes", "on", "true", "enable", "enabled", "set", "ON" };
	static const char *const off[] = { "0", "no", "off", "false", "disable", "disabled", "unset" };
	struct options o = fresh();

	(void)state;
	for (size_t i = 0; i < sizeof on / sizeof on[0]; i++) {
		o.quiet = false;
		assert_int_equal(set(&o, "quiet", on[i]), 0);
		assert_true(o.quiet);
	}
	for (size_t i = 0; i < sizeof off / sizeof off[0]; i++) {
		o.quiet = true;
		assert_int_equal(set(&o, "quiet", off[i]), 0);
		assert_false(o.quiet);
	}
	assert_int_equal(set(&o, "quiet", NULL), 0);
	assert_true(o.quiet);
	assert_int_equal(set(&o, "quiet", "maybe"), -1);
	assert_int_equal(set(&o, "quiet", ""), -1);
}

static void test_ledger(void **state)
{
	static const struct { const char *text; uint64_t mode; } good[] = {
		{ NULL, LEDGER_ON }, { "on", LEDGER_ON }, { "1", LEDGER_ON }, { "cpu", LEDGER_CPU },
		{ "CPU", LEDGER_CPU },
		{ "off", LEDGER_OFF }, { "no", LEDGER_OFF }, { "warn", LEDGER_WARN },
	};
	struct options o = fresh();

	(void)state;
	assert_int_equal(o.ledger, LEDGER_WARN);
	for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
		assert_int_equal(set(&o, "ledger", good[i].text), 0);
		assert_int_equal(o.ledger, good[i].mode);
	}
	assert_int_equal(set(&o, "ledger", "cpus"), -1);
	assert_int_equal(set(&o, "ledger", ""), -1);
	assert_int_equal(o.ledger, LEDGER_WARN);
	assert_false(o.cost);
	assert_int_equal(set(&o, "cost", NULL), 0);
	assert_true(o.cost);
}

static void test_percent(void **state)
{
	static const struct { const char *text; uint64_t millionths; } good[] = {
		{ "1%", 10000 }, { "1", 10000 }, { "0.5", 5000 }, { "2.25%", 22500 }, { "0.001%", 10 },
		{ "100%", 1000000 }, { "0.0010", 10 },
	};
	static const char *const bad[] = {
		"", "%", ".5", "1.", "1.%", "0", "0%", "101%", "100.1", "-1", "1%%", "1 %", "0.0005", "0.00001",
		"99999999999999999999",
	};
	struct options o = fresh();

	(void)state;
	assert_int_equal(o.maxcost, 0);
	for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
		assert_int_equal(set(&o, "maxcost", good[i].text), 0);
		assert_int_equal(o.maxcost, good[i].millionths);
	}
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
		assert_int_equal(set(&o, "maxcost", bad[i]), -1);
	assert_int_equal(set(&o, "maxcost", NULL), -1);
	assert_int_equal(o.maxcost, 10);
}

static void test_order(void **state)
{
	struct options o = fresh();

	(void)state;
	assert_int_equal(set(&o, "aggsortkey", NULL), 0);
	assert_int_equal(set(&o, "aggsortrev", NULL), 0);
	assert_int_equal(set(&o, "aggsortpos", "2"), 0);
	assert_int_equal(set(&o, "aggsortkeypos", "31"), 0);
	assert_true(o.order.by_key && o.order.reverse);
	assert_int_equal(o.order.pos, 2);
	assert_int_equal(o.order.keypos, 31);
	assert_false(o.order.only);
	assert_int_equal(set(&o, "aggsortonly", NULL), 0);
	assert_true(o.order.only);
	assert_int_equal(set(&o, "aggsortkeypos", "32"), -1);
	assert_int_equal(set(&o, "aggsortpos", "4294967296"), -1);
	assert_int_equal(o.order.pos, 2);
	assert_int_equal(set(&o, "aggsortrev", "0"), 0);
	assert_false(o.order.reverse);
	assert_int_equal(set(&o, "aggsortrev", "4"), 0);
	assert_true(o.order.reverse);
	assert_int_equal(set(&o, "aggsortrev", "4x"), -1);
	assert_int_equal(set(&o, "aggsortrev", "-1"), -1);
	assert_true(o.order.reverse);
}

static void test_names(void **state)
{
	struct options o = fresh();
	char why[256];

	(void)state;
	assert_int_equal(option_set(&o, "bufsiz", "1m", why, sizeof why), -1);
	assert_non_null(strstr(why, "'bufsiz'"));
	assert_non_null(strstr(why, "did you mean 'bufsize'"));
	assert_int_equal(option_set(&o, "qiuet", NULL, why, sizeof why), -1);
	assert_non_null(strstr(why, "'quiet'"));
	assert_int_equal(option_set(&o, "somethingelse", "1", why, sizeof why), -1);
	assert_null(strstr(why, "did you mean"));
	/* one that does nothing here is not what anybody means */
	assert_int_equal(option_set(&o, "aggrat", "1s", why, sizeof why), -1);
	assert_string_equal(why, "unknown option 'aggrat'");
	assert_int_equal(option_set(&o, "linktypo", "elf", why, sizeof why), -1);
	assert_null(strstr(why, "did you mean"));
	assert_int_equal(option_set(&o, "pgmaxx", "1", why, sizeof why), -1);
	assert_null(strstr(why, "did you mean"));
	assert_int_equal(option_set(&o, "aggzom", "1", why, sizeof why), -1);
	assert_null(strstr(why, "did you mean"));
	assert_int_equal(option_set(&o, "", "1", why, sizeof why), -1);
	assert_int_equal(option_set(&o, "a-name-longer-than-any-word-that-was-ever-an-option", "1", why, sizeof why),
			 -1);
	/* DTrace's: refused with the reason, or accepted without effect. */
	assert_int_equal(option_set(&o, "grabanon", NULL, why, sizeof why), -1);
	assert_non_null(strstr(why, "anonymous"));
	assert_int_equal(option_set(&o, "iregs", "8", why, sizeof why), -1);
	assert_int_equal(option_set(&o, "cleanrate", "101hz", why, sizeof why), 0);
	assert_int_equal(option_set(&o, "temporal", NULL, why, sizeof why), 0);
	assert_int_equal(option_set(&o, "profsrc", "cycles", why, sizeof why), 0);
	assert_string_equal(o.clock_source, "cycles");
	assert_int_equal(option_set(&o, "profsrc", NULL, why, sizeof why), -1);
	assert_int_equal(option_set(&o, "amin", "evolving/Private/ISA", why, sizeof why), 0);
	assert_string_equal(o.d.amin, "evolving/Private/ISA");
	assert_int_equal(option_set(&o, "amin", "Stable/Stable", why, sizeof why), -1);
	assert_int_equal(option_set(&o, "amin", "Stable/Stable/Common/", why, sizeof why), -1);
	assert_int_equal(option_set(&o, "amin", "Stab/Stable/Common", why, sizeof why), -1);
	assert_string_equal(why, "invalid value 'Stab/Stable/Common' for option 'amin': expected a stability "
			    "such as Evolving/Evolving/Common");
}

static void test_words(void **state)
{
	struct options o = fresh();
	char why[256];

	(void)state;
	assert_int_equal(o.bufpolicy, BUF_SWITCH);
	assert_int_equal(set(&o, "bufpolicy", "ring"), 0);
	assert_int_equal(o.bufpolicy, BUF_RING);
	assert_int_equal(set(&o, "bufpolicy", "FILL"), 0);
	assert_int_equal(o.bufpolicy, BUF_FILL);
	assert_int_equal(option_set(&o, "bufpolicy", "full", why, sizeof why), -1);
	assert_string_equal(why, "invalid value 'full' for option 'bufpolicy': expected switch, fill or ring");
	assert_int_equal(set(&o, "bufpolicy", NULL), -1);
	assert_int_equal(o.bufpolicy, BUF_FILL);
	assert_int_equal(o.d.cpu, -1);
	assert_int_equal(set(&o, "cpu", "3"), 0);
	assert_int_equal(o.d.cpu, 3);
	assert_int_equal(set(&o, "cpu", "all"), 0);
	assert_int_equal(o.d.cpu, -1);
	assert_int_equal(set(&o, "cpu", "-1"), -1);
	assert_int_equal(set(&o, "cpu", "70000"), -1);
}

static void test_lists(void **state)
{
	struct options o = fresh();
	char name[OPT_LIST_MAX + 1][8];

	(void)state;
	assert_int_equal(set(&o, "define", "A=1"), 0);
	assert_int_equal(set(&o, "define", "B"), 0);
	assert_int_equal(set(&o, "define", "B"), 0);
	assert_int_equal(set(&o, "define", NULL), -1);
	assert_int_equal(o.define.n, 2);
	assert_string_equal(o.define.v[0], "A=1");
	for (int i = 0; i <= OPT_LIST_MAX; i++) {
		snprintf(name[i], sizeof name[i], "%d", i);
		assert_int_equal(set(&o, "incdir", name[i]), i < OPT_LIST_MAX ? 0 : -1);
	}
	assert_int_equal(o.incdir.n, OPT_LIST_MAX);
}

static void test_versions(void **state)
{
	static const char *const good[] = { "1.0", "1.2", "1.2.2", "1.13", "2.0", "2.0.1" };
	static const char *const bad[] = { "", "2", "2.", "2.1", "3.0", "1.2.3.4", "1.2x", "x", "1.99999" };
	struct options o = fresh();

	(void)state;
	for (size_t i = 0; i < sizeof good / sizeof good[0]; i++)
		assert_int_equal(set(&o, "version", good[i]), 0);
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
		assert_int_equal(set(&o, "version", bad[i]), -1);
}

static void test_environment(void **state)
{
	char *good[] = { "HOME=/", "DTR_OPT_QUIET=1", "DTR_OPT_BufSize=8k", "DTR_OPT_ERRTAGS=", NULL };
	char *bad[] = { "DTR_OPT_STRSIZE=banana", NULL };
	char *unknown[] = { "DTR_OPT_NOSUCH=1", NULL };
	struct options o = fresh();
	char why[256];

	(void)state;
	assert_int_equal(options_from_env(&o, good, why, sizeof why), 0);
	assert_true(o.quiet && o.errtags);
	assert_int_equal(o.bufsize, 8192);
	assert_int_equal(options_from_env(&o, bad, why, sizeof why), -1);
	assert_non_null(strstr(why, "strsize"));
	assert_int_equal(options_from_env(&o, unknown, why, sizeof why), -1);
	assert_int_equal(options_from_env(&o, NULL, why, sizeof why), 0);
}

/* The help shows the real defaults: setting each option to the default shown changes nothing. */
static void test_help(void **state)
{
	struct options o = fresh(), before = fresh();
	struct buf b = { 0 };
	char name[32], def[32];
	unsigned lines = 0;

	(void)state;
	options_help(&b);
	for (const char *s = buf_str(&b); *s; s += strcspn(s, "\n") + 1) {
		if (strspn(s, " ") > 2)		/* the line before goes on */
			continue;
		assert_int_equal(sscanf(s, "%31s %31s", name, def), 2);
		lines++;
		if (strcmp(def, "-"))
			assert_int_equal(set(&o, name, def), 0);
	}
	assert_true(lines > 15);
	/* it is only known that they were set */
	assert_true(options_given(&o, offsetof(struct options, bufsize)));
	assert_false(options_given(&before, offsetof(struct options, bufsize)));
	memset(o.given, 0, sizeof o.given);
	assert_memory_equal(&o, &before, sizeof o);
	buf_free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_defaults), cmocka_unit_test(test_sizes), cmocka_unit_test(test_nearest),
		cmocka_unit_test(test_ranges), cmocka_unit_test(test_strsize),
		cmocka_unit_test(test_rates), cmocka_unit_test(test_booleans), cmocka_unit_test(test_order),
		cmocka_unit_test(test_ledger), cmocka_unit_test(test_percent),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_words),
		cmocka_unit_test(test_lists),
		cmocka_unit_test(test_versions), cmocka_unit_test(test_environment), cmocka_unit_test(test_help),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
