/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The thread that decodes unwinding tables gives the same rows as decoding them here, and everything is released when
 * it is closed with work left. Without a thread it works too.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <dlfcn.h>
#include <errno.h>
#include <gnu/libc-version.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "engine/unwind/frame_loader.h"

enum { FILES = 4 };

static bool no_thread;

int pthread_create(pthread_t *t, const pthread_attr_t *a, void *(*fn)(void *), void *arg)
{
	int (*next)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

	*(void **)&next = dlsym(RTLD_NEXT, "pthread_create");
	return no_thread || !next ? EAGAIN : next(t, a, fn, arg);
}

/* This program and libraries that it has loaded. */
static struct object *file_of(void *address)
{
	char path[PATH_MAX];
	struct stat st;
	Dl_info info;

	assert_int_not_equal(dladdr(address, &info), 0);
	assert_non_null(realpath(info.dli_fname, path));
	assert_int_equal(stat(path, &st), 0);
	return object_new(path, st.st_dev, st.st_ino);
}

static void files_open(struct object *o[FILES])
{
	o[0] = file_of((void *)(uintptr_t)files_open);
	o[1] = file_of((void *)(uintptr_t)gnu_get_libc_version);
	o[2] = file_of((void *)(uintptr_t)_cmocka_run_group_tests);
	o[3] = object_new("/nonexistent", 0, 1);
	for (int i = 0; i < FILES; i++)
		assert_non_null(o[i]);
}

static void files_free(struct object *o[FILES])
{
	for (int i = 0; i < FILES; i++)
		object_free(o[i]);
}

struct loaded {
	struct unwind_bpf_rule *rule;
	struct rules rules;
	struct frame_loader l;
};

static void loaded_open(struct loaded *x)
{
	x->rule = calloc(UNWIND_RULES, sizeof *x->rule);
	assert_non_null(x->rule);
	assert_true(rules_open(&x->rules, x->rule));
	assert_int_equal(frame_loader_open(&x->l, &x->rules), 0);
}

static void loaded_close(struct loaded *x)
{
	frame_loader_close(&x->l);
	frame_loader_close(&x->l);
	rules_close(&x->rules);
	free(x->rule);
}

static bool readable(const struct frame_loader *l)
{
	struct pollfd p = { .fd = frame_loader_fd(l), .events = POLLIN };

	return poll(&p, 1, 0) == 1;
}

static void compare(struct object *o, const struct pack *got, struct rules *r)
{
	struct pack want;

	pack_file(&want, o, r);
	assert_int_equal(got->n, want.n);
	assert_false(got->nomem);
	for (size_t i = 0; i < want.n; i++) {
		assert_true(got->v[i].at == want.v[i].at);
		assert_true(got->v[i].rule == want.v[i].rule);
	}
	pack_close(&want);
}

/* All files, in the order in which they were added. */
static void each_file(bool threadless)
{
	struct unwind_bpf_rule *rule = calloc(UNWIND_RULES, sizeof *rule);
	struct object *o[FILES];
	static struct loaded x;		/* its thread goes on if a check fails */
	struct rules r;
	struct pack p;

	no_thread = threadless;
	files_open(o);
	loaded_open(&x);
	assert_non_null(rule);
	assert_true(rules_open(&r, rule));
	assert_null(frame_loader_take(&x.l, &p));
	assert_false(frame_loader_ready(&x.l));
	for (int i = 0; i < FILES; i++)
		assert_true(frame_loader_put(&x.l, o[i], o[i]));
	frame_loader_wait(&x.l);
	assert_true(readable(&x.l));
	for (int i = 0; i < FILES; i++) {
		assert_true(frame_loader_ready(&x.l));
		assert_ptr_equal(frame_loader_take(&x.l, &p), o[i]);
		compare(o[i], &p, &r);
		assert_true(i == 3 ? !p.n : p.n > 100);
		pack_close(&p);
	}
	assert_false(frame_loader_ready(&x.l));
	assert_null(frame_loader_take(&x.l, &p));
	assert_false(readable(&x.l));
	loaded_close(&x);
	rules_close(&r);
	free(rule);
	files_free(o);
	no_thread = false;
}

static void test_thread(void **state)
{
	(void)state;
	each_file(false);
}

static void test_no_thread(void **state)
{
	(void)state;
	each_file(true);
}

/* Closed with files that are not decoded yet, are being decoded, or were not taken. */
static void test_close(void **state)
{
	struct object *o[FILES];
	static struct loaded x;		/* its thread goes on if a check fails */
	struct pack p;

	(void)state;
	files_open(o);
	for (int turn = 0; turn < 4; turn++) {
		loaded_open(&x);
		for (int i = 0; i < 20; i++)
			assert_true(frame_loader_put(&x.l, o[i % FILES], o));
		if (turn == 1)
			frame_loader_wait(&x.l);
		if (turn == 2 && frame_loader_take(&x.l, &p))
			pack_close(&p);
		loaded_close(&x);
		assert_int_equal(frame_loader_fd(&x.l), -1);
	}
	files_free(o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_thread),
		cmocka_unit_test(test_no_thread),
		cmocka_unit_test(test_close),
	};

	if (!machine_of(64)) {
		printf("1..0 # SKIP unwinding is for x86-64 so far\n");
		return 0;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
