/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The hint about code without names: remedies, the order of causes, when there is none. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/run/unnamed.h"

static void is_hint(struct unnamed *u, bool requested, const char *want)
{
	struct buf b = { 0 };

	unnamed_hint(u, requested, &b);
	assert_string_equal(b.len ? buf_str(&b) : "", want);
	buf_free(&b);
	unnamed_free(u);
}

static void test_remedy(void **state)
{
	(void)state;
	assert_string_equal(unnamed_remedy("/usr/bin/node"), "use jstack(), or start it with --perf-basic-prof");
	assert_string_equal(unnamed_remedy("/opt/node-20/bin/node20"),
			    "use jstack(), or start it with --perf-basic-prof");
	assert_string_equal(unnamed_remedy("/usr/bin/python3.12"), "start it with -X perf (Python 3.12)");
	assert_string_equal(unnamed_remedy("dotnet"), "start it with DOTNET_PerfMapEnabled=1 in its environment");
	assert_null(unnamed_remedy("/usr/node/grep"));
	assert_null(unnamed_remedy("/usr/bin/mynode"));
}

static void test_none(void **state)
{
	struct unnamed u = { .samples = 100 };

	(void)state;
	is_hint(&u, false, "");
	u = (struct unnamed){ .samples = 100 };
	unnamed_add(&u, unnamed_cause(&u, "/x/node", true), 4);
	is_hint(&u, false, "");			/* fewer than one in twenty */
	u = (struct unnamed){ .samples = 100 };
	unnamed_add(&u, unnamed_cause(&u, NULL, false), 50);
	is_hint(&u, false, "");			/* no cause is known */
}

static void test_causes(void **state)
{
	struct unnamed u = { .samples = 1000 };

	(void)state;
	unnamed_add(&u, unnamed_cause(&u, "/x/none", false), 70);
	unnamed_add(&u, unnamed_cause(&u, "/x/node", true), 1);
	unnamed_add(&u, unnamed_cause(&u, "/x/rare", false), 10);
	unnamed_add(&u, unnamed_cause(&u, "/x/node", true), 99);
	unnamed_add(&u, unnamed_cause(&u, "/x/\ncalc", true), 60);
	is_hint(&u, true, "hint: 240 of 1000 samples are in code without names: "
		"/x/node generates code: use jstack(), or start it with --perf-basic-prof; "
		"/x/none has no symbols: install its debugging symbols; "
		"/x/\\ncalc generates code that it does not describe");
}

static void test_debuginfod(void **state)
{
	struct unnamed u = { .samples = 1 };

	(void)state;
	unsetenv("DEBUGINFOD_URLS");
	unnamed_add(&u, unnamed_cause(&u, "/x/none", false), 1);
	is_hint(&u, false, "hint: 1 of 1 samples are in code without names: /x/none has no symbols: install its "
		"debugging symbols, or set DEBUGINFOD_URLS and use -x stacklines");
	setenv("DEBUGINFOD_URLS", "http://localhost", 1);
	u = (struct unnamed){ .samples = 1 };
	unnamed_add(&u, unnamed_cause(&u, "/x/none", false), 1);
	is_hint(&u, false, "hint: 1 of 1 samples are in code without names: /x/none has no symbols: install its "
		"debugging symbols, or use -x stacklines");
}

static void test_many(void **state)
{
	struct unnamed u = { .samples = 1 << 20 };
	char path[32];

	(void)state;
	for (int i = 0; i < 4 * UNNAMED_CAUSES; i++) {
		snprintf(path, sizeof path, "/x/%d", i);
		unnamed_add(&u, unnamed_cause(&u, path, false), 1 << 10);
	}
	assert_int_equal(u.ncauses, UNNAMED_CAUSES);
	assert_int_equal(u.without, 4 * UNNAMED_CAUSES << 10);
	unnamed_free(&u);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_remedy), cmocka_unit_test(test_none), cmocka_unit_test(test_causes),
		cmocka_unit_test(test_debuginfod), cmocka_unit_test(test_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
