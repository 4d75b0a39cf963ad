/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* tests/lib/events.c: each kind of line, each field, errors and their places. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/lib/events.h"

struct events_fixture {
	struct arena arena;
	struct diags diags;
	struct source src;
	struct events e;
};

static int parse(struct events_fixture *f, const char *text, size_t n)
{
	memset(f, 0, sizeof *f);
	arena_init(&f->arena, NULL, NULL);
	diags_init(&f->diags, &f->arena);
	f->src = (struct source){ .name = "events", .text = arena_memdup(&f->arena, text, n + 1), .len = n };
	return events_parse(&f->e, &f->arena, &f->src, &f->diags);
}

static void test_fields(void **state)
{
	const char text[] = "default pid=7 comm=a-name-that-is-longer uid=3\n"
		"# nothing\n\n"
		"tick-1 ts=5 cpu=63 tid=8 gid=9 task=0xffff888000000000 depth=2 udepth=3 arg0=-1 arg9=0x10 comm=sh\n"
		"\tprofile-97  stack=1,0x2,3 ustack=4 uregs=5,6\n"
		"self pid=1 comm=me\n"
		"tick-1 pid=2 tid=3 pid=4";
	struct events_fixture f;
	const struct sample *s;

	(void)state;
	assert_int_equal(parse(&f, text, sizeof text - 1), 0);
	assert_int_equal(f.e.list.n, 3);
	s = &f.e.list.v[0].s;
	assert_string_equal(f.e.list.v[0].probe, "tick-1");
	assert_true(f.e.list.v[0].has_ts && s->time == 5 && s->cpu == 63 && s->pid == 7 && s->tid == 8 && s->uid == 3 &&
		    s->gid == 9);
	assert_true(s->addr == 0xffff888000000000 && s->depth == 2 && s->udepth == 3 && s->arg[0] == UINT64_MAX &&
		    s->arg[9] == 16);
	assert_string_equal(s->comm, "sh");
	assert_int_equal(f.e.list.v[0].loc.line, 4);
	s = &f.e.list.v[1].s;
	assert_string_equal(s->comm, "a-name-that-is-");
	assert_true(!f.e.list.v[1].has_ts && s->stack.n == 3 && s->stack.pc[1] == 2 && s->ustack.n == 1 &&
		    s->ustack.pc[0] == 4);
	assert_true(s->uregs.n == 2 && s->uregs.pc[1] == 6);
	assert_true(f.e.list.v[2].s.pid == 4 && f.e.list.v[2].s.tid == 4);
	assert_true(f.e.self.pid == 1 && !strcmp(f.e.self.comm, "me"));
	arena_free(&f.arena);
}

static void test_lines(void **state)
{
	const char text[] = "kmem 0x10 0102fF\n"
		"umem 16\n"
		"kstr 0x20 two words\n"
		"ksym 1 2 vmlinux name\n"
		"usym 7 1 2 a.out\n"
		"hold\ntick-1\npass\n";
	struct events_fixture f;

	(void)state;
	assert_int_equal(parse(&f, text, sizeof text - 1), 0);
	assert_int_equal(f.e.kmem.n, 3);
	assert_true(f.e.kmem.v[0].n == 3 && f.e.kmem.v[0].bytes[2] == 0xff && !f.e.kmem.v[0].user);
	assert_true(f.e.kmem.v[1].n == 0 && f.e.kmem.v[1].user && f.e.kmem.v[1].addr == 16);
	assert_true(f.e.kmem.v[2].n == 10 && !strcmp((char *)f.e.kmem.v[2].bytes, "two words"));
	assert_int_equal(f.e.symbols.n, 2);
	assert_true(f.e.symbols.v[0].pid == -1 && f.e.symbols.v[0].size == 2 && !strcmp(f.e.symbols.v[0].name, "name"));
	assert_true(f.e.symbols.v[1].pid == 7 && !*f.e.symbols.v[1].name);
	assert_int_equal(f.e.list.n, 3);
	assert_true(!f.e.list.v[0].probe && f.e.list.v[0].hold && f.e.list.v[1].probe && !f.e.list.v[2].hold);
	arena_free(&f.arena);
}

static void test_refused(void **state)
{
	static const char *const lines[] = {
		"tick-1 pid", "tick-1 pid=", "tick-1 pid=1x", "tick-1 pid=99999999999999999999", "tick-1 arg10=1",
		"tick-1 arg=1",
		"tick-1 what=1", "tick-1 cpu=64", "tick-1 cpu=-1", "tick-1 stack=", "tick-1 stack=1,",
		"tick-1 stack=1,,2",
		"tick-1 ustack=1,2,3,4,5,6,7,8,9,1,2,3,4,5,6,7,8,9,1,2,3,4,5,6,7,8,9,1,2,3,4,5,6",
		"default what", "self what=1", "kmem", "kmem x", "kmem 1 0", "kmem 1 012", "kmem 1 0g", "umem 1 zz",
		"kstr",
		"ksym", "ksym 1", "usym", "usym 1 2", "usym x 1 2 a b",
	};

	(void)state;
	for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
		char text[256];
		struct events_fixture f;

		snprintf(text, sizeof text, "tick-1 pid=1\n%s\ntick-1 pid=3\n", lines[i]);
		if (parse(&f, text, strlen(text)) != -1 || f.diags.list.n != 1 || f.diags.list.v[0].loc.line != 2)
			fail_msg("%s: not refused once, on its line", lines[i]);
		assert_true(f.e.list.n >= 2);
		arena_free(&f.arena);
	}
}

static void test_nul(void **state)
{
	struct events_fixture f;

	(void)state;
	assert_int_equal(parse(&f, "tick-1\n\0tick-1\n", 15), -1);
	arena_free(&f.arena);
	assert_int_equal(parse(&f, "", 0), 0);
	assert_int_equal(f.e.list.n, 0);
	arena_free(&f.arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fields), cmocka_unit_test(test_lines), cmocka_unit_test(test_refused),
		cmocka_unit_test(test_nul),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
