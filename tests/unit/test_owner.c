/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Owners of addresses: the word in a key, what the compiled program puts there, what becomes of it before it is
 * shown. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "engine/run/names.h"
#include "engine/sample/names.h"
#include "tests/lib/dworld.h"

static void test_words(void **state)
{
	const uint64_t unit = 1 << VAL_TIME_UNIT;
	uint64_t last = 0;

	(void)state;
	assert_int_equal(val_owner(4711, 0), 4711);
	assert_int_equal(val_owner_time(4711), 0);
	assert_int_equal(val_owner_time(val_owner(1, unit - 1)), 0);
	for (uint64_t ns = unit; ns < 1ull << 50; ns = ns * 3 + 1) {
		uint64_t w = val_owner((1 << VAL_PID_BITS) - 1, ns), back = val_owner_time(w);

		assert_int_equal(val_owner_pid(w), (1 << VAL_PID_BITS) - 1);
		assert_int_equal(val_owner_pid(w | VAL_OWNER_NEXT), (1 << VAL_PID_BITS) - 1);
		assert_int_equal(val_owner_time(w | VAL_OWNER_NEXT), back);
		assert_true(back >= ns && back < ns + unit);
		assert_int_equal(val_owner(1, back) >> VAL_TIME_SHIFT, w >> VAL_TIME_SHIFT);	/* stays what it is */
		assert_true(w > last && (int64_t)w > 0);
		last = w;
	}
	assert_true((int64_t)val_owner(1, UINT64_MAX) > 0);
	assert_int_equal(val_owner(1, UINT64_MAX), val_owner(1, 1ull << 62));
}

/* ---- what a program puts into a key ---- */
struct slot {
	uint64_t word, want, count;
};

static void keys(struct dworld *w)
{
	static const uint64_t pid = 4711, t = 99ull << VAL_TIME_SHIFT;
	const struct slot slots[] = {
		{ 0, pid, 1 }, { t | pid, t | pid, 1 }, { t | VAL_OWNER_NEXT | pid, t | VAL_OWNER_NEXT | pid, 1 },
		/* another process has displaced it: its time counts, its end does not */
		{ t | (pid + PROG_OWNERS), t | pid, 2 }, { t | VAL_OWNER_NEXT | (pid + PROG_OWNERS), t | pid, 3 },
	};
	uint64_t *owners = w->mem[w->prog->owners];

	for (size_t i = 0; i < sizeof slots / sizeof *slots; i++) {
		const uint64_t key[] = { slots[i].want, 0x1234 };
		const uint64_t *count;

		owners[pid % PROG_OWNERS] = slots[i].word;
		dworld_fire(w, "BEGIN");
		count = dworld_cell(w, "@a", key);
		assert_non_null(count);
		assert_int_equal(*count, slots[i].count);
	}
	/* a record has a time of its own */
	assert_int_equal(w->recs.n, 5);
	for (size_t i = 0; i < w->recs.n; i++)
		assert_int_equal(dworld_int(w, i, 0, 0), 0x1234);
}

static void test_keys(void **state)
{
	struct dworld w;

	(void)state;
	for (int optimise = 0; optimise < 2; optimise++) {
		dworld_open_ok(&w, "BEGIN { @a[usym(0x1234)] = count(); trace(0x1234); }", optimise);
		assert_true(w.prog->owners >= 0);
		keys(&w);
		dworld_close(&w);
		dworld_open_ok(&w, "BEGIN { ufunc(0x1234); ustack(); @a[pid, arg1] = count(); }", optimise);
		assert_int_equal(w.prog->owners, -1);
		dworld_close(&w);
	}
}

/* ---- what is shown ---- */
enum { BEGUN = 1000000, UNIT = 1 << VAL_TIME_UNIT };

static uint64_t moment(unsigned units)
{
	return BEGUN + (uint64_t)units * UNIT;
}

static void lies(struct record_names *n, uint32_t object, unsigned units)
{
	record_names_map(n, &(struct record_map){ .pid = 7, .start = 0x1000, .end = 0x3000, .object = object,
		.since = moment(units) });
}

static void symbol_put(struct record_names *n, uint32_t object, uint64_t start, uint64_t last, const char *name)
{
	record_names_symbol(n, &(struct record_symbol){ object + 1, start, last, 0, "", name });
}

/* At 0x1000 of process 7: one, from unit 10 on two, from 20 on one again, from 30 on nothing; at 40 it is another
 * process, which has two there from 42 on. */
static struct record_names *history(void)
{
	struct record_names *n = record_names_open(NULL, NULL);

	assert_non_null(n);
	record_names_object(n, &(struct record_object){ .path = "/nowhere/one", .ino = 1 });
	record_names_object(n, &(struct record_object){ .path = "/nowhere/two", .ino = 2 });
	symbol_put(n, 0, 0x100, 0x1ff, "first");
	symbol_put(n, 0, 0x1100, 0x11ff, "deep");
	symbol_put(n, 1, 0x80, 0x1ff, "second");
	symbol_put(n, 1, 0x1100, 0x11ff, "deep");
	record_names_map(n, &(struct record_map){ .pid = 7, .start = 0x1000, .end = 0x3000, .object = 0 });
	lies(n, 1, 10);
	lies(n, 0, 20);
	lies(n, RECORD_NO_OBJECT, 30);
	record_names_exec(n, 7, moment(40), true);
	lies(n, 1, 42);
	record_names_map(n, &(struct record_map){ .pid = 7, .start = 0x8000, .end = 0xa000, .object = 1,
		.since = moment(45) });
	return n;
}

struct shown {
	struct names names;
	struct record_names *history;
	struct buf text;
	uint64_t key[4];
};

static void show_open(struct shown *s)
{
	*s = (struct shown){ .history = history() };
	s->names = (struct names){ .ops = &record_symbol_ops, .arg = s->history, .begun = BEGUN };
}

static void show_close(struct shown *s)
{
	names_close(&s->names);
	record_names_close(s->history);
	buf_free(&s->text);
}

/* The owner of the key after it was settled, and its text. */
static uint64_t settled(struct shown *s, unsigned kind, uint64_t owner, uint64_t addr, uint64_t caller)
{
	const struct val_field f = { .kind = (uint8_t)kind, .size = kind == VAL_USTACK ? 32 : 16 };

	memcpy(s->key, (uint64_t[4]){ owner, addr, caller, 0 }, sizeof s->key);
	names_settle(&s->names, &f, s->key);
	buf_reset(&s->text);
	names_show(&s->names, &s->text, &f, s->key);
	return s->key[0];
}

static void expect(struct shown *s, unsigned kind, unsigned units, uint64_t addr, unsigned want_units, const char *want)
{
	assert_int_equal(settled(s, kind, val_owner(7, (uint64_t)units * UNIT), addr, 0),
			 val_owner(7, (uint64_t)want_units * UNIT));
	assert_string_equal(buf_str(&s->text), want);
}

static void test_shown(void **state)
{
	struct shown s;

	(void)state;
	show_open(&s);
	for (unsigned units = 0; units < 60; units++) {
		bool two = units >= 40 || (units >= 10 && units < 20), one = !two && units < 30;
		unsigned first = two ? 10 : one ? 0 : 30;

		expect(&s, VAL_UADDR, units, 0x1110, first, two ? "two`second+0x90" : one ? "one`first+0x10" :
		       "0x1110");
		expect(&s, VAL_USYM, units, 0x1110, first, two ? "two`second" : one ? "one`first" : "0x1110");
		assert_int_equal(s.key[1], two ? 0x1080 : one ? 0x1100 : 0x1110);
		expect(&s, VAL_UMOD, units, 0x1110, first, two ? "two" : one ? "one" : "0x1110");
		expect(&s, VAL_USTACK, units, 0x2110, first,
		       two ? "\ntwo`deep+0x10\n" : one ? "\none`deep+0x10\n" : "\n0x2110\n");
	}
	/* where nothing changes the time says nothing */
	expect(&s, VAL_UADDR, 35, 0x5000, 0, "0x5000");
	expect(&s, VAL_UADDR, 50, 0x5000, 0, "0x5000");
	show_close(&s);
}

/* The same file at another address. */
static void test_elsewhere(void **state)
{
	static const unsigned kinds[] = { VAL_UADDR, VAL_USYM, VAL_UMOD };
	struct shown s;

	(void)state;
	show_open(&s);
	for (unsigned i = 0; i < 3; i++) {
		uint64_t owner = settled(&s, kinds[i], val_owner(7, 15 * UNIT), 0x1110, 0), addr = s.key[1];

		assert_int_equal(settled(&s, kinds[i], val_owner(7, 50 * UNIT), 0x8110, 0), owner);
		assert_int_equal(s.key[1], addr);
	}
	settled(&s, VAL_USYM, val_owner(7, 50 * UNIT), 0x9110, 0);
	assert_string_equal(buf_str(&s.text), "two`deep");
	show_close(&s);
}

/* The next process, and times that nobody knows. */
static void test_next(void **state)
{
	struct shown s;

	(void)state;
	show_open(&s);
	assert_int_equal(settled(&s, VAL_UADDR, val_owner(7, 25 * UNIT) | VAL_OWNER_NEXT, 0x1110, 0),
			 val_owner(7, 10 * UNIT));
	assert_string_equal(buf_str(&s.text), "two`second+0x90");
	assert_int_equal(settled(&s, VAL_UADDR, val_owner(7, 50 * UNIT) | VAL_OWNER_NEXT, 0x1110, 0),
			 val_owner(7, 10 * UNIT));
	s.names.begun = 0;	/* the engine gives no times: as it is now */
	settled(&s, VAL_USYM, 7, 0x1110, 0);
	assert_string_equal(buf_str(&s.text), "two`second");
	s.names.at = moment(5);	/* a record */
	settled(&s, VAL_USYM, 7, 0x1110, 0);
	assert_string_equal(buf_str(&s.text), "one`first");
	show_close(&s);
}

static void test_order(void **state)
{
	struct agg_desc d = { .nkeys = 1, .keysize = 16, .key = { { .kind = VAL_UADDR, .size = 16 } } };
	const uint64_t rows[][2] = {
		{ val_owner(3, 9 * UNIT), 1 }, { val_owner(7, 5 * UNIT), 1 }, { val_owner(7, 8 * UNIT), 1 },
		{ val_owner(7, 0), 2 },
		{ val_owner(7, UNIT), 2 }, { val_owner(9, 0), 0 },
	};
	const size_t n = sizeof rows / sizeof *rows;
	const struct agg_key_order by_first = { 0 };

	(void)state;
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < n; k++)
			assert_int_equal(agg_key_compare(&d, rows[i], &d, rows[k], &by_first), (i > k) - (i < k));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_words), cmocka_unit_test(test_keys), cmocka_unit_test(test_shown),
		cmocka_unit_test(test_elsewhere), cmocka_unit_test(test_next),
		cmocka_unit_test(test_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
