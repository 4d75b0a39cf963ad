/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Files of saved aggregations: their contents, and the errors for damaged and hostile ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <zlib.h>

#include "aggregation/set.h"

static const char program[] = "profile-97 { @[execname, stack()] = quantize(x); }\n";

/* Names of addresses as a session has them. */
static void name_addr(void *arg, struct buf *out, int64_t pid, uint64_t addr)
{
	(void)arg;
	buf_printf(out, "%s`f%d+0x%x", pid < 0 ? "kernel" : "user", (int)(addr >> 8), (int)(addr & 0xff));
}

static void name_show(void *arg, struct buf *out, const struct val_field *f, const void *base)
{
	uint64_t addr;

	memcpy(&addr, (const char *)base + f->off + f->size - 8, sizeof addr);
	name_addr(arg, out, f->size == 16 ? 1 : -1, addr & ~0xffull);
}

static const struct val_names names = { .show = name_show, .addr = name_addr };

/* @q[string of 16, int of 4, stack of 4 frames, usym]: quantize(); @n: count() without keys. */
enum { KEYSIZE = 16 + 8 + 32 + 16 };

static void make_descs(struct agg_desc *q, struct agg_desc *n)
{
	*q = (struct agg_desc){
		.name = "q", .func = agg_func_find("quantize"), .nkeys = 4, .keysize = KEYSIZE, .rawsize = KEYSIZE,
		.key = { { .off = 0, .size = 16, .kind = VAL_STR }, { .off = 16, .size = 4, .kind = VAL_INT,
			.is_signed = true },
			 { .off = 24, .size = 32, .kind = VAL_STACK }, { .off = 56, .size = 16, .kind = VAL_USYM } },
	};
	q->valsize = q->func->size(&q->spec);
	*n = (struct agg_desc){ .name = "n", .func = agg_func_find("count"), .valsize = 8 };
}

struct made {
	struct arena arena;
	struct agg_desc descs[2];
	struct agg_table tables[2];
	struct agg_set taken, sum;
};

static void add(struct agg_table *t, const char *s, int32_t n, const uint64_t *frames, uint64_t pid,
		uint64_t addr, unsigned bucket)
{
	uint8_t key[KEYSIZE] = { 0 };
	int64_t *value = calloc(1, t->desc->valsize);

	assert_non_null(value);
	strncpy((char *)key, s, 15);
	memcpy(key + 16, &n, sizeof n);
	memcpy(key + 24, frames, 32);
	memcpy(key + 56, &pid, 8);
	memcpy(key + 64, &addr, 8);
	value[bucket] = 1;
	assert_int_equal(agg_table_put(t, key, value), 0);
	free(value);
}

static void make_program(struct made *m)
{
	struct agg_set *one[] = { &m->taken };

	m->taken.program = program;
	m->taken.program_len = strlen(program);
	assert_int_equal(agg_set_unite(&m->sum, &m->arena, one, 1), 0);
}

static void make(struct made *m)
{
	static const uint64_t a[4] = { 0x201, 0x102 }, b[4] = { 0x201, 0x102, 0x303, 0x101 }, none[4] = { 0 };
	const int64_t three = 3;

	arena_init(&m->arena, NULL, NULL);
	make_descs(&m->descs[0], &m->descs[1]);
	for (int i = 0; i < 2; i++) {
		agg_table_init(&m->tables[i], &m->descs[i]);
		m->tables[i].names = &names;
	}
	add(&m->tables[0], "sh", -1, b, 7, 0x500, 64);
	add(&m->tables[0], "sh", -1, a, 7, 0x500, 65);
	add(&m->tables[0], "sh", -1, a, 8, 0x500, 65);	/* looks the same: another process */
	add(&m->tables[0], "cc", INT32_MIN, none, 7, 0x600, 0);
	assert_int_equal(agg_table_put(&m->tables[1], NULL, &three), 0);
	m->tables[1].normal = 2;
	assert_int_equal(agg_set_take(&m->taken, &m->arena, m->tables, 2), 0);
	make_program(m);
}

static void unmake(struct made *m)
{
	agg_set_close(&m->taken);
	agg_set_close(&m->sum);
	for (int i = 0; i < 2; i++)
		agg_table_free(&m->tables[i]);
	arena_free(&m->arena);
}

static void print(struct buf *out, const struct agg_set *s)
{
	const struct agg_order o = { 0 };

	for (unsigned i = 0; i < s->n; i++)
		assert_int_equal(agg_print(out, &s->tables[i], &o), 0);
}

static void test_divisors(void **state)
{
	static const __int128 by[] = { 1, 2, UINT64_MAX, (__int128)1 << 63, -1, -3, INT64_MIN };

	(void)state;
	for (size_t i = 0; i < sizeof by / sizeof *by; i++) {
		struct buf file = { 0 }, why = { 0 };
		struct agg_set loaded;
		struct made m;

		make(&m);
		m.sum.tables[1].normal = by[i];
		assert_int_equal(agg_save(&file, &m.sum), 0);
		assert_int_equal(agg_load(&loaded, &m.arena, file.data, file.len, &why), 0);
		assert_string_equal(buf_str(&why), "");
		assert_true(loaded.tables[0].normal == 1 && loaded.tables[1].normal == by[i]);
		agg_set_close(&loaded);
		unmake(&m);
		buf_free(&file);
		buf_free(&why);
	}
}

static void test_round(void **state)
{
	struct buf file = { 0 }, why = { 0 }, before = { 0 }, after = { 0 };
	struct agg_set loaded;
	struct made m;

	(void)state;
	make(&m);
	assert_int_equal(m.sum.tables[0].n, 3);		/* rows that look alike are one */
	assert_int_equal(agg_save(&file, &m.sum), 0);
	assert_int_equal(agg_load(&loaded, &m.arena, file.data, file.len, &why), 0);
	assert_string_equal(buf_str(&why), "");
	assert_int_equal(loaded.n, 2);
	assert_string_equal(loaded.program, program);
	assert_int_equal(loaded.tables[1].normal, 2);
	assert_true(agg_set_match(&m.sum, &loaded, &why));
	print(&before, &m.sum);
	print(&after, &loaded);
	assert_string_equal(buf_str(&before), buf_str(&after));
	assert_non_null(strstr(buf_str(&after), "kernel`f2+0x1\n              kernel`f1+0x2\n              "
			       "kernel`f3+0x3"));
	assert_non_null(strstr(buf_str(&after), "user`f5+0x0"));
	agg_set_close(&loaded);
	unmake(&m);
	buf_free(&file);
	buf_free(&why);
	buf_free(&before);
	buf_free(&after);
}

/* Each distinct stack is in the file once: a thousand more rows with the same stacks take few bytes each. */
static void test_stacks_once(void **state)
{
	static const uint64_t frames[4] = { 0x10101, 0x20202, 0x30303, 0x40404 };
	struct buf file = { 0 };
	struct agg_set again, *one[] = { &again }, sum;
	struct made m;
	char name[16];

	(void)state;
	make(&m);
	for (int i = 0; i < 1000; i++) {
		snprintf(name, sizeof name, "%d", i);
		add(&m.tables[0], name, i, frames, 7, 0x500, 70);
	}
	assert_int_equal(agg_set_take(&again, &m.arena, m.tables, 2), 0);
	assert_int_equal(agg_set_unite(&sum, &m.arena, one, 1), 0);
	assert_int_equal(agg_save(&file, &sum), 0);
	assert_in_range(file.len, 1000 * 8, 1000 * 14);
	agg_set_close(&again);
	agg_set_close(&sum);
	unmake(&m);
	buf_free(&file);
}

static int load(struct made *m, const void *file, size_t size, char *why, size_t n)
{
	struct buf b = { 0 };
	struct agg_set s;
	/* a copy of exactly this size, so that a byte too far is seen */
	void *copy = malloc(size ? size : 1);
	int r;

	memcpy(copy, file, size);
	r = agg_load(&s, &m->arena, copy, size, &b);
	snprintf(why, n, "%s", buf_str(&b));
	agg_set_close(&s);
	buf_free(&b);
	free(copy);
	return r;
}

static void test_cut(void **state)
{
	struct buf file = { 0 };
	struct made m;
	char why[256];
	unsigned long at;

	(void)state;
	make(&m);
	assert_int_equal(agg_save(&file, &m.sum), 0);
	for (size_t n = 0; n < file.len; n++) {
		assert_int_equal(load(&m, file.data, n, why, sizeof why), -1);
		assert_int_equal(sscanf(why, "byte %lu: ", &at), 1);
		assert_in_range(at, 0, n);
	}
	buf_putc(&file, 'x');
	assert_int_equal(load(&m, file.data, file.len, why, sizeof why), -1);
	assert_non_null(strstr(why, "1 unexpected bytes after the end"));
	unmake(&m);
	buf_free(&file);
}

/* No byte can be changed without being seen. */
static void test_changed(void **state)
{
	struct buf file = { 0 };
	struct made m;
	char why[256];

	(void)state;
	make(&m);
	assert_int_equal(agg_save(&file, &m.sum), 0);
	for (size_t i = 0; i < file.len; i++) {
		for (int bit = 0; bit < 8; bit += 3) {
			file.data[i] = (char)(file.data[i] ^ 1 << bit);
			assert_int_equal(load(&m, file.data, file.len, why, sizeof why), -1);
			assert_memory_equal(why, "byte ", 5);
			file.data[i] = (char)(file.data[i] ^ 1 << bit);
		}
	}
	assert_int_equal(load(&m, file.data, file.len, why, sizeof why), 0);
	unmake(&m);
	buf_free(&file);
}

/* ---- files written by hand, checksums and all ---- */

static void put_u32(struct buf *b, uint32_t v)
{
	for (int i = 0; i < 4; i++)
		buf_putc(b, (int)(v >> 8 * i & 0xff));
}

static void put_header(struct buf *b, uint32_t version)
{
	buf_put(b, "\211DTRAGG\n", 8);
	put_u32(b, version);
	put_u32(b, (uint32_t)crc32(0, (const Bytef *)b->data, 12));
}

static void put_block(struct buf *b, const char *kind, const char *bytes, size_t n)
{
	size_t at = b->len;

	buf_put(b, kind, 4);
	put_u32(b, (uint32_t)n);
	buf_put(b, bytes, n);
	put_u32(b, (uint32_t)crc32(0, (const Bytef *)b->data + at, (uInt)(8 + n)));
}

#define BYTES(text) (text), sizeof(text) - 1

/* `agg` as the only aggregation, after two texts and one stack of both. */
static void expect_agg(const char *agg, size_t n, const char *want)
{
	struct buf file = { 0 };
	struct made m;
	char why[256];
	int r;

	make(&m);
	put_header(&file, 1);
	put_block(&file, "prog", BYTES("p"));
	put_block(&file, "text", BYTES("\2\1a\1b"));
	put_block(&file, "stak", BYTES("\1\2\0\1"));
	put_block(&file, "aggr", agg, n);
	put_block(&file, "done", "", 0);
	r = load(&m, file.data, file.len, why, sizeof why);
	if (want ? !strstr(why, want) : r < 0)
		fail_msg("got: %s, want: %s", why, want ? want : "no error");
	assert_int_equal(r, want ? -1 : 0);
	unmake(&m);
	buf_free(&file);
}

static void test_hostile_aggregations(void **state)
{
	(void)state;
	expect_agg(BYTES("\1x\5count\0\0\1\1\1\0\6"), NULL);
	expect_agg(BYTES("\1x\5count\0\0\1\1\1\0\6\0"), "1 unexpected bytes at the end of this block");
	expect_agg(BYTES("\1x\5count\0\0\1\1\1\0"), "a value is not a valid number");
	expect_agg(BYTES("\1x\5cuont\0\0\1\1\1\0\6"), "no aggregating function has this name");
	expect_agg(BYTES("\1x\5count\1\2\0\1\1\1\0\6"), "count() has no parameters");
	expect_agg(BYTES("\1x\11lquantize\3\0\0\2\0\1\0"), "invalid parameters of lquantize()");
	expect_agg(BYTES("\1x\11lquantize\2\0\24\0\1\0"), "invalid parameters of lquantize()");
	expect_agg(BYTES("\1x\11lquantize\3\0\24\2\0\1\0"), NULL);
	expect_agg(BYTES("\1x\5count\0\0\1\1\1\1\6"), "a value has 1 words, not 2");
	expect_agg(BYTES("\1x\5count\0\0\1\1\2\0\6"), "the number of words of a value is 2, the maximum is 1");
	expect_agg(BYTES("\1x\5count\0\0\1\377\377\377\377\377\377\377\377\377\1\6"), "the number of rows is");
	expect_agg(BYTES("\1x\5count\0\0\1\377\377\377\377\377\377\377\377\377\2\6"),
		   "the number of rows is not a valid number");
	expect_agg(BYTES("\1x\5count\0\41\1\0"), "the number of keys is 33, the maximum is 32");
	expect_agg(BYTES("\1x\5count\0\1\0\0\3\1\0"), "invalid type of a key");
	expect_agg(BYTES("\1x\5count\0\1\17\0\10\1\0"), "the type of a key is 15");
	expect_agg(BYTES("\1x\5count\0\1\0\0\1\1\1\177\1\0\6"), "key -64 does not fit in 1 bytes");
	expect_agg(BYTES("\1x\5count\0\1\4\0\20\1\1\0\1\0\6"), NULL);
	expect_agg(BYTES("\1x\5count\0\1\4\0\10\1\1\0\1\0\6"), "a stack of 2 frames is longer than this key");
	expect_agg(BYTES("\1x\5count\0\1\4\0\20\1\1\1\1\0\6"), "stack 1 is out of range: there are 1");
	expect_agg(BYTES("\1x\5count\0\1\6\0\10\1\1\2\1\0\6"), "text 2 is out of range: there are 2");
	expect_agg(BYTES("\1x\5count\0\1\2\0\2\1\1\3abc\1\0\6"), "a string is 3, the maximum is 2");
	expect_agg(BYTES("\1x\5count\0\1\2\0\2\1\1\2a\0\1\0\6"), "a string contains a zero byte");
	expect_agg(BYTES("\1x\5count\0\1\3\0\50\1\1abc"), "a key of 40 bytes exceeds the remaining 3");
	expect_agg(BYTES("\177x"), "the name of an aggregation of 127 bytes exceeds the remaining 1");
}

/* Rows of many large keys in a small file. */
static void test_memory(void **state)
{
	struct buf agg = { 0 };

	(void)state;
	buf_put(&agg, BYTES("\1x\5count\0\40"));
	for (int i = 0; i < 32; i++)
		buf_put(&agg, BYTES("\2\0\200\200\2"));		/* a string of 32768 bytes */
	buf_put(&agg, BYTES("\1\240\234\1"));				/* 20000 rows */
	for (int i = 0; i < 20000; i++) {
		buf_putc(&agg, 2);
		buf_putc(&agg, 'a' + i % 26);
		buf_putc(&agg, 'a' + i / 26 % 26);
		for (int k = 1; k < 32; k++)
			buf_putc(&agg, 0);
		buf_put(&agg, BYTES("\1\0\6"));
	}
	/* 676 distinct rows of a megabyte fit into what a file of this size may take, 20000 did not */
	expect_agg(agg.data, agg.len, "the rows take too much memory for a file of this size");
	buf_free(&agg);
}

static void test_hostile_files(void **state)
{
	struct buf file = { 0 };
	struct made m;
	char why[256];

	(void)state;
	make(&m);
	put_header(&file, 3);
	load(&m, file.data, file.len, why, sizeof why);
	assert_string_equal(why, "byte 8: format version 3 is not supported: this dtr reads versions 1 and 2");
	buf_reset(&file);
	put_header(&file, 1);
	put_block(&file, "text", "", 0);
	load(&m, file.data, file.len, why, sizeof why);
	assert_string_equal(why, "byte 16: no block 'prog'");
	buf_reset(&file);
	put_header(&file, 1);
	buf_put(&file, BYTES("prog\377\377\377\377    "));
	load(&m, file.data, file.len, why, sizeof why);
	assert_string_equal(why, "byte 16: block 'prog' of 4294967295 bytes exceeds the remaining 12");
	unmake(&m);
	buf_free(&file);
}

static void expect_match(struct made *a, struct made *b, const char *want)
{
	struct buf why = { 0 };

	assert_int_equal(agg_set_match(&a->sum, &b->sum, &why), !want);
	assert_string_equal(buf_str(&why), want ? want : "");
	buf_free(&why);
}

/* One aggregation by stack, of a key with room for so many words. */
static void make_stacks(struct agg_set *s, struct arena *a, uint32_t words, const uint64_t *frames)
{
	struct agg_desc d = {
		.name = "s", .func = agg_func_find("count"), .nkeys = 1, .keysize = 8 * words, .rawsize = 8 * words,
		.valsize = 8, .key = { { .size = 8 * words, .kind = VAL_STACK } },
	};
	struct agg_set taken, *one[] = { &taken };
	struct agg_table t;
	const int64_t two = 2;

	agg_table_init(&t, &d);
	t.names = &names;
	assert_int_equal(agg_table_put(&t, frames, &two), 0);
	assert_int_equal(agg_set_take(&taken, a, &t, 1), 0);
	assert_int_equal(agg_set_unite(s, a, one, 1), 0);
	agg_set_close(&taken);
	agg_table_free(&t);
}

/* Stacks that were cut have a mark; those of older files have no room for one. */
static void test_marks(void **state)
{
	static const uint64_t old[] = { 0x201, 0x102, 0x303 }, whole[] = { 0x201, 0x102, 0x303, 0 },
			      cut[] = { 0x201, 0x102, 0x303, VAL_CUT };
	struct buf why = { 0 }, out = { 0 }, file = { 0 };
	struct agg_set s[3], *all[] = { &s[0], &s[1], &s[2] }, sum, loaded;
	struct arena a;

	(void)state;
	arena_init(&a, NULL, NULL);
	make_stacks(&s[0], &a, 3, old);
	make_stacks(&s[1], &a, 4, cut);
	make_stacks(&s[2], &a, 4, whole);
	assert_true(agg_set_match(&s[0], &s[1], &why) && agg_set_match(&s[1], &s[0], &why));
	assert_int_equal(agg_set_unite(&sum, &a, all, 3), 0);
	assert_int_equal(sum.tables[0].n, 2);	/* the old one and the complete one are the same */
	assert_int_equal(agg_save(&file, &sum), 0);
	assert_int_equal(agg_load(&loaded, &a, file.data, file.len, &why), 0);
	assert_int_not_equal(loaded.names.cut, 0);
	print(&out, &loaded);			/* text does not show the mark */
	assert_null(strstr(buf_str(&out), VAL_CUT_NAME));
	assert_non_null(strstr(buf_str(&out), "kernel`f2+0x1\n              kernel`f1+0x2\n              "
			       "kernel`f3+0x3\n "
			       "               4\n"));
	assert_non_null(strstr(buf_str(&out), "kernel`f3+0x3\n                2\n"));
	for (int i = 0; i < 3; i++)
		agg_set_close(&s[i]);
	agg_set_close(&sum);
	agg_set_close(&loaded);
	arena_free(&a);
	buf_free(&why);
	buf_free(&out);
	buf_free(&file);
}

static void test_match(void **state)
{
	struct made a, b;
	struct agg_desc *d = NULL;

	(void)state;
	make(&a);
	make(&b);
	d = b.sum.descs;
	expect_match(&a, &b, NULL);
	d[0].key[1].is_signed = false;
	expect_match(&a, &b, "key 2 of @q is of type integer of 4 bytes in one and unsigned integer of 4 bytes in the "
		     "other");
	d[0].key[1].is_signed = true;
	d[0].key[2].size = 160;
	expect_match(&a, &b, "key 3 of @q is of type stack() of 32 bytes in one and stack() of 160 bytes in the other");
	d[0].key[2].size = 32;
	d[0].nkeys = 3;
	expect_match(&a, &b, "@q has 4 keys in one and 3 in the other");
	d[0].nkeys = 4;
	d[1].func = agg_func_find("sum");
	expect_match(&a, &b, "@n is count() in one and sum() in the other");
	d[1].func = agg_func_find("count");
	d[1].name = "m";
	expect_match(&a, &b, "an aggregation is @n in one and @m in the other");
	b.sum.n = 1;
	expect_match(&a, &b, "one has 2 aggregations and the other 1");
	b.sum.n = 2;
	b.sum.program = "BEGIN";
	b.sum.program_len = 5;
	expect_match(&a, &b, "they come from different programs: 'profile-97 { @[execname, stack()] = quantize(x); }' "
		     "and 'BEGIN'");
	unmake(&a);
	unmake(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_divisors), cmocka_unit_test(test_round), cmocka_unit_test(test_stacks_once),
		cmocka_unit_test(test_cut),
		cmocka_unit_test(test_changed), cmocka_unit_test(test_hostile_aggregations),
		cmocka_unit_test(test_memory),
		cmocka_unit_test(test_hostile_files), cmocka_unit_test(test_marks), cmocka_unit_test(test_match),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
