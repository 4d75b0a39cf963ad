/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * dtr's own description of the kernel's structures (rt/task.c): it has each member of the rootless engine's image, as
 * large as the running kernel's; what else it says of them is not used on kernels that offer their types.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/arena.h"
#include "engine/interp/image.h"
#include "engine/interp/image_rows.h"
#include "lang/types/type_find.h"

struct described {
	struct arena arena;
	struct types types;
	struct image_past past;
	struct image *image;
};

/* own: as on a kernel without type information. */
static void open_types(struct described *d, bool own)
{
	*d = (struct described){ 0 };
	arena_init(&d->arena, NULL, NULL);
	types_init(&d->types, &d->arena);
	d->types.btf_path = own ? "/nonexistent" : NULL;
	d->types.own = own;
	d->image = image_open(&d->arena, &d->types, &d->past);
	for (unsigned i = 0; i < image_nrows; i++)
		image_part(d->image, image_rows[i].in);
}

static void close_types(struct described *d)
{
	types_close(&d->types);
	arena_free(&d->arena);
}

static void test_members(void **state)
{
	struct described own;

	(void)state;
	open_types(&own, true);
	for (unsigned i = 0; i < image_nrows; i++) {
		if (!own.image->bytes[i])
			print_message("# part %d: %s is not described\n", image_rows[i].in, image_rows[i].member);
		assert_true(own.image->bytes[i]);
	}
	assert_true(own.types.own_used);
	assert_non_null(types_lack(&own.types));
	close_types(&own);
}

/* A member that this kernel does not have under this name is left out. */
static void test_sizes(void **state)
{
	struct described own, kernel;

	(void)state;
	if (access("/sys/kernel/btf/vmlinux", R_OK))
		skip();
	open_types(&own, true);
	open_types(&kernel, false);
	assert_null(types_lack(&kernel.types));
	assert_false(kernel.types.own_used);
	for (unsigned i = 0; i < image_nrows; i++) {
		if (kernel.image->bytes[i] && kernel.image->bytes[i] != own.image->bytes[i])
			print_message("# %s\n", image_rows[i].member);
		if (kernel.image->bytes[i])
			assert_int_equal(kernel.image->bytes[i], own.image->bytes[i]);
	}
	close_types(&own);
	close_types(&kernel);
}

/* What is not described is unknown for a reason; names alone have no size. */
static void test_unknown(void **state)
{
	struct described own;
	struct type *t;

	(void)state;
	open_types(&own, true);
	assert_null(type_lookup(&own.types, "struct nosuch"));
	assert_non_null(own.types.error);
	t = type_lookup(&own.types, "struct bio");
	assert_non_null(t);
	assert_null(own.types.error);
	assert_true(type_is_incomplete(&own.types, t));
	assert_int_equal(type_kernel_offset(&own.types, "task_struct", "pid", NULL), 0);
	assert_int_equal(type_kernel_struct_id(&own.types, "task_struct"), 0);
	assert_null(type_lookup(&own.types, "struct ext4`task_struct"));
	close_types(&own);
	open_types(&own, true);
	own.types.own = false;
	types_close(&own.types);
	assert_null(type_lookup(&own.types, "struct mount_nosuch"));
	assert_null(types_lack(&own.types));
	arena_free(&own.arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_members),
		cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_unknown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
