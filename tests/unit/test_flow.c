/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* engine/output/flow.c: the lines of -F. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "engine/output/flow.h"

static struct probe probes[] = {
	{ .provname = "fbt", .func = "outer", .name = "entry" },
	{ .provname = "fbt", .func = "outer", .name = "return" },
	{ .provname = "syscall", .func = "read", .name = "entry" },
	{ .provname = "syscall", .func = "read", .name = "return" },
	{ .provname = "lib", .func = "", .name = "method-entry" },
	{ .provname = "lib", .func = "", .name = "method-return" },
	{ .provname = "lib", .func = "work", .name = "reentry" },
};

enum { OUTER, OUTER_RET, READ, READ_RET, METHOD, METHOD_RET, OTHER, OUTER2, OUTER_RET2, NLINES };

static const struct epid_desc descs[NLINES] = {
	[OUTER] = { .epid = 1, .probe = &probes[0] }, [OUTER_RET] = { .epid = 2, .probe = &probes[1] },
	[READ] = { .epid = 3, .probe = &probes[2] }, [READ_RET] = { .epid = 4, .probe = &probes[3] },
	[METHOD] = { .epid = 5, .probe = &probes[4] }, [METHOD_RET] = { .epid = 6, .probe = &probes[5] },
	[OTHER] = { .epid = 7, .probe = &probes[6] },
	[OUTER2] = { .epid = 8, .probe = &probes[0] }, [OUTER_RET2] = { .epid = 9, .probe = &probes[1] },
};

struct step {
	int cpu, line;
	const char *text;
};

/* next: what prints behind a line on its CPU. */
static const struct epid_desc *next_of(const struct step *s, size_t n, size_t i)
{
	for (size_t j = i + 1; j < n; j++)
		if (s[j].cpu == s[i].cpu)
			return &descs[s[j].line];
	return NULL;
}

static void check(const struct step *s, size_t n)
{
	struct flow_output f = { 0 };

	for (size_t i = 0; i < n; i++) {
		struct buf b = { 0 };
		char want[64];

		snprintf(want, sizeof want, "%3d %-41s ", s[i].cpu, s[i].text);
		f.next = next_of(s, n, i);
		flow_line(&f, &b, s[i].cpu, &descs[s[i].line]);
		assert_string_equal(buf_str(&b), want);
		buf_free(&b);
	}
	flow_close(&f);
	flow_close(&f);
}

#define CHECK(steps) check(steps, sizeof (steps) / sizeof *(steps))

static void test_tree(void **state)
{
	static const struct step steps[] = {
		{ 0, OTHER, "| work:reentry" }, { 0, READ, " => read" }, { 0, OUTER, "   -> outer" },
		{ 0, OTHER, "    | work:reentry" }, { 0, METHOD, "     -> " }, { 0, METHOD_RET, "     <- " },
		{ 0, OUTER_RET, "   <- outer" }, { 0, READ_RET, " <= read" }, { 0, READ_RET, " <= read" },
	};

	(void)state;
	CHECK(steps);
}

static void test_cpus(void **state)
{
	static const struct step steps[] = {
		{ 0, OUTER, " -> outer" }, { 3, OUTER, " -> outer" }, { 3, READ, "   => read" },
		{ 0, OTHER, "  | work:reentry" },
		{ 1, OTHER, "| work:reentry" }, { 3, READ_RET, "   <= read" }, { 3, OTHER, "  | work:reentry" },
	};

	(void)state;
	CHECK(steps);
}

/* Two clauses of a probe: one arrow. The same clause again: recursion. */
static void test_clauses(void **state)
{
	static const struct step steps[] = {
		{ 0, OUTER, " -> outer" }, { 0, OUTER2, "  | outer:entry" }, { 0, OUTER_RET, "  | outer:return" },
		{ 0, OUTER_RET2, " <- outer" }, { 0, READ, " => read" }, { 0, READ, "   => read" },
		{ 0, READ_RET, "   <= read" },
		{ 0, READ_RET, " <= read" },
	};

	(void)state;
	CHECK(steps);
}

static void test_header(void **state)
{
	struct buf b = { 0 };

	(void)state;
	flow_header(&b);
	assert_string_equal(buf_str(&b), "CPU FUNCTION                                 \n");
	buf_free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tree), cmocka_unit_test(test_cpus), cmocka_unit_test(test_clauses),
		cmocka_unit_test(test_header),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
