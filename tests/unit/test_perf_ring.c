/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* engine/host/perf_ring.c on rings written by hand: every record comes once, in order of time, whatever is in
 * them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "engine/host/perf_ring.h"
#include "engine/sample/perf_attr.h"

enum { PAGE = 4096, RINGS = 3 };

/* ---- the kernel's part ---- */
static void rings_make(struct perf_rings *r, unsigned n, size_t bytes)
{
	*r = (struct perf_rings){ .n = n, .page_size = PAGE, .bytes = bytes, .v = calloc(n, sizeof *r->v) };
	perf_attr_init(&r->attr);
	for (unsigned i = 0; i < n; i++) {
		r->v[i] = (struct perf_ring){ .cpu = (int)i * 2, .fd = -1 };
		r->v[i].page = mmap(NULL, bytes + PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		assert_true(r->v[i].page != MAP_FAILED);
	}
}

static size_t ring_room(const struct perf_rings *r, unsigned ring)
{
	const struct perf_event_mmap_page *p = r->v[ring].page;

	return r->bytes - (p->data_head - p->data_tail);
}

static void ring_write(struct perf_rings *r, unsigned ring, const void *bytes, size_t n)
{
	struct perf_event_mmap_page *p = r->v[ring].page;
	uint8_t *data = (uint8_t *)p + PAGE;

	assert_true(n <= ring_room(r, ring));
	for (size_t i = 0; i < n; i++)
		data[(p->data_head + i) % r->bytes] = ((const uint8_t *)bytes)[i];
	p->data_head += n;
}

/* A sample with `extra` words behind, or a record of another kind with as many before its tail; the last one says
 * which. */
static void put(struct perf_rings *r, unsigned ring, uint32_t type, uint64_t time, uint64_t extra, uint64_t id)
{
	union {
		struct perf_event_header h;
		struct perf_head head;
		uint64_t word[600];
	} u;
	size_t size = type == PERF_RECORD_SAMPLE ? sizeof u.head + extra * 8 : sizeof u.h + extra * 8 +
		sizeof(struct perf_tail);
	struct perf_tail tail = { .time = time, .id = id };

	memset(&u, 0, sizeof u);
	for (size_t i = 1; i < size / 8; i++)
		u.word[i] = id;
	u.h = (struct perf_event_header){ .type = type, .size = (uint16_t)size };
	if (type == PERF_RECORD_SAMPLE)
		u.head.time = time;
	else
		memcpy((char *)&u + size - sizeof tail, &tail, sizeof tail);
	ring_write(r, ring, &u, size);
}

/* The ID of the next record, 0 if there is none. */
static uint64_t next(struct perf_rings *r, uint64_t *time)
{
	const struct perf_event_header *h = perf_rings_next(r, time);
	struct perf_tail tail;

	if (!h)
		return 0;
	if (h->type == PERF_RECORD_SAMPLE) {
		assert_int_equal(((const struct perf_head *)h)->time, *time);
		return ((const struct perf_head *)h)->id;
	}
	memcpy(&tail, (const char *)h + h->size - sizeof tail, sizeof tail);
	assert_int_equal(tail.time, *time);
	return tail.id;
}

static void expect(struct perf_rings *r, uint64_t id, uint64_t time)
{
	uint64_t got;

	assert_int_equal(next(r, &got), id);
	assert_int_equal(got, time);
}

static void expect_none(struct perf_rings *r)
{
	uint64_t time;

	assert_int_equal(next(r, &time), 0);
}

/* ---- order ---- */
static void test_order(void **state)
{
	struct perf_rings r;

	(void)state;
	rings_make(&r, RINGS, PAGE);
	put(&r, 0, PERF_RECORD_SAMPLE, 10, 0, 1);
	put(&r, 0, PERF_RECORD_SAMPLE, 30, 3, 2);
	put(&r, 1, PERF_RECORD_FORK, 20, 2, 3);
	put(&r, 2, PERF_RECORD_COMM, 10, 1, 4);
	put(&r, 2, PERF_RECORD_SAMPLE, 10, 1, 5);
	perf_rings_take(&r, 100);
	/* of the same time: as they were written, CPU by CPU */
	expect(&r, 1, 10);
	expect(&r, 4, 10);
	expect(&r, 5, 10);
	expect(&r, 3, 20);
	expect(&r, 2, 30);
	expect_none(&r);
	perf_rings_take(&r, 200);
	expect_none(&r);
	perf_rings_close(&r);
}

static void count(void *arg, const struct perf_event_header *h, uint64_t time)
{
	uint64_t *sum = arg;

	(void)h;
	*sum += time;
}

static void test_kept_back(void **state)
{
	struct perf_rings r;
	uint64_t sum = 0;

	(void)state;
	rings_make(&r, RINGS, PAGE);
	put(&r, 0, PERF_RECORD_SAMPLE, 10, 0, 1);
	put(&r, 0, PERF_RECORD_SAMPLE, 52, 0, 2);
	put(&r, 1, PERF_RECORD_SAMPLE, 51, 0, 3);
	perf_rings_take(&r, 50);
	perf_rings_each(&r, count, &sum);
	assert_int_equal(sum, 10 + 51 + 52);
	expect(&r, 1, 10);
	expect_none(&r);
	/* what comes now may be older than what was kept back, which was looked at already and is again */
	put(&r, 2, PERF_RECORD_SAMPLE, 50, 0, 4);
	put(&r, 1, PERF_RECORD_SAMPLE, 53, 0, 5);
	perf_rings_take(&r, 52);
	sum = 0;
	perf_rings_each(&r, count, &sum);
	assert_int_equal(sum, 50 + 51 + 52 + 53);
	expect(&r, 4, 50);
	expect(&r, 3, 51);
	expect(&r, 2, 52);
	expect_none(&r);
	/* the last time, nothing is too young */
	put(&r, 0, PERF_RECORD_EXIT, 1000, 0, 6);
	perf_rings_take(&r, UINT64_MAX);
	expect(&r, 5, 53);
	expect(&r, 6, 1000);
	expect_none(&r);
	perf_rings_close(&r);
}

/* A record goes round the end at each of its words. */
static void test_wrap(void **state)
{
	(void)state;
	for (uint64_t extra = 0; extra < 40; extra++) {
		struct perf_rings r;
		uint64_t id = 0, seen = 0, time;

		rings_make(&r, 1, PAGE);
		while (r.v[0].page->data_head < 3 * PAGE) {
			size_t size = sizeof(struct perf_head) + extra * 8;

			while (ring_room(&r, 0) >= size) {
				id++;
				put(&r, 0, PERF_RECORD_SAMPLE, id, extra, id);
			}
			perf_rings_take(&r, id);
			for (uint64_t got; (got = next(&r, &time));)
				assert_int_equal(got, ++seen);
		}
		assert_int_equal(seen, id);
		perf_rings_close(&r);
	}
}

/* ---- errors ---- */

/* Impossible sizes: the rest of the data is skipped, later data is read again. */
static void test_corrupt(void **state)
{
	static const uint16_t sizes[] = { 0, 1, 8, 16, 39, 40, 47, 49, 4096, 65535 };

	(void)state;
	for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
		struct perf_rings r;
		struct perf_event_header bad = { .type = PERF_RECORD_SAMPLE, .size = sizes[i] };

		rings_make(&r, 2, PAGE);
		put(&r, 0, PERF_RECORD_SAMPLE, 1, 0, 1);
		ring_write(&r, 0, &bad, sizeof bad);
		put(&r, 0, PERF_RECORD_SAMPLE, 2, 0, 2);
		put(&r, 1, PERF_RECORD_SAMPLE, 3, 0, 3);
		perf_rings_take(&r, 10);
		expect(&r, 1, 1);
		expect(&r, 3, 3);
		expect_none(&r);
		assert_int_equal(ring_room(&r, 0), PAGE);
		put(&r, 0, PERF_RECORD_SAMPLE, 4, 0, 4);
		perf_rings_take(&r, 10);
		expect(&r, 4, 4);
		expect_none(&r);
		assert_false(r.failed);
		perf_rings_close(&r);
	}
}

/* Larger than the data, or than the ring buffer. */
static void test_cut(void **state)
{
	struct perf_rings r;
	uint64_t words[3] = { 0 };

	(void)state;
	rings_make(&r, 1, PAGE);
	words[0] = PERF_RECORD_LOST | (uint64_t)64 << 48;
	ring_write(&r, 0, words, sizeof words);
	perf_rings_take(&r, 10);
	expect_none(&r);
	assert_int_equal(ring_room(&r, 0), PAGE);
	/* head claims more data than the ring buffer holds, so the beginning of a record is unknown */
	r.v[0].page->data_head += 5 * PAGE;
	perf_rings_take(&r, 10);
	expect_none(&r);
	put(&r, 0, PERF_RECORD_SAMPLE, 4, 0, 4);
	perf_rings_take(&r, 10);
	expect(&r, 4, 4);
	perf_rings_close(&r);
}

static void drain(struct perf_rings *r)
{
	uint64_t time;

	while (next(r, &time))
		;
}

static void fill(struct perf_rings *r, unsigned ring)
{
	while (ring_room(r, ring) > sizeof(struct perf_head))
		put(r, ring, PERF_RECORD_SAMPLE, 2, 0, 2);
}

/* A record stays in the ring buffer until it is delivered; a withheld one stays longer. */
static void test_room(void **state)
{
	const size_t size = sizeof(struct perf_head);
	struct perf_rings r;

	(void)state;
	rings_make(&r, 2, PAGE);
	for (uint64_t i = 1; i <= 5; i++)
		put(&r, 0, PERF_RECORD_SAMPLE, i, 0, i);
	perf_rings_take(&r, 3);
	assert_int_equal(ring_room(&r, 0), PAGE - 5 * size);
	expect(&r, 1, 1);
	expect(&r, 2, 2);
	expect(&r, 3, 3);
	assert_int_equal(ring_room(&r, 0), PAGE - 5 * size);
	expect_none(&r);
	assert_int_equal(ring_room(&r, 0), PAGE - 2 * size);
	perf_rings_take(&r, 3);
	expect_none(&r);
	assert_int_equal(ring_room(&r, 0), PAGE - 2 * size);
	perf_rings_take(&r, 5);
	expect(&r, 4, 4);
	expect(&r, 5, 5);
	expect_none(&r);
	assert_int_equal(ring_room(&r, 0), PAGE);
	perf_rings_close(&r);
}

static void test_full(void **state)
{
	struct perf_rings r;

	(void)state;
	rings_make(&r, 2, 64 * PAGE);
	put(&r, 0, PERF_RECORD_SAMPLE, 1, 0, 1);
	perf_rings_take(&r, 10);
	assert_false(r.full);
	drain(&r);
	fill(&r, 1);
	perf_rings_take(&r, 10);
	assert_true(r.full);
	drain(&r);
	put(&r, 1, PERF_RECORD_SAMPLE, 3, 0, 3);
	perf_rings_take(&r, 10);
	assert_true(r.full);	/* it still was when what had been taken was given back */
	drain(&r);
	perf_rings_take(&r, 10);
	assert_false(r.full);
	/* full while what was taken is handed out, and not any more when the next is taken */
	put(&r, 1, PERF_RECORD_SAMPLE, 4, 0, 4);
	perf_rings_take(&r, 10);
	fill(&r, 1);
	drain(&r);
	perf_rings_take(&r, 10);
	assert_true(r.full);
	drain(&r);
	assert_int_equal(ring_room(&r, 1), 64 * PAGE);
	perf_rings_close(&r);
}

/* ---- at random ---- */

/* Each ring's records are in order of time; takes happen in between. All come, once, in order, those that are old
 * enough at once. */
static void test_random(void **state)
{
	(void)state;
	for (unsigned seed = 0; seed < 50; seed++) {
		struct perf_rings r;
		uint64_t put_in = 0, got = 0, now = 1, last = 0, time;

		srandom(seed);
		rings_make(&r, RINGS, 4 * PAGE);
		for (unsigned i = 0; i < 2000; i++) {
			unsigned ring = (unsigned)random() % RINGS;
			uint64_t extra = (uint64_t)random() % 30;

			now += (uint64_t)random() % 3;
			if (ring_room(&r, ring) >= sizeof(struct perf_head) + extra * 8 + 8 && random() % 60) {
				put(&r, ring, random() % 4 ? PERF_RECORD_SAMPLE : PERF_RECORD_MMAP2, now, extra,
				    ++put_in);
				continue;
			}
			perf_rings_take(&r, now - (uint64_t)random() % 5);
			for (; next(&r, &time); got++) {
				assert_true(time >= last && time <= r.until);
				last = time;
			}
			now += 5;	/* the next records are younger than what was taken */
		}
		perf_rings_take(&r, UINT64_MAX);
		for (; next(&r, &time); got++)
			last = time;
		assert_int_equal(got, put_in);
		perf_rings_close(&r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order), cmocka_unit_test(test_kept_back), cmocka_unit_test(test_wrap),
		cmocka_unit_test(test_corrupt), cmocka_unit_test(test_cut), cmocka_unit_test(test_room),
		cmocka_unit_test(test_full),
		cmocka_unit_test(test_random),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
