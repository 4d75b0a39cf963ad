/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Names of the kernel's addresses by a program (engine/bpf/ksyms.h) and from /proc/kallsyms: the same for every 16th
 * symbol, within it and at its first byte, so both engines show the same names.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/arena.h"
#include "engine/bpf/ksyms.h"
#include "engine/symbols/kallsyms.h"
#include "tests/lib/kernel.h"

enum { EVERY = 16, LEAST = 500, INSIDE = 3 };

struct ksyms_check {
	struct ksyms by_program;
	const struct kallsyms *file;
	unsigned seen, compared, different;
	bool failed;
};

/* Programs can format addresses since Linux 5.13. */
static bool kernel_formats(void)
{
	struct utsname u;
	unsigned major = 0, minor = 0;

	uname(&u);
	sscanf(u.release, "%u.%u", &major, &minor);
	return major > 5 || (major == 5 && minor >= 13);
}

static bool same(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

static void compare(struct ksyms_check *c, uint64_t addr)
{
	struct symbol a, b;

	if (!ksyms_find(&c->by_program, addr, &a)) {
		c->failed = true;
		return;
	}
	kallsyms_find(c->file, addr, &b);
	c->compared++;
	if (same(a.name, b.name) && same(a.object, b.object) && a.start == b.start)
		return;
	if (++c->different < 10)
		printf("# 0x%" PRIx64 ": %s`%s from 0x%" PRIx64 " by the program, %s`%s from 0x%" PRIx64 "\n", addr,
		       a.object, a.name, a.start, b.object, b.name, b.start);
}

static void take_function(void *arg, uint64_t addr, const char *name)
{
	struct ksyms_check *c = arg;

	(void)name;
	if (c->seen++ % EVERY)
		return;
	compare(c, addr);
	compare(c, addr + INSIDE);
}

int main(void)
{
	struct arena arena;
	struct ksyms_check c = { 0 };
	struct symbol s;
	int err = 0, failed = 0;
	struct kallsyms *k;

	if (kernel_skip())
		return 0;
	if (!kernel_formats()) {
		printf("1..0 # SKIP programs cannot format addresses before Linux 5.13\n");
		return 0;
	}
	k = kallsyms_open("/proc/kallsyms", &err);
	if (err == EPERM) {
		printf("1..0 # SKIP the kernel hides its addresses\n");
		return 0;
	}
	arena_init(&arena, NULL, NULL);
	ksyms_init(&c.by_program, &arena);
	failed += !ksyms_find(&c.by_program, 0x10, &s) || s.object || s.name;
	printf("%sok 1 - an address without a symbol has none\n", failed ? "not " : "");
	c.file = k;
	kallsyms_functions(k, "vmlinux", take_function, &c);
	failed += c.failed || c.different || c.compared < LEAST;
	printf("%sok 2 - %u of %u addresses have the names of /proc/kallsyms\n",
	       c.failed || c.different || c.compared < LEAST ? "not " : "", c.compared - c.different, c.compared);
	ksyms_close(&c.by_program);
	ksyms_close(&c.by_program);
	arena_free(&arena);
	kallsyms_close(k);
	printf("1..2\n");
	return failed != 0;
}
