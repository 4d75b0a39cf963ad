/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* providers/sdt: tracepoints of modules, from files of types that libbpf has made. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/btf.h>
#include <cmocka.h>

#include "providers/registry.h"
#include "providers/sdt/sdt.h"

struct tracepoints_world {
	struct arena arena;
	struct probe_set set;
	struct btf *kernel;
	char dir[32], path[64];
	struct probe *found;
	unsigned n;
	char why[256];
};

static int setup(void **state)
{
	struct tracepoints_world *w = calloc(1, sizeof *w);

	arena_init(&w->arena, NULL, NULL);
	probe_set_init(&w->set, &w->arena);
	strcpy(w->dir, "/tmp/tracepoints.XXXXXX");
	assert_non_null(mkdtemp(w->dir));
	snprintf(w->path, sizeof w->path, "%s/toy", w->dir);
	w->kernel = btf__new_empty();
	assert_non_null(w->kernel);
	*state = w;
	return 0;
}

static int teardown(void **state)
{
	struct tracepoints_world *w = *state;

	unlink(w->path);
	rmdir(w->dir);
	btf__free(w->kernel);
	arena_free(&w->arena);
	free(w);
	return 0;
}

static void found(void *arg, struct probe *p)
{
	struct tracepoints_world *w = arg;

	w->found = p;
	w->n++;
}

static unsigned matches(struct tracepoints_world *w, const char *mod, const char *name)
{
	const struct probe_spec spec = { .prov = "sdt", .mod = mod, .func = "", .name = name, .text = name };

	w->n = 0;
	*w->why = '\0';
	return probe_match(&w->set, &spec, &(struct probe_sink){ found, w }, w->why, sizeof w->why);
}

/* typedef void (*NAME)(void *, TYPE...); the first parameter is not an argument. */
static void add_typedef(struct btf *btf, const char *name, const int *types, unsigned n)
{
	int nothing = btf__add_ptr(btf, 0), func = btf__add_func_proto(btf, 0);

	assert_int_equal(btf__add_func_param(btf, "__data", nothing), 0);
	for (unsigned i = 0; i < n; i++)
		assert_int_equal(btf__add_func_param(btf, "x", types[i]), 0);
	assert_true(btf__add_typedef(btf, name, btf__add_ptr(btf, func)) > 0);
}

/* The kernel: struct task; the module: struct toy, three typedefs, one of which is no function. */
static void write_module(struct tracepoints_world *w, const char *names[3])
{
	int integer = btf__add_int(w->kernel, "int", 4, BTF_INT_SIGNED), task;
	struct btf *module;
	const void *bytes;
	uint32_t size;
	int types[3];
	FILE *f;

	btf__add_struct(w->kernel, "task", 4);
	btf__add_field(w->kernel, "pid", integer, 0, 0);
	task = btf__add_ptr(w->kernel, integer + 1);
	add_typedef(w->kernel, "btf_trace_of_the_kernel", NULL, 0);
	module = btf__new_empty_split(w->kernel);
	assert_non_null(module);
	types[0] = task;
	types[2] = integer;
	types[1] = btf__add_struct(module, "toy", 4);
	btf__add_field(module, "n", integer, 0, 0);
	types[1] = btf__add_ptr(module, types[1]);
	add_typedef(module, names[0], types, 3);
	add_typedef(module, names[1], NULL, 0);
	assert_true(btf__add_typedef(module, names[2], integer) > 0);
	bytes = btf__raw_data(module, &size);
	f = fopen(w->path, "w");
	assert_non_null(f);
	assert_int_equal(fwrite(bytes, 1, size, f), size);
	assert_int_equal(fclose(f), 0);
	btf__free(module);
}

static void test_module(void **state)
{
	const char *names[] = { "btf_trace_toy_begin", "btf_trace_toy_end", "btf_trace_toy_count" };
	struct tracepoints_world *w = *state;
	struct arg_desc args[8];

	write_module(w, names);
	assert_int_equal(sdt_read_module(&w->set, &provider_sdt, w->path, &w->kernel), 0);
	assert_int_equal(w->set.list.n, 2);
	assert_int_equal(matches(w, "toy", "toy_begin"), 1);
	assert_string_equal(w->found->mod, "toy");
	assert_string_equal(w->found->provname, "sdt");
	assert_int_equal(sdt_args(w->found, args, 8), 3);
	assert_string_equal(args[0].native, "struct task *");
	assert_string_equal(args[1].native, "struct toy *");
	assert_string_equal(args[2].native, "int");
	assert_int_equal(matches(w, "toy", "toy_end"), 1);
	assert_int_equal(sdt_args(w->found, args, 8), 0);
	assert_int_equal(matches(w, "to?", "toy_*"), 2);
	assert_int_equal(matches(w, "toy", "toy_count"), 0);
	assert_int_equal(matches(w, "toy", "of_the_kernel"), 0);
}

/* A module without tracepoints is not parsed: it may contain anything. One that cannot be parsed adds nothing. */
static void test_other_files(void **state)
{
	const char *names[] = { "trace_toy", "end", "btf" };
	struct tracepoints_world *w = *state;
	FILE *f;

	assert_int_equal(sdt_read_module(&w->set, &provider_sdt, w->path, &w->kernel), -ENOENT);
	write_module(w, names);
	assert_int_equal(sdt_read_module(&w->set, &provider_sdt, w->path, &w->kernel), 0);
	f = fopen(w->path, "w");
	assert_non_null(f);
	fputs("btf_trace_nonsense", f);
	assert_int_equal(fclose(f), 0);
	assert_int_equal(sdt_read_module(&w->set, &provider_sdt, w->path, &w->kernel), -EINVAL);
	assert_int_equal(w->set.list.n, 0);
}

/* A module that is not loaded: refused, or awaited. */
static void test_not_loaded(void **state)
{
	struct tracepoints_world *w = *state;
	struct arg_desc args[8];

	assert_int_equal(matches(w, "no_such_module", "toy_begin"), 0);
	assert_non_null(strstr(w->why, "module no_such_module is not loaded (with -Z, dtr waits for it)"));
	assert_int_equal(matches(w, "no_such_module", "toy_*"), 0);
	assert_non_null(strstr(w->why, "module no_such_module is not loaded;"));
	w->set.waits = true;
	assert_int_equal(matches(w, "no_such_module", "toy_*"), 0);
	assert_int_equal(matches(w, "no_such_*", "toy_begin"), 0);
	assert_int_equal(matches(w, "no_such_module", "toy_begin"), 1);
	assert_string_equal(w->found->mod, "no_such_module");
	assert_int_equal(sdt_args(w->found, args, 8), 0);
	assert_non_null(w->found->prov->clock);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_module, setup, teardown),
		cmocka_unit_test_setup_teardown(test_other_files, setup, teardown),
		cmocka_unit_test_setup_teardown(test_not_loaded, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
