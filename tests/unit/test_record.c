/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Recordings: written data can be read; truncated, changed or invented data is reported with its offset. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>

#include "engine/output/write.h"
#include "engine/sample/read.h"
#include "engine/symbols/codes.h"
#include "tests/lib/random.h"

enum { SAMPLES = 5000, THREADS = 40, STACKS = 300, JSTACKS = 50 };

static const struct record_info info = {
	.interval = 1003009, .begin = 1000000000, .wall = 1700000000000000000, .known = RECORD_K_STACKS | RECORD_K_PC |
	RECORD_K_GROUPS,
	.cpus = 2, .hz = 250, .boot = { 1, 2, 3 }, .release = "6.1.0", .machine = "x86_64", .target = "all",
	.engine = "test", .hierarchy = "memory",
};

static const struct record_function functions[] = { { "call", "/a.py" }, { "call", "/b.py" } };
static const struct containers_group groups[] = {
	{ 1, 0, "/", "-", "-", "-" }, { 9, 1, "/docker-0.scope", "0123", "-", "-" },
	{ 9, 1, "/docker-0.scope", "web", "shop/web", "nginx" },
};
static uint64_t frames[STACKS][64];
static struct record_task threads[THREADS];

static struct record_stack stack_at(uint64_t i)
{
	uint64_t seed = i;
	struct record_stack s = { .n = 1 + (uint32_t)(random_next(&seed) % 63), .pc = frames[i], .cut = i % 7 < 2 };

	for (uint32_t k = 0; k < s.n; k++)
		frames[i][k] = (i & 1 ? 0xffffffff81000000 : 0x7f0000400000) + random_next(&seed) % 0x100000;
	return s;
}

/* Native and interpreted frames. */
static struct record_stack jstack_at(uint64_t i)
{
	static uint64_t words[JSTACKS][8];
	uint64_t seed = i;
	struct record_stack s = { .n = 1 + (uint32_t)(i % 8), .pc = words[i], .cut = i & 1 };

	for (uint32_t k = 0; k < s.n; k++)
		words[i][k] = k % 3 ? codes_word(1 + (uint32_t)random_next(&seed) % 2, (uint32_t)CODES_LINE | k * 100) :
			      0x7f0000400000 + random_next(&seed) % 0x100000;
	return s;
}

/* Sample i, the same each time. */
static struct record_sample sample_at(uint64_t i)
{
	uint64_t seed = i * 77, t = random_next(&seed) % THREADS;
	struct record_sample s = {
		.ts = info.begin + i / 2 * info.interval + random_next(&seed) % 2000, .cpu = (uint32_t)i & 1,
		.user = random_next(&seed) % 2, .task = &threads[t],
	};

	threads[t] = (struct record_task){ .pid = 1000 + (uint32_t)t / 2, .tid = 1000 + (uint32_t)t, .uid = 5, .gid = 6,
					   .prio = (int)t - 3, .addr = 0xffff888000000000 + t, .comm = "thread",
					   .more = t & 1, .ppid = t & 1 ? 7 : 0, .policy = t & 1 ? -1 : 0,
					   .group = t & 1 ? 8 + t : 0 };
	s.pc = i % 9 ? (s.user ? 0x400000 : 0xffffffff81000000) + random_next(&seed) % 0x10000 : 0;
	if (i % 3)
		s.stack = stack_at(random_next(&seed) % (STACKS / 2) * 2 + 1);
	if (i % 5)
		s.ustack = stack_at(random_next(&seed) % (STACKS / 2) * 2);
	if (i % 5 && i % 4 == 0)
		s.jstack = jstack_at(random_next(&seed) % JSTACKS);
	return s;
}

static void stack_equal(const struct record_stack *a, const struct record_stack *b)
{
	assert_int_equal(a->n, b->n);
	assert_int_equal(a->cut, b->cut);
	if (a->n)
		assert_memory_equal(a->pc, b->pc, a->n * sizeof *a->pc);
}

static void sample_equal(const struct record_sample *a, const struct record_sample *b)
{
	assert_true(a->ts == b->ts && a->pc == b->pc && a->cpu == b->cpu && a->user == b->user);
	assert_memory_equal(a->task, b->task, sizeof *a->task);
	stack_equal(&a->stack, &b->stack);
	stack_equal(&a->ustack, &b->ustack);
	stack_equal(&a->jstack, &b->jstack);
}

/* A recording of n samples, with an object, a map, a loss and two symbols. */
static void write_all(struct buf *out, unsigned n, bool compress, bool finish)
{
	const struct record_object o = { .path = "/bin/true", .dev = 3, .ino = 4, .id = { 0xaa, 0xbb }, .idlen = 2 };
	const struct record_symbol symbols[] = {
		{ 0, 0xffffffff81000000, 0xffffffff81000010, 0xffffffff81000000, "vmlinux", "startup" },
		{ 1, 0x1000, 0x1fff, 0, "", "main" },
	};
	struct record_writer *w = record_writer_open(out, &info, compress, NULL, NULL);
	struct record_map m = { .pid = 1000, .start = 0x400000, .end = 0x500000, .off = 0x1000, .since = 5 };

	assert_non_null(w);
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(record_put_function(w, &functions[i % 2]), 1 + i % 2);
	record_put_group(w, &groups[0]);
	record_put_group(w, &groups[1]);
	m.object = record_put_object(w, &o);
	assert_int_equal(record_put_object(w, &o), m.object);
	record_put_map(w, &m);
	for (unsigned i = 0; i < n; i++) {
		struct record_sample s = sample_at(i);

		record_put_sample(w, &s);
		if (i == n / 2)
			record_put_loss(w, &(struct record_loss){ .ts = s.ts, .n = 3, .cpu = 1, .kind = "some" });
	}
	if (finish) {
		record_put_symbols(w, symbols, 2);
		record_put_groups(w, &(const struct containers_group[]){ groups[0], groups[2] }[0], 2);
		record_finish(w, 77);
	} else {
		record_put_group(w, &groups[2]);
		record_flush(w);
	}
	record_writer_close(w);
	assert_false(out->failed);
}

static struct record_reader *open_bytes(const void *p, size_t n, char *why, size_t room)
{
	int fd = memfd_create("recording", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, p, n), n);
	return record_open(fd, NULL, NULL, why, room);
}

/* How many samples a recording gives, each as it was written. */
static unsigned read_all(struct record_reader *r)
{
	static struct record_entry e;
	unsigned samples = 0, objects = 0, maps = 0, calls = 0;

	while (record_next(r, &e) != RECORD_NOTHING) {
		if (e.what == RECORD_SAMPLE) {
			struct record_sample s = sample_at(samples++);

			sample_equal(&e.sample, &s);
		} else if (e.what == RECORD_OBJECT) {
			objects++;
			assert_string_equal(e.object.path, "/bin/true");
			assert_int_equal(e.object.id[1], 0xbb);
		} else if (e.what == RECORD_FUNCTION) {
			assert_in_range(calls, 0, 1);
			assert_string_equal(e.function.name, functions[calls].name);
			assert_string_equal(e.function.file, functions[calls++].file);
		} else if (e.what == RECORD_GROUP) {
			assert_string_equal(e.group.path, groups[e.group.id == 9].path);
		} else if (e.what == RECORD_MAP) {
			maps++;
			assert_int_equal(e.map.end - e.map.start, 0x100000);
		} else {
			assert_string_equal(e.loss.kind, "some");
			assert_int_equal(e.loss.n, 3);
		}
	}
	assert_true(objects <= 1 && maps <= 1);
	return samples;
}

static void count_symbols(void *arg, const struct record_symbol *s)
{
	unsigned *n = arg;

	++*n;
	assert_string_equal(s->name, s->object ? "main" : "startup");
}

static void last_group(void *arg, const struct containers_group *g)
{
	*(struct containers_group *)arg = *g;
}

/* The names that were known in the end, also if the recording was not finished. */
static void groups_equal(struct record_reader *r, struct arena *a)
{
	struct containers_group g = { 0 };

	record_groups(r, a, last_group, &g);
	assert_true(g.id == 9 && g.parent == 1);
	assert_string_equal(g.path, "/docker-0.scope");
	assert_string_equal(g.container, "web");
	assert_string_equal(g.pod, "shop/web");
	assert_string_equal(g.image, "nginx");
}

static void test_groups(void **state)
{
	struct buf b = { 0 };
	struct record_reader *r;
	struct arena a;
	char why[200];

	(void)state;
	arena_init(&a, NULL, NULL);
	write_all(&b, 100, false, false);
	r = open_bytes(b.data, b.len, why, sizeof why);
	groups_equal(r, &a);
	assert_int_equal(read_all(r), 100);
	record_close(r);
	buf_free(&b);
	arena_free(&a);
}

static void round_trip(bool compress)
{
	struct buf b = { 0 };
	struct record_reader *r;
	struct arena a;
	unsigned symbols = 0;
	char why[200];

	arena_init(&a, NULL, NULL);
	write_all(&b, SAMPLES, compress, true);
	r = open_bytes(b.data, b.len, why, sizeof why);
	assert_non_null(r);
	assert_memory_equal(&r->info, &info, sizeof info);
	assert_true(r->whole && r->end == 77 && r->samples == SAMPLES && r->losses == 3);
	record_symbols(r, &a, count_symbols, &symbols);
	assert_int_equal(symbols, 2);
	groups_equal(r, &a);
	assert_int_equal(read_all(r), SAMPLES);
	assert_string_equal(r->reason, "");
	assert_true(r->ended);
	record_close(r);
	buf_free(&b);
	arena_free(&a);
}

static void test_round_trip(void **state)
{
	(void)state;
	round_trip(false);
	round_trip(true);
}

/* Under 40 bytes a sample; with stacks that repeat, too. */
static void test_compact(void **state)
{
	struct buf b = { 0 };
	struct record_writer *w = record_writer_open(&b, &info, false, NULL, NULL);

	(void)state;
	for (unsigned i = 0; i < 100000; i++) {
		struct record_sample s = sample_at(i);

		s.stack.n = s.ustack.n = s.jstack.n = 0;
		record_put_sample(w, &s);
	}
	record_finish(w, 1);
	record_writer_close(w);
	assert_true(b.len < 100000 * 14);
	buf_free(&b);
}

/* After the end or damage, every further read returns nothing. */
static void test_asked_again(void **state)
{
	char why[200];

	(void)state;
	for (uint64_t end = 0; end < 256; end++) {
		struct buf b = { 0 };
		struct record_writer *w = record_writer_open(&b, &info, false, NULL, NULL);
		struct record_sample s = sample_at(1);
		struct record_entry e;
		struct record_reader *r;

		record_put_sample(w, &s);
		record_finish(w, end * 0x0101010101010101);
		record_writer_close(w);
		if (end == 255)
			b.data[b.len - 1] ^= 1;
		r = open_bytes(b.data, b.len, why, sizeof why);
		assert_non_null(r);
		while (record_next(r, &e) != RECORD_NOTHING)
			;
		for (unsigned i = 0; i < 3; i++)
			assert_int_equal(record_next(r, &e), RECORD_NOTHING);
		assert_string_equal(r->reason, end == 255 ? "the block's checksum is wrong" : "");
		assert_int_equal(r->ended, end != 255);
		record_close(r);
		buf_free(&b);
	}
}

/* Truncated anywhere: the data before is read, and it is no error only at the end of a block. */
static void test_cut(void **state)
{
	struct buf b = { 0 };
	char why[200];
	unsigned seen = 0;

	(void)state;
	write_all(&b, SAMPLES, false, false);
	for (size_t n = b.len; n > 0; n -= n > 400 ? 397 : 1) {
		struct record_reader *r = open_bytes(b.data, n, why, sizeof why);
		unsigned got;

		if (!r) {
			assert_non_null(strstr(why, "offset "));
			continue;
		}
		got = read_all(r);
		assert_true(seen == 0 || got <= seen);
		seen = got;
		if (n < b.len && r->off != n) {
			assert_string_equal(r->reason, "the recording is truncated in the middle of a block");
			assert_true(r->bad_at == r->off);
		}
		record_close(r);
	}
	buf_free(&b);
}

/* A changed bit is found, and the data before it is used. */
static void test_changed(void **state)
{
	struct buf b = { 0 };
	char why[200];

	(void)state;
	write_all(&b, SAMPLES, false, true);
	for (size_t at = 0; at < b.len; at += 1 + b.len / 600) {
		struct record_reader *r;

		b.data[at] ^= 0x10;
		r = open_bytes(b.data, b.len, why, sizeof why);
		if (r) {
			unsigned got = read_all(r);

			assert_true(*r->reason && got <= SAMPLES);
			assert_true(r->bad_at <= at);
			record_close(r);
		} else {
			assert_true(at < 400);
		}
		b.data[at] ^= 0x10;
	}
	buf_free(&b);
}

/* Changed within, with a checksum that is right: what it says is looked at. */
static void test_hostile(void **state)
{
	struct buf b = { 0 };
	uint64_t seed = 4711;
	char why[200];

	(void)state;
	write_all(&b, 200, false, false);
	for (unsigned round = 0; round < 3000; round++) {
		uint8_t *copy = malloc(b.len), *block;
		size_t first = RECORD_FILE_HEAD + RECORD_BLOCK_HEAD + get_le((uint8_t *)b.data + RECORD_FILE_HEAD + 12,
			4), n;
		struct record_reader *r;
		static struct record_entry e;

		memcpy(copy, b.data, b.len);
		block = copy + first;
		n = get_le(block + 12, 4);
		assert_int_equal(first + RECORD_BLOCK_HEAD + n, b.len);
		for (unsigned i = 0; i < 3; i++)
			block[RECORD_BLOCK_HEAD + random_next(&seed) % n] = (uint8_t)random_next(&seed);
		put_le(block + 16, crc32(crc32(0, block, 16), block + RECORD_BLOCK_HEAD, n), 4);
		r = open_bytes(copy, b.len, why, sizeof why);
		assert_non_null(r);
		while (record_next(r, &e) != RECORD_NOTHING)
			;
		assert_true(!*r->reason || (r->bad_at >= first && r->bad_at < b.len));
		record_close(r);
		free(copy);
	}
	buf_free(&b);
}

/* Tables that are full begin anew. */
static void test_reset(void **state)
{
	struct buf b = { 0 };
	struct record_writer *w = record_writer_open(&b, &info, false, NULL, NULL);
	static struct record_entry e;
	struct record_reader *r;
	uint64_t pc[8] = { 0 };
	char why[200];
	unsigned n = RECORD_STACKS / 4 + 1000, got = 0;

	(void)state;
	sample_at(0);
	for (unsigned i = 0; i < n; i++) {
		struct record_sample s = { .ts = i, .task = &threads[0], .user = true, .ustack = { .n = 8, .pc = pc } };

		pc[7] = i;
		record_put_sample(w, &s);
	}
	record_finish(w, n);
	record_writer_close(w);
	r = open_bytes(b.data, b.len, why, sizeof why);
	assert_non_null(r);
	while (record_next(r, &e) == RECORD_SAMPLE) {
		assert_int_equal(e.sample.ustack.n, 8);
		assert_int_equal(e.sample.ustack.pc[7], got);
		got++;
	}
	assert_string_equal(r->reason, "");
	assert_int_equal(got, n);
	record_close(r);
	buf_free(&b);
}

/* Other files, other versions. */
static void test_others(void **state)
{
	struct buf b = { 0 };
	char why[200];

	(void)state;
	assert_null(open_bytes("some text that is long enough", 29, why, sizeof why));
	assert_string_equal(why, "offset 0: not a recording");
	assert_null(open_bytes("", 0, why, sizeof why));
	write_all(&b, 10, false, true);
	put_le((uint8_t *)b.data + 8, 7, 4);
	put_le((uint8_t *)b.data + 12, crc32(0, (uint8_t *)b.data, 12), 4);
	assert_null(open_bytes(b.data, b.len, why, sizeof why));
	assert_string_equal(why, "offset 8: format 7 is unknown: this version reads format 1");
	buf_free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip), cmocka_unit_test(test_compact), cmocka_unit_test(test_asked_again),
		cmocka_unit_test(test_cut), cmocka_unit_test(test_groups),
		cmocka_unit_test(test_changed), cmocka_unit_test(test_hostile), cmocka_unit_test(test_reset),
		cmocka_unit_test(test_others),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
