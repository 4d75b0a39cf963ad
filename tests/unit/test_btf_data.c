/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The BTF reader: hostile files, modules, and all of the kernel's types against libbpf. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include <bpf/btf.h>
#include <cmocka.h>

#include "base/arena.h"
#include "base/map.h"
#include "base/btf_data.h"

enum { TYPES_MAX = 64, STRINGS_MAX = 128 };

/* A file in parts. */
struct btf_parts {
	struct btf_header h;
	uint32_t types[TYPES_MAX];
	char strings[STRINGS_MAX];
};

#define INFO(kind, vlen) ((uint32_t)(kind) << 24 | (vlen))

/* 1 int, 2 struct one { int a; int b; }, 3 one_t, 4 int[7], 5 enum color, 6 one (function). */
static const struct btf_parts small = {
	.h = { .magic = BTF_MAGIC, .version = BTF_VERSION, .hdr_len = sizeof(struct btf_header),
	       .type_len = 38 * 4, .str_off = 38 * 4, .str_len = 36 },
	.types = {
		1, INFO(BTF_KIND_INT, 0), 4, BTF_INT_SIGNED << 24 | 32,
		5, INFO(BTF_KIND_STRUCT, 2), 8, 9, 1, 0, 11, 1, 32,
		13, INFO(BTF_KIND_TYPEDEF, 0), 2,
		0, INFO(BTF_KIND_ARRAY, 0), 0, 1, 1, 7,
		19, INFO(BTF_KIND_ENUM, 3), 4, 25, 0, 27, 1, 29, 2,
		5, INFO(BTF_KIND_FUNC, 0), 0, 0, INFO(BTF_KIND_PTR, 0), 2, 0,
	},
	.strings = "\0int\0one\0a\0b\0one_t\0color\0R\0G\0B\0last",
};

/* The bytes of a file: header, types, strings where the header has them. Returns the size. */
static size_t file_bytes(const struct btf_parts *p, uint8_t *to)
{
	size_t types = sizeof small.h, strings = types + small.h.str_off;

	memcpy(to, &p->h, sizeof p->h);
	memcpy(to + types, p->types, small.h.type_len);
	memcpy(to + strings, p->strings, small.h.str_len);
	return strings + small.h.str_len;
}

static int open_bytes(struct btf_data *d, const void *bytes, size_t n, struct btf_data *base)
{
	int fd = memfd_create("btf", MFD_CLOEXEC), err;
	char path[64];

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, n), n);
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	err = btf_data_open(d, path, base);
	close(fd);
	return err;
}

/* Without the size of the file. */
static int open_pipe(struct btf_data *d, const void *bytes, size_t n)
{
	int fd[2], err;
	char path[64];

	assert_int_equal(pipe(fd), 0);
	assert_int_equal(write(fd[1], bytes, n), n);
	close(fd[1]);
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd[0]);
	err = btf_data_open(d, path, NULL);
	close(fd[0]);
	return err;
}

static int open_parts(struct btf_data *d, const struct btf_parts *p)
{
	uint8_t bytes[sizeof *p];

	return open_bytes(d, bytes, file_bytes(p, bytes), NULL);
}

/* ---- one file ---- */
static void check_small(struct btf_data *d)
{
	const struct btf_type *t = btf_data_type(d, 2);

	assert_int_equal(btf_kind(t), BTF_KIND_STRUCT);
	assert_int_equal(btf_members(t)[1].offset, 32);
	assert_string_equal(btf_data_name(d, btf_members(t)[1].name_off), "b");
	assert_int_equal(btf_kind(btf_data_type(d, 0)), BTF_KIND_UNKN);
	assert_int_equal(btf_array(btf_data_type(d, 4))->nelems, 7);
	assert_int_equal(btf_enum(btf_data_type(d, 5))[2].val, 2);
	/* more often than it takes to make the index */
	for (int i = 0; i < 10; i++) {
		assert_int_equal(btf_data_find(d, BTF_PLAIN, "int"), 1);
		assert_int_equal(btf_data_find(d, BTF_STRUCT, "one"), 2);
		assert_int_equal(btf_data_find(d, BTF_PLAIN, "one_t"), 3);
		assert_int_equal(btf_data_find(d, BTF_ENUM, "color"), 5);
		assert_int_equal(btf_data_find(d, BTF_VALUE, "one"), 6);
		assert_int_equal(btf_data_find(d, BTF_UNION, "one"), 0);
		assert_int_equal(btf_data_find(d, BTF_PLAIN, "one"), 0);
		assert_int_equal(btf_data_find(d, BTF_VALUE, "on"), 0);
		assert_int_equal(btf_data_find(d, BTF_VALUE, "last and longer than all strings of the file"), 0);
		assert_int_equal(btf_data_find(d, BTF_PLAIN, ""), 0);
	}
	assert_non_null(d->index[0].slots);
	assert_non_null(d->index[1].slots);
}

/* The last word of the small file's types is less than a type: all before it is available. */
static void test_one_file(void **state)
{
	uint8_t bytes[sizeof small];
	size_t n = file_bytes(&small, bytes);
	struct btf_data d;

	(void)state;
	assert_int_equal(open_bytes(&d, bytes, n, NULL), 0);
	check_small(&d);
	assert_int_equal(btf_kind(btf_data_type(&d, 7)), BTF_KIND_PTR);
	assert_null(btf_data_type(&d, 8));
	assert_true(d.broken);
	btf_data_close(&d);
	btf_data_close(&d);
	assert_null(btf_data_type(&d, 1));
	assert_int_equal(open_pipe(&d, bytes, n), 0);
	check_small(&d);
	btf_data_close(&d);
}

/* ---- headers ---- */
static void test_headers(void **state)
{
	static const struct {
		const char *what;
		size_t at, size;	/* of the member of the header */
		uint32_t value;
		int err;
	} rows[] = {
#define ROW(member, value, err) { #member " " #value, offsetof(struct btf_header, member), \
				  sizeof((struct btf_header *)0)->member, value, err }
		ROW(version, BTF_VERSION, 0),
		ROW(magic, 0x9feb, -EINVAL),		/* the other byte order */
		ROW(magic, 0, -EINVAL),
		ROW(version, 0, -EINVAL),
		ROW(version, 2, -EINVAL),
		ROW(hdr_len, 0, -EINVAL),
		ROW(hdr_len, 20, -EINVAL),
		ROW(hdr_len, 25, -EINVAL),
		ROW(hdr_len, 1000, -EINVAL),
		ROW(hdr_len, UINT32_MAX - 3, -EINVAL),
		ROW(type_off, 2, -EINVAL),
		ROW(type_off, 1000, -EINVAL),
		ROW(type_off, UINT32_MAX - 3, -EINVAL),
		ROW(type_len, 1000, -EINVAL),
		ROW(type_len, UINT32_MAX, -EINVAL),
		ROW(type_len, 0, 0),
		ROW(type_len, 7, 0),
		ROW(str_off, 1000, -EINVAL),
		ROW(str_off, UINT32_MAX, -EINVAL),
		ROW(str_off, 38 * 4 + 1, -EINVAL),	/* the section would end after the file */
		ROW(str_len, UINT32_MAX, -EINVAL),
		ROW(str_len, 0, -EINVAL),
		ROW(str_len, 35, -EINVAL),		/* does not end with a NUL */
		ROW(str_off, 0, -EINVAL),		/* does not begin with an empty name */
#undef ROW
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct btf_parts p = small;
		struct btf_data d;
		int err;

		memcpy((uint8_t *)&p.h + rows[i].at, &rows[i].value, rows[i].size);
		err = open_parts(&d, &p);
		if (err != rows[i].err)
			fail_msg("%s: %d", rows[i].what, err);
		assert_null(btf_data_type(&d, 1000));
		btf_data_close(&d);
	}
}

/* ---- types ---- */
/* Looks at everything. */
static void visit_all(struct btf_data *d)
{
	static const char *const names[] = { "int", "one", "one_t", "color", "last", "none" };
	struct btf_cursor c = { 0 };
	const struct btf_type *t;
	uint64_t sum = 0;	/* of lengths and IDs, none of which exceeds the file */

	while ((t = btf_data_next(d, &c))) {
		assert_ptr_equal(t, btf_data_type(d, c.id));
		sum += strlen(btf_data_name(d, t->name_off));
		for (uint16_t i = 0; btf_is_composite(t) && i < btf_vlen(t); i++)
			sum += strlen(btf_data_name(d, btf_members(t)[i].name_off));
	}
	for (size_t i = 0; i < 4 * sizeof names / sizeof *names; i++)
		for (enum btf_space s = BTF_STRUCT; s <= BTF_VALUE; s++)
			sum += btf_data_find(d, s, names[i / 4]);
	assert_in_range(sum, 0, 1000 * sizeof small);
}

static void test_every_length(void **state)
{
	uint8_t bytes[sizeof small];
	size_t n = file_bytes(&small, bytes);
	struct btf_data d;

	(void)state;
	for (size_t i = 0; i < n; i++) {
		/* a block of exactly this size, so that reading after its end is noticed */
		uint8_t *part = malloc(i ? i : 1);

		assert_non_null(part);
		memcpy(part, bytes, i);
		assert_int_equal(open_bytes(&d, part, i, NULL), -EINVAL);
		assert_int_equal(open_pipe(&d, part, i), -EINVAL);
		free(part);
	}
	for (uint32_t len = 0; len <= small.h.type_len; len++) {
		struct btf_parts p = small;

		p.h.type_len = len;
		assert_int_equal(open_parts(&d, &p), 0);
		visit_all(&d);
		assert_int_equal(d.broken, d.off != len);
		btf_data_close(&d);
	}
}

static void test_every_byte(void **state)
{
	uint8_t bytes[sizeof small];
	size_t n = file_bytes(&small, bytes);

	(void)state;
	for (size_t i = 0; i < n; i++) {
		static const uint8_t values[] = { 0, 1, 0x7f, 0x80, 0xff };
		uint8_t was = bytes[i];

		for (size_t v = 0; v < sizeof values; v++) {
			struct btf_data d;

			bytes[i] = values[v];
			if (!open_pipe(&d, bytes, n))
				visit_all(&d);
			btf_data_close(&d);
		}
		bytes[i] = was;
	}
}

static void test_broken_types(void **state)
{
	static const struct {
		const char *what;
		uint32_t at, value, types;	/* a word of the types; how many are left */
	} rows[] = {
		{ "kind 0", 1, INFO(0, 0), 0 },
		{ "unknown kind", 5, INFO(NR_BTF_KINDS, 0), 1 },
		{ "last unknown kind", 14, INFO(31, 0), 2 },
		{ "too many members", 5, INFO(BTF_KIND_STRUCT, 13), 1 },
		{ "most members", 5, INFO(BTF_KIND_UNION, 0xffff), 1 },
		{ "most enumerators", 23, INFO(BTF_KIND_ENUM64, 0xffff), 4 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct btf_parts p = small;
		struct btf_data d;

		p.types[rows[i].at] = rows[i].value;
		assert_int_equal(open_parts(&d, &p), 0);
		if (rows[i].types && !btf_data_type(&d, rows[i].types))
			fail_msg("%s: type %u is missing", rows[i].what, rows[i].types);
		if (btf_data_type(&d, rows[i].types + 1) || !d.broken)
			fail_msg("%s: type %u exists", rows[i].what, rows[i].types + 1);
		btf_data_close(&d);
	}
}

static void test_names(void **state)
{
	struct btf_parts p = small;
	struct btf_data d;

	(void)state;
	p.types[4] = small.h.str_len;
	p.types[13] = UINT32_MAX;
	p.types[22] = small.h.str_len - 1;	/* only the NUL */
	assert_int_equal(open_parts(&d, &p), 0);
	for (int i = 0; i < 10; i++) {
		assert_int_equal(btf_data_find(&d, BTF_STRUCT, "one"), 0);
		assert_int_equal(btf_data_find(&d, BTF_PLAIN, "one_t"), 0);
		assert_int_equal(btf_data_find(&d, BTF_PLAIN, "int"), 1);
	}
	assert_string_equal(btf_data_name(&d, small.h.str_len), "");
	assert_string_equal(btf_data_name(&d, UINT32_MAX), "");
	assert_string_equal(btf_data_name(&d, small.h.str_len - 5), "last");
	btf_data_close(&d);
}

/* A name that occurs twice belongs to the first type, whether there is an index or not. */
static void test_same_names(void **state)
{
	struct btf *b = btf__new_empty();
	struct btf_data d;
	const void *raw;
	uint32_t size;

	(void)state;
	for (int i = 0; i < 1000; i++) {
		char name[16];

		snprintf(name, sizeof name, "s%d", i % 500);
		btf__add_struct(b, name, (uint32_t)i);
	}
	raw = btf__raw_data(b, &size);
	assert_int_equal(open_bytes(&d, raw, size, NULL), 0);
	assert_int_equal(btf_data_find(&d, BTF_STRUCT, "s0"), 1);
	assert_int_equal(btf_data_find(&d, BTF_STRUCT, "s499"), 500);
	for (int i = 0; i < 5; i++)
		assert_int_equal(btf_data_find(&d, BTF_STRUCT, "none"), 0);
	assert_non_null(d.index[0].slots);
	assert_null(d.index[1].slots);
	assert_int_equal(btf_data_find(&d, BTF_STRUCT, "s0"), 1);
	assert_int_equal(btf_data_find(&d, BTF_STRUCT, "s499"), 500);
	btf_data_close(&d);
	btf__free(b);
}

/* ---- files that cannot be opened ---- */
static void test_no_file(void **state)
{
	struct btf_data d;

	(void)state;
	assert_int_equal(btf_data_open(&d, "/nonexistent/btf", NULL), -ENOENT);
	assert_int_equal(btf_data_open(&d, "/tmp", NULL), -EISDIR);
	assert_int_equal(btf_data_open(&d, "/dev/null", NULL), -EINVAL);
	assert_int_equal(open_bytes(&d, "", 0, NULL), -EINVAL);
}

static void test_large_file(void **state)
{
	int fd = memfd_create("btf", MFD_CLOEXEC);
	struct btf_data d;
	char path[64];

	(void)state;
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	assert_int_equal(ftruncate(fd, (1l << 30) + 1), 0);
	assert_int_equal(btf_data_open(&d, path, NULL), -EFBIG);
	assert_int_equal(ftruncate(fd, 1l << 30), 0);
	assert_int_equal(btf_data_open(&d, path, NULL), -EINVAL);
	close(fd);
}

/* A file that becomes shorter while it is open. */
static void test_shortened_file(void **state)
{
	enum { PAGES = 40 };
	static uint8_t bytes[PAGES * 4096];
	int fd = memfd_create("btf", MFD_CLOEXEC);
	struct btf_parts p = small;
	struct btf_data d;
	char path[64];

	(void)state;
	p.h.str_len = (uint32_t)(sizeof bytes - sizeof p.h - p.h.str_off);
	memset(bytes, 'x', sizeof bytes - 1);
	file_bytes(&p, bytes);
	assert_int_equal(write(fd, bytes, sizeof bytes), sizeof bytes);
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	assert_int_equal(btf_data_open(&d, path, NULL), 0);
	assert_string_equal(btf_data_name(&d, 1), "int");
	assert_int_equal(strlen(btf_data_name(&d, 20 * 4096)), p.h.str_len - 20 * 4096 - 1);
	assert_int_equal(ftruncate(fd, 4096), 0);
	assert_int_equal(strlen(btf_data_name(&d, 20 * 4096)), p.h.str_len - 20 * 4096 - 1);
	assert_true(strlen(btf_data_name(&d, 4096)) <= 4096);
	assert_int_equal(btf_data_find(&d, BTF_STRUCT, "one"), 2);
	btf_data_close(&d);
	close(fd);
}

/* ---- against libbpf ---- */
static enum btf_space space_of(const struct btf_type *t)
{
	switch (btf_kind(t)) {
	case BTF_KIND_STRUCT: return BTF_STRUCT;
	case BTF_KIND_UNION: return BTF_UNION;
	case BTF_KIND_ENUM: case BTF_KIND_ENUM64: return BTF_ENUM;
	case BTF_KIND_INT: case BTF_KIND_FLOAT: case BTF_KIND_TYPEDEF: return BTF_PLAIN;
	case BTF_KIND_VAR: case BTF_KIND_FUNC: return BTF_VALUE;
	default: return BTF_NAMELESS;
	}
}

/* All types from ID `first` on, by ID and by name. */
static void compare(struct btf_data *d, const struct btf *b, uint32_t first, struct map *names)
{
	uint32_t n = btf__type_cnt(b);
	struct btf_cursor c = { 0 };

	assert_int_equal(d->first, first);
	for (uint32_t id = first; id < n; id++) {
		const struct btf_type *ours = btf_data_next(d, &c), *theirs = btf__type_by_id(b, id);
		const char *name = btf__name_by_offset(b, theirs->name_off);

		assert_non_null(ours);
		assert_int_equal(c.id, id);
		assert_ptr_equal(ours, btf_data_type(d, id));
		assert_memory_equal(ours, theirs, sizeof *theirs);
		assert_string_equal(btf_data_name(d, ours->name_off), name);
		if (*name && space_of(theirs)) {
			const char *key = arena_printf(names->arena, "%d%s", space_of(theirs), name);
			void **value = map_put(names, key, strlen(key) + 1);

			*value = *value ? *value : (void *)(uintptr_t)id;
		}
	}
	assert_null(btf_data_next(d, &c));
	assert_false(d->broken);
	for (size_t i = 0; i < names->n; i++) {
		const char *key = names->entries[i].key;

		assert_int_equal(btf_data_find(d, (enum btf_space)(*key - '0'), key + 1),
				 (uintptr_t)names->entries[i].value);
	}
}

/* The kernel's own file (mapped since Linux 6.16) and a copy of it, which is read in pages. */
static void test_kernel(void **state)
{
	static const char vmlinux[] = "/sys/kernel/btf/vmlinux";
	struct btf *b = btf__parse(vmlinux, NULL);

	(void)state;
	if (!b)
		skip();
	for (int copy = 0; copy < 2; copy++) {
		struct arena a;
		struct btf_data d;
		struct map names;
		uint32_t size;
		const void *raw = btf__raw_data(b, &size);

		arena_init(&a, NULL, NULL);
		map_init(&names, &a);
		assert_int_equal(copy ? open_bytes(&d, raw, size, NULL) : btf_data_open(&d, vmlinux, NULL), 0);
		assert_int_equal(btf_data_find(&d, BTF_STRUCT, "task_struct"),
				 btf__find_by_name_kind(b, "task_struct", BTF_KIND_STRUCT));
		compare(&d, b, 1, &names);
		assert_true(names.n > 1000);
		btf_data_close(&d);
		arena_free(&a);
	}
	btf__free(b);
}

/* Types of a module refer to types and names of the kernel. */
static void test_module(void **state)
{
	struct btf *b = btf__new_empty(), *m;
	int i32 = btf__add_int(b, "int", 4, BTF_INT_SIGNED);
	const void *raw, *module_raw;
	struct btf_data base, d;
	uint32_t size, module_size;
	struct map names;
	struct arena a;

	(void)state;
	btf__add_struct(b, "shared", 4);
	btf__add_field(b, "x", i32, 0, 0);
	m = btf__new_empty_split(b);
	for (int i = 0; i < 200; i++) {
		char name[16];

		snprintf(name, sizeof name, "own%d", i);
		btf__add_struct(m, name, 8);
		btf__add_field(m, "x", i32, 0, 0);
	}
	btf__add_typedef(m, "shared", 2);
	raw = btf__raw_data(b, &size);
	module_raw = btf__raw_data(m, &module_size);
	assert_int_equal(open_bytes(&base, raw, size, NULL), 0);
	assert_int_equal(open_bytes(&d, module_raw, module_size, &base), 0);
	arena_init(&a, NULL, NULL);
	map_init(&names, &a);
	compare(&d, m, btf__type_cnt(b), &names);
	assert_ptr_equal(btf_data_type(&d, 2), btf_data_type(&base, 2));
	assert_int_equal(btf_data_find(&d, BTF_STRUCT, "shared"), 0);
	assert_int_equal(btf_data_find(&base, BTF_STRUCT, "shared"), 2);
	arena_free(&a);
	btf_data_close(&d);
	btf_data_close(&base);
	btf__free(m);
	btf__free(b);
}

/* The IDs of a module begin after the kernel's; if those are broken, nobody knows where. */
static void test_module_of_broken(void **state)
{
	struct btf_data base, d;
	uint8_t bytes[sizeof small];

	(void)state;
	assert_int_equal(open_bytes(&base, bytes, file_bytes(&small, bytes), NULL), 0);
	assert_int_equal(open_bytes(&d, bytes, file_bytes(&small, bytes), &base), -EINVAL);
	btf_data_close(&base);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_file), cmocka_unit_test(test_headers), cmocka_unit_test(test_every_length),
		cmocka_unit_test(test_every_byte), cmocka_unit_test(test_broken_types), cmocka_unit_test(test_names),
		cmocka_unit_test(test_same_names), cmocka_unit_test(test_no_file), cmocka_unit_test(test_large_file),
		cmocka_unit_test(test_shortened_file), cmocka_unit_test(test_kernel), cmocka_unit_test(test_module),
		cmocka_unit_test(test_module_of_broken),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
