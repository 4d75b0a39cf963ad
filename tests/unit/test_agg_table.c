/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* agg_table: adding, clearing, truncating, sorting, joining. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "aggregation/agg.h"

/* Keys: an int and a string of 16. */
struct table_key {
	int32_t n;
	uint32_t pad;
	char s[16];
};

static struct agg_desc desc_of(const char *func)
{
	struct agg_desc d = {
		.name = "a", .func = agg_func_find(func), .nkeys = 2, .keysize = sizeof(struct table_key),
		.key = { { .off = 0, .size = 4, .kind = VAL_INT, .is_signed = true },
			 { .off = 8, .size = 16, .kind = VAL_STR } },
	};

	d.valsize = d.func->size(&d.spec);
	return d;
}

static void add(struct agg_table *t, int32_t n, const char *s, int64_t value)
{
	struct table_key k = { .n = n };

	strncpy(k.s, s, sizeof k.s - 1);
	assert_int_equal(agg_table_add(t, &k, &value), 0);
}

/* "1:a=5 2:b=7": rows in the order asked for. */
static void expect(const struct agg_table *t, const struct agg_order *o, const char *want)
{
	struct agg_row **rows;
	struct buf out = { 0 };
	size_t n;

	assert_int_equal(agg_table_sort(t, o, &rows, &n), 0);
	for (size_t i = 0; i < n; i++) {
		struct table_key k;

		memcpy(&k, agg_row_key(t, rows[i]), sizeof k);
		buf_printf(&out, "%s%d:%s=%lld", i ? " " : "", k.n, k.s,
			   (long long)t->desc->func->number(&t->desc->spec, rows[i]->value, t->normal));
	}
	assert_string_equal(buf_str(&out), want);
	free(rows);
	buf_free(&out);
}

static const struct agg_order by_value;

static void test_add(void **state)
{
	struct agg_desc d = desc_of("sum");
	struct agg_table t;

	(void)state;
	agg_table_init(&t, &d);
	expect(&t, &by_value, "");
	add(&t, 1, "a", 5);
	add(&t, 2, "b", 3);
	add(&t, 1, "a", -7);
	add(&t, 1, "b", 0);
	expect(&t, &by_value, "1:a=-2 1:b=0 2:b=3");
	agg_table_clear(&t);
	expect(&t, &by_value, "1:a=0 1:b=0 2:b=0");
	add(&t, 2, "b", 9);
	expect(&t, &by_value, "1:a=0 1:b=0 2:b=9");
	t.normal = 3;
	agg_table_reset(&t);
	expect(&t, &by_value, "");
	add(&t, 2, "b", 9);
	expect(&t, &by_value, "2:b=3");
	agg_table_free(&t);
	agg_table_free(&t);
	expect(&t, &by_value, "");
}

static void test_unkeyed(void **state)
{
	struct agg_desc d = { .name = "_", .func = agg_func_find("max"), .valsize = 8 };
	struct agg_table t;
	int64_t v = 5 ^ INT64_MIN;

	(void)state;
	agg_table_init(&t, &d);
	agg_table_reset(&t);
	for (int i = 0; i < 100; i++)
		assert_int_equal(agg_table_add(&t, NULL, &v), 0);
	assert_int_equal(t.n, 1);
	assert_int_equal(d.func->number(&d.spec, t.rows[0].value, 1), 5);
	agg_table_free(&t);
}

/* Far more keys than the first size of the hash, each met several times. */
static void test_many(void **state)
{
	enum { N = 20000 };
	struct agg_desc d = desc_of("count");
	struct agg_table t;
	struct agg_row **rows;
	size_t n;

	(void)state;
	agg_table_init(&t, &d);
	for (int round = 0; round < 3; round++)
		for (int i = 0; i < N; i++)
			add(&t, (i * 7919) % N, "x", i + 1);
	assert_int_equal(t.n, N);
	assert_int_equal(agg_table_sort(&t, &by_value, &rows, &n), 0);
	assert_int_equal(n, N);
	for (int i = 0; i < N; i++)
		assert_int_equal(rows[i]->value[0], 3 * (i + 1));
	free(rows);
	agg_table_free(&t);
}

static void fill(struct agg_table *t)
{
	static const struct { int n; const char *s; int64_t v; } rows[] = {
		{ 10, "b", 4 }, { -1, "c", 4 }, { 2, "a", 1 }, { 10, "a", 9 }, { 2, "", 4 },
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		add(t, rows[i].n, rows[i].s, rows[i].v);
}

static void test_sort(void **state)
{
	struct agg_desc d = desc_of("sum");
	struct agg_table t;

	(void)state;
	agg_table_init(&t, &d);
	fill(&t);
	expect(&t, &by_value, "2:a=1 -1:c=4 2:=4 10:b=4 10:a=9");
	expect(&t, &(struct agg_order){ .reverse = true }, "10:a=9 10:b=4 2:=4 -1:c=4 2:a=1");
	expect(&t, &(struct agg_order){ .by_key = true }, "-1:c=4 2:=4 2:a=1 10:a=9 10:b=4");
	expect(&t, &(struct agg_order){ .by_key = true, .keypos = 1 }, "2:=4 2:a=1 10:a=9 10:b=4 -1:c=4");
	expect(&t, &(struct agg_order){ .keypos = 1 }, "2:a=1 2:=4 10:b=4 -1:c=4 10:a=9");
	expect(&t, &(struct agg_order){ .by_key = true, .keypos = 2 }, "-1:c=4 2:=4 2:a=1 10:a=9 10:b=4");
	expect(&t, &(struct agg_order){ .by_key = true, .reverse = true }, "10:b=4 10:a=9 2:a=1 2:=4 -1:c=4");
	agg_table_free(&t);
}

/* Integers are ordered by what they are: unsigned ones have no sign. */
static void test_sort_unsigned(void **state)
{
	struct agg_desc d = desc_of("sum");
	struct agg_table t;

	(void)state;
	d.key[0].is_signed = false;
	agg_table_init(&t, &d);
	fill(&t);
	expect(&t, &(struct agg_order){ .by_key = true }, "2:=4 2:a=1 10:a=9 10:b=4 -1:c=4");
	agg_table_free(&t);
}

static void test_trunc(void **state)
{
	static const struct { int64_t n; const char *left; } cases[] = {
		{ 2, "10:b=4 10:a=9" }, { -2, "2:a=1 -1:c=4" }, { 0, "" },
		{ 5, "2:a=1 -1:c=4 2:=4 10:b=4 10:a=9" }, { -5, "2:a=1 -1:c=4 2:=4 10:b=4 10:a=9" },
		{ INT64_MAX, "2:a=1 -1:c=4 2:=4 10:b=4 10:a=9" }, { INT64_MIN, "2:a=1 -1:c=4 2:=4 10:b=4 10:a=9" },
	};
	struct agg_desc d = desc_of("sum");
	struct agg_table t;

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		agg_table_init(&t, &d);
		fill(&t);
		agg_table_trunc(&t, cases[i].n);
		expect(&t, &by_value, cases[i].left);
		agg_table_free(&t);
	}
	/* truncated rows start from nothing; the others do not */
	agg_table_init(&t, &d);
	fill(&t);
	agg_table_trunc(&t, 1);
	add(&t, 2, "a", 100);
	add(&t, 10, "a", 1);
	expect(&t, &by_value, "10:a=10 2:a=100");
	agg_table_trunc(&t, 1);
	expect(&t, &by_value, "2:a=100");
	agg_table_free(&t);
}

/* Truncated rows take no memory, and the others are still found. */
static void test_trunc_memory(void **state)
{
	struct agg_desc d = desc_of("sum");
	struct agg_table t;

	(void)state;
	agg_table_init(&t, &d);
	for (int round = 0; round < 50; round++) {
		for (int i = 0; i < 2000; i++)
			add(&t, round * 2000 + i, "x", i);
		agg_table_trunc(&t, round % 2 ? 3 : -3);
		assert_int_equal(t.n, 3);
		assert_true(t.cap <= 16 && t.nslots <= 32);
	}
	expect(&t, &by_value, "99997:x=1997 99998:x=1998 99999:x=1999");
	add(&t, 99998, "x", 10);
	expect(&t, &by_value, "99997:x=1997 99999:x=1999 99998:x=2008");
	agg_table_trunc(&t, 0);
	assert_int_equal(t.n, 0);
	add(&t, 1, "y", 4);
	expect(&t, &by_value, "1:y=4");
	agg_table_free(&t);
}

/* "1:a=5,- ..." : values of each table, '-' where it has none. */
static void expect_join(const struct agg_table *const *t, unsigned nt, const struct agg_order *o, const char *want)
{
	struct agg_joint *rows;
	struct buf out = { 0 };
	size_t n;

	assert_int_equal(agg_join(t, nt, o, &rows, &n), 0);
	for (size_t i = 0; i < n; i++) {
		const struct agg_desc *d = rows[i].table->desc;
		const uint8_t *key = agg_row_key(rows[i].table, rows[i].row);

		buf_printf(&out, "%s%lld:%s=", i ? " " : "", (long long)val_int(&d->key[0], key),
			   (const char *)key + d->key[1].off);
		for (unsigned k = 0; k < nt; k++) {
			buf_puts(&out, k ? "," : "");
			if (rows[i].value[k])
				buf_printf(&out, "%lld", (long long)*rows[i].value[k]);
			else
				buf_puts(&out, "-");
		}
	}
	assert_string_equal(buf_str(&out), want);
	free(rows);
	buf_free(&out);
}

static void test_join(void **state)
{
	struct agg_desc d = desc_of("sum");
	struct agg_table a, b;
	const struct agg_table *both[] = { &a, &b }, *twice[] = { &a, &a };

	(void)state;
	agg_table_init(&a, &d);
	agg_table_init(&b, &d);
	expect_join(both, 2, &by_value, "");
	add(&a, 1, "x", 5);
	add(&a, 2, "x", -3);
	add(&b, 2, "x", 8);
	add(&b, 3, "x", 1);
	expect_join(both, 2, &by_value, "2:x=-3,8 3:x=-,1 1:x=5,-");
	expect_join(both, 2, &(struct agg_order){ .pos = 1 }, "1:x=5,- 3:x=-,1 2:x=-3,8");
	expect_join(both, 2, &(struct agg_order){ .pos = 2 }, "2:x=-3,8 3:x=-,1 1:x=5,-");
	expect_join(both, 2, &(struct agg_order){ .reverse = true }, "1:x=5,- 3:x=-,1 2:x=-3,8");
	expect_join(both, 2, &(struct agg_order){ .by_key = true }, "1:x=5,- 2:x=-3,8 3:x=-,1");
	expect_join(twice, 2, &by_value, "2:x=-3,-3 1:x=5,5");
	expect_join(both, 1, &by_value, "2:x=-3 1:x=5");
	agg_table_trunc(&a, 1);
	expect_join(both, 2, &by_value, "3:x=-,1 2:x=-,8 1:x=5,-");
	expect_join(both, 2, &(struct agg_order){ .only = true }, "1:x=5,-");
	expect_join(both, 2, &(struct agg_order){ .only = true, .pos = 1 }, "3:x=-,1 2:x=-,8");
	agg_table_trunc(&a, 0);
	expect_join(both, 2, &(struct agg_order){ .only = true }, "");
	agg_table_free(&a);
	agg_table_free(&b);
}

/* The same string in a longer field is the same key. */
static void test_join_widths(void **state)
{
	struct agg_desc narrow = desc_of("sum"), wide = desc_of("count");
	struct { int64_t n; char s[64]; } key = { .n = -7, .s = "ksh" };
	struct agg_table a, b;
	const struct agg_table *both[] = { &a, &b }, *turned[] = { &b, &a };
	int64_t one = 1;

	(void)state;
	wide.key[0].size = 8;
	wide.key[1].size = 64;
	wide.keysize = sizeof key;
	agg_table_init(&a, &narrow);
	agg_table_init(&b, &wide);
	add(&a, -7, "ksh", 5);
	add(&a, 6, "sh", 4);
	agg_table_add(&b, &key, &one);
	strcpy(key.s, "a string of more than 16 bytes");
	agg_table_add(&b, &key, &one);
	expect_join(both, 2, &by_value, "-7:a string of more than 16 bytes=-,1 6:sh=4,- -7:ksh=5,1");
	expect_join(turned, 2, &by_value, "6:sh=-,4 -7:a string of more than 16 bytes=1,- -7:ksh=1,5");
	agg_table_free(&a);
	agg_table_free(&b);
}

/* ---- stacks ---- */
enum { FRAMES = 30 };

/* An owner and frames before a number: the layout puts the stack last. */
static struct agg_desc stack_desc(void)
{
	struct agg_desc d = {
		.name = "a", .func = agg_func_find("sum"), .valsize = 8, .nkeys = 2,
		.key = { { .kind = VAL_USTACK, .size = 8 + 8 * FRAMES }, { .kind = VAL_INT, .size = 4 } },
	};

	agg_key_layout(&d);
	return d;
}

/* A key with n frames in exactly as much memory as a table may read. */
static uint64_t *stack_key(const struct agg_desc *d, uint64_t owner, unsigned n, uint32_t number)
{
	uint8_t *key = calloc(1, d->key[0].off + 8 * (1 + n + (n < FRAMES)));

	memcpy(key + d->key[1].off, &number, sizeof number);
	memcpy(key + d->key[0].off, &owner, sizeof owner);
	for (uint64_t i = 0; i < n; i++)
		memcpy(key + d->key[0].off + 8 * (1 + i), &(uint64_t){ 1000 + i }, sizeof i);
	return (uint64_t *)key;
}

static void put_stack(struct agg_table *t, uint64_t owner, unsigned n, uint32_t number, int64_t value)
{
	uint64_t *key = stack_key(t->desc, owner, n, number);

	assert_int_equal(agg_table_put(t, key, &value), 0);
	free(key);
}

/* The longest stack is the last one, of equally long ones the one that is last; other keys keep their order. */
static void test_layout(void **state)
{
	static const struct {
		unsigned n;
		struct val_field key[4];
		uint32_t off[4], size;
	} made[] = {
		{ 0, { { 0 } }, { 0 }, 0 },
		{ 3, { { .kind = VAL_STR, .size = 72 }, { .kind = VAL_INT, .size = 1 },
		       { .kind = VAL_INT, .size = 4 } }, { 0, 72, 76 }, 80 },
		{ 4, { { .kind = VAL_INT, .size = 2 }, { .kind = VAL_USTACK, .size = 48 },
		       { .kind = VAL_INT, .size = 8 }, { .kind = VAL_STACK, .size = 16 } }, { 0, 32, 8, 16 }, 80 },
		{ 2, { { .kind = VAL_STACK, .size = 40 }, { .kind = VAL_USTACK, .size = 40 } }, { 0, 40 }, 80 },
		{ 2, { { .kind = VAL_STACK, .size = 48 }, { .kind = VAL_USTACK, .size = 40 } }, { 40, 0 }, 88 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof made / sizeof *made; i++) {
		struct agg_desc d = { .nkeys = made[i].n };

		memcpy(d.key, made[i].key, sizeof made[i].key);
		agg_key_layout(&d);
		assert_int_equal(d.keysize, made[i].size);
		for (unsigned k = 0; k < d.nkeys; k++)
			assert_int_equal(d.key[k].off, made[i].off[k]);
	}
}

/* Keys that are prefixes of each other, from no frames to as many as fit. */
static void test_stacks(void **state)
{
	struct agg_desc d = stack_desc();
	const struct agg_order by_key = { .by_key = true };
	uint8_t whole[8 + 8 + 8 * FRAMES];
	struct agg_row **rows;
	struct agg_table t;
	size_t n;

	(void)state;
	assert_int_equal(d.keysize, sizeof whole);
	assert_int_equal(d.key[0].off, 8);
	agg_table_init(&t, &d);
	for (int turn = 0; turn < 3; turn++)
		for (unsigned i = 0; i <= FRAMES; i++)
			put_stack(&t, 5, turn == 1 ? FRAMES - i : i, 7, 1);
	assert_int_equal(t.n, FRAMES + 1);
	put_stack(&t, 5, FRAMES, 8, 1);
	put_stack(&t, 6, 3, 7, 1);
	assert_int_equal(t.n, FRAMES + 3);
	assert_int_equal(agg_table_sort(&t, &by_key, &rows, &n), 0);
	for (unsigned i = 0; i <= FRAMES; i++) {
		assert_int_equal(rows[i]->value[0], 3);
		agg_key_copy(&d, whole, agg_row_key(&t, rows[i]));
		for (unsigned k = 0; k < FRAMES; k++)
			assert_true(val_word(whole + 16, k) == (k < i ? 1000 + k : 0));
	}
	free(rows);
	agg_table_free(&t);
}

/* Rows that were removed leave nothing behind; the others keep their stacks, also when their memory is packed. */
static void test_trunc_stacks(void **state)
{
	enum { MANY = 4000, KEPT = 10 };
	struct agg_desc d = stack_desc();
	uint8_t whole[8 + 8 + 8 * FRAMES];
	struct agg_table t;

	(void)state;
	agg_table_init(&t, &d);
	for (unsigned i = 0; i < MANY; i++)
		put_stack(&t, 5, i % (FRAMES + 1), i, i);
	assert_int_equal(t.n, MANY);
	assert_int_equal(t.stacks.n, FRAMES * (FRAMES + 1) / 2);
	agg_table_trunc(&t, KEPT);
	assert_int_equal(t.n, KEPT);
	assert_true(t.stacks.n <= KEPT * FRAMES && t.cap < MANY);
	for (unsigned i = 0; i < KEPT; i++) {
		unsigned number = MANY - KEPT + i;

		agg_key_copy(&d, whole, agg_row_key(&t, &t.rows[i]));
		assert_int_equal(t.rows[i].value[0], number);
		assert_int_equal(*(uint32_t *)whole, number);
		for (unsigned k = 0; k < FRAMES; k++)
			assert_true(val_word(whole + 16, k) == (k < number % (FRAMES + 1) ? 1000 + k : 0));
	}
	put_stack(&t, 5, (MANY - 1) % (FRAMES + 1), MANY - 1, 1);
	assert_int_equal(t.n, KEPT);
	agg_table_trunc(&t, 0);
	assert_int_equal(t.n + t.stacks.n, 0);
	put_stack(&t, 5, 3, 1, 1);
	assert_int_equal(t.n, 1);
	agg_table_free(&t);
}

/* Rows that come and go again and again: the tree of their stacks does not grow without bound. */
static void test_trunc_again(void **state)
{
	struct agg_desc d = stack_desc();
	struct agg_table t;

	(void)state;
	agg_table_init(&t, &d);
	for (uint32_t round = 0; round < 500; round++) {
		for (uint32_t i = 0; i < 8; i++) {
			uint64_t *key = stack_key(&d, 5, FRAMES, i);

			/* frames that no other round has */
			for (uint64_t k = 0; k < FRAMES; k++)
				key[2 + k] += 1000000 * (8ull * round + i + 1);
			assert_int_equal(agg_table_put(&t, key, &(int64_t){ 10 * round + i }), 0);
			free(key);
		}
		agg_table_trunc(&t, 5);
		assert_int_equal(t.n, 5);
		assert_true(t.stacks.n <= 2048);
	}
	for (unsigned i = 0; i < 5; i++) {
		const uint8_t *key = agg_row_key(&t, &t.rows[i]);

		assert_true(val_word(key + 16, 0) == 1000 + 1000000 * (8ull * 499 + i + 4));
	}
	agg_table_free(&t);
}

/* Processes 1 and 2 have ended: their owner becomes 0. */
static bool forget_owner(void *arg, const struct agg_desc *d, const uint8_t *key, uint8_t *to)
{
	const uint64_t owner = val_word(key + d->key[0].off, 0);

	++*(unsigned *)arg;
	agg_key_copy(d, to, key);
	memset(to + d->key[0].off, 0, 8);
	return owner == 1 || owner == 2;
}

static void test_move(void **state)
{
	struct agg_desc d = stack_desc();
	struct agg_table from, to;
	unsigned asked = 0;

	(void)state;
	agg_table_init(&from, &d);
	agg_table_init(&to, &d);
	for (uint64_t owner = 1; owner <= 4; owner++)
		for (unsigned n = 0; n < 10; n++)
			put_stack(&from, owner, n, 0, 1);
	assert_int_equal(agg_table_move(&from, &to, forget_owner, &asked), 0);
	assert_int_equal(asked, 40);
	assert_int_equal(from.n, 20);
	assert_int_equal(to.n, 10);
	for (size_t i = 0; i < to.n; i++)
		assert_int_equal(to.rows[i].value[0], 2);
	put_stack(&from, 4, 9, 0, 1);		/* it is still found */
	assert_int_equal(from.n, 20);
	assert_int_equal(agg_table_join(&to, &from), 0);
	assert_int_equal(to.n, 30);
	assert_int_equal(from.n, 0);
	assert_int_equal(agg_table_join(&from, &to), 0);	/* the memory changes hands */
	assert_int_equal(from.n, 30);
	assert_int_equal(to.n, 0);
	put_stack(&to, 4, 9, 0, 1);
	put_stack(&from, 4, 9, 0, 1);
	assert_int_equal(to.n, 1);
	assert_int_equal(from.n, 30);
	agg_table_free(&from);
	agg_table_free(&to);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_add), cmocka_unit_test(test_unkeyed), cmocka_unit_test(test_many),
		cmocka_unit_test(test_sort), cmocka_unit_test(test_sort_unsigned), cmocka_unit_test(test_trunc),
		cmocka_unit_test(test_trunc_memory),
		cmocka_unit_test(test_join), cmocka_unit_test(test_join_widths),
		cmocka_unit_test(test_layout), cmocka_unit_test(test_stacks), cmocka_unit_test(test_trunc_stacks),
		cmocka_unit_test(test_trunc_again),
		cmocka_unit_test(test_move),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
