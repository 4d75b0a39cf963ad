/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Aggregations as text, to the column. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "aggregation/agg.h"

static const struct agg_order by_value;

/* An aggregation without key. */
static struct agg_desc plain(const char *func, const int64_t *p, unsigned n)
{
	struct agg_desc d = { .name = "a", .func = agg_func_find(func) };
	struct agg_paramarg args[AGG_MAXPARAMS] = { 0 };
	struct diags diags = { 0 };

	for (unsigned i = 0; i < n; i++)
		args[i] = (struct agg_paramarg){ .is_const = true, .value = p[i] };
	if (d.func->check)
		assert_int_equal(d.func->check(&d.spec, args, n, (struct loc){ 0 }, &diags), 0);
	d.valsize = d.func->size(&d.spec);
	return d;
}

static struct agg_desc by_name(const char *func, const int64_t *p, unsigned n)
{
	struct agg_desc d = plain(func, p, n);

	d.key[0] = (struct val_field){ .size = 16, .kind = VAL_STR };
	d.nkeys = 1;
	d.keysize = 16;
	return d;
}

/* One row; counts as { bucket, count } pairs, ended by a negative bucket. */
static void add_hist(struct agg_table *t, const char *name, const int64_t *pairs)
{
	int64_t *cell = calloc(1, t->desc->valsize);
	char key[16] = "";

	if (name)
		strncpy(key, name, sizeof key - 1);
	for (; pairs[0] >= 0; pairs += 2)
		cell[pairs[0]] = pairs[1];
	assert_int_equal(agg_table_add(t, key, cell), 0);
	free(cell);
}

#define PAIRS(...) (int64_t[]){ __VA_ARGS__, -1 }

static void add_number(struct agg_table *t, const char *name, int64_t v)
{
	add_hist(t, name, PAIRS(0, v));
}

static void expect(const struct agg_table *t, const char *want)
{
	struct buf out = { 0 };

	assert_int_equal(agg_print(&out, t, &by_value), 0);
	assert_false(out.failed);
	assert_string_equal(buf_str(&out), want);
	buf_free(&out);
}

#define HEADER "           value  ------------- Distribution ------------- count    \n"

/* The example of the guide: priorities of a spinning shell. */
static void test_guide(void **state)
{
	struct agg_desc d = by_name("lquantize", (int64_t[]){ 0, 100, 10 }, 3);
	struct agg_table t;

	(void)state;
	agg_table_init(&t, &d);
	add_hist(&t, "ksh", PAIRS(1, 7443, 2, 2235, 3, 1679, 4, 1119, 5, 560, 6, 554));
	expect(&t,
	       "\n"
	       "  ksh                                               \n"
	       HEADER
	       "             < 0 |                                         0        \n"
	       "               0 |@@@@@@@@@@@@@@@@@@@@@@                   7443     \n"
	       "              10 |@@@@@@@                                  2235     \n"
	       "              20 |@@@@@                                    1679     \n"
	       "              30 |@@@                                      1119     \n"
	       "              40 |@@                                       560      \n"
	       "              50 |@@                                       554      \n"
	       "              60 |                                         0        \n"
	       "\n");
	agg_table_reset(&t);
	add_hist(&t, "ksh", PAIRS(6, 14));
	expect(&t,
	       "\n"
	       "  ksh                                               \n"
	       HEADER
	       "              40 |                                         0        \n"
	       "              50 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@ 14       \n"
	       "              60 |                                         0        \n"
	       "\n");
	agg_table_free(&t);
}

static void test_lquantize_ends(void **state)
{
	struct agg_desc d = plain("lquantize", (int64_t[]){ -10, 10, 5 }, 3);
	struct agg_table t;

	(void)state;
	agg_table_init(&t, &d);
	add_hist(&t, NULL, PAIRS(0, 1, 5, 3));
	expect(&t,
	       "\n\n"
	       HEADER
	       "           < -10 |@@@@@@@@@@                               1        \n"
	       "             -10 |                                         0        \n"
	       "              -5 |                                         0        \n"
	       "               0 |                                         0        \n"
	       "               5 |                                         0        \n"
	       "           >= 10 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@           3        \n"
	       "\n");
	agg_table_clear(&t);
	expect(&t,
	       "\n\n"
	       HEADER
	       "           < -10 |                                         0        \n"
	       "             -10 |                                         0        \n"
	       "              -5 |                                         0        \n"
	       "\n");
	agg_table_free(&t);
}

static void test_quantize(void **state)
{
	struct agg_desc d = plain("quantize", NULL, 0);
	struct agg_table t;

	(void)state;
	agg_table_init(&t, &d);
	add_hist(&t, NULL, PAIRS(61, 5, 63, 10, 66, 25));
	expect(&t,
	       "\n\n"
	       HEADER
	       "              -4 |                                         0        \n"
	       "              -2 |@@@@@                                    5        \n"
	       "              -1 |                                         0        \n"
	       "               0 |@@@@@@@@@@                               10       \n"
	       "               1 |                                         0        \n"
	       "               2 |                                         0        \n"
	       "               4 |@@@@@@@@@@@@@@@@@@@@@@@@@                25       \n"
	       "               8 |                                         0        \n"
	       "\n");
	t.normal = 5;	/* divides the counts; the bars stay */
	expect(&t,
	       "\n\n"
	       HEADER
	       "              -4 |                                         0        \n"
	       "              -2 |@@@@@                                    1        \n"
	       "              -1 |                                         0        \n"
	       "               0 |@@@@@@@@@@                               2        \n"
	       "               1 |                                         0        \n"
	       "               2 |                                         0        \n"
	       "               4 |@@@@@@@@@@@@@@@@@@@@@@@@@                5        \n"
	       "               8 |                                         0        \n"
	       "\n");
	agg_table_reset(&t);
	t.normal = 1;
	add_hist(&t, NULL, PAIRS(0, 1, 126, 1000000000));
	agg_table_clear(&t);
	expect(&t,
	       "\n\n"
	       HEADER
	       "              -1 |                                         0        \n"
	       "               0 |                                         0        \n"
	       "               1 |                                         0        \n"
	       "\n");
	agg_table_free(&t);
}

/* The outermost buckets have no neighbours; long numbers push the columns, as printf does. */
static void test_quantize_ends(void **state)
{
	struct agg_desc d = plain("quantize", NULL, 0);
	struct agg_table t;
	struct buf out = { 0 };

	(void)state;
	agg_table_init(&t, &d);
	add_hist(&t, NULL, PAIRS(126, 1000000000000));
	expect(&t,
	       "\n\n"
	       HEADER
	       "2305843009213693952 |                                         0        \n"
	       "4611686018427387904 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@ 1000000000000\n"
	       "\n");
	agg_table_reset(&t);
	add_hist(&t, NULL, PAIRS(0, 1, 126, INT64_MAX));
	assert_int_equal(agg_print(&out, &t, &by_value), 0);
	assert_non_null(strstr(buf_str(&out), "\n-4611686018427387904 |                                         1    "
			       "    \n"
						"-2305843009213693952 |"));
	assert_non_null(strstr(buf_str(&out), "\n4611686018427387904 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@ "
						"9223372036854775807\n\n"));
	buf_free(&out);
	agg_table_free(&t);
}

/* Negative weights: bars to the left, from the middle where both signs are met. */
static void test_signs(void **state)
{
	struct agg_desc d = plain("lquantize", (int64_t[]){ 0, 4, 1 }, 3);
	struct agg_table t;

	(void)state;
	agg_table_init(&t, &d);
	add_hist(&t, NULL, PAIRS(2, -3, 3, -1));
	expect(&t,
	       "\n\n"
	       HEADER
	       "               0                                         | 0        \n"
	       "               1           @@@@@@@@@@@@@@@@@@@@@@@@@@@@@@| -3       \n"
	       "               2                               @@@@@@@@@@| -1       \n"
	       "               3                                         | 0        \n"
	       "\n");
	agg_table_reset(&t);
	add_hist(&t, NULL, PAIRS(2, -3, 3, 1));
	expect(&t,
	       "\n\n"
	       HEADER
	       "               0                     |                     0        \n"
	       "               1      @@@@@@@@@@@@@@@|                     -3       \n"
	       "               2                     |@@@@@                1        \n"
	       "               3                     |                     0        \n"
	       "\n");
	t.normal = 2;
	expect(&t,
	       "\n\n"
	       HEADER
	       "               0                     |                     0        \n"
	       "               1      @@@@@@@@@@@@@@@|                     -1       \n"
	       "               2                     |@@@@@                0        \n"
	       "               3                     |                     0        \n"
	       "\n");
	agg_table_free(&t);
}

/* Half a column is rounded up. */
static void test_rounding(void **state)
{
	struct agg_desc d = plain("lquantize", (int64_t[]){ 0, 2, 1 }, 3);
	struct agg_table t;

	(void)state;
	agg_table_init(&t, &d);
	add_hist(&t, NULL, PAIRS(1, 79, 2, 1));
	expect(&t,
	       "\n\n"
	       HEADER
	       "             < 0 |                                         0        \n"
	       "               0 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@ 79       \n"
	       "               1 |@                                        1        \n"
	       "            >= 2 |                                         0        \n"
	       "\n");
	agg_table_reset(&t);
	add_hist(&t, NULL, PAIRS(1, 80, 2, 1));
	expect(&t,
	       "\n\n"
	       HEADER
	       "             < 0 |                                         0        \n"
	       "               0 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@ 80       \n"
	       "               1 |                                         1        \n"
	       "            >= 2 |                                         0        \n"
	       "\n");
	agg_table_free(&t);
}

static void test_llquantize(void **state)
{
	struct agg_desc d = plain("llquantize", (int64_t[]){ 10, 1, 2, 20 }, 4);
	struct agg_table t;

	(void)state;
	/* < 10; 10, 15, ... 95; 100, 150, ... 950; >= 1000 */
	assert_int_equal(d.valsize, (1 + 18 + 18 + 1) * 8);
	agg_table_init(&t, &d);
	add_hist(&t, NULL, PAIRS(0, 1, 2, 1));
	expect(&t,
	       "\n\n"
	       HEADER
	       "            < 10 |@@@@@@@@@@@@@@@@@@@@                     1        \n"
	       "              10 |                                         0        \n"
	       "              15 |@@@@@@@@@@@@@@@@@@@@                     1        \n"
	       "              20 |                                         0        \n"
	       "\n");
	agg_table_reset(&t);
	add_hist(&t, NULL, PAIRS(18, 1));
	expect(&t,
	       "\n\n"
	       HEADER
	       "              90 |                                         0        \n"
	       "              95 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@ 1        \n"
	       "             100 |                                         0        \n"
	       "\n");
	agg_table_reset(&t);
	add_hist(&t, NULL, PAIRS(37, 1));
	expect(&t,
	       "\n\n"
	       HEADER
	       "             950 |                                         0        \n"
	       "         >= 1000 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@ 1        \n"
	       "\n");
	agg_table_clear(&t);
	expect(&t,
	       "\n\n"
	       HEADER
	       "            < 10 |                                         0        \n"
	       "              10 |                                         0        \n"
	       "\n");
	agg_table_free(&t);
}

/* ---- numbers and keys ---- */
static void test_numbers(void **state)
{
	struct agg_desc d = by_name("sum", NULL, 0);
	struct agg_table t;

	(void)state;
	agg_table_init(&t, &d);
	expect(&t, "\n");
	add_number(&t, "cat", 12);
	add_number(&t, "a name of 15 ch", INT64_MIN);
	add_number(&t, "", -3);
	expect(&t,
	       "\n"
	       "  a name of 15 ch                                    -9223372036854775808\n"
	       "                                                                   -3\n"
	       "  cat                                                              12\n");
	t.normal = 3;
	expect(&t,
	       "\n"
	       "  a name of 15 ch                                    -3074457345618258602\n"
	       "                                                                   -1\n"
	       "  cat                                                               4\n");
	agg_table_free(&t);
}

static void test_keys(void **state)
{
	static const struct val_field fields[] = {
		{ .off = 0, .size = 8, .kind = VAL_INT, .is_signed = true }, { .off = 8, .size = 4, .kind = VAL_INT,
		  .is_signed = true },
		{ .off = 12, .size = 2, .kind = VAL_INT, .is_signed = true }, { .off = 14, .size = 1, .kind = VAL_INT,
		  .is_signed = true },
		{ .off = 0, .size = 8, .kind = VAL_INT }, { .off = 8, .size = 4, .kind = VAL_INT },
		{ .off = 12, .size = 2, .kind = VAL_INT }, { .off = 14, .size = 1, .kind = VAL_INT },
		{ .off = 0, .size = 8, .kind = VAL_PTR }, { .off = 16, .size = 8, .kind = VAL_PTR },
	};
	struct agg_desc d = plain("count", NULL, 0);
	uint8_t key[24];
	uint64_t pointer = 0xffffffff81000000u;
	struct buf out = { 0 };

	(void)state;
	memset(key, 0xff, sizeof key);
	memcpy(key + 16, &pointer, 8);
	memcpy(d.key, fields, sizeof fields);
	d.nkeys = 4;
	agg_print_key(&out, &d, key, NULL);
	assert_string_equal(buf_str(&out), "               -1       -1    -1  -1");
	buf_reset(&out);
	memmove(d.key, d.key + 4, 6 * sizeof *fields);
	d.nkeys = 6;
	agg_print_key(&out, &d, key, NULL);
	assert_string_equal(buf_str(&out),
			    " 18446744073709551615 4294967295 65535 255 0xffffffffffffffff 0xffffffff81000000");
	buf_free(&out);
}

/* A string that fills its field has no NUL; a longer one than 50 pushes the value. */
static void test_strings(void **state)
{
	struct agg_desc d = plain("count", NULL, 0);
	char key[64];
	struct buf out = { 0 };

	(void)state;
	memset(key, 'x', sizeof key);
	d.nkeys = 2;
	d.key[0] = (struct val_field){ .size = 8, .kind = VAL_STR };
	d.key[1] = (struct val_field){ .off = 8, .size = 56, .kind = VAL_STR };
	agg_print_key(&out, &d, key, NULL);
	assert_string_equal(buf_str(&out), "  xxxxxxxx                                          "
					   "  xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx");
	buf_reset(&out);
	d.nkeys = 1;
	d.key[0].kind = VAL_BYTES;
	key[3] = '\n';
	agg_print_key(&out, &d, key, NULL);
	assert_string_equal(buf_str(&out),
			    "\n             0  1  2  3  4  5  6  7  8  9  a  b  c  d  e  f  0123456789abcdef\n"
			    "         0: 78 78 78 0a 78 78 78 78                          xxx.xxxx\n");
	buf_free(&out);
}

/* ---- several at once ---- */
static void test_joint(void **state)
{
	struct agg_desc ds = by_name("sum", NULL, 0), dm = by_name("min", NULL, 0);
	struct agg_desc dh = by_name("lquantize", (int64_t[]){ 0, 1, 1 }, 3);
	struct agg_table sum, min, hist;
	const struct agg_table *two[] = { &sum, &min }, *mixed[] = { &hist, &sum };
	struct buf out = { 0 };

	(void)state;
	agg_table_init(&sum, &ds);
	agg_table_init(&min, &dm);
	agg_table_init(&hist, &dh);
	assert_int_equal(agg_print_joint(&out, two, 2, &by_value), 0);
	assert_string_equal(buf_str(&out), "\n");
	buf_reset(&out);
	add_number(&sum, "a", 7);
	add_number(&sum, "b", 5);
	add_number(&min, "b", -2 ^ INT64_MAX);
	assert_int_equal(agg_print_joint(&out, two, 2, &by_value), 0);
	assert_string_equal(buf_str(&out),
			    "\n"
			    "  b                                                                 5               -2\n"
			    "  a                                                                 7                0\n");
	buf_reset(&out);
	agg_table_trunc(&sum, 1);
	add_hist(&hist, "b", PAIRS(1, 2));
	assert_int_equal(agg_print_joint(&out, mixed, 2, &by_value), 0);
	assert_string_equal(buf_str(&out),
			    "\n"
			    "  a                                                 \n"
			    HEADER
			    "             < 0 |                                         0        \n"
			    "               0 |                                         0        \n"
			    "            >= 1 |                                         0        \n"
			    "                7\n"
			    "  b                                                 \n"
			    HEADER
			    "             < 0 |                                         0        \n"
			    "               0 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@ 2        \n"
			    "            >= 1 |                                         0        \n"
			    "                0\n");
	buf_free(&out);
	agg_table_free(&sum);
	agg_table_free(&min);
	agg_table_free(&hist);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_guide), cmocka_unit_test(test_lquantize_ends), cmocka_unit_test(test_quantize),
		cmocka_unit_test(test_quantize_ends), cmocka_unit_test(test_signs), cmocka_unit_test(test_rounding),
		cmocka_unit_test(test_llquantize), cmocka_unit_test(test_numbers), cmocka_unit_test(test_keys),
		cmocka_unit_test(test_strings), cmocka_unit_test(test_joint),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
