/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* engine/output/gmon/gmon_file.c: read back as the format is documented. tests/cmd/gmon.t has gprof read it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/output/gmon/gmon_file.h"

struct gmon_reader {
	const char *at, *end;
	bool is32;
	unsigned histograms, arcs;
	uint64_t low[64], high[64];	/* of the histograms */
	struct gmon_arc arc[8];
};

static uint64_t take(struct gmon_reader *r, size_t n)
{
	uint64_t v = 0;

	assert_true((size_t)(r->end - r->at) >= n);
	memcpy(&v, r->at, n);
	r->at += n;
	return v;
}

static uint64_t take_address(struct gmon_reader *r)
{
	return take(r, r->is32 ? 4 : 8);
}

/* Adds counts of bins to count[(pc - base) / 2]. */
static void read_histogram(struct gmon_reader *r, uint64_t base, uint64_t *count, uint32_t rate)
{
	uint64_t low = take_address(r), high = take_address(r), n = take(r, 4);

	assert_int_equal((high - low) / 2, n);
	assert_int_equal(low % 2, 0);
	assert_int_equal(take(r, 4), rate);
	assert_memory_equal(r->at, "seconds\0\0\0\0\0\0\0\0s", 16);
	r->at += 16;
	for (unsigned i = 0; i < r->histograms; i++)
		assert_true((low == r->low[i] && high == r->high[i]) || low >= r->high[i] || high <= r->low[i]);
	assert_true(r->histograms < 64);
	r->low[r->histograms] = low;
	r->high[r->histograms++] = high;
	for (uint64_t i = 0; i < n; i++)
		count[(low - base) / 2 + i] += take(r, 2);
}

static void read_file(struct gmon_reader *r, const struct buf *b, uint64_t base, uint64_t *count, uint32_t rate)
{
	r->at = b->data;
	r->end = b->data + b->len;
	assert_false(b->failed);
	assert_memory_equal(r->at, "gmon\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 20);
	r->at += 20;
	while (r->at < r->end) {
		if (!take(r, 1)) {
			read_histogram(r, base, count, rate);
			continue;
		}
		assert_int_equal(r->at[-1], 1);
		assert_true(r->arcs < 8);
		r->arc[r->arcs].from = take_address(r);
		r->arc[r->arcs].self = take_address(r);
		r->arc[r->arcs++].count = take(r, 4);
	}
}

enum { BASE = 0x401000, SIZE = 0x50000 };

/* Writes and reads the profile. Returns the count outside of the object. */
static uint64_t round_trip(const struct gmon_profile *p, struct gmon_reader *r, uint64_t *count)
{
	struct buf b = { 0 };
	uint64_t outside = gmon_put(&b, p);

	*r = (struct gmon_reader){ .is32 = p->is32 };
	memset(count, 0, SIZE / 2 * sizeof *count);
	read_file(r, &b, BASE, count, p->rate);
	buf_free(&b);
	return outside;
}

static void test_samples(void **state)
{
	static const struct gmon_sample samples[] = {
		{ BASE + 0x11, 3 }, { BASE, 1 }, { BASE + 0x10, 4 }, { BASE - 1, 7 }, { BASE + SIZE - 1, 65535 },
		{ BASE + SIZE, 9 }, { BASE + 0x20, 3 * 65535 + 2 }, { BASE + 0x12, 0 },
	};
	struct gmon_profile p = { .low = BASE, .high = BASE + SIZE, .rate = 997, .sample = samples, .nsamples = 8 };
	uint64_t *count = malloc(SIZE / 2 * sizeof *count);
	struct gmon_reader r;

	(void)state;
	for (int is32 = 0; is32 < 2; is32++) {
		p.is32 = is32;
		assert_int_equal(round_trip(&p, &r, count), 16);
		assert_int_equal(r.histograms, 4);
		assert_int_equal(r.arcs, 0);
		assert_int_equal(count[0], 1);
		assert_int_equal(count[8], 7);
		assert_int_equal(count[9], 0);
		assert_int_equal(count[16], 3 * 65535 + 2);
		assert_int_equal(count[SIZE / 2 - 1], 65535);
	}
	free(count);
}

/* Only parts with samples are written, and a large count repeats only its own part. */
static void test_parts(void **state)
{
	static const uint64_t border[] = {
		BASE + 0x10, BASE + 0xfff0, BASE + 0x10003, BASE + 0x10010, BASE + 0x1fff0, BASE + 0x20010,
		BASE + 0x48000, BASE + 2 * SIZE,
	};
	static const struct gmon_sample samples[] = {
		{ BASE + 0x48000, 65536 }, { BASE + 0x1000f, 2 }, { BASE + 0x47ffe, 1 },
	};
	struct gmon_profile p = {
		.low = BASE, .high = BASE + SIZE, .rate = 97, .border = border, .nborders = 8, .sample = samples,
		.nsamples = 3,
	};
	uint64_t *count = malloc(SIZE / 2 * sizeof *count);
	struct gmon_reader r;

	(void)state;
	assert_int_equal(round_trip(&p, &r, count), 0);
	assert_int_equal(r.histograms, 4);
	assert_int_equal(r.low[0], BASE);
	assert_int_equal(r.high[0], BASE + 0x10010);
	assert_int_equal(r.low[1], BASE + 0x20010);
	assert_int_equal(r.high[1], BASE + 0x48000);
	assert_int_equal(r.low[2], BASE + 0x48000);
	assert_int_equal(r.high[2], BASE + SIZE);
	assert_int_equal(r.low[3], BASE + 0x48000);
	assert_int_equal(count[0x1000e / 2], 2);
	assert_int_equal(count[0x47ffe / 2], 1);
	assert_int_equal(count[0x48000 / 2], 65536);
	free(count);
}

static void test_arcs(void **state)
{
	static const struct gmon_arc arcs[] = {
		{ BASE + 5, BASE + 0x100, 1 }, { BASE + 6, BASE, 0 }, { 0, BASE, 2 * (uint64_t)UINT32_MAX + 5 },
	};
	struct gmon_profile p = { .low = BASE, .high = BASE + SIZE, .rate = 1, .arc = arcs, .narcs = 3 };
	uint64_t *count = malloc(SIZE / 2 * sizeof *count), sum = 0;
	struct gmon_reader r;

	(void)state;
	assert_int_equal(round_trip(&p, &r, count), 0);
	assert_int_equal(r.histograms, 1);
	for (unsigned i = 0; i < SIZE / 2; i++)
		sum += count[i];
	assert_int_equal(sum, 0);
	assert_int_equal(r.arcs, 4);
	assert_int_equal(r.arc[0].from, BASE + 5);
	assert_int_equal(r.arc[0].self, BASE + 0x100);
	assert_int_equal(r.arc[0].count, 1);
	assert_int_equal(r.arc[1].count + r.arc[2].count + r.arc[3].count, arcs[2].count);
	assert_int_equal(r.arc[3].from, 0);
	free(count);
}

/* An object without code, one that begins at an odd address, and one whose last bin is half outside. */
static void test_edges(void **state)
{
	static const struct gmon_sample sample = { BASE + 1, 5 };
	struct gmon_profile p = { .low = BASE, .high = BASE, .rate = 1, .sample = &sample, .nsamples = 1 };
	uint64_t *count = malloc(SIZE / 2 * sizeof *count);
	struct gmon_reader r;

	(void)state;
	assert_int_equal(round_trip(&p, &r, count), 5);
	assert_int_equal(r.histograms, 0);
	p.low = BASE + 1;
	p.high = BASE + 2;
	assert_int_equal(round_trip(&p, &r, count), 0);
	assert_int_equal(r.histograms, 1);
	assert_int_equal(count[0], 5);
	p.high = BASE + 5;
	assert_int_equal(round_trip(&p, &r, count), 0);
	assert_int_equal(r.high[0], BASE + 6);
	free(count);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_samples), cmocka_unit_test(test_parts), cmocka_unit_test(test_arcs),
		cmocka_unit_test(test_edges),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
