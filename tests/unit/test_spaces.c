/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Histories of random mappings, forks, execs and exits: every look-up finds what a search of all mappings finds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "engine/symbols/spaces.h"
#include "tests/unit/linear_spaces.h"

enum { PIDS = 6, FILES = 5, PAGE = 4096, LOOKUPS = 40 };

struct history {
	uint64_t seed;
	uint64_t time;
	uint64_t places;	/* pages of the address range */
	struct spaces *fast, *slow;
};

static uint64_t any(struct history *h, uint64_t n)
{
	uint64_t z = h->seed += 0x9e3779b97f4a7c15;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return (z ^ (z >> 31)) % n;
}

/* Mostly now, at times earlier: process events may be late. */
static uint64_t some_time(struct history *h)
{
	return any(h, 8) ? h->time : any(h, 16) ? any(h, h->time + 1) : 0;
}

static void assert_same(const struct mapping *x, const struct mapping *y)
{
	assert_int_equal(!x, !y);
	if (!x)
		return;
	assert_true(x->start == y->start && x->end == y->end && x->off == y->off && x->since == y->since);
	assert_ptr_equal(x->file, y->file);
	assert_int_equal(x->over, y->over);
}

static void map_any(struct history *h, int64_t pid)
{
	static char file[FILES];
	uint64_t start = any(h, h->places) * PAGE, room = any(h, 16) ? 8 : h->places;
	struct mapping x = {
		.start = start, .end = start + (1 + any(h, room)) * PAGE, .off = any(h, 3) * PAGE,
		.since = some_time(h), .file = any(h, 5) ? &file[any(h, FILES)] : NULL,
	};

	assert_int_equal(spaces_add(h->fast, spaces_get(h->fast, pid), &x),
			 linear_add(h->slow, linear_get(h->slow, pid, true), &x));
}

static void change(struct history *h)
{
	int64_t pid = 1 + (int64_t)any(h, PIDS), parent = 1 + (int64_t)any(h, PIDS);
	uint64_t what = any(h, 40);

	h->time += any(h, 3);
	if (what == 0) {
		spaces_fork(h->fast, pid, parent, h->time);
		linear_fork(h->slow, pid, parent, h->time);
	} else if (what == 1) {
		spaces_exec(h->fast, pid, h->time);
		linear_exec(h->slow, pid, h->time);
	} else if (what == 2) {
		spaces_exit(h->fast, pid);
		linear_exit(h->slow, pid);
	} else {
		map_any(h, pid);
	}
}

static void look_up(struct history *h)
{
	int64_t pid = 1 + (int64_t)any(h, PIDS);
	const struct symbol_space *p = spaces_process(h->fast, pid), *q = linear_get(h->slow, pid, false);
	uint64_t at = any(h, 4) ? any(h, h->time + 3) : any(h, 2) ? 0 : UINT64_MAX, addr[3];
	uint64_t from = any(h, h->time + 1);
	const struct mapping *x, *y;

	assert_int_equal(!p, !q);
	if (!p)
		return;
	for (unsigned i = 0; i < 3; i++)
		addr[i] = any(h, (h->places + 9) * PAGE);
	x = spaces_find(p, addr[0], at);
	y = linear_find(q, addr[0], at);
	assert_same(x, y);
	if (x)
		assert_true(spaces_base(p, x, at) == linear_base(q, y, at));
	assert_int_equal(spaces_overlaps(p, addr[0], addr[1]), linear_overlaps(q, addr[0], addr[1]));
	assert_true(spaces_begun(p, at) == linear_begun(q, at) && spaces_next(p, at) == linear_next(q, at));
	assert_true(spaces_changed(p, at) == linear_changed(q, at));
	assert_true(spaces_settle(h->fast, p, &(struct symbol_addresses){ addr, 3 }, from, at) ==
		    linear_settle(h->slow, q, addr, 3, from, at));
}

static void compare(uint64_t seed, unsigned changes, uint64_t places)
{
	struct history h = { .seed = seed, .places = places, .fast = malloc(sizeof *h.fast),
			     .slow = malloc(sizeof *h.slow) };

	spaces_init(h.fast);
	linear_init(h.slow);
	for (unsigned i = 0; i < changes; i++) {
		change(&h);
		if (i % (1 + changes / 64) == 0)
			look_up(&h);
	}
	for (unsigned i = 0; i < LOOKUPS; i++)
		look_up(&h);
	assert_true(h.fast->mappings == h.slow->mappings && h.fast->forgotten == h.slow->forgotten);
	assert_false(h.fast->nomem || h.slow->nomem);
	spaces_close(h.fast);
	linear_close(h.slow);
	free(h.fast);
	free(h.slow);
}

static void test_histories(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 3000; seed++)
		compare(seed, 20 + seed % 400, seed % 3 ? 64 : 1000);
}

/* So many mappings that old ones are dropped: of few places, where later ones cover them, and of many. */
static void test_many(void **state)
{
	static const uint64_t places[] = { 8, 300, 20000, 10000000 };

	(void)state;
	for (uint64_t seed = 0; seed < sizeof places / sizeof places[0]; seed++)
		compare(10000 + seed, 40000, places[seed]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_histories),
		cmocka_unit_test(test_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
