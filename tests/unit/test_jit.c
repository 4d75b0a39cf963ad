/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Code that processes generate: the table of names against a simple model, the readers of both file formats. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "engine/symbols/jit.h"
#include "engine/symbols/jit_file.h"
#include "tests/lib/random.h"

/* ---- the table ---- */
static const char *name_at(struct jit_codes *c, uint64_t addr, uint64_t at)
{
	const struct jit_code *x = jit_codes_find(c, addr, at);

	return x ? jit_codes_name(c, x) : "-";
}

static void add(struct jit_codes *c, uint64_t start, uint64_t size, uint64_t since, const char *name)
{
	jit_codes_add(c, &(struct jit_range){ start, size, since }, name, strlen(name));
}

static void test_newest(void **state)
{
	struct jit_codes c = { 0 };

	(void)state;
	assert_string_equal(name_at(&c, 0x1000, 0), "-");
	add(&c, 0x1000, 0x100, 0, "outer");
	add(&c, 0x1040, 0x10, 0, "inner");
	assert_string_equal(name_at(&c, 0x1000, 0), "outer");
	assert_string_equal(name_at(&c, 0x1040, 0), "inner");
	assert_string_equal(name_at(&c, 0x1050, 0), "outer");
	assert_string_equal(name_at(&c, 0x10ff, 5), "outer");
	assert_string_equal(name_at(&c, 0x1100, 0), "-");
	assert_string_equal(name_at(&c, 0xfff, 0), "-");
	add(&c, 0x1000, 0x100, 0, "again");
	assert_string_equal(name_at(&c, 0x1000, 0), "again");
	assert_string_equal(name_at(&c, 0x1040, 0), "again");
	jit_codes_free(&c);
	jit_codes_free(&c);
}

static void test_odd_ranges(void **state)
{
	struct jit_codes c = { 0 };

	(void)state;
	add(&c, 0x1000, 0, 0, "empty");
	add(&c, UINT64_MAX - 4, 100, 0, "wraps");
	add(&c, UINT64_MAX, 1, 0, "wraps to 0");
	add(&c, 5, UINT64_MAX, 0, "wraps over itself");
	assert_int_equal(c.n, 0);
	add(&c, 0, UINT64_MAX, 0, "everything");
	assert_string_equal(name_at(&c, 0, 0), "everything");
	assert_string_equal(name_at(&c, UINT64_MAX - 1, 0), "everything");
	assert_string_equal(name_at(&c, UINT64_MAX, 0), "-");
	jit_codes_free(&c);
}

static void test_times(void **state)
{
	struct jit_codes c = { 0 };

	(void)state;
	add(&c, 0x1000, 0x100, 10, "first");
	jit_codes_move(&c, 0x1000, 0x2000, 0x100, 20);
	add(&c, 0x1000, 0x100, 30, "second");
	jit_codes_move(&c, 0x5000, 0x6000, 0x100, 35);	/* nothing is there */
	assert_string_equal(name_at(&c, 0x1000, 15), "first");
	assert_string_equal(name_at(&c, 0x1000, 5), "first");		/* the next later one */
	assert_string_equal(name_at(&c, 0x1000, 25), "second");
	assert_string_equal(name_at(&c, 0x1000, 40), "second");
	assert_string_equal(name_at(&c, 0x1000, 0), "second");
	assert_string_equal(name_at(&c, 0x2000, 15), "first");
	assert_string_equal(name_at(&c, 0x2000, 50), "first");
	assert_string_equal(name_at(&c, 0x6000, 0), "-");
	jit_codes_move(&c, 0x1000, 0x3000, 0x100, 50);
	assert_string_equal(name_at(&c, 0x1000, 60), "-");
	assert_string_equal(name_at(&c, 0x1000, 0), "second");		/* the last one there */
	assert_int_equal(jit_codes_changed(&c, 25), 20);
	assert_int_equal(jit_codes_changed(&c, 5), 0);
	assert_int_equal(jit_codes_changed(&c, 0), 50);
	jit_codes_free(&c);
}

/* The same by looking at all ranges. */
static const struct jit_code *model_find(const struct jit_codes *c, uint64_t addr, uint64_t at)
{
	const struct jit_code *valid = NULL, *later = NULL;

	for (uint32_t i = 0; i < c->n; i++) {
		const struct jit_code *x = &c->v[i];

		if (addr < x->start || addr >= x->end)
			continue;
		if (x->since > at)
			later = !later || x->since < later->since ? x : later;
		else if ((!x->until || at < x->until) && (!valid || x->since >= valid->since))
			valid = x;
	}
	return valid ? valid : later;
}

static void test_model(void **state)
{
	enum { SPACE = 4000, ADDS = 3000 };
	struct jit_codes c = { 0 };
	uint64_t time = 1;

	(void)state;
	srand(7);
	for (int i = 0; i < ADDS; i++) {
		uint64_t start = 1 + (uint64_t)rand() % SPACE, size = 1 + (uint64_t)rand() % (rand() % 50 ? 40 : SPACE);
		char name[16];

		time += (uint64_t)rand() % 3;
		snprintf(name, sizeof name, "f%d", i);
		if (rand() % 4)
			add(&c, start, size, time, name);
		else
			jit_codes_move(&c, start, 1 + (uint64_t)rand() % SPACE, size, time);
		for (int k = 0; k < 10; k++) {
			uint64_t addr = (uint64_t)rand() % (2 * SPACE), at = 1 + (uint64_t)rand() % (time + 1);

			assert_ptr_equal(jit_codes_find(&c, addr, at), model_find(&c, addr, at));
		}
	}
	jit_codes_free(&c);
}

/* A table that somebody fills on purpose stays small, and a search ends. */
static void test_bounds(void **state)
{
	struct jit_codes c = { 0 };
	char *name = malloc(5000);

	(void)state;
	memset(name, 'n', 4999);
	name[4999] = '\0';
	add(&c, 0x10, 1, 0, name);
	assert_int_equal(strlen(name_at(&c, 0x10, 0)), JIT_NAME_MAX);
	for (uint64_t i = 0; i < JIT_CODES_MAX + 10; i++)
		add(&c, 0x1000 + i, UINT64_MAX / 2, 0, "x");
	assert_int_equal(c.n, JIT_CODES_MAX);
	assert_true(c.full);
	assert_string_equal(name_at(&c, UINT64_MAX / 2, 0), "x");
	jit_codes_free(&c);
	for (uint64_t i = 1; !c.full; i++)
		add(&c, i << 12, 1, 0, name);
	assert_true(c.names_len < 256u << 20);
	jit_codes_free(&c);
	free(name);
}

/* ---- perf-PID.map ---- */
static struct jit_reader text_reader(const char *text)
{
	return (struct jit_reader){ .fd = -1, .size = strlen(text), .mem = (const uint8_t *)text, .n = strlen(text) };
}

static void test_map(void **state)
{
	static const char text[] =
		"1000 20 simple\n"
		"0x2000 0x20 with a prefix\r\n"
		"3000 20  LazyCompile:~foo bar /a.js:3\n"
		"ABCDEF 1f Upper\n"
		"\n# comment\nzz 10 x\n10 zz x\n4000 20\n4000 20 \n4000\n-4000 10 x\n4000 +10 x\n"
		"fffffffffffffffff 10 too long\n"
		"5000 20 unfinished";
	struct jit_reader r = text_reader(text);
	struct jit_codes c = { 0 };
	uint64_t off;

	(void)state;
	off = jit_map_read(&c, &r, 0, false);
	assert_int_equal(off, strstr(text, "5000") - text);
	assert_int_equal(c.n, 4);
	assert_string_equal(name_at(&c, 0x101f, 0), "simple");
	assert_string_equal(name_at(&c, 0x2000, 0), "with a prefix");
	assert_string_equal(name_at(&c, 0x3010, 0), " LazyCompile:~foo bar /a.js:3");
	assert_string_equal(name_at(&c, 0xabcdef, 0), "Upper");
	assert_string_equal(name_at(&c, 0x4000, 0), "-");
	assert_string_equal(name_at(&c, 0x5000, 0), "-");
	off = jit_map_read(&c, &r, off, true);
	assert_int_equal(off, r.size);
	assert_string_equal(name_at(&c, 0x5000, 0), "unfinished");
	jit_codes_free(&c);
}

/* Lines longer than any buffer are cut, and lines after them are read. */
static void test_map_long(void **state)
{
	struct buf b = { 0 };
	struct jit_codes c = { 0 };
	struct jit_reader r;

	(void)state;
	buf_puts(&b, "1000 10 ");
	buf_pad(&b, 'x', 3 * JIT_BUFFER);
	buf_puts(&b, "\n2000 10 next\n");
	r = text_reader(buf_str(&b));
	assert_int_equal(jit_map_read(&c, &r, 0, false), b.len);
	assert_int_equal(c.n, 2);
	assert_int_equal(strlen(name_at(&c, 0x1000, 0)), JIT_NAME_MAX);
	assert_string_equal(name_at(&c, 0x2000, 0), "next");
	jit_codes_free(&c);
	buf_free(&b);
}

/* ---- jitdump ---- */
static void put32(struct buf *b, uint32_t v)
{
	buf_put(b, &v, sizeof v);
}

static void put64(struct buf *b, uint64_t v)
{
	buf_put(b, &v, sizeof v);
}

static void put_head(struct buf *b, uint64_t flags)
{
	put32(b, 0x4a695444);
	put32(b, 1);
	put32(b, 40);
	put32(b, 62);
	put32(b, 0);
	put32(b, 1);
	put64(b, 1);
	put64(b, flags);
}

static void put_load(struct buf *b, uint64_t time, uint64_t addr, uint64_t size, const char *name)
{
	put32(b, 0);
	put32(b, 56 + (uint32_t)strlen(name) + 1 + 8);
	put64(b, time);
	put64(b, 1);
	put64(b, addr);
	put64(b, addr);
	put64(b, size);
	put64(b, 1);
	buf_put(b, name, strlen(name) + 1);
	put64(b, 0xcccccccc);
}

static void put_move(struct buf *b, uint64_t time, uint64_t from, uint64_t to, uint64_t size)
{
	put32(b, 1);
	put32(b, 64);
	put64(b, time);
	put64(b, 1);
	put64(b, to);
	put64(b, from);
	put64(b, to);
	put64(b, size);
	put64(b, 1);
}

static void put_other(struct buf *b, uint32_t id, uint32_t size)
{
	put32(b, id);
	put32(b, size);
	buf_pad(b, 'o', size - 8);
}

static uint64_t dump_read(struct jit_codes *c, const struct buf *b, size_t size, uint64_t off)
{
	struct jit_reader r = { .fd = -1, .size = size, .mem = (const uint8_t *)b->data, .n = size };

	return jit_dump_read(c, &r, off);
}

static void dump_make(struct buf *b, uint64_t flags)
{
	put_head(b, flags);
	put_load(b, 10, 0x1000, 0x40, "one two");
	put_other(b, 2, 100);		/* line numbers */
	put_other(b, 4, 48);		/* unwinding tables */
	put_move(b, 20, 0x1000, 0x2000, 0x40);
	put_load(b, 30, 0x1000, 0x40, "three");
}

static void test_dump(void **state)
{
	struct jit_codes c = { 0 };
	struct buf b = { 0 };

	(void)state;
	dump_make(&b, 0);
	assert_int_equal(dump_read(&c, &b, b.len, 0), b.len);
	assert_string_equal(name_at(&c, 0x1000, 15), "one two");
	assert_string_equal(name_at(&c, 0x1000, 35), "three");
	assert_string_equal(name_at(&c, 0x2001, 35), "one two");
	jit_codes_free(&c);
	put_other(&b, 3, 16);
	assert_int_equal(dump_read(&c, &b, b.len, 0), UINT64_MAX);	/* complete */
	assert_int_equal(dump_read(&c, &b, b.len, UINT64_MAX), UINT64_MAX);
	assert_int_equal(c.n, 3);
	jit_codes_free(&c);
	buf_reset(&b);
	dump_make(&b, 1);
	dump_read(&c, &b, b.len, 0);
	assert_string_equal(name_at(&c, 0x1000, 15), "three");	/* times of another clock are not used */
	jit_codes_free(&c);
	buf_free(&b);
}

/* Wherever the file ends at the moment, the rest is read later, and each record once. */
static void test_dump_grows(void **state)
{
	struct buf b = { 0 };

	(void)state;
	dump_make(&b, 0);
	for (size_t size = 0; size <= b.len; size++) {
		struct jit_codes c = { 0 };
		uint64_t off = dump_read(&c, &b, size, 0);

		assert_true(off <= size);
		assert_int_equal(dump_read(&c, &b, b.len, off), b.len);
		assert_int_equal(c.n, 3);
		jit_codes_free(&c);
	}
	buf_free(&b);
}

static void test_dump_broken(void **state)
{
	static const struct { size_t at; uint8_t value; } other[] = { { 0, 0x4a }, { 4, 2 }, { 8, 39 }, { 11, 1 } };
	struct buf b = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof other / sizeof *other; i++) {
		struct jit_codes c = { 0 };

		buf_reset(&b);
		dump_make(&b, 0);
		b.data[other[i].at] = (char)other[i].value;
		assert_int_equal(dump_read(&c, &b, b.len, 0), UINT64_MAX);
		assert_int_equal(c.n, 0);
		jit_codes_free(&c);
	}
	for (size_t at = 40; at < b.len; at++) {
		struct jit_codes c = { 0 };

		buf_reset(&b);
		dump_make(&b, 0);
		b.data[at] = (char)(b.data[at] ^ 0xff);
		dump_read(&c, &b, b.len, 0);
		assert_true(c.n <= 4);
		jit_codes_free(&c);
	}
	buf_free(&b);
}

/* ---- files of this process ---- */
static void file_write(const char *path, const char *text, const char *mode)
{
	FILE *f = fopen(path, mode);

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static const char *found(struct jits *j, uint64_t addr, uint64_t turn)
{
	struct jit_found x;

	j->turn = turn;
	return jits_find(j, getpid(), addr, 0, &x) ? x.name : "-";
}

static void test_growth(void **state)
{
	struct jits j = { 0 };
	char path[64], other[80];
	uint64_t turn = 0;

	(void)state;
	snprintf(path, sizeof path, "/tmp/perf-%d.map", getpid());
	snprintf(other, sizeof other, "%s.new", path);
	unlink(path);
	assert_string_equal(found(&j, 0x1000, ++turn), "-");
	file_write(path, "1000 10 one\n2000 10 tw", "w");
	assert_string_equal(found(&j, 0x1000, ++turn), "one");
	assert_string_equal(found(&j, 0x2000, turn), "-");
	file_write(path, "o\n3000 10 three\n", "a");
	assert_string_equal(found(&j, 0x2000, ++turn), "two");
	assert_string_equal(found(&j, 0x3000, turn), "three");
	file_write(path, "4000 10 rewritten in place\n5000 20 longer than what was there before\n", "w");
	assert_string_equal(found(&j, 0x4000, ++turn), "rewritten in place");
	assert_string_equal(found(&j, 0x1000, turn), "-");
	file_write(other, "6000 10 replaced\n", "w");
	assert_int_equal(rename(other, path), 0);
	assert_string_equal(found(&j, 0x6000, ++turn), "replaced");
	assert_string_equal(found(&j, 0x4000, turn), "-");
	unlink(path);
	assert_string_equal(found(&j, 0x6000, ++turn), "replaced");	/* what was read is kept */
	assert_int_equal(j.err, 0);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_string_equal(found(&j, 0x6000, ++turn), "replaced");
	assert_int_equal(j.err, EPERM);
	assert_string_equal(j.path, path);
	unlink(path);
	jits_close(&j);
	assert_int_equal(j.open, 0);
}

/* A file is opened when its process ends, and belongs to that process only. */
static void test_end(void **state)
{
	struct jits j = { 0 };
	struct jit_found x;
	char path[64];

	(void)state;
	snprintf(path, sizeof path, "/tmp/perf-%d.map", getpid());
	file_write(path, "1000 10 first\n", "w");
	jits_seen(&j, getpid(), 0x1000, 0x2000, 5);
	jits_begun(&j, getpid(), 100);		/* executes another program */
	unlink(path);
	file_write(path, "1000 10 second\n", "w");
	assert_true(jits_find(&j, getpid(), 0x1000, 150, &x));
	assert_string_equal(x.name, "second");
	assert_true(jits_find(&j, getpid(), 0x1000, 50, &x));
	assert_string_equal(x.name, "first");
	jits_ended(&j, getpid(), 200);
	unlink(path);
	j.turn++;
	assert_true(jits_find(&j, getpid(), 0x1000, 150, &x));
	assert_string_equal(x.name, "second");
	jits_close(&j);
	assert_int_equal(j.open, 0);
}

/* ---- memory that was made executable ---- */
static void test_ranges(void **state)
{
	enum { SPACE = 200, ROUNDS = 300, ADDED = 60 };
	uint64_t r = 1;

	(void)state;
	for (unsigned round = 0; round < ROUNDS; round++) {
		struct address_ranges s = { 0 }, other = { 0 };
		bool in[SPACE + 1] = { false };

		for (unsigned i = 0; i < random_below(&r, ADDED); i++) {
			uint64_t start = random_below(&r, SPACE), end = start + random_below(&r, 12);

			end = end < SPACE ? end : SPACE;
			ranges_add(i % 2 ? &s : &other, start, end);
			for (uint64_t k = start; k < end; k++)
				in[k] = true;
		}
		ranges_join(&s, &other);
		for (uint64_t k = 0; k <= SPACE; k++)
			assert_int_equal(ranges_have(&s, k), in[k]);
		for (uint32_t i = 0; i < s.n; i++)
			assert_true(s.v[i].start < s.v[i].end && (!i || s.v[i - 1].end < s.v[i].start));
		ranges_free(&s);
		ranges_free(&other);
	}
}

static void test_too_many_ranges(void **state)
{
	struct address_ranges s = { 0 };

	(void)state;
	for (uint64_t i = 0; !s.full && i < 1 << 20; i++)
		ranges_add(&s, 16 * i, 16 * i + 8);
	assert_true(s.full && ranges_have(&s, 0) && s.n > 1000);
	ranges_free(&s);
}

static bool has_memory(const struct jits *j, int64_t pid, uint64_t addr, uint64_t at)
{
	const struct address_ranges *s = jits_memory(j, pid, at);

	return s && ranges_have(s, addr);
}

static void test_memory(void **state)
{
	int64_t parent = getpid(), child = getpid() + 1;	/* no need to exist */
	struct jits j = { 0 };

	(void)state;
	assert_null(jits_memory(&j, parent, 0));
	jits_seen(&j, parent, 0x1000, 0x2000, 5);
	jits_begun(&j, child, 10);
	jits_forked(&j, child, parent);
	jits_seen(&j, parent, 0x5000, 0x6000, 20);
	assert_true(has_memory(&j, parent, 0x1fff, 0) && has_memory(&j, parent, 0x5000, 0));
	assert_true(has_memory(&j, child, 0x1000, 0) && !has_memory(&j, child, 0x5000, 0));
	assert_false(has_memory(&j, parent, 0x2000, 0));
	jits_begun(&j, parent, 30);		/* executes another program */
	assert_false(has_memory(&j, parent, 0x1000, 0) || has_memory(&j, parent, 0x1000, 40));
	assert_true(has_memory(&j, parent, 0x1000, 25));
	jits_ended(&j, child, 50);
	assert_true(has_memory(&j, child, 0x1000, 45));
	jits_close(&j);
}

static void test_names_of_dumps(void **state)
{
	(void)state;
	assert_true(jit_is_dump("/tmp/x/jit-12.dump"));
	assert_true(jit_is_dump("/tmp/jit-12.dump (deleted)"));
	assert_false(jit_is_dump("/tmp/jit-.dump"));
	assert_false(jit_is_dump("/tmp/jit-12.so"));
	assert_false(jit_is_dump("/jit-12.dump/lib.so"));
	assert_false(jit_is_dump(""));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_newest), cmocka_unit_test(test_odd_ranges), cmocka_unit_test(test_times),
		cmocka_unit_test(test_model), cmocka_unit_test(test_bounds), cmocka_unit_test(test_map),
		cmocka_unit_test(test_map_long), cmocka_unit_test(test_dump), cmocka_unit_test(test_dump_grows),
		cmocka_unit_test(test_dump_broken), cmocka_unit_test(test_growth), cmocka_unit_test(test_end),
		cmocka_unit_test(test_ranges), cmocka_unit_test(test_too_many_ranges), cmocka_unit_test(test_memory),
		cmocka_unit_test(test_names_of_dumps),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
