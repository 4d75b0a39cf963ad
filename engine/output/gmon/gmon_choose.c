/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/output/gmon/gmon_choose.h"

#include <string.h>

/* libc is libc.so.6, kernel is vmlinux. */
static bool is_named(const struct gmon_code *c, const char *name, size_t n)
{
	if (!c->path && n == strlen("kernel") && !strncmp(name, "kernel", n))
		return !strcmp(c->name, "vmlinux");
	return !strncmp(c->name, name, n) && (!c->name[n] || !strncmp(c->name + n, ".so", 3));
}

/* The object with most samples, of those that `fits` allows; -1: none. */
static long gmon_most(const struct gmon_run *run, bool (*fits)(const struct gmon_code *c, const char *name, size_t n),
		      const char *name, size_t n)
{
	long best = -1;

	for (size_t i = 0; i < run->code.n; i++) {
		const struct gmon_code *c = &run->code.v[i];

		if (fits(c, name, n) && (best < 0 || c->count > run->code.v[best].count))
			best = (long)i;
	}
	return best;
}

static bool is_program(const struct gmon_code *c, const char *name, size_t n)
{
	return c->path && strlen(c->name) == n && !strncmp(c->name, name, n);
}

/* It is no library and no part of the kernel. */
static bool may_be_program(const struct gmon_code *c, const char *name, size_t n)
{
	(void)name;
	(void)n;
	return c->path && !strstr(c->name, ".so") && *c->name != '[';
}

static bool is_any_kernel(const struct gmon_code *c, const char *name, size_t n)
{
	(void)name;
	(void)n;
	return !c->path && !strcmp(c->name, "vmlinux");
}

/* The program: that of the command or process, else the one with most samples (the command may be a script); without
 * any, the kernel. */
long gmon_choose(const struct gmon_run *run, const char *name, size_t n, const char *program)
{
	long i;

	if (n != strlen("a.out") || strncmp(name, "a.out", n) != 0)
		return gmon_most(run, is_named, name, n);
	i = gmon_most(run, is_program, program, strlen(program));
	if (i < 0)
		i = gmon_most(run, may_be_program, NULL, 0);
	return i < 0 ? gmon_most(run, is_any_kernel, NULL, 0) : i;
}
