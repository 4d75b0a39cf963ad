/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The kernel's file with debugging information: a program takes its place, whose _stext is main(). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/symbols/lines.h"
#include "engine/symbols/vmlinux.h"
#include "tests/lib/symbol_list.h"

#define STEXT 0xffffffff81000000u

static char places[256];		/* "FOLDER/%s-like": of this program's folder */
static struct kallsyms *list;		/* a kernel with _stext at STEXT */
static struct kallsyms *other;		/* one without */

static int set_up(void **state)
{
	char self[200] = "";

	(void)state;
	assert_true(readlink("/proc/self/exe", self, sizeof self - 1) > 0);
	*strrchr(self, '/') = '\0';
	snprintf(places, sizeof places, "%s/../symbols/%%s-like", self);
	list = symbol_list("ffffffff81000000 T _stext\nffffffff81000100 T work\n", NULL);
	other = symbol_list("ffffffff81000000 T _text\n", NULL);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	kallsyms_close(list);
	kallsyms_close(other);
	return 0;
}

static void test_found(void **state)
{
	const char *const paths[] = { "/nonexistent/vmlinux-%s", places, NULL };
	struct vmlinux_places p = { .paths = paths, .release = "kernel" };
	uint8_t id[ELF_BUILDID];
	struct vmlinux v, same;
	uint64_t off, first;

	(void)state;
	assert_true(vmlinux_open(&v, &p, list));
	assert_true(vmlinux_offset(&v, STEXT, &first));
	assert_true(vmlinux_offset(&v, STEXT + 5, &off));
	assert_int_equal(off, first + 5);
	assert_false(vmlinux_offset(&v, STEXT + (1u << 30), &off));
	p.id = id;
	p.idlen = elf_build_id(object_image(v.object), id);
	assert_true(p.idlen > 0);
	assert_true(vmlinux_open(&same, &p, list));
	vmlinux_close(&same);
	id[0] ^= 1;
	assert_false(vmlinux_open(&same, &p, list));
	assert_non_null(strstr(same.why, "kernel-like is of another build"));
	vmlinux_close(&v);
	vmlinux_close(&v);
	assert_false(vmlinux_offset(&v, STEXT, &off));
}

static void test_missing(void **state)
{
	const char *const nowhere[] = { "/nonexistent/vmlinux-%s", NULL }, *const stripped[] = { "/bin/%s", NULL };
	const char *const paths[] = { places, NULL };
	struct vmlinux_places p = { .paths = nowhere, .release = "6.1.0" };
	struct vmlinux v;

	(void)state;
	assert_false(vmlinux_open(&v, &p, list));
	assert_string_equal(v.why, "the kernel's debugging information (vmlinux-6.1.0) is not installed");
	p = (struct vmlinux_places){ .paths = stripped, .release = "true" };
	assert_false(vmlinux_open(&v, &p, list));
	assert_string_equal(v.why, "/bin/true has no debugging information");
	p = (struct vmlinux_places){ .paths = paths, .release = "kernel" };
	assert_false(vmlinux_open(&v, &p, other));
	assert_non_null(strstr(v.why, "kernel-like has other symbols"));
	p = (struct vmlinux_places){ .paths = stripped, .release = "." };
	assert_false(vmlinux_open(&v, &p, list));
	assert_string_equal(v.why, "/bin/. cannot be read");
}

/* The lines of main() are in order, and all in its file. */
static void test_lines(void **state)
{
	const char *const paths[] = { places, NULL };
	const struct vmlinux_places p = { .paths = paths, .release = "kernel" };
	struct source_lines *l = lines_open();
	struct line_frame frame[LINES_MAX];
	struct vmlinux v;
	uint64_t off;
	unsigned n;

	(void)state;
	assert_true(vmlinux_open(&v, &p, list));
	assert_true(vmlinux_offset(&v, STEXT, &off));
	n = lines_find(l, v.object, off, frame);
	if (lines_why(l)) {
		lines_close(l);
		vmlinux_close(&v);
		skip();
	}
	assert_true(n >= 1 && frame[n - 1].line > 40);
	assert_non_null(strstr(frame[n - 1].file, "tests/symbols/inlined.c"));
	lines_close(l);
	vmlinux_close(&v);
}

/* Whatever this machine has: no crash, and a reason if there is nothing. */
static void test_running(void **state)
{
	struct vmlinux v;

	(void)state;
	if (vmlinux_open_running(&v, list))
		assert_non_null(v.object);
	else
		assert_true(*v.why);
	vmlinux_close(&v);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_found), cmocka_unit_test(test_missing), cmocka_unit_test(test_lines),
		cmocka_unit_test(test_running),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
