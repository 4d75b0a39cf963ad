/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Types: C's names and conversions, layouts against the C compiler, BTF against libbpf read directly. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <cmocka.h>

#include "lang/prelude.h"
#include "lang/types/btf.h"
#include "lang/types/type_find.h"
#include "tests/lib/options.h"

struct types_fixture {
	struct arena arena;
	struct diags diags;
	struct compiler c;
};

static int setup(void **state)
{
	static const struct compile_env env = { .target = -1, .prelude = PRELUDE };
	const struct d_options opts = test_options();
	struct types_fixture *f = calloc(1, sizeof *f);

	if (!f)
		return -1;
	arena_init(&f->arena, NULL, NULL);
	diags_init(&f->diags, &f->arena);
	compiler_init(&f->c, &f->arena, &f->diags, NULL, &opts, &env);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct types_fixture *f = *state;

	compiler_close(&f->c);
	arena_free(&f->arena);
	free(f);
	return 0;
}

static void parse(struct types_fixture *f, const char *text)
{
	struct source *src = arena_alloc(&f->arena, sizeof *src);

	src->name = "test.d";
	src->text = text;
	src->len = strlen(text);
	if (lang_parse(&f->c, src) < 0)
		fail_msg("%s: %s", text, f->diags.list.v[0].text);
}

static void test_names(void **state)
{
	static const struct { const char *name; unsigned size; bool is_signed; } rows[] = {
		{ "char", 1, true }, { "signed char", 1, true }, { "unsigned char", 1, false }, { "char unsigned", 1,
		  false },
		{ "short", 2, true }, { "int short unsigned", 2, false }, { "int", 4, true }, { "unsigned", 4, false },
		{ "signed", 4, true }, { "long", 8, true }, { "long unsigned int", 8, false }, { "int  long", 8, true },
		{ "long long", 8, true }, { "long unsigned long", 8, false }, { "long int unsigned long", 8, false },
		{ "int8_t", 1, true }, { "uint16_t", 2, false }, { "uint32_t", 4, false }, { "int64_t", 8, true },
		{ "uchar_t", 1, false }, { "ushort_t", 2, false }, { "uint_t", 4, false }, { "ulong_t", 8, false },
		{ "longlong_t", 8, true }, { "u_longlong_t", 8, false }, { "size_t", 8, false }, { "ssize_t", 8, true },
		{ "pid_t", 4, true }, { "uid_t", 4, false }, { "processorid_t", 4, true }, { "hrtime_t", 8, true },
		{ "uintptr_t", 8, false }, { "intptr_t", 8, true }, { "zoneid_t", 4, true }, { "lwpid_t", 4, true },
	};
	struct types_fixture *f = *state;

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const struct type *t = type_lookup(&f->c.types, rows[i].name);

		if (!t || t->kind != T_INT || t->size != rows[i].size || t->is_signed != rows[i].is_signed)
			fail_msg("%s", rows[i].name);
		assert_ptr_equal(t, type_lookup(&f->c.types, rows[i].name));
	}
	assert_string_equal(type_lookup(&f->c.types, "pid_t")->name, "pid_t");
	assert_null(f->c.types.btf);	/* none of them needs the kernel */
}

static void test_no_such_name(void **state)
{
	static const char *const names[] = {
		"unsigned signed", "long long long", "short long", "char int", "unsigned unsigned", "int int",
		"shorter",
		"int]", "int[", "int[x]", "",
	};
	struct types_fixture *f = *state;

	f->c.types.btf_path = "/nonexistent/btf";
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (type_lookup(&f->c.types, names[i]))
			fail_msg("\"%s\"", names[i]);
}

static void test_derived(void **state)
{
	struct types_fixture *f = *state;
	struct types *t = &f->c.types;
	struct type *p = type_pointer(t, t->t_int);

	assert_ptr_equal(p, type_pointer(t, t->t_int));
	assert_ptr_equal(p, type_lookup(t, "int *"));
	assert_ptr_equal(type_pointer(t, p), type_lookup(t, "int**"));
	assert_ptr_equal(type_array(t, t->t_char, 16), type_lookup(t, "char[16]"));
	assert_int_equal(type_array(t, t->t_char, 16)->size, 16);
	assert_ptr_equal(type_string(t, 0), t->t_string);
	assert_ptr_equal(type_string(t, 16), type_string(t, 16));
	assert_int_equal(type_string(t, 16)->size, 16);
	assert_ptr_equal(type_lookup(t, "caddr_t"), type_pointer(t, t->t_char));
	assert_true(type_same(type_lookup(t, "pid_t"), t->t_int));
	assert_false(type_same(type_lookup(t, "pid_t"), t->t_uint));
	assert_true(type_same(type_lookup(t, "pid_t *"), p));
	assert_false(type_same(p, type_pointer(t, t->t_uint)));
	assert_true(type_array(t, t->t_long, UINT64_MAX / 2)->size == UINT64_MAX);
}

/* The result types of every pair of operands in the compiler that compiles this test. */
#define PAIR(a, b) { #a, #b, sizeof ((a)0 + (b)0), \
	_Generic((a)0 + (b)0, int: "int", unsigned: "unsigned int", long: "long", unsigned long: "unsigned long", \
		 long long: "long long", unsigned long long: "unsigned long long") }
#define ROW(a) PAIR(a, char), PAIR(a, signed char), PAIR(a, unsigned char), PAIR(a, short), PAIR(a, unsigned short), \
	PAIR(a, int), PAIR(a, unsigned int), PAIR(a, long), PAIR(a, unsigned long), PAIR(a, long long), \
	PAIR(a, unsigned long long)

static void test_conversions(void **state)
{
	static const struct { const char *a, *b; unsigned size; const char *name; } rows[] = {
		ROW(char), ROW(unsigned char), ROW(short), ROW(unsigned short), ROW(int), ROW(unsigned int), ROW(long),
		ROW(unsigned long), ROW(long long), ROW(unsigned long long),
	};
	struct types_fixture *f = *state;
	struct types *t = &f->c.types;

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const struct type *u = type_usual(t, type_lookup(t, rows[i].a), type_lookup(t, rows[i].b));

		if (strcmp(u->name, rows[i].name))
			fail_msg("%s + %s is %s, not %s", rows[i].a, rows[i].b, rows[i].name, u->name);
		assert_int_equal(u->size, rows[i].size);
		assert_int_equal(u->is_signed, !strstr(u->name, "unsigned"));
	}
	assert_ptr_equal(type_usual(t, type_lookup(t, "pid_t"), type_lookup(t, "uint64_t")), t->t_ulong);
	assert_ptr_equal(type_usual(t, type_lookup(t, "uint8_t"), type_lookup(t, "int16_t")), t->t_int);
	assert_ptr_equal(type_promote(t, type_lookup(t, "hrtime_t")), t->t_llong);
}

/* ---- layouts: the same text for the C compiler and for D ---- */

#define SAMPLE \
	struct types_sample { \
		char c; \
		short s; \
		int i3 : 3; \
		unsigned int u7 : 7; \
		int : 0; \
		unsigned char b : 5; \
		long l40 : 40; \
		int : 9; \
		long l20 : 20; \
		char name[5]; \
		struct { int x, *y; union { char z; long w; }; }; \
		struct types_inner { char a; double_t d; } in[3]; \
		union { int p; char q[7]; } un; \
		enum color { RED, GREEN = 5, BLUE } col; \
		int (*fn)(int, char *); \
		int (*row)[4], *list[4]; \
		const volatile unsigned long long ull; \
		char last; \
	}
#define TEXT_(...) #__VA_ARGS__
#define TEXT(...) TEXT_(__VA_ARGS__)
typedef long double_t_;
#define double_t double_t_
SAMPLE;

static void check_offset(struct types_fixture *f, struct type *s, const char *name, size_t off, size_t size)
{
	uint64_t bitoff;
	const struct member *m = type_member(&f->c.types, s, name, &bitoff);

	if (!m || bitoff != off * 8 || m->type->size != size)
		fail_msg("%s: offset %lld, size %lld; C says %zu, %zu", name, m ? (long long)bitoff / 8 : -1,
			 m ? (long long)m->type->size : -1, off, size);
}

static void test_layout(void **state)
{
	struct types_fixture *f = *state;
	struct type *s;

	parse(f, "typedef long double_t_; " TEXT(SAMPLE) "; BEGIN");
	s = type_lookup(&f->c.types, "struct types_sample");
	assert_non_null(s);
	assert_false(s->kernel);
	assert_int_equal(s->size, sizeof(struct types_sample));
	assert_int_equal(type_align(&f->c.types, s), _Alignof(struct types_sample));
#define CHECK(m) check_offset(f, s, #m, offsetof(struct types_sample, m), sizeof(((struct types_sample *)0)->m))
	CHECK(c); CHECK(s); CHECK(name); CHECK(x); CHECK(y); CHECK(z); CHECK(w); CHECK(in); CHECK(un); CHECK(col);
	CHECK(fn); CHECK(row); CHECK(list); CHECK(ull); CHECK(last);
	check_offset(f, type_lookup(&f->c.types, "struct types_inner"), "d", offsetof(struct types_inner, d), 8);
}

/* Finds the position of a bit-field by setting it and searching for the bits. */
#define CHECK_BITS(m, value) do { \
	struct types_sample v_; \
	uint64_t off_; \
	const struct member *m_ = type_member(&f->c.types, s, #m, &off_); \
	memset(&v_, 0, sizeof v_); \
	v_.m = (value); \
	assert_non_null(m_); \
	check_bits(#m, &v_, sizeof v_, off_, m_->bits); \
} while (0)

static void check_bits(const char *name, const void *p, size_t size, uint64_t off, unsigned bits)
{
	const unsigned char *b = p;

	for (size_t i = 0; i < size * 8; i++)
		if ((b[i / 8] >> i % 8 & 1) != (i >= off && i < off + bits))
			fail_msg("%s: bit %zu", name, i);
}

static void test_bitfields(void **state)
{
	struct types_fixture *f = *state;
	struct type *s;

	parse(f, "typedef long double_t_; " TEXT(SAMPLE) "; BEGIN");
	s = type_lookup(&f->c.types, "struct types_sample");
	CHECK_BITS(i3, -1);
	CHECK_BITS(u7, 127);
	CHECK_BITS(b, 31);
	CHECK_BITS(l40, -1);
	CHECK_BITS(l20, -1);
}

static void test_text(void **state)
{
	static const struct { const char *member, *text; } rows[] = {
		{ "s", "short" }, { "name", "char[5]" }, { "y", "int *" }, { "fn", "int (*)()" },
		{ "row", "int (*)[4]" },
		{ "list", "int *[4]" }, { "in", "struct types_inner[3]" }, { "col", "enum color" },
		{ "un", "union <anonymous>" },
		{ "ull", "unsigned long long" },
	};
	struct types_fixture *f = *state;
	struct type *s;
	uint64_t off;

	parse(f, "typedef long double_t_; " TEXT(SAMPLE) "; BEGIN");
	s = type_lookup(&f->c.types, "struct types_sample");
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		assert_string_equal(type_text(&f->c.types, type_member(&f->c.types, s, rows[i].member, &off)->type),
				    rows[i].text);
	assert_string_equal(type_text(&f->c.types, type_lookup(&f->c.types, "struct types_sample **")),
			    "struct types_sample **");
}

/* ---- the kernel's BTF ---- */

static void compare_members(struct types_fixture *f, const struct btf *btf, const struct btf_type *bt, struct type *s,
			    uint64_t base, unsigned *seen)
{
	for (int i = 0; i < btf_vlen(bt); i++) {
		const struct btf_member *bm = &btf_members(bt)[i];
		const char *name = btf__name_by_offset(btf, bm->name_off);
		uint64_t want = base + btf_member_bit_offset(bt, i), off = 0;
		const struct member *m;
		int64_t size = btf__resolve_size(btf, bm->type);

		if (!*name) {
			compare_members(f, btf, btf__type_by_id(btf, btf__resolve_type(btf, bm->type)), s, want, seen);
			continue;
		}
		m = type_member(&f->c.types, s, name, &off);
		if (!m || off != want || m->bits != btf_member_bitfield_size(bt, i) ||
		    (size > 0 && m->type->size != (uint64_t)size))
			fail_msg("%s.%s: %llu, libbpf says %llu", s->name, name, (unsigned long long)off,
				 (unsigned long long)want);
		++*seen;
	}
}

static void test_kernel_structs(void **state)
{
	static const char *const names[] = { "task_struct", "signal_struct", "cred", "pid", "mm_struct", "file", "page",
		"sk_buff", "bio", "net_device" };
	struct types_fixture *f = *state;
	struct btf *btf = btf__load_vmlinux_btf();

	if (libbpf_get_error(btf))
		skip();
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		int id = btf__find_by_name_kind(btf, names[i], BTF_KIND_STRUCT);
		const struct btf_type *bt = btf__type_by_id(btf, id);
		char tag[64];
		struct type *s;
		unsigned seen = 0;

		if (id < 0)
			continue;
		snprintf(tag, sizeof tag, "struct %s", names[i]);
		s = type_lookup(&f->c.types, tag);
		assert_non_null(s);
		assert_true(s->kernel);
		assert_int_equal(s->size, bt->size);
		compare_members(f, btf, bt, s, 0, &seen);
		assert_true(seen > 4);
		assert_ptr_equal(s, type_lookup(&f->c.types, tag));
	}
	btf__free(btf);
}

static void test_kernel_names(void **state)
{
	struct types_fixture *f = *state;
	struct types *t = &f->c.types;
	struct type *task = type_lookup(t, "struct task_struct");
	uint64_t off;

	if (!task && t->error)
		skip();
	assert_string_equal(type_text(t, type_member(t, task, "comm", &off)->type), "char[16]");
	assert_ptr_equal(type_member(t, task, "comm", &off)->type->ref, t->t_char);
	assert_ptr_equal(type_member(t, task, "real_parent", &off)->type, type_pointer(t, task));
	assert_string_equal(type_text(t, type_member(t, task, "pid", &off)->type), "pid_t");
	assert_ptr_equal(type_member(t, task, "prio", &off)->type, t->t_int);
	assert_true(type_pointer(t, task)->kernel);
	assert_null(type_member(t, task, "no_such_member", &off));
	assert_non_null(type_lookup(t, "atomic_t"));
	/* with and without an index over all names */
	for (int i = 0; i < 40; i++) {
		char name[32];

		snprintf(name, sizeof name, "struct no_such_%d", i);
		assert_null(type_lookup(t, name));
		assert_null(t->error);
	}
	assert_ptr_equal(type_lookup(t, "struct task_struct"), task);
	assert_non_null(type_lookup(t, "struct net_device"));
	assert_non_null(type_lookup(t, "umode_t"));
	assert_non_null(type_lookup(t, "enum pid_type"));
	assert_null(type_lookup(t, "task_struct"));
}

static void test_no_btf(void **state)
{
	struct types_fixture *f = *state;
	struct types *t = &f->c.types;

	t->btf_path = "/nonexistent/btf";
	assert_null(type_lookup(t, "struct task_struct"));
	assert_non_null(t->error);
	assert_non_null(strstr(t->error, "/nonexistent/btf"));
	assert_null(type_lookup(t, "struct cred"));
	assert_non_null(t->error);
	assert_non_null(type_lookup(t, "int"));
	assert_null(t->error);
	types_close(t);
	types_close(t);
}

/* A BTF made by hand: what the running kernel may not have. */
static char *btf_make(void)
{
	struct btf *b = btf__new_empty();
	int i32 = btf__add_int(b, "int", 4, BTF_INT_SIGNED), i128 = btf__add_int(b, "__int128", 16, BTF_INT_SIGNED);
	int odd = btf__add_int(b, "long unsigned int", 8, 0), fl = btf__add_float(b, "double", 8);
	int fwd = btf__add_fwd(b, "later", BTF_FWD_STRUCT), never = btf__add_fwd(b, "never", BTF_FWD_UNION);
	int konst = btf__add_const(b, btf__add_volatile(b, i32));
	int pfwd = btf__add_ptr(b, fwd), pnever = btf__add_ptr(b, never);
	char *path = strdup("/tmp/test_types.XXXXXX");
	const void *raw;
	uint32_t size;
	FILE *out;
	int fd;

	btf__add_struct(b, "bits", 16);
	btf__add_field(b, "a", i32, 0, 3);
	btf__add_field(b, "b", konst, 3, 13);
	btf__add_field(b, "c", odd, 64, 0);
	btf__add_struct(b, "later", 64);
	btf__add_field(b, "wide", i128, 0, 0);
	btf__add_field(b, "dbl", fl, 128, 0);
	btf__add_field(b, "self", pfwd, 192, 0);
	btf__add_struct(b, "user", 16);
	btf__add_field(b, "p", pfwd, 0, 0);
	btf__add_field(b, "q", pnever, 64, 0);
	btf__add_enum64(b, "big", 8, true);
	btf__add_enum64_value(b, "ONE", 1);
	raw = btf__raw_data(b, &size);
	fd = mkstemp(path);
	out = fd < 0 ? NULL : fdopen(fd, "wb");
	assert_non_null(out);
	assert_int_equal(fwrite(raw, 1, size, out), size);
	fclose(out);
	btf__free(b);
	return path;
}

static void test_made_btf(void **state)
{
	struct types_fixture *f = *state;
	struct types *t = &f->c.types;
	char *path = btf_make();
	struct type *s, *later, *never;
	const struct member *m;
	uint64_t off;

	t->btf_path = path;
	s = type_lookup(t, "struct bits");
	unlink(path);
	assert_non_null(s);
	m = type_member(t, s, "a", &off);
	assert_int_equal(off, 0);
	assert_int_equal(m->bits, 3);
	m = type_member(t, s, "b", &off);
	assert_int_equal(off, 3);
	assert_int_equal(m->bits, 13);
	assert_ptr_equal(m->type, t->t_int);
	assert_ptr_equal(type_member(t, s, "c", &off)->type, t->t_ulong);
	assert_int_equal(off, 64);

	later = type_member(t, type_lookup(t, "struct user"), "p", &off)->type->ref;
	assert_true(type_members(t, later));
	assert_int_equal(later->size, 64);
	m = type_member(t, later, "wide", &off);
	assert_int_equal(m->type->kind, T_STRUCT);
	assert_int_equal(m->type->size, 16);
	assert_int_equal(type_member(t, later, "dbl", &off)->type->kind, T_STRUCT);
	never = type_member(t, type_lookup(t, "struct user"), "q", &off)->type->ref;
	assert_int_equal(never->kind, T_UNION);
	assert_false(type_members(t, never));
	assert_null(type_member(t, never, "x", &off));
	assert_int_equal(type_lookup(t, "enum big")->size, 8);
	assert_true(type_lookup(t, "enum big")->is_signed);
	free(path);
}

/* ---- modules ---- */
static void btf_write(struct btf *b, const char *dir, const char *name)
{
	char path[256];
	uint32_t size;
	const void *raw = btf__raw_data(b, &size);
	FILE *out;

	snprintf(path, sizeof path, "%s/%s", dir, name);
	out = fopen(path, "wb");
	assert_non_null(out);
	assert_int_equal(fwrite(raw, 1, size, out), size);
	fclose(out);
}

/* A kernel that only declares what a module defines, and two modules that both have a `struct one`. */
static void modules_make(const char *dir)
{
	struct btf *base = btf__new_empty(), *m;
	int i32 = btf__add_int(base, "int", 4, BTF_INT_SIGNED), thing, var;

	btf__add_struct(base, "thing", 4);
	btf__add_field(base, "x", i32, 0, 0);
	thing = btf__add_ptr(base, (int)btf__type_cnt(base) - 1);
	btf__add_struct(base, "holder", 8);
	btf__add_field(base, "p", btf__add_ptr(base, btf__add_fwd(base, "later", BTF_FWD_STRUCT)), 0, 0);
	btf_write(base, dir, "vmlinux");
	m = btf__new_empty_split(base);
	btf__add_struct(m, "one", 16);
	btf__add_field(m, "t", thing, 0, 0);
	btf__add_typedef(m, "one_t", (int)btf__type_cnt(m) - 1);
	var = btf__add_var(m, "counter", BTF_VAR_STATIC, i32);
	btf__add_datasec(m, ".data..percpu", 4);
	btf__add_datasec_var_info(m, var, 0, 4);
	btf_write(m, dir, "amod");
	btf__free(m);
	m = btf__new_empty_split(base);
	btf__add_struct(m, "one", 32);
	btf__add_struct(m, "two", 24);
	btf_write(m, dir, "bmod");
	btf__free(m);
	btf__free(base);
}

static void test_modules(void **state)
{
	struct types_fixture *f = *state;
	struct types *t = &f->c.types;
	char dir[] = "/tmp/test_types.XXXXXX", base[64], cmd[96];
	struct type *one, *type;
	uint64_t off;
	bool percpu;

	assert_non_null(mkdtemp(dir));
	modules_make(dir);
	snprintf(base, sizeof base, "%s/vmlinux", dir);
	t->btf_path = base;
	t->btf_dir = dir;
	/* a module is searched only by name, or after everything else */
	assert_null(type_lookup(t, "struct one"));
	assert_null(type_lookup(t, "struct vmlinux`one"));
	one = type_lookup(t, "struct amod`one");
	assert_int_equal(one->size, 16);
	assert_int_equal(type_lookup(t, "struct bmod`one")->size, 32);
	assert_ptr_equal(type_lookup(t, "amod`one_t"), one);
	assert_null(type_lookup(t, "struct nomod`one"));
	assert_null(type_lookup(t, "struct ..`one"));
	/* what it refers to is the kernel's own type */
	assert_ptr_equal(type_member(t, one, "t", &off)->type->ref, type_lookup(t, "struct thing"));
	assert_int_equal(type_lookup_modules(t, "struct two")->size, 24);
	assert_ptr_equal(type_lookup_modules(t, "struct one"), one);
	assert_null(type_lookup_modules(t, "struct three"));
	assert_true(btf_variable(t, "amod", "counter", &type, &percpu));
	assert_true(percpu);
	assert_ptr_equal(type, t->t_int);
	assert_false(btf_variable(t, NULL, "counter", &type, &percpu));
	snprintf(cmd, sizeof cmd, "rm -r %s", dir);
	assert_int_equal(system(cmd), 0);
}

static void test_broken_btf(void **state)
{
	struct types_fixture *f = *state;

	f->c.types.btf_path = "/proc/self/cmdline";
	assert_null(type_lookup(&f->c.types, "struct x"));
	assert_non_null(f->c.types.error);
}

/* The types before the broken one are available; why others are not is reported. */
static void test_broken_type(void **state)
{
	struct types_fixture *f = *state;
	struct types *t = &f->c.types;
	struct btf *b = btf__new_empty();
	char dir[] = "/tmp/test_types.XXXXXX", path[64], cmd[96];

	btf__add_struct(b, "first", 4);
	btf__add_struct(b, "second", 4);
	((struct btf_type *)btf__type_by_id(b, 2))->info = 31u << 24;
	assert_non_null(mkdtemp(dir));
	btf_write(b, dir, "vmlinux");
	btf__free(b);
	snprintf(path, sizeof path, "%s/vmlinux", dir);
	t->btf_path = path;
	assert_int_equal(type_lookup(t, "struct first")->size, 4);
	assert_null(t->error);
	assert_null(type_lookup(t, "struct second"));
	assert_non_null(t->error);
	assert_non_null(strstr(t->error, "Invalid argument"));
	snprintf(cmd, sizeof cmd, "rm -r %s", dir);
	assert_int_equal(system(cmd), 0);
}

/* ---- the prelude ---- */

static void test_prelude(void **state)
{
	static const struct { const char *type; unsigned members; } rows[] = {
		{ "psinfo_t", 18 }, { "lwpsinfo_t", 11 }, { "cpuinfo_t", 4 },
	};
	struct types_fixture *f = *state;
	struct type *task = type_lookup(&f->c.types, "struct task_struct");

	if (!task)
		skip();
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct type *to = prelude_type(&f->c, rows[i].type);
		const struct translator *x;

		assert_non_null(to);
		assert_false(to->kernel);
		prelude_translators(&f->c, to);
		x = f->c.script->translators;
		while (x && x->to != to)
			x = x->next;
		assert_non_null(x);
		assert_ptr_equal(x->from, type_pointer(&f->c.types, task));
		assert_true(x->members.n >= rows[i].members);
	}
	assert_int_equal(f->diags.nerrors, 0);
	assert_int_equal(prelude_load(&f->c), 0);
	assert_ptr_equal(prelude_type(&f->c, "struct psinfo"), prelude_type(&f->c, "psinfo_t"));
	assert_null(prelude_type(&f->c, "no_such_t"));
}

/* Every kernel member that a translator walks through exists here, up to those that differ between kernels. */
static void check_path(struct types_fixture *f, struct type *from, const struct node *n, struct type **out)
{
	struct type *below[3] = { 0 };
	uint64_t off;

	if (n->kind == N_IDENT)
		*out = !strcmp(n->str, "T") ? from : NULL;
	if (n->a)
		check_path(f, from, n->a, &below[0]);
	if (n->b)
		check_path(f, from, n->b, &below[1]);
	if (n->c)
		check_path(f, from, n->c, &below[2]);
	if (n->kind == N_INDEX && below[0])
		*out = below[0]->ref;
	/* what begins with something else than the parameter is of the script's world */
	if (n->kind == N_MEMBER && below[0]) {
		struct type *s = below[0];
		const struct member *m;

		m = type_member(&f->c.types, n->arrow ? s->ref : s, n->str, &off);
		if (!m)
			fail_msg("line %u: no member %s", n->loc.line, n->str);
		*out = m->type;
	}
}

static void test_prelude_members(void **state)
{
	struct types_fixture *f = *state;

	if (!type_lookup(&f->c.types, "struct task_struct"))
		skip();
	assert_int_equal(prelude_load(&f->c), 0);
	assert_non_null(prelude_type(&f->c, "tcpinfo_t"));
	prelude_all(&f->c);
	assert_int_equal(f->diags.nerrors, 0);
	assert_non_null(f->c.script->translators);
	for (const struct translator *x = f->c.script->translators; x; x = x->next) {
		for (size_t i = 0; i < x->members.n; i++) {
			struct type *t = NULL;

			check_path(f, x->from, x->members.v[i].expr, &t);
		}
	}
}

/* An inline of the prelude may precede the name that loads the prelude. */
static void test_prelude_early(void **state)
{
	struct types_fixture *f = *state;

	if (!type_lookup(&f->c.types, "struct task_struct"))
		skip();
	parse(f, "BEGIN { x = SRUN; }");
	assert_int_equal(f->c.files[0], 0);
	parse(f, "BEGIN /SRUN == curlwpsinfo->pr_state/ { x = 1; }");
	assert_int_not_equal(f->c.files[0], 0);
	assert_non_null(inline_find(&f->c, "SRUN"));
}

static void test_prelude_yields(void **state)
{
	struct types_fixture *f = *state;

	if (!type_lookup(&f->c.types, "struct task_struct"))
		skip();
	parse(f, "typedef struct psinfo { int mine; } psinfo_t; inline int SRUN = 7; int SSLEEP; BEGIN");
	assert_int_equal(prelude_load(&f->c), 0);
	assert_int_equal(type_lookup(&f->c.types, "psinfo_t")->nmembers, 1);
	assert_non_null(type_lookup(&f->c.types, "lwpsinfo_t"));
}

static void test_prelude_missing(void **state)
{
	struct types_fixture *f = *state;

	f->c.env.prelude = "/nonexistent/prelude.d";
	assert_int_equal(prelude_load(&f->c), -1);
	assert_int_equal(f->diags.nerrors, 1);
	assert_int_equal(f->diags.list.v[0].tag, D_KTYPE);
	assert_int_equal(prelude_load(&f->c), -1);
	assert_int_equal(f->diags.nerrors, 1);
}

#define T(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(test_names), T(test_no_such_name), T(test_derived), T(test_conversions), T(test_layout),
		T(test_bitfields), T(test_text), T(test_kernel_structs), T(test_kernel_names), T(test_no_btf),
		T(test_made_btf), T(test_modules), T(test_broken_btf), T(test_broken_type), T(test_prelude),
		T(test_prelude_members),
		T(test_prelude_early),
		T(test_prelude_yields),
		T(test_prelude_missing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
