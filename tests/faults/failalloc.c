/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Preloaded into a program: its Nth allocation fails, or its Nth and all later ones, including allocations by the C
 * library (strdup, fopen, ...). The plan is in shared memory, whose descriptor is in $FAULT_PLAN. Commands that the
 * program executes are not affected. Nor are libraries that do not survive a failure: ncurses uses pointers without a
 * check, or draws forever; libmicrohttpd tries forever.
 */
#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/faults/plan.h"

void *__libc_malloc(size_t n);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t n);
void *__libc_memalign(size_t align, size_t n);

static struct fault_plan *plan;	/* global, as an interposer has no other place for it */

__attribute__((constructor)) static void plan_find(void)
{
	const char *fd = getenv("FAULT_PLAN");
	void *p;

	if (!fd)
		return;
	p = mmap(NULL, sizeof *plan, PROT_READ | PROT_WRITE, MAP_SHARED, atoi(fd), 0);
	close(atoi(fd));
	unsetenv("LD_PRELOAD");
	unsetenv("FAULT_PLAN");
	if (p != MAP_FAILED)
		plan = p;
}

static int spared(const void *caller)
{
	static const char *const libraries[] = { "/libncurses", "/libtinfo", "/libmicrohttpd" };
	Dl_info in;

	for (unsigned i = 0; dladdr(caller, &in) && in.dli_fname && i < sizeof libraries / sizeof *libraries; i++)
		if (strstr(in.dli_fname, libraries[i]))
			return 1;
	return 0;
}

static int fails(const void *caller)
{
	unsigned long n;

	if (!plan)
		return 0;
	n = __atomic_add_fetch(&plan->seen, 1, __ATOMIC_RELAXED);
	if (!plan->at || n < plan->at || (n > plan->at && !plan->onwards))
		return 0;
	plan->hit = 1;
	if (spared(caller))
		return 0;
	errno = ENOMEM;
	return 1;
}

void *malloc(size_t n)
{
	return fails(__builtin_return_address(0)) ? NULL : __libc_malloc(n);
}

void *calloc(size_t n, size_t size)
{
	return fails(__builtin_return_address(0)) ? NULL : __libc_calloc(n, size);
}

void *realloc(void *p, size_t n)
{
	return fails(__builtin_return_address(0)) ? NULL : __libc_realloc(p, n);
}

void *memalign(size_t align, size_t n)
{
	return fails(__builtin_return_address(0)) ? NULL : __libc_memalign(align, n);
}

void *aligned_alloc(size_t align, size_t n)
{
	return memalign(align, n);
}

int posix_memalign(void **out, size_t align, size_t n)
{
	void *p = memalign(align, n);

	if (!p)
		return ENOMEM;
	*out = p;
	return 0;
}
