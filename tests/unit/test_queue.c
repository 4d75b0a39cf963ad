/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The queue of records: their order, whatever order they arrive in, and what is left after some have been printed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "engine/session/queue.h"
#include "lang/prog.h"
#include "tests/lib/random.h"

enum { CPUS = 3, MOST = 4000 };

struct queue_record {
	struct rec_hdr hdr;
	uint32_t nth, pad;
	char rest[40];
};

static uint32_t size_of(uint32_t nth)
{
	return (uint32_t)offsetof(struct queue_record, rest) + nth % 40;
}

static void record_add(struct queue *q, uint64_t ts, int cpu, uint32_t nth)
{
	struct queue_record r = { .hdr = { .ts = ts, .epid = 1 }, .nth = nth };

	memset(r.rest, (int)nth, sizeof r.rest);
	queue_add(q, cpu, &r, size_of(nth));
}

static void expect_whole(const struct queue *q, size_t i)
{
	struct queue_record r = { 0 };

	assert_true(q->v[i].off + q->v[i].size <= q->bytes.len);
	memcpy(&r, q->bytes.data + q->v[i].off, q->v[i].size);
	assert_int_equal(q->v[i].size, size_of(r.nth));
	assert_true(r.hdr.ts == q->v[i].ts);
	for (uint32_t k = 0; k < r.nth % 40; k++)
		assert_int_equal((unsigned char)r.rest[k], r.nth & 0xff);
}

/* Polls: some records of each CPU, in order of time, some of them at the same time. chaos: in no order at all. */
static uint32_t polls(struct queue *q, uint64_t *seed, uint64_t *now, uint32_t nth, unsigned times, bool chaos)
{
	while (times--) {
		for (int cpu = 0; cpu < CPUS; cpu++) {
			uint64_t ts = *now;

			for (uint64_t n = random_next(seed) % 8; n; n--) {
				ts += random_next(seed) % 3;
				record_add(q, chaos ? random_next(seed) % 1000 : ts, cpu, nth++);
			}
		}
		*now += 20;
	}
	return nth;
}

static void check_order(const struct queue *q, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct queued *a = &q->v[i ? i - 1 : 0], *b = &q->v[i];

		expect_whole(q, i);
		assert_true(!i || a->ts < b->ts || (a->ts == b->ts && (a->cpu < b->cpu ||
			    (a->cpu == b->cpu && a->seq < b->seq))));
	}
}

static void run(uint64_t seed, bool chaos)
{
	struct queue q = { 0 };
	uint64_t now = 1000;
	uint32_t added = 0;
	size_t dropped = 0;

	for (unsigned pass = 0; pass < 30; pass++) {
		size_t n;

		added = polls(&q, &seed, &now, added, (unsigned)(random_next(&seed) % 6), chaos);
		queue_sort(&q);
		check_order(&q, q.n);
		n = q.n ? random_next(&seed) % (q.n + 1) : 0;
		/* more arrives while these are printed */
		added = polls(&q, &seed, &now, added, (unsigned)(random_next(&seed) % 3), chaos);
		check_order(&q, n);
		queue_drop(&q, n);
		dropped += n;
		assert_int_equal(q.n, added - dropped);
		for (size_t i = 0; i < q.n; i++)
			expect_whole(&q, i);
	}
	queue_drop(&q, q.n);
	assert_int_equal(q.bytes.len, 0);
	queue_free(&q);
}

static void test_arrival(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 50; seed++)
		run(seed, false);
}

static void test_chaos(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 50; seed++)
		run(seed, true);
}

static void test_many(void **state)
{
	struct queue q = { 0 };
	uint64_t seed = 7;

	(void)state;
	for (uint32_t i = 0; i < MOST; i++)
		record_add(&q, MOST - i, (int)(random_next(&seed) % CPUS), i);
	queue_sort(&q);
	check_order(&q, q.n);
	queue_free(&q);
	queue_sort(&q);	/* empty */
	queue_drop(&q, 0);
	queue_free(&q);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_arrival), cmocka_unit_test(test_chaos), cmocka_unit_test(test_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
