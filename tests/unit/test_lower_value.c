/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Lowering: the values of built-in variables, variables, elements and members of kernel structures. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "lang/types/type_find.h"
#include "tests/lib/dworld.h"

struct lower_value {
	const char *text;
	int64_t want;
};

static void check_memory(const char *declared, const char *before, const void *kmem, size_t size,
			 const struct lower_value *v,
			 size_t n)
{
	for (size_t i = 0; i < n; i++) {
		for (int optimise = 0; optimise < 2; optimise++) {
			struct buf text = { 0 };
			struct dworld w;

			buf_printf(&text, "%s BEGIN { %s trace((long)(%s)); }", declared, before, v[i].text);
			dworld_open_ok(&w, buf_str(&text), optimise);
			if (size)
				memcpy(w.kmem, kmem, size);
			dworld_fire(&w, "BEGIN");
			if (w.faults.n || w.recs.n != 1 || dworld_int(&w, 0, 0, 0) != v[i].want)
				fail_msg("%s: %lld, not %lld", v[i].text,
					 w.recs.n ? (long long)dworld_int(&w, 0, 0, 0) : -1LL, (long long)v[i].want);
			dworld_close(&w);
			buf_free(&text);
		}
	}
}

static void check_values(const char *before, const struct lower_value *v, size_t n)
{
	check_memory("", before, NULL, 0, v, n);
}

static void test_builtins(void **state)
{
	static const struct lower_value v[] = {
		{ "pid", 4711 }, { "tid", 4712 }, { "uid", 1000 }, { "gid", 100 }, { "cpu", 3 }, { "timestamp", 1000 },
		{ "timestamp - timestamp", 0 }, { "stackdepth", 7 }, { "errno", 0 }, { "arg0", 0 }, { "arg9", 0 },
		{ "epid", 1 }, { "id", 1 }, { "(unsigned long)curthread", (int64_t)IR_SEED_KBASE },
		{ "execname == \"gzip\"", 1 }, { "execname == \"gzipp\"", 0 }, { "execname == \"gzi\"", 0 },
		{ "\"gzip\" == execname", 1 }, { "execname != \"gzip\"", 0 }, { "execname != \"bash\"", 1 },
		{ "execname == \"\"", 0 }, { "execname > \"gzi\"", 1 }, { "execname < \"h\"", 1 },
		{ "execname <= \"gzip\"", 1 },
		{ "execname >= \"gzipx\"", 0 }, { "execname == execname", 1 },
		{ "execname == \"a name that is longer than any\"", 0 },
		{ "execname == \"a name that is longer than any task has, and longer than words\"", 0 },
		{ "execname != \"a name that is longer than any task has, and longer than words\"", 1 },
		{ "probename == \"BEGIN\"", 1 }, { "probename == \"END\"", 0 }, { "probeprov == \"dtrace\"", 1 },
		{ "probemod == \"\"", 1 }, { "probefunc == \"\"", 1 }, { "probename < probeprov", 1 },
		{ "\"abc\" < \"abd\"", 1 }, { "\"abc\" < \"ab\"", 0 }, { "\"\" <= \"\"", 1 },
		{ "\"a\" > \"\\377\"", 0 },
		{ "\"a\" != \"a\"", 0 }, { "\"a\" >= \"b\"", 0 }, { "execname == \"x\" || execname == \"gzip\"", 1 },
		{ "!(execname == \"gzip\")", 0 }, { "(execname == \"gzip\") + 4", 5 },
	};

	(void)state;
	check_values("", v, sizeof v / sizeof *v);
}

static void test_scalars(void **state)
{
	static const struct lower_value v[] = {
		{ "x", 5 }, { "x++", 5 }, { "++x", 6 }, { "x--", 5 }, { "--x", 4 }, { "x++ + x", 11 }, { "x += 3", 8 },
		{ "x -= 7", -2 }, { "x *= -4", -20 }, { "x /= 2", 2 }, { "x %= 3", 2 }, { "x <<= 3", 40 },
		{ "x >>= 1", 2 },
		{ "x |= 8", 13 }, { "x &= 4", 4 }, { "x ^= 1", 4 }, { "x = 9", 9 }, { "x = y = 3", 3 },
		{ "(x = 2, x + 1)", 3 },
		{ "(x += 10, x)", 15 }, { "c", -128 }, { "(c--, c)", 127 }, { "c--", -128 }, { "--c", 127 },
		{ "c -= 1", 127 }, { "c += 300", -84 }, { "(c += 300, c)", -84 }, { "c *= 3", -128 }, { "uc++", 255 },
		{ "++uc", 0 }, { "(uc++, uc)", 0 }, { "uc += 1", 0 }, { "(++uc, uc == 0)", 1 }, { "s++", 32767 },
		{ "++s", -32768 }, { "(s++, s)", -32768 }, { "i++", INT32_MAX }, { "++i", INT32_MIN },
		{ "(i++, i)", INT32_MIN },
		{ "(i++, i < 0)", 1 }, { "u--", 0 }, { "--u", UINT32_MAX }, { "(u--, u)", UINT32_MAX },
		{ "l++", INT64_MAX },
		{ "++l", INT64_MIN }, { "(l++, l)", INT64_MIN }, { "c >>= 1", -64 }, { "uc >>= 1", 127 },
		{ "uc <<= 1", 254 },
		{ "i /= 2l", 1073741823 }, { "c = 300", 300 }, { "u = -1", UINT32_MAX }, { "never", 0 },
		{ "never++", 0 },
		{ "x ? x : 7", 5 }, { "never ? 1 : 2", 2 }, { "x > 3 && never++ == 0 && never == 1", 1 },
		{ "x < 3 && never++ == 0 || never", 0 }, { "x > 3 || never++", 1 }, { "(x > 3 || never++, never)", 0 },
		{ "this->t = 5", 5 }, { "(this->t = 5, this->t++, ++this->t)", 7 }, { "this->n", 0 },
		{ "this->n--", 0 },
		{ "(this->n--, this->n)", -1 }, { "(this->c = (char)127, this->c++, this->c)", -128 },
		{ "self->t = 5", 5 }, { "(self->t = 5, self->t)", 5 }, { "self->n", 0 }, { "self->n++", 0 },
		{ "(self->n++, self->n)", 1 }, { "(self->t = 5, self->t *= 3, self->t)", 15 },
		{ "(self->t = 5, self->t = 0, self->t)", 0 }, { "(self->c = (char)127, ++self->c)", -128 },
	};

	(void)state;
	check_values("x = 5; y = 0; c = (char)-128; uc = (unsigned char)255; s = (short)32767; i = 2147483647; "
		     "u = (unsigned int)0; l = 9223372036854775807; never = 0; self->n = 0; this->n = 0; ",
		     v, sizeof v / sizeof *v);
}

static void test_arrays(void **state)
{
	static const struct lower_value v[] = {
		{ "a[1]", 10 }, { "a[2]", 0 }, { "a[1]++", 10 }, { "(a[1]++, a[1])", 11 }, { "++a[7]", 1 },
		{ "(a[1] += 5, a[1])", 15 }, { "(a[1] -= 5, a[1])", 5 }, { "(a[1] |= 5, a[1])", 15 },
		{ "(a[3] |= 5, a[3])", 5 },
		{ "(a[1] = 0, a[1])", 0 }, { "(a[1] = zero, a[1])", 0 }, { "(a[1] = one, a[1])", 1 },
		{ "b[\"x\", 1, 'c']", 77 }, { "b[\"x\", 1, 'd']", 0 }, { "b[\"x\", 2, 'c']", 0 },
		{ "b[\"y\", 1, 'c']", 0 },
		{ "b[\"xx\", 1, 'c']", 0 }, { "b[str, 1, 'c']", 77 }, { "b[str2, 1, 'c']", 0 },
		{ "(b[execname, 1, 'c'] = 3, b[\"gzip\", 1, 'c'])", 3 }, { "a[a[1] - 9]", 10 },
		{ "a[a[a[2] + 1] - 9]", 10 },
		{ "s[1] == \"one\"", 1 }, { "s[2] == \"\"", 1 }, { "s[1] != s[2]", 1 },
		{ "(s[2] = s[1], s[2] == \"one\")", 1 },
		{ "(s[1] = \"\", s[1] == \"\")", 1 }, { "(s[1] = s[1], s[1] == \"one\")", 1 },
		{ "(b[one ? execname : \"more than a task's name has\", 1, 'c'] = 3, b[\"gzip\", 1, 'c'])", 3 },
		{ "m[(unsigned char)1]", 9 }, { "m[(unsigned char)257]", 9 }, { "(m[3] = 300, m[3])", 300 },
	};

	(void)state;
	check_values("a[1] = 10; b[\"x\", 1, 'c'] = 77; zero = 0; one = 1; str = \"x\"; str2 = \"xyz\"; str2 = "
		"\"x y\"; "
		     "s[1] = \"one\"; m[(unsigned char)1] = (char)9; ", v, sizeof v / sizeof *v);
}

/* ---- kernel memory ---- */
static bool have_btf(void)
{
	return access("/sys/kernel/btf/vmlinux", R_OK) == 0;
}

static void put(struct dworld *w, const char *type, const char *member, uint64_t at, uint64_t v)
{
	struct type *t = type_lookup(&w->c.types, type);
	uint64_t bitoff = 0;
	const struct member *m;

	m = type_member(&w->c.types, t, member, &bitoff);
	assert_non_null(m);
	assert_true(at + bitoff / 8 + 8 <= DW_KMEM);
	memcpy(w->kmem + at + bitoff / 8, &v, m->type->size < 8 ? m->type->size : 8);
}

static void tasks(struct dworld *w)
{
	enum { PARENT = 32768 };

	put(w, "struct task_struct", "prio", 0, (uint64_t)-5);
	put(w, "struct task_struct", "real_parent", 0, IR_SEED_KBASE + PARENT);
	put(w, "struct task_struct", "tgid", PARENT, 99);
	put(w, "struct task_struct", "comm", PARENT, 0x736170);	/* "pas" */
	dworld_fire(w, "BEGIN");
	assert_int_equal(w->faults.n, 0);
	assert_int_equal(w->recs.n, 1);
	assert_int_equal(dworld_int(w, 0, 0, 0), -5);
	assert_int_equal(dworld_int(w, 0, 1, 0), 99);
	assert_int_equal(dworld_int(w, 0, 2, 0), 99);
	assert_string_equal(dworld_str(w, 0, 3, 0), "pas");
	assert_int_equal(dworld_int(w, 0, 4, 0), IR_SEED_KBASE + PARENT);
	assert_int_equal(dworld_int(w, 0, 5, 0), 0);
}

static void bad_pointer(struct dworld *w)
{
	put(w, "struct task_struct", "real_parent", 0, 0xdead0000);
	dworld_fire(w, "BEGIN");
	assert_int_equal(w->recs.n, 0);
	assert_int_equal(w->faults.n, 3);
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(w->faults.v[i].kind, IR_FLT_BADADDR);
		assert_true(w->faults.v[i].value >= 0xdead0000 && w->faults.v[i].value < 0xdead0000 + 0x8000);
	}
	assert_string_equal((char *)dworld_cell(w, "var@s", NULL), "old");
}

static void test_kernel(void **state)
{
	(void)state;
	if (!have_btf())
		skip();
	dworld_each("BEGIN { trace(curthread->prio); trace(curthread->real_parent->tgid); trace(ppid); "
	    "trace(stringof(curthread->real_parent->comm)); trace(curthread->real_parent); trace(vtimestamp); "
	"}", tasks);
	dworld_each("BEGIN { s = \"old\"; trace(curthread->real_parent->tgid); } BEGIN { s = "
		"stringof(curthread->real_parent->comm); } "
	    "BEGIN /curthread->real_parent->prio/ { trace(1); }", bad_pointer);
}

static void check_vtime(struct dworld *w, uint64_t clock, uint64_t want)
{
	w->clock = clock;
	dworld_fire(w, "BEGIN");
	assert_int_equal(dworld_int(w, w->recs.n - 1, 0, 0), want);
}

/* The one thread of this world and another one that is not seen take turns. */
static void vtime(struct dworld *w)
{
	enum { OTHER = 32768 };
	uint64_t off = 0;

	assert_non_null(type_member(&w->c.types, type_lookup(&w->c.types, "struct task_struct"), "se", &off));
	put(w, "struct sched_entity", "sum_exec_runtime", off / 8, 700);
	put(w, "struct sched_entity", "sum_exec_runtime", OTHER + off / 8, 100);
	check_vtime(w, 1000, 700);	/* nothing is known: the kernel's account */
	w->clock = 2000;
	dworld_switch(w, 0);
	check_vtime(w, 2000, 700);
	check_vtime(w, 2345, 1045);
	check_vtime(w, 1990, 700);	/* the time was read before the switch */
	w->clock = 3000;
	dworld_switch(w, 0);		/* changes nothing now */
	w->clock = 4000;
	dworld_switch(w, IR_SEED_KBASE + OTHER);
	assert_int_equal(*dworld_cell(w, "vtime@thread", NULL), 2700);
	/* whoever runs now has never left a CPU */
	*dworld_cell(w, "vtime@thread", NULL) = 0;
	check_vtime(w, 4250, 350);
	*dworld_cell(w, "vtime@thread", NULL) = 2700;
	w->clock = 9000;
	dworld_cell(w, "vtime@cpu", NULL)[0] = 0;	/* the other one's time is not this one's */
	dworld_switch(w, IR_SEED_KBASE);
	assert_int_equal(*dworld_cell(w, "vtime@thread", NULL), 2700);
	check_vtime(w, 9007, 2707);
	w->full = true;
	*dworld_cell(w, "vtime@thread", NULL) = 0;
	check_vtime(w, 9010, 710);
	assert_int_equal(w->faults.n, 0);
}

static void test_vtimestamp(void **state)
{
	(void)state;
	if (!have_btf())
		skip();
	dworld_each("BEGIN { trace(vtimestamp); }", vtime);
}

/* The same structure for the C compiler and, as text, for D. */
#define INNER struct inner { short x; unsigned char y[6]; int z[3]; };
#define OUTER struct outer { \
	signed char c; unsigned char uc; short s; unsigned short us; int i; unsigned int ui; long l; unsigned long ul; \
	int b1 : 3; unsigned int b2 : 5; int b3 : 17; unsigned int b4 : 7; unsigned long b5 : 40; long b6 : 24; \
	unsigned long b7 : 64; struct inner in; struct inner arr[2]; int *pi; struct outer *me; char name[10]; \
	char text[20]; };
#define TEXT(x) TEXT2(x)
#define TEXT2(x) #x
INNER
OUTER

static struct outer sample(void)
{
	struct outer o = {
		.c = -1, .uc = 255, .s = -300, .us = 65535, .i = -70000, .ui = 4000000000u, .l = -5000000000,
		.ul = UINT64_MAX,
		.b1 = -3, .b2 = 21, .b3 = -65000, .b4 = 100, .b5 = 0xabcdef0123, .b6 = -8000000,
		.b7 = 0xfedcba9876543210,
		.in = { -7, { 1, 2, 3, 4, 5, 255 }, { 10, -20, 30 } },
		.arr = { { 1, { 0 }, { 1, 2, 3 } }, { -2, { 9 }, { -4, 5, -6 } } }, .name = "0123456789",
		.text = "text",
	};

	o.pi = (int *)(uintptr_t)(IR_SEED_KBASE + offsetof(struct outer, in.z));
	o.me = (struct outer *)(uintptr_t)IR_SEED_KBASE;
	return o;
}

/* p is the C compiler's structure here and the kernel's memory in D. */
static void test_members(void **state)
{
	struct outer o = sample(), *p = &o;
	int k = 1;
#define M(e) { #e, (int64_t)(e) }
	const struct lower_value v[] = {
		M(p->c), M(p->uc), M(p->s), M(p->us), M(p->i), M(p->ui), M(p->l), M(p->ul), M(p->b1), M(p->b2),
		M(p->b3),
		M(p->b4), M(p->b5), M(p->b6), M(p->b7), M(p->in.x), M(p->in.y[5]), M(p->in.y[k]), M(p->in.z[1]),
		M(p->arr[1].x),
		M(p->arr[k].z[k + 1]), M(p->arr[0].z[2]), M((&p->in)->z[2]), M((*p).i), M((*p).in.z[0]), M(*(&p->i)),
		M(p->b1 + p->b3), M(p->c == -1 && p->uc == 255), M(p->i ? p->s : 0), M(&p->i == &p->in.z[0]),
		M((char *)&p->in - (char *)p), M(&p->arr[1] - &p->arr[0]), M((&p->ui)[-1]), M(sizeof(p->in)),
	};
	static const struct lower_value only_d[] = {
		{ "*p->pi", 10 }, { "p->pi[1]", -20 }, { "*(p->pi + 2)", 30 }, { "p->me->me->i", -70000 },
		{ "stringof(p->text) == \"text\"", 1 }, { "stringof(p->name) == \"012345678\"", 1 },
		{ "p->me == p", 1 }, { "p->pi > (int *)p", 1 },
	};
	static const char before[] = "p = (struct outer *)curthread; k = 1; ";

	(void)state;
	check_memory(TEXT(INNER) TEXT(OUTER), before, &o, sizeof o, v, sizeof v / sizeof *v);
	check_memory(TEXT(INNER) TEXT(OUTER), before, &o, sizeof o, only_d, sizeof only_d / sizeof *only_d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_builtins), cmocka_unit_test(test_scalars), cmocka_unit_test(test_arrays),
		cmocka_unit_test(test_kernel), cmocka_unit_test(test_members),
		cmocka_unit_test(test_vtimestamp),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
