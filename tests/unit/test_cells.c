/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Aggregations with numbered cells: which get them, and that the number of a cell is that of its key. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "tests/lib/dworld.h"
#include "tests/lib/options.h"

enum { NUMBERED = 4 << 20, LOOKED_UP = 0 };	/* aggsize */

static void open(struct dworld *w, const char *text, uint64_t aggsize)
{
	struct d_options o = test_options();

	o.strsize = 64;
	o.aggsize = aggsize;
	dworld_open(w, text, &o, true);
	if (!w->prog)
		fail_msg("%s: %s", text, w->diags.list.v[0].text);
}

/* ---- which ---- */
static const struct {
	const char *key;
	uint32_t cells;		/* 0: it is looked up */
} keys[] = {
	{ "1", 1 }, { "\"x\"", 1 }, { "cpu", 1 }, { "cpu, cpu", 1 }, { "pid == 1", 2 }, { "!pid", 2 },
	{ "pid && tid", 2 },
	{ "pid ? \"a\" : \"b\"", 2 }, { "pid ? \"a\" : \"a\"", 1 }, { "pid ? 1 : tid ? 2000000 : -1", 4 },
	{ "pid ? 1 : tid & 2", 4 }, { "pid ? 1000 : tid & 2", 0 }, { "pid & 7", 8 }, { "7 & pid", 8 },
	{ "pid & 8", 16 },
	{ "pid & -8", 0 }, { "pid & 0x1ff", 512 }, { "pid & 0x200", 0 }, { "pid % 5", 16 }, { "(unsigned)pid % 5", 8 },
	{ "timestamp % 5", 8 }, { "(pid & 15) % 5", 8 }, { "pid % -5", 0 }, { "pid % tid", 0 }, { "(uint8_t)pid", 256 },
	{ "(char)pid", 256 }, { "(short)pid", 0 }, { "(uint8_t)pid >> 6", 4 }, { "(char)pid >> 6", 0 },
	{ "(pid & 3) + 100", 4 },
	{ "(pid & 3) - (tid & 3)", 8 }, { "(char)((pid & 3) + 126)", 256 }, { "(uint8_t)(pid & 3)", 4 },
	{ "(long)!pid", 2 },
	{ "(pid & 7) * 2", 0 }, { "pid & 7, tid & 7, cpu, !pid", 128 }, { "pid & 31, tid & 31", 0 }, { "pid", 0 },
	{ "execname", 0 }, { "cpu + 0", 0 }, { "this->x = 1", 0 }, { "pid ? execname : \"x\"", 0 },
	{ "pid ? \"x\" : \"y\", tid", 0 },
	{ "probename", 1 }, { "probeprov, pid ? probename : \"x\"", 2 }, { "(pid, tid & 1)", 2 }, { "stack(1)", 0 },
	{ "(char *)1", 0 }, { "(uint64_t)-1", 1 }, { "(uint64_t)(pid & 3) | 1", 0 }, { "+(pid & 1)", 0 },
};

static void test_which(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
		struct dworld w;
		char text[200];
		uint32_t cells;

		snprintf(text, sizeof text, "BEGIN { @a[%s] = count(); }", keys[i].key);
		open(&w, text, NUMBERED);
		cells = dworld_agg(&w, "a")->cells ? dworld_agg(&w, "a")->cells->n : 0;
		if (cells != keys[i].cells)
			fail_msg("@[%s] has %u cells, not %u", keys[i].key, cells, keys[i].cells);
		assert_int_equal(w.prog->ir->objs.v[dworld_agg(&w, "a")->obj].cells, cells);
		dworld_close(&w);
		open(&w, text, LOOKED_UP);
		assert_null(dworld_agg(&w, "a")->cells);
		dworld_close(&w);
	}
}

static bool has_cells(const char *text, const char *name, uint64_t aggsize)
{
	struct dworld w;
	bool has;

	open(&w, text, aggsize);
	has = dworld_agg(&w, name)->cells;
	dworld_close(&w);
	return has;
}

/* All sites count; all of them fit into aggsize, into 16 KB of a CPU, and into 64 KB with the others. */
static void test_limits(void **state)
{
	enum { ROW = 8 + 8 + AGG_ROW };
	char text[600] = "BEGIN { ";

	(void)state;
	assert_true(has_cells("BEGIN { @a[1] = count(); @a[pid & 3] = count(); }", "a", 1 << 20));
	assert_false(has_cells("BEGIN { @a[1] = count(); @a[pid] = count(); }", "a", 1 << 20));
	assert_false(has_cells("BEGIN { @a[cpu] = count(); @a[1] = count(); }", "a", 1 << 20));
	assert_true(has_cells("BEGIN { @a[pid & 3] = count(); }", "a", 4 * ROW));
	assert_false(has_cells("BEGIN { @a[pid & 3] = count(); }", "a", 4 * ROW - 1));
	assert_true(has_cells("BEGIN { @a[pid & 7] = quantize(pid); }", "a", 1 << 20));
	assert_false(has_cells("BEGIN { @a[pid & 31] = quantize(pid); }", "a", 1 << 20));
	for (char c = 'a'; c <= 'i'; c++)
		sprintf(text + strlen(text), "@%c[%d, pid & 7] = quantize(pid); ", c, c);
	strcat(text, "}");
	for (char c = 'a'; c <= 'i'; c++)
		assert_int_equal(has_cells(text, (char[]){ c, 0 }, 1 << 20), c < 'i');
}

/* ---- the same keys ---- */
static const char *const exprs[] = {
	"x & 7", "x & 8", "x % 5", "(uint64_t)x % 5", "x == 3", "x < 0", "!x", "x && pid", "(char)x", "(uint8_t)x",
	"(uint8_t)x >> 6", "(x & 3) + 100", "(x & 3) - (pid & 3)", "(char)((x & 3) + 126)",
	"x ? -1 : pid ? 1000000 : 7",
	"x & 1 ? 5 : x & 6", "(short)(x % 3)", "(unsigned)(x % 3) % 4", "cpu", "(int)!x", "(x, pid & 1)", "-1",
	"x ? 255 : (uint8_t)pid",
	"x & 2 ? \"two\" : x & 4 ? \"four\" : \"\"",
	"x & 1 ? probename : \"a text that is longer than what others have\"",
	"(uint64_t)(x & 1) + 0xfffffff0", "(char)(x & 1 ? 127 : -128)", "(x & 1) - 0x7fffffff",
};

enum { NEXPRS = sizeof exprs / sizeof *exprs };

static const int64_t inputs[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 127, 128, 255, 256, -1, -2, -5, -128, -129, INT32_MAX,
	INT64_MAX, INT64_MIN };

static void fire(struct dworld *w, int64_t x, unsigned n)
{
	w->clock = (uint64_t)x;
	w->cpu = n % 5;
	w->pidtgid = (uint64_t)(n % 7) << 32 | n;
	dworld_fire(w, "BEGIN");
}

/* The only cell of @a. */
static const struct dw_cell *only_cell(struct dworld *w)
{
	const struct dw_cell *found = NULL;

	for (const struct dw_cell *c = w->cells; c; c = c->next) {
		if (c->obj != dworld_agg(w, "a")->obj)
			continue;
		assert_null(found);
		found = c;
	}
	assert_non_null(found);
	return found;
}

static void same_key(struct dworld *w, struct dworld *h, const char *text, int64_t x)
{
	const struct agg_desc *d = dworld_agg(w, "a");
	struct agg_table t, want;
	const struct dw_cell *c = only_cell(w);
	uint64_t n;

	memcpy(&n, c->key, sizeof n);
	assert_true(n < d->cells->n);
	agg_table_init(&t, d);
	agg_table_init(&want, dworld_agg(h, "a"));
	assert_int_equal(agg_table_add_cell(&t, (uint32_t)n, (uint32_t)w->cpu, (int64_t *)c->value), 0);
	assert_int_equal(agg_table_add(&want, only_cell(h)->key, (int64_t *)only_cell(h)->value), 0);
	if (t.desc->keysize != want.desc->keysize ||
	    memcmp(agg_row_key(&t, &t.rows[0]), agg_row_key(&want, &want.rows[0]), t.desc->keysize))
		fail_msg("%s with x = %lld: another key", text, (long long)x);
	agg_table_free(&t);
	agg_table_free(&want);
}

static void each_input(const char *keys_text, const char *more)
{
	for (unsigned i = 0; i < sizeof inputs / sizeof *inputs; i++) {
		struct dworld w, h;
		char text[600];

		snprintf(text, sizeof text, "int64_t x; BEGIN { x = timestamp; @a[%s] = sum(x); } END { x = 0; %s }",
			 keys_text, more);
		open(&w, text, NUMBERED);
		open(&h, text, LOOKED_UP);
		if (!dworld_agg(&w, "a")->cells)
			fail_msg("@a[%s] is looked up", keys_text);
		fire(&w, inputs[i], i);
		fire(&h, inputs[i], i);
		same_key(&w, &h, text, inputs[i]);
		dworld_close(&w);
		dworld_close(&h);
	}
}

static void test_same_keys(void **state)
{
	(void)state;
	for (unsigned e = 0; e < NEXPRS; e++) {
		char two[300];

		each_input(exprs[e], "");
		snprintf(two, sizeof two, "%s, x & 3, x & 1 ? \"odd\" : \"even\"", exprs[e]);
		if (strcmp(exprs[e], "(char)x") && strcmp(exprs[e], "(uint8_t)x") && !strstr(exprs[e], "255 :") &&
		    !strstr(exprs[e], "+ 126"))
			each_input(two, "");
	}
	each_input("x & 3", "@a[-2] = sum(1); @a[x % 9] = sum(1);");
	each_input("x & 1 ? \"a\" : \"b\"", "@a[\"c\"] = sum(1); @a[x ? \"b\" : \"a longer one, much longer\"] = "
		   "sum(1);");
	each_input("!x, cpu", "@a[x & 7, cpu] = sum(1);");
}

/* Aggregations that are updated together share cells as they share rows. */
static void test_shared(void **state)
{
	struct dworld w;

	(void)state;
	open(&w, "BEGIN { @a[cpu, !pid] = count(); @b[cpu, !pid] = avg(tid); } END { @b[cpu, !pid] = avg(1); @a[cpu, "
	     "!pid] = count(); }",
	     NUMBERED);
	assert_int_equal(dworld_agg(&w, "a")->obj, dworld_agg(&w, "b")->obj);
	assert_ptr_equal(dworld_agg(&w, "a")->cells, dworld_agg(&w, "b")->cells);
	assert_int_equal(dworld_agg(&w, "a")->cells->cpus, 1);
	assert_int_equal(dworld_agg(&w, "b")->valoff + dworld_agg(&w, "a")->valoff, 8);
	dworld_fire(&w, "BEGIN");
	dworld_fire(&w, "END");
	assert_int_equal(dworld_ncells(&w, "@a"), 1);
	dworld_close(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_which), cmocka_unit_test(test_limits), cmocka_unit_test(test_same_keys),
		cmocka_unit_test(test_shared),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
