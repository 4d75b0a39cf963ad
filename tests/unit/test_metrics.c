/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Aggregations as metrics: names, labels, histograms, limits; the protobuf form, byte by byte. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/output/metrics/metrics.h"

enum { PLENTY = 1000000 };

struct metrics_fixture {
	struct arena arena;
	struct buf out;
	struct metrics m;
};

static void begin(struct metrics_fixture *f, enum metrics_form form, uint64_t most)
{
	*f = (struct metrics_fixture){ 0 };
	arena_init(&f->arena, NULL, NULL);
	metrics_begin(&f->m, &f->arena, &f->out, form, most);
}

static void expect(struct metrics_fixture *f, const char *want)
{
	metrics_end(&f->m);
	assert_false(f->out.failed);
	assert_string_equal(buf_str(&f->out), want);
	buf_free(&f->out);
	arena_free(&f->arena);
}

/* An aggregation with n string keys. */
static struct agg_desc desc(const char *name, const char *func, unsigned n)
{
	struct agg_desc d = { .name = name, .func = agg_func_find(func), .nkeys = n, .keysize = 16 * n };

	for (unsigned i = 0; i < n; i++)
		d.key[i] = (struct val_field){ .off = 16 * i, .size = 16, .kind = VAL_STR };
	d.valsize = d.func->size(&d.spec);
	return d;
}

static void add(struct agg_table *t, const char *a, const char *b, unsigned word, int64_t value)
{
	int64_t *cell = calloc(1, t->desc->valsize);
	char key[32] = "";

	strncpy(key, a, 16);
	strncpy(key + 16, b, 15);
	cell[word] = value;
	assert_int_equal(agg_table_add(t, key, cell), 0);
	free(cell);
}

static void test_names(void **state)
{
	struct agg_desc d[] = {
		desc("_", "count", 0), desc("a", "count", 0), desc("a_total", "count", 0), desc("a-b", "max", 0),
		desc("a_b", "max", 0), desc("h_count", "max", 0), desc("h", "quantize", 0),
	};
	struct agg_table t[7];
	struct metrics_fixture f;

	(void)state;
	begin(&f, METRICS_OPEN, PLENTY);
	for (int i = 0; i < 7; i++) {
		agg_table_init(&t[i], &d[i]);
		/* the cell of max() is 0 for the smallest number */
		add(&t[i], "", "", i == 6 ? 63 : 0, d[i].func == agg_func_find("max") ? INT64_MIN + 7 : 7);
	}
	metrics_tables(&f.m, t, 7);
	expect(&f, "# HELP dtr_aggregation count() of @\n# TYPE dtr_aggregation counter\ndtr_aggregation_total 7\n"
	       "# HELP dtr_a count() of @a\n# TYPE dtr_a counter\ndtr_a_total 7\n"
	       "# HELP dtr_a_2 count() of @a_total\n# TYPE dtr_a_2 counter\ndtr_a_2_total 7\n"
	       "# HELP dtr_a_b max() of @a-b\n# TYPE dtr_a_b gauge\ndtr_a_b 7\n"
	       "# HELP dtr_a_b_2 max() of @a_b\n# TYPE dtr_a_b_2 gauge\ndtr_a_b_2 7\n"
	       "# HELP dtr_h_count max() of @h_count\n# TYPE dtr_h_count gauge\ndtr_h_count 7\n"
	       "# HELP dtr_h_2 quantize() of @h\n# TYPE dtr_h_2 histogram\ndtr_h_2_bucket{le=\"-1.0\"} 0\n"
	       "dtr_h_2_bucket{le=\"0.0\"} 7\ndtr_h_2_bucket{le=\"+Inf\"} 7\n# EOF\n");
	for (int i = 0; i < 7; i++)
		agg_table_free(&t[i]);
}

static void test_labels(void **state)
{
	struct agg_desc d = desc("x", "count", 2), e = desc("y", "count", 2), g = desc("z", "count", 2);
	struct agg_table t[3];
	struct metrics_fixture f;

	(void)state;
	d.keyname[0] = d.keyname[1] = "execname";
	e.keyname[0] = "le";
	e.keyname[1] = "__name__";
	g.keyname[1] = "key0";
	agg_table_init(&t[0], &d);
	agg_table_init(&t[1], &e);
	agg_table_init(&t[2], &g);
	add(&t[0], "a\"b\\c\nd", "\xff\xc3\xa9", 0, 1);
	add(&t[1], "", "{}", 0, 1);
	add(&t[2], "a", "b", 0, 1);
	begin(&f, METRICS_CLASSIC, PLENTY);
	metrics_tables(&f.m, t, 3);
	expect(&f, "# HELP dtr_x_total count() of @x\n# TYPE dtr_x_total counter\n"
	       "dtr_x_total{execname=\"a\\\"b\\\\c\\nd\",execname_2=\"\xc3\xbf\xc3\xa9\"} 1\n"
	       "# HELP dtr_y_total count() of @y\n# TYPE dtr_y_total counter\n"
	       "dtr_y_total{le_2=\"\",key__name___2=\"{}\"} 1\n"
	       "# HELP dtr_z_total count() of @z\n# TYPE dtr_z_total counter\n"
	       "dtr_z_total{key0=\"a\",key0_2=\"b\"} 1\n");
	for (int i = 0; i < 3; i++)
		agg_table_free(&t[i]);
}

/* Cumulative; both rows have the buckets of both; a value below 0 has one, too. */
static void test_histogram(void **state)
{
	struct agg_desc d = desc("h", "quantize", 1);
	struct agg_table t;
	struct metrics_fixture f;

	(void)state;
	agg_table_init(&t, &d);
	add(&t, "a", "", 62, 2);	/* -1 */
	add(&t, "a", "", 64, 3);	/* 1 */
	add(&t, "b", "", 65, 5);	/* 2..3 */
	begin(&f, METRICS_CLASSIC, PLENTY);
	metrics_tables(&f.m, &t, 1);
	expect(&f, "# HELP dtr_h quantize() of @h\n# TYPE dtr_h histogram\n"
	       "dtr_h_bucket{key0=\"b\",le=\"-2.0\"} 0\ndtr_h_bucket{key0=\"b\",le=\"-1.0\"} 0\n"
	       "dtr_h_bucket{key0=\"b\",le=\"0.0\"} 0\ndtr_h_bucket{key0=\"b\",le=\"1.0\"} 0\n"
	       "dtr_h_bucket{key0=\"b\",le=\"3.0\"} 5\ndtr_h_bucket{key0=\"b\",le=\"+Inf\"} 5\n"
	       "dtr_h_count{key0=\"b\"} 5\n"
	       "dtr_h_bucket{key0=\"a\",le=\"-2.0\"} 0\ndtr_h_bucket{key0=\"a\",le=\"-1.0\"} 2\n"
	       "dtr_h_bucket{key0=\"a\",le=\"0.0\"} 2\ndtr_h_bucket{key0=\"a\",le=\"1.0\"} 5\n"
	       "dtr_h_bucket{key0=\"a\",le=\"3.0\"} 5\ndtr_h_bucket{key0=\"a\",le=\"+Inf\"} 5\n"
	       "dtr_h_count{key0=\"a\"} 5\n");
	agg_table_free(&t);
}

static void test_avg(void **state)
{
	struct agg_desc d = desc("v", "avg", 0), e = desc("w", "avg", 0);
	struct agg_table t[2];
	struct metrics_fixture f;

	(void)state;
	agg_table_init(&t[0], &d);
	agg_table_init(&t[1], &e);
	add(&t[0], "", "", 0, 4);
	add(&t[0], "", "", 1, 10);
	add(&t[1], "", "", 0, 2);
	add(&t[1], "", "", 1, -10);
	begin(&f, METRICS_OPEN, PLENTY);
	metrics_tables(&f.m, t, 2);
	expect(&f, "# HELP dtr_v avg() of @v\n# TYPE dtr_v summary\ndtr_v_count 4\ndtr_v_sum 10\n"
	       "# HELP dtr_v_avg the mean of @v\n# TYPE dtr_v_avg gauge\ndtr_v_avg 2\n"
	       "# HELP dtr_w avg() of @w\n# TYPE dtr_w summary\ndtr_w_count 2\n"
	       "# HELP dtr_w_avg the mean of @w\n# TYPE dtr_w_avg gauge\ndtr_w_avg -5\n# EOF\n");
	agg_table_free(&t[0]);
	agg_table_free(&t[1]);
}

/* The largest rows are shown; a sum below 0 is no counter. */
static void test_limit(void **state)
{
	struct agg_desc d = desc("n", "count", 1), e = desc("s", "sum", 0);
	struct agg_table t[2];
	struct metrics_fixture f;
	char key[8];

	(void)state;
	agg_table_init(&t[0], &d);
	agg_table_init(&t[1], &e);
	for (int i = 1; i <= 100; i++) {
		snprintf(key, sizeof key, "%d", i);
		add(&t[0], key, "", 0, i);
	}
	add(&t[1], "", "", 0, -1);
	begin(&f, METRICS_OPEN, 2);
	metrics_tables(&f.m, t, 2);
	assert_int_equal(f.m.dropped, 99);
	expect(&f, "# HELP dtr_n count() of @n\n# TYPE dtr_n counter\ndtr_n_total{key0=\"100\"} 100\n"
	       "dtr_n_total{key0=\"99\"} 99\n# HELP dtr_s sum() of @s\n# TYPE dtr_s gauge\n# EOF\n");
	agg_table_free(&t[0]);
	agg_table_free(&t[1]);
}

/* The bytes were computed by hand from the wire format: a counter of 300 with a label. */
static void test_protobuf(void **state)
{
	static const char want[] = "\x36"
		"\x0a\x0b" "dtr_n_total" "\x12\x0d" "count() of @n" "\x18\x00"
		"\x22\x16" "\x0a\x09" "\x0a\x04key0" "\x12\x01" "a" "\x1a\x09\x09\x00\x00\x00\x00\x00\xc0\x72\x40";
	struct agg_desc d = desc("n", "count", 1);
	struct agg_table t;
	struct metrics_fixture f;

	(void)state;
	agg_table_init(&t, &d);
	add(&t, "a", "", 0, 300);
	begin(&f, METRICS_PROTO, PLENTY);
	metrics_tables(&f.m, &t, 1);
	metrics_end(&f.m);
	assert_int_equal(f.out.len, sizeof want - 1);
	assert_memory_equal(f.out.data, want, sizeof want - 1);
	buf_free(&f.out);
	arena_free(&f.arena);
	agg_table_free(&t);
}

/* The native histogram: schema 0, zeros, a span and differences on both sides. */
static void test_native(void **state)
{
	static const char want[] = "\x28\x00" "\x31\x00\x00\x00\x00\x00\x00\xe0\x3f" "\x38\x04"
		"\x4a\x04\x08\x02\x10\x02" "\x50\x04" "\x50\x03"	/* index 1: 2, index 2: 0 */
		"\x62\x04\x08\x02\x10\x02" "\x68\x06" "\x68\x04";	/* index 1: 3, index 2: 5 */
	struct agg_desc d = desc("h", "quantize", 0);
	struct agg_table t;
	struct metrics_fixture f;

	(void)state;
	agg_table_init(&t, &d);
	add(&t, "", "", 62, 2);		/* -1 */
	add(&t, "", "", 63, 4);		/* 0 */
	add(&t, "", "", 64, 3);		/* 1 */
	add(&t, "", "", 65, 5);		/* 2..3 */
	begin(&f, METRICS_PROTO, PLENTY);
	metrics_tables(&f.m, &t, 1);
	assert_true(f.out.len > sizeof want);
	assert_memory_equal(f.out.data + f.out.len - (sizeof want - 1), want, sizeof want - 1);
	buf_free(&f.out);
	arena_free(&f.arena);
	agg_table_free(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names), cmocka_unit_test(test_labels), cmocka_unit_test(test_histogram),
		cmocka_unit_test(test_avg), cmocka_unit_test(test_limit), cmocka_unit_test(test_protobuf),
		cmocka_unit_test(test_native),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
