/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The account of firings in this process: engine/interp/account.c, and what perf's own records say of it,
 * perf_account.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/arena.h"
#include "engine/interp/account.h"
#include "engine/sample/perf_account.h"
#include "engine/sample/perf_attr.h"

#define MS 1000000ull

/* ---- account.c ---- */

/* A source with given answers. */
struct source_says {
	struct source_account a;
	bool known;
};

static bool say(struct sample_source *s, unsigned rate, int cpu, struct source_account *out)
{
	const struct source_says *x = (const void *)s;

	assert_int_equal(rate, 1);
	assert_true(cpu < 2);
	*out = x->a;
	return x->known;
}

static const struct source_ops saying = { .account = say }, silent = { .name = "silent" };

static bool account(const struct source_ops *ops, struct source_says *says, const struct fired *f, unsigned n, int cpu,
		    struct dtr_account *out)
{
	struct account_probe p = { 1000, f, n, ops, (struct sample_source *)says, 1, -1 };

	memset(out, 0, sizeof *out);
	return account_sampler(&p, cpu, out);
}

/* The account adds up for any input. */
static void check_sum(const struct dtr_account *a)
{
	int64_t sum = (int64_t)a->delivered;

	for (int i = 0; i < DTR_NLOSSES; i++)
		sum += a->lost[i];
	assert_int_equal(sum, a->expected);
}

static void test_fired(void **state)
{
	struct sample kernel = { .mode = SAMPLE_KERNEL, .arg = { SAMPLE_HIDDEN_PC } }, user = { .mode = SAMPLE_USER,
		.arg = { 0, 5 } };
	struct sample proc = { .mode = SAMPLE_MODE_UNKNOWN }, seen = { .mode = SAMPLE_KERNEL, .arg = { 1ull << 63 } };
	struct fired f = { 0 };

	(void)state;
	fired_add(&f, &kernel, 1, true);
	fired_add(&f, &user, 1, true);
	fired_add(&f, &seen, 1, true);
	fired_add(&f, &proc, 1, true);
	fired_add(&f, &user, 1, false);
	assert_true(f.delivered == 4 && f.made_up == 2 && f.after == 1);
}

static void test_causes(void **state)
{
	struct fired f[2] = { { .delivered = 60, .made_up = 20 }, { .delivered = 20, .after = 5, .lost_after = 3 } };
	struct source_says s = { .known = true, .a = { .due = 124.6, .full = 13, .throttled = 4.4, .idle = 5.6,
		.parts = 3, .parted = true } };
	struct dtr_account a;

	(void)state;
	/* 125, 8 of them after the end: of 37 that are missing 10 found the buffer full, 4 were held back, 6 idled
	 * away */
	assert_true(account(&saying, &s, f, 2, -1, &a));
	assert_true(a.expected == 117 && a.delivered == 80 && a.made_up == 20 && !a.each_cpu);
	assert_true(a.lost[DTR_LOST_FULL] == 10 && a.lost[DTR_LOST_THROTTLED] == 4 && a.lost[DTR_LOST_IDLE] == 6);
	assert_true(a.lost[DTR_LOST_PARTS] == 3 && a.lost[DTR_LOST_UNKNOWN] == 14);
	check_sum(&a);
	s.a.parted = false;
	assert_true(account(&saying, &s, f, 2, -1, &a) && a.each_cpu);
	assert_true(a.lost[DTR_LOST_PARTS] == 0 && a.lost[DTR_LOST_UNKNOWN] == 17);
	check_sum(&a);
	/* one CPU */
	s.a = (struct source_account){ .due = 29, .full = 3 };
	assert_true(account(&saying, &s, f, 2, 1, &a));
	assert_true(a.expected == 21 && a.delivered == 20 && a.lost[DTR_LOST_FULL] == 0 &&
		    a.lost[DTR_LOST_UNKNOWN] == 1);
	check_sum(&a);
	assert_false(account(&saying, &s, f, 2, 2, &a));
	s.known = false;
	assert_false(account(&saying, &s, f, 2, -1, &a));
}

/* More than was due: threads' parts, to a point; no cause takes firings that are not missing. */
static void test_too_many(void **state)
{
	struct fired f = { .delivered = 80 };
	struct source_says s = { .known = true, .a = { .due = 75, .full = 5, .throttled = 2, .idle = 2, .parts = 1,
		.more = 10, .parted = true } };
	struct dtr_account a;

	(void)state;
	assert_true(account(&saying, &s, &f, 1, -1, &a));
	assert_true(a.lost[DTR_LOST_PARTS] == -10 && a.lost[DTR_LOST_FULL] == 5 && !a.lost[DTR_LOST_THROTTLED] &&
		    !a.lost[DTR_LOST_UNKNOWN]);
	check_sum(&a);
	s.a.more = 2;
	assert_true(account(&saying, &s, &f, 1, -1, &a));
	assert_true(a.lost[DTR_LOST_PARTS] == -2 && a.lost[DTR_LOST_UNKNOWN] == -8);
	check_sum(&a);
	/* CPUs' clocks are read a little off */
	s.a = (struct source_account){ .due = 79 };
	assert_true(account(&saying, &s, &f, 1, -1, &a));
	assert_true(a.expected == 80 && !a.lost[DTR_LOST_UNKNOWN]);
	/* all came after the end */
	f = (struct fired){ .after = 500 };
	assert_true(account(&saying, &s, &f, 1, -1, &a) && a.expected == 0);
	check_sum(&a);
}

/* A recording: its samples and the losses in it. */
static void test_recording(void **state)
{
	struct fired f[2] = { { .delivered = 60, .lost = 7 }, { .delivered = 20, .lost = 1 } };
	struct dtr_account a;

	(void)state;
	assert_true(account(&silent, NULL, f, 2, -1, &a));
	assert_true(a.expected == 88 && a.delivered == 80 && a.lost[DTR_LOST_FULL] == 8);
	assert_true(account(&silent, NULL, f, 2, 1, &a));
	assert_true(a.expected == 21 && a.lost[DTR_LOST_FULL] == 1);
}

static void test_tick(void **state)
{
	struct dtr_account a = { 0 };

	(void)state;
	account_tick(9, 100, 5000, 6050, &a);
	assert_true(a.expected == 10 && a.delivered == 9 && a.lost[DTR_LOST_LATE] == 1);
	account_tick(11, 100, 5000, 6050, &a);
	assert_true(a.expected == 11 && !a.lost[DTR_LOST_LATE]);
	account_tick(0, 100, 5000, 4000, &a);
	assert_true(!a.expected && !a.lost[DTR_LOST_LATE]);
}

/* ---- perf_account.c ---- */

struct account_fixture {
	struct arena arena;
	struct perf_source s;
	struct perf_family family;
	struct perf_ring ring[2];
	struct perf_handle handle[4];	/* two rates on two CPUs; ids 10..13 */
	uint64_t interval[2];
	double missed[2];
};

static struct account_fixture *fixture_open(void)
{
	struct account_fixture *f = calloc(1, sizeof *f);
	struct perf_source *s = &f->s;

	arena_init(&f->arena, NULL, NULL);
	f->ring[0] = (struct perf_ring){ .cpu = 0, .fd = -1 };
	f->ring[1] = (struct perf_ring){ .cpu = 2, .fd = -1 };
	f->interval[0] = MS;
	f->interval[1] = MS / 2;
	f->family = (struct perf_family){ .users = 1, .n = 4, .v = f->handle, .missed = f->missed };
	s->arena = &f->arena;
	s->rings = (struct perf_rings){ .v = f->ring, .n = 2 };
	s->interval = f->interval;
	s->nrates = 2;
	s->hidden = true;
	s->families = &f->family;
	for (unsigned i = 0; i < 4; i++) {
		f->handle[i] = (struct perf_handle){ .fd = -1, .tid = 1, .rate = (int)i / 2, .id = 10 + i,
			.ring = i % 2, .family = &f->family };
		s->ids[10 + i] = &f->handle[i];
	}
	perf_account_open(s);
	return f;
}

static void fixture_close(struct account_fixture *f)
{
	arena_free(&f->arena);
	free(f);
}

static void throttle(struct account_fixture *f, uint32_t type, uint64_t id, uint64_t stream, uint64_t time)
{
	struct {
		struct perf_event_header h;
		uint64_t time, id, stream;
		struct perf_tail tail;
	} r = { { type, 0, sizeof r }, time, id, stream, { .time = time } };

	perf_account_throttle(&f->s, &r.h, time);
}

static uint32_t lost(struct account_fixture *f, uint64_t id, uint64_t n, uint32_t cpu)
{
	struct {
		struct perf_event_header h;
		uint64_t id, n;
		struct perf_tail tail;
	} r = { { PERF_RECORD_LOST, 0, sizeof r }, id, n, { .cpu = cpu } };

	return perf_account_lost(&f->s, &r.h);
}

static void near(double a, double b)
{
	assert_true(a > b - 1e-6 && a < b + 1e-6);
}

static void test_throttled(void **state)
{
	struct account_fixture *f = fixture_open();
	struct source_account a;

	(void)state;
	/* two threads' events of one rate, one of the other rate */
	throttle(f, PERF_RECORD_THROTTLE, 10, 100, 1000 * MS);
	throttle(f, PERF_RECORD_THROTTLE, 10, 101, 1001 * MS);
	throttle(f, PERF_RECORD_THROTTLE, 13, 102, 1002 * MS);
	throttle(f, PERF_RECORD_UNTHROTTLE, 10, 100, 1003 * MS);
	throttle(f, PERF_RECORD_UNTHROTTLE, 13, 102, 1004 * MS);
	throttle(f, PERF_RECORD_UNTHROTTLE, 13, 102, 1005 * MS);	/* it was not throttled */
	near(f->missed[0], 3);
	near(f->missed[1], 4);
	/* a thread that went away meanwhile was not held back all that time */
	throttle(f, PERF_RECORD_UNTHROTTLE, 10, 101, 5000 * MS);
	near(f->missed[0], 3 + 10);
	/* an event that is not known any more; time that runs backwards */
	throttle(f, PERF_RECORD_THROTTLE, 99, 103, 1000 * MS);
	throttle(f, PERF_RECORD_UNTHROTTLE, 99, 103, 1001 * MS);
	throttle(f, PERF_RECORD_THROTTLE, 10, 104, 1000 * MS);
	throttle(f, PERF_RECORD_UNTHROTTLE, 10, 104, 999 * MS);
	near(f->missed[0], 13);
	assert_true(perf_account(&f->s, 0, -1, &a));
	near(a.throttled, 13);
	assert_true(perf_account(&f->s, 1, -1, &a));
	near(a.throttled, 4);
	assert_false(perf_account(&f->s, 0, 0, &a));	/* it is hidden on which CPU */
	assert_false(perf_account(&f->s, 2, -1, &a));
	fixture_close(f);
}

/* More are held back than can be remembered: those are not counted, and nothing is written beyond. */
static void test_many(void **state)
{
	struct account_fixture *f = fixture_open();
	struct source_account a;

	(void)state;
	for (uint64_t i = 0; i < 3 * PERF_THROTTLED; i++)
		throttle(f, PERF_RECORD_THROTTLE, 10, i, 1000 * MS);
	for (uint64_t i = 3 * PERF_THROTTLED; i--;)
		throttle(f, PERF_RECORD_UNTHROTTLE, 10, i, 1001 * MS);
	near(f->missed[0], PERF_THROTTLED);
	/* the session ends while one is held back: longer than a thread can be */
	throttle(f, PERF_RECORD_THROTTLE, 10, 1, 1);
	assert_true(perf_account(&f->s, 0, -1, &a));
	near(a.throttled, PERF_THROTTLED + 10);
	fixture_close(f);
}

/* A kernel whose events do not count what they lose: the records must do. */
static void test_lost_records(void **state)
{
	struct account_fixture *f = fixture_open();
	struct source_account a;
	struct source_item it;

	(void)state;
	assert_int_equal(lost(f, 12, 7, 0), 1);
	assert_int_equal(lost(f, 11, 2, 2), 0);
	assert_int_equal(lost(f, 99, 4, 2), 0);		/* whose it was is not known */
	assert_int_equal(lost(f, 12, 1000, 1), 0);	/* no such CPU */
	assert_true(perf_account(&f->s, 1, -1, &a) && a.full == 7);
	assert_true(perf_account(&f->s, 0, -1, &a) && a.full == 6);
	near(f->missed[0], 2);
	near(f->missed[1], 7);
	f->s.stopped = true;
	assert_false(perf_account_unreported(&f->s, &it));
	fixture_close(f);
}

/* A counting event: value, time, lost; each loss is recorded once. Losses without a record are reported at the end. */
static void test_counts(void **state)
{
	struct account_fixture *f = fixture_open();
	uint64_t v[3] = { 0, 20 * MS, 5 };
	struct source_account a;
	struct source_item it;
	int fds[2];

	(void)state;
	assert_int_equal(pipe(fds), 0);
	f->s.reports_lost = true;
	f->handle[1].fd = fds[0];
	assert_int_equal(write(fds[1], v, sizeof v), sizeof v);
	perf_account_handle(&f->s, &f->handle[1]);
	v[1] = 30 * MS;
	v[2] = 9;
	assert_int_equal(write(fds[1], v, sizeof v), sizeof v);
	perf_account_all(&f->s);
	assert_int_equal(lost(f, 11, 3, 2), 0);
	assert_true(perf_account(&f->s, 0, -1, &a));
	near(a.due, 30);
	assert_int_equal(a.full, 9);
	near(f->missed[0], 9);
	assert_false(perf_account_unreported(&f->s, &it));
	f->s.stopped = true;
	assert_true(perf_account_unreported(&f->s, &it));
	assert_true(it.kind == SOURCE_LOST && it.lost == 6 && it.sample.cpu == 2);
	assert_false(perf_account_unreported(&f->s, &it));
	f->s.hidden = false;
	assert_true(perf_account(&f->s, 0, 2, &a) && a.full == 9);
	assert_true(perf_account(&f->s, 0, 0, &a) && a.full == 0);
	assert_false(perf_account(&f->s, 0, 1, &a));
	close(fds[0]);
	close(fds[1]);
	fixture_close(f);
}

static void test_missed(void **state)
{
	struct account_fixture *f = fixture_open();
	struct task t = { .family = &f->family }, alone = { 0 };

	(void)state;
	f->missed[0] = 4.6;
	assert_int_equal(perf_account_missed(&f->s, &alone, 0, 3), 0);
	assert_int_equal(perf_account_missed(&f->s, &t, 1, 3), 0);
	assert_int_equal(perf_account_missed(&f->s, &t, 0, 3), 3);
	assert_int_equal(perf_account_missed(&f->s, &t, 0, 3), 2);	/* 1.6 */
	assert_int_equal(perf_account_missed(&f->s, &t, 0, 3), 0);
	f->missed[0] += 1;	/* less 0.4 that was too much */
	assert_int_equal(perf_account_missed(&f->s, &t, 0, 3), 1);
	fixture_close(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fired), cmocka_unit_test(test_causes), cmocka_unit_test(test_too_many),
		cmocka_unit_test(test_recording), cmocka_unit_test(test_tick), cmocka_unit_test(test_throttled),
		cmocka_unit_test(test_many), cmocka_unit_test(test_lost_records), cmocka_unit_test(test_counts),
		cmocka_unit_test(test_missed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
