/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The tables, the order and the screen of `dtr top`, without a session and a terminal. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cmd/dtr/top/draw.h"
#include "cmd/dtr/top/keys.h"
#include "cmd/dtr/top/page.h"
#include "cmd/dtr/top/table.h"
#include "cmd/dtr/top/view.h"

enum { ROWS = 30, COLS = 100 };

struct setting {
	struct arena arena;
	struct top_table table, stacks;
	struct top_tab tab[2];
	struct top_view view;
	char screen[ROWS + 1][COLS + 1];
	enum top_style styles[ROWS][COLS];
	unsigned rows, cols;
	bool outside;			/* something was put outside of the canvas */
};

static void setup(struct setting *w, const char *name, const char *function, unsigned n_keys)
{
	memset(w, 0, sizeof *w);
	arena_init(&w->arena, NULL, NULL);
	top_table_init(&w->table, &w->arena, &(struct dtr_agg){ name, function, n_keys });
	top_table_init(&w->stacks, &w->arena, &(struct dtr_agg){ "x_stacks", "count", 3 });
	w->tab[0].table = &w->table;
	w->tab[1].table = &w->stacks;
	top_view_init(&w->view, &w->arena, "dtr top");
	w->view.tabs = w->tab;
	w->view.n_tabs = 2;
}

static void teardown(struct setting *w)
{
	top_table_free(&w->table);
	top_table_free(&w->stacks);
	top_view_free(&w->view);
	arena_free(&w->arena);
}

static void add(struct top_table *t, int64_t pid, const char *name, int64_t value)
{
	const struct dtr_key keys[] = { { DTR_INT, pid, "as printed" }, { DTR_TEXT, 0, name } };
	struct dtr_row r = { .keys = keys, .n_keys = 2, .value = value, .count = value, .sum = value };

	assert_int_equal(top_table_add(t, &r), 0);
}

static const struct top_row *row(const struct top_table *t, int64_t pid, const char *name)
{
	const struct dtr_key keys[] = { { DTR_INT, pid, NULL }, { DTR_TEXT, 0, name } };

	return top_table_find(t, keys);
}

static void canvas_put(void *arg, unsigned y, unsigned x, const char *text, size_t n, enum top_style style)
{
	struct setting *w = arg;

	for (size_t i = 0; i < n; i++) {
		if (y >= w->rows || x + i >= w->cols) {
			w->outside = true;
			return;
		}
		w->screen[y][x + i] = text[i];
		w->styles[y][x + i] = style;
	}
}

static void draw(struct setting *w, unsigned rows, unsigned cols)
{
	const struct top_canvas c = { .rows = rows, .cols = cols, .put = canvas_put, .arg = w };

	memset(w->screen, ' ', sizeof w->screen);
	for (unsigned y = 0; y < ROWS; y++)
		w->screen[y][COLS] = '\0';
	w->rows = rows;
	w->cols = cols;
	top_keys_refresh(&w->view);
	top_draw(&w->view, &c);
	assert_false(w->outside);
}

/* The line that contains a text, or -1. */
static int line_of(const struct setting *w, const char *text)
{
	for (int y = 0; y < ROWS; y++)
		if (strstr(w->screen[y], text))
			return y;
	return -1;
}

static void type(struct setting *w, const char *keys)
{
	top_keys_refresh(&w->view);
	for (; *keys; keys++) {
		top_keys_press(&w->view, (unsigned char)*keys);
		top_keys_refresh(&w->view);
	}
}

static void three_rows(struct setting *w)
{
	top_table_begin(&w->table, 1);
	add(&w->table, 7, "gzip", 600);
	add(&w->table, 30, "sh", 100);
	add(&w->table, 5, "cc1", 300);
	top_table_end(&w->table);
}

static void test_windows(void **state)
{
	struct setting w;
	const struct top_row *r;

	(void)state;
	setup(&w, "x", "count", 2);
	for (int i = 1; i <= 100; i++) {
		top_table_begin(&w.table, 0.5);
		add(&w.table, 1, "a", 10 * i);
		top_table_end(&w.table);
	}
	r = row(&w.table, 1, "a");
	assert_non_null(r);
	assert_int_equal(top_row_value(&w.table, r, 0), 1000);
	assert_int_equal(top_row_value(&w.table, r, 1), 10);
	assert_int_equal(top_row_value(&w.table, r, 10), 100);
	assert_int_equal(top_row_value(&w.table, r, 60), 600);
	assert_int_equal(top_row_value(&w.table, r, 1000), 600);	/* no more are remembered */
	assert_true(top_table_length(&w.table, 10) == 5.0);
	teardown(&w);
}

/* clear() and trunc(): what a row gets afterwards counts in full. A row that is gone for long is forgotten. */
static void test_removed(void **state)
{
	struct setting w;

	(void)state;
	setup(&w, "x", "count", 2);
	three_rows(&w);
	top_table_begin(&w.table, 1);
	add(&w.table, 7, "gzip", 50);
	top_table_end(&w.table);
	assert_int_equal(top_row_value(&w.table, row(&w.table, 7, "gzip"), 1), 50);
	assert_int_equal(top_row_value(&w.table, row(&w.table, 7, "gzip"), 2), 650);
	assert_int_equal(top_row_value(&w.table, row(&w.table, 5, "cc1"), 1), 0);
	assert_int_equal(top_row_value(&w.table, row(&w.table, 5, "cc1"), 0), 0);
	assert_int_equal(top_row_value(&w.table, row(&w.table, 5, "cc1"), 2), 300);
	for (int i = 0; i < TOP_PAST; i++) {
		assert_true(i == TOP_PAST - 1 || row(&w.table, 5, "cc1"));
		top_table_begin(&w.table, 1);
		add(&w.table, 7, "gzip", 50);
		top_table_end(&w.table);
	}
	assert_null(row(&w.table, 5, "cc1"));
	assert_non_null(row(&w.table, 7, "gzip"));
	assert_int_equal(w.table.n, 1);
	teardown(&w);
}

static void test_mean(void **state)
{
	const struct dtr_key keys[] = { { DTR_INT, 1, NULL }, { DTR_TEXT, 0, "a" } };
	struct dtr_row r = { .keys = keys, .n_keys = 2, .value = 10, .count = 2, .sum = 20 };
	struct setting w;

	(void)state;
	setup(&w, "x", "avg", 2);
	top_table_begin(&w.table, 1);
	top_table_add(&w.table, &r);
	top_table_end(&w.table);
	r.value = 15;
	r.count = 4;
	r.sum = 60;
	top_table_begin(&w.table, 1);
	top_table_add(&w.table, &r);
	top_table_end(&w.table);
	assert_int_equal(top_row_value(&w.table, w.table.rows[0], 0), 15);
	assert_int_equal(top_row_value(&w.table, w.table.rows[0], 1), 20);
	assert_int_equal(top_row_value(&w.table, w.table.rows[0], 2), 15);
	assert_true(top_row_active(&w.table, w.table.rows[0], 1));
	r.count = 8;			/* the mean of the last four values is 0 */
	top_table_begin(&w.table, 1);
	top_table_add(&w.table, &r);
	top_table_end(&w.table);
	assert_int_equal(top_row_value(&w.table, w.table.rows[0], 1), 0);
	assert_true(top_row_active(&w.table, w.table.rows[0], 1));
	top_table_begin(&w.table, 1);
	top_table_add(&w.table, &r);
	top_table_end(&w.table);
	assert_false(top_row_active(&w.table, w.table.rows[0], 1));
	teardown(&w);
}

static void test_order(void **state)
{
	struct setting w;

	(void)state;
	setup(&w, "x", "count", 2);
	three_rows(&w);
	draw(&w, 24, 80);
	assert_true(line_of(&w, "60.00 %") < line_of(&w, "30.00 %"));
	assert_true(line_of(&w, "30.00 %") < line_of(&w, "10.00 %"));
	assert_true(line_of(&w, "SHAREv") >= 0);
	type(&w, "r");
	draw(&w, 24, 80);
	assert_true(line_of(&w, "60.00 %") > line_of(&w, "10.00 %"));
	type(&w, ">>");			/* the first key: a number */
	draw(&w, 24, 80);
	assert_true(line_of(&w, "KEY 1^") >= 0);
	assert_true(line_of(&w, "cc1") < line_of(&w, "gzip") && line_of(&w, "gzip") < line_of(&w, "sh"));
	type(&w, "r");
	draw(&w, 24, 80);
	assert_true(line_of(&w, "KEY 1v") >= 0 && line_of(&w, "cc1") > line_of(&w, "gzip"));
	type(&w, "s");			/* the second key: a text */
	draw(&w, 24, 80);
	assert_true(line_of(&w, "cc1") < line_of(&w, "gzip") && line_of(&w, "gzip") < line_of(&w, "sh"));
	type(&w, ">");			/* around */
	draw(&w, 24, 80);
	assert_true(line_of(&w, "SHAREv") >= 0);
	teardown(&w);
}

static void test_filter(void **state)
{
	struct setting w;

	(void)state;
	setup(&w, "x", "count", 2);
	three_rows(&w);
	type(&w, "/^[57] \n");
	draw(&w, 24, 80);
	assert_int_equal(w.view.n, 2);
	assert_true(line_of(&w, " sh") < 0 && line_of(&w, "gzip") > 0 && line_of(&w, "60.00 %") > 0);
	assert_true(line_of(&w, "filter: ^[57]") > 0);
	type(&w, "/\025(\n");		/* the one before remains */
	draw(&w, 24, 80);
	assert_int_equal(w.view.n, 2);
	assert_true(line_of(&w, "filter '(': ") == 23);
	assert_int_equal(w.styles[23][0], TOP_WRONG);
	type(&w, "/zz\033");
	draw(&w, 24, 80);
	assert_int_equal(w.view.n, 2);
	type(&w, "/\025\n");
	draw(&w, 24, 80);
	assert_int_equal(w.view.n, 3);
	assert_true(line_of(&w, "(': ") < 0);
	type(&w, "/shx");
	top_keys_press(&w.view, TOP_KEY_BACKSPACE);
	type(&w, "\n");
	draw(&w, 24, 80);
	assert_int_equal(w.view.n, 1);
	for (int i = 0; i < 1000; i++)
		type(&w, "/x");		/* longer than the prompt */
	type(&w, "\n");
	draw(&w, 24, 80);
	assert_int_equal(w.view.n, 0);
	teardown(&w);
}

/* The selected row stays selected when the order changes, except the first one. */
static void test_selection(void **state)
{
	struct setting w;

	(void)state;
	setup(&w, "x", "count", 2);
	three_rows(&w);
	draw(&w, 24, 80);
	type(&w, "j");
	assert_ptr_equal(w.view.order[w.tab[0].cursor], row(&w.table, 5, "cc1"));
	type(&w, "rjk");
	draw(&w, 24, 80);
	assert_ptr_equal(w.view.order[w.tab[0].cursor], row(&w.table, 5, "cc1"));
	assert_int_equal(w.styles[line_of(&w, "cc1")][0], TOP_REVERSE);
	type(&w, "Gjjj");
	assert_int_equal(w.tab[0].cursor, 2);
	type(&w, "gk");
	assert_int_equal(w.tab[0].cursor, 0);
	teardown(&w);
}

static void test_scroll(void **state)
{
	struct setting w;
	char name[20];

	(void)state;
	setup(&w, "x", "count", 2);
	top_table_begin(&w.table, 1);
	for (int i = 0; i < 1000; i++) {
		snprintf(name, sizeof name, "p%03d", i);
		add(&w.table, i, name, 1000 - i);
	}
	top_table_end(&w.table);
	draw(&w, 24, 80);
	assert_true(line_of(&w, "p000") == 3 && line_of(&w, "p019") == 22 && line_of(&w, "p020") < 0);
	top_keys_press(&w.view, TOP_KEY_PAGE_DOWN);
	draw(&w, 24, 80);
	assert_true(line_of(&w, "p020") == 22);
	type(&w, "G");
	draw(&w, 24, 80);
	assert_true(line_of(&w, "p999") == 22 && line_of(&w, "p980") == 3);
	draw(&w, 10, 60);
	assert_true(line_of(&w, "p999") == 8);
	type(&w, "g");
	draw(&w, 10, 60);
	assert_true(line_of(&w, "p000") == 3);
	teardown(&w);
}

/* No size of the screen writes outside of it. */
static void test_sizes(void **state)
{
	struct setting w;

	(void)state;
	setup(&w, "x", "count", 2);
	for (int help = 0; help < 2; help++) {
		for (unsigned rows = 0; rows <= ROWS; rows++)
			for (unsigned cols = 0; cols <= COLS; cols++)
				draw(&w, rows, cols);
		type(&w, help ? "x" : "h");
		three_rows(&w);
	}
	w.view.n_tabs = 0;
	draw(&w, 24, 80);
	type(&w, "jkGrs><\nqH");
	assert_true(w.view.quit);
	teardown(&w);
}

static void add_buckets(struct top_table *t, int64_t low, int64_t high)
{
	const struct dtr_key key = { DTR_TEXT, 0, "ns" };
	const struct dtr_bucket buckets[] = { { 4, 7, low }, { 8, 15, high } };
	struct dtr_row r = { .keys = &key, .n_keys = 1, .value = low + high, .buckets = buckets, .n_buckets = 2 };

	top_table_begin(t, 1);
	assert_int_equal(top_table_add(t, &r), 0);
	top_table_end(t);
}

static void test_heat(void **state)
{
	struct setting w;
	struct buf b = { 0 };
	int low, high;

	(void)state;
	setup(&w, "x", "quantize", 1);
	add_buckets(&w.table, 90, 0);
	add_buckets(&w.table, 90, 10);
	add_buckets(&w.table, 135, 10);
	draw(&w, 24, 80);
	low = line_of(&w, " 4 |");
	high = line_of(&w, " 8 |");
	assert_true(low > 0 && high == low + 1);
	assert_non_null(strstr(w.screen[low], "@ +| 135"));	/* 90, 0, 45 of at most 90 */
	assert_non_null(strstr(w.screen[high], ": | 10"));	/* 0, 10, 0 */
	assert_int_equal(top_row_value(&w.table, w.table.rows[0], 0), 145);
	assert_int_equal(top_row_value(&w.table, w.table.rows[0], 1), 45);
	type(&w, "\n");
	draw(&w, 24, 80);
	assert_true(line_of(&w, " 8 |") < 0);
	type(&w, "\n");
	top_page(&b, &w.view, "t");
	assert_non_null(strstr(buf_str(&b), "<tr><td class=n>4</td><td style"));
	assert_non_null(strstr(buf_str(&b), "title=\"45\"></td><td class=n>135</td></tr>"));
	buf_free(&b);
	teardown(&w);
}

/* An expansion that is higher than the screen is scrolled before the next row is selected. */
static void test_tall(void **state)
{
	struct dtr_bucket buckets[40];
	struct dtr_key key = { DTR_TEXT, 0, "first" };
	struct dtr_row r = { .keys = &key, .n_keys = 1, .buckets = buckets, .n_buckets = 40 };
	struct setting w;

	(void)state;
	setup(&w, "x", "lquantize", 1);
	for (int i = 0; i < 40; i++)
		buckets[i] = (struct dtr_bucket){ 100 + i, 100 + i, 2 };
	top_table_begin(&w.table, 1);
	top_table_add(&w.table, &r);
	key.text = "other";
	r.n_buckets = 1;
	top_table_add(&w.table, &r);
	top_table_end(&w.table);
	draw(&w, 24, 80);
	assert_true(line_of(&w, "first") == 3 && line_of(&w, "118 |") == 22 && line_of(&w, "119 |") < 0);
	type(&w, "j");
	draw(&w, 24, 80);
	assert_true(line_of(&w, "119 |") == 22 && w.tab[0].cursor == 0);
	for (int i = 0; i < 20; i++)
		type(&w, "j");
	draw(&w, 24, 80);
	assert_true(line_of(&w, "139 |") == 22 && w.tab[0].cursor == 0);
	type(&w, "j");
	draw(&w, 24, 80);
	assert_true(line_of(&w, "other") == 21 && w.tab[0].cursor == 1);
	type(&w, "k");
	draw(&w, 24, 80);
	assert_true(line_of(&w, "139 |") == 22 && w.tab[0].cursor == 0);
	top_keys_press(&w.view, TOP_KEY_PAGE_UP);
	top_keys_press(&w.view, TOP_KEY_PAGE_UP);
	draw(&w, 24, 80);
	assert_true(line_of(&w, "first") == 3);
	type(&w, "G");
	draw(&w, 24, 80);
	assert_true(line_of(&w, "other") == 21);
	teardown(&w);
}

static void test_levels(void **state)
{
	(void)state;
	assert_int_equal(top_level(0, 100), 0);
	assert_int_equal(top_level(1, 1000000), 1);	/* few are not none */
	assert_int_equal(top_level(100, 100), TOP_LEVELS - 1);
	assert_int_equal(top_level(200, 100), TOP_LEVELS - 1);
	assert_int_equal(top_level(5, 0), 0);
	for (int64_t i = 1; i < 100; i++)
		assert_true(top_level(i, 100) <= top_level(i + 1, 100));
	assert_int_equal(top_level_char(0), ' ');
	assert_int_equal(top_level_char(TOP_LEVELS - 1), '@');
}

static void add_stack(struct top_table *t, int64_t pid, const char *name, const char *stack, int64_t value)
{
	const struct dtr_key keys[] = { { DTR_INT, pid, NULL }, { DTR_TEXT, 0, name }, { DTR_STACK, 0, stack } };
	struct dtr_row r = { .keys = keys, .n_keys = 3, .value = value };

	top_table_add(t, &r);
}

static void test_stacks(void **state)
{
	struct setting w;
	char stack[20];

	(void)state;
	setup(&w, "x", "count", 2);
	w.tab[0].stacks = &w.stacks;
	three_rows(&w);
	top_table_begin(&w.stacks, 1);
	add_stack(&w.stacks, 7, "gzip", "inner\nmiddle\nouter", 450);
	add_stack(&w.stacks, 7, "gzip", "other", 150);
	add_stack(&w.stacks, 5, "cc1", "not_here", 300);
	top_table_end(&w.stacks);
	type(&w, "\n");
	draw(&w, 24, 80);
	assert_true(line_of(&w, "not_here") < 0);
	assert_int_equal(line_of(&w, "75.0 %  450"), line_of(&w, "gzip") + 1);
	assert_int_equal(line_of(&w, "inner"), line_of(&w, "gzip") + 2);
	assert_int_equal(line_of(&w, "outer"), line_of(&w, "gzip") + 4);
	assert_int_equal(line_of(&w, "other"), line_of(&w, "25.0 %  150") + 1);
	assert_true(line_of(&w, "cc1") > line_of(&w, "other"));
	top_table_begin(&w.stacks, 1);
	for (int i = 0; i < 20; i++) {
		snprintf(stack, sizeof stack, "f%02d", i);
		add_stack(&w.stacks, 7, "gzip", stack, 100 + i);
	}
	top_table_end(&w.stacks);
	draw(&w, 24, 80);
	assert_true(line_of(&w, "f19") < line_of(&w, "f15") && line_of(&w, "f14") < 0);
	assert_true(line_of(&w, "15 other stacks") > 0);
	type(&w, "\n");
	draw(&w, 24, 80);
	assert_true(line_of(&w, "f19") < 0);
	type(&w, "2");			/* a table whose own keys are stacks */
	draw(&w, 24, 80);
	type(&w, "\n");
	draw(&w, 24, 80);
	assert_true(!strncmp(w.screen[4], "      f19 ", 10));
	teardown(&w);
}

static void test_interval(void **state)
{
	struct setting w;

	(void)state;
	setup(&w, "x", "count", 2);
	w.tab[0].sampled = true;
	three_rows(&w);
	draw(&w, 24, 80);
	assert_int_equal(line_of(&w, "56.93 - 62.99"), line_of(&w, "gzip"));	/* 600 of 1000 */
	teardown(&w);
}

/* Names are untrusted: neither the screen nor the page repeats control characters or markup. */
static void test_untrusted(void **state)
{
	struct setting w;
	struct buf b = { 0 };

	(void)state;
	setup(&w, "x", "count", 2);
	top_table_begin(&w.table, 1);
	add(&w.table, 1, "\033[2J<b>&\377", 5);
	top_table_end(&w.table);
	draw(&w, 24, 80);
	assert_true(line_of(&w, "\\033[2J<b>&\\377") > 0);
	top_page(&b, &w.view, "<title>");
	assert_non_null(strstr(buf_str(&b), "\\033[2J&lt;b&gt;&amp;\\377"));
	assert_null(strstr(buf_str(&b), "<b>"));
	assert_null(strchr(buf_str(&b), '\033'));
	buf_free(&b);
	teardown(&w);
}

static void test_page(void **state)
{
	struct setting w;
	struct buf b = { 0 };

	(void)state;
	setup(&w, "x", "count", 2);
	three_rows(&w);
	type(&w, "/gzip|cc1\n");
	top_keys_refresh(&w.view);
	top_page(&b, &w.view, "t");
	assert_non_null(strstr(buf_str(&b),
			       "<td class=n>60.00 %</td><td class=n>600</td><td class=n>7</td><td>gzip</td>"));
	assert_null(strstr(buf_str(&b), "<td>sh</td>"));
	assert_null(strstr(buf_str(&b), "http"));	/* it refers to nothing */
	buf_free(&b);
	teardown(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_windows), cmocka_unit_test(test_removed), cmocka_unit_test(test_mean),
		cmocka_unit_test(test_order), cmocka_unit_test(test_filter), cmocka_unit_test(test_selection),
		cmocka_unit_test(test_scroll), cmocka_unit_test(test_tall), cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_heat), cmocka_unit_test(test_levels), cmocka_unit_test(test_stacks),
		cmocka_unit_test(test_interval), cmocka_unit_test(test_untrusted), cmocka_unit_test(test_page),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
