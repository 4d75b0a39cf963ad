/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* base/: arenas, buffers, maps. */
#include <dlfcn.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/fill.h"
#include "base/map.h"
#include "base/openfiles.h"
#include "base/shlib.h"
#include "base/word.h"

/* ---- arena ---- */
static void test_arena(void **state)
{
	static const size_t sizes[] = { 0, 1, 15, 16, 17, 100, 8191, 8192, 8193, 32768, 40000, 1000000, 3 };
	enum { N = sizeof sizes / sizeof *sizes, ROUNDS = 50 };
	static unsigned char *piece[N * ROUNDS];
	struct arena a;

	(void)state;
	arena_init(&a, NULL, NULL);
	for (int i = 0; i < N * ROUNDS; i++) {
		piece[i] = arena_alloc(&a, sizes[i % N]);
		assert_int_equal((uintptr_t)piece[i] % 16, 0);
		for (size_t k = 0; k < sizes[i % N]; k++)
			assert_int_equal(piece[i][k], 0);
		memset(piece[i], i & 0xff, sizes[i % N]);
	}
	for (int i = 0; i < N * ROUNDS; i++)	/* no piece was overwritten through another */
		for (size_t k = 0; k < sizes[i % N]; k++)
			assert_int_equal(piece[i][k], i & 0xff);
	assert_true(a.total >= 1000000u * ROUNDS);
	arena_free(&a);
	assert_int_equal(a.total, 0);
	arena_free(&a);
	assert_string_equal(arena_strdup(&a, "again"), "again");
	arena_free(&a);
}

static void test_arena_strings(void **state)
{
	struct arena a;
	char *s;

	(void)state;
	arena_init(&a, NULL, NULL);
	assert_string_equal(arena_strdup(&a, ""), "");
	assert_string_equal(arena_strndup(&a, "abcdef", 3), "abc");
	assert_string_equal(arena_strndup(&a, "ab", 30), "ab");
	assert_string_equal(arena_printf(&a, "%s%d", "x", -7), "x-7");
	s = arena_printf(&a, "%100000d", 1);
	assert_int_equal(strlen(s), 100000);
	assert_memory_equal(arena_memdup(&a, "a\0b", 3), "a\0b", 3);
	assert_non_null(arena_memdup(&a, NULL, 0));
	arena_free(&a);
}

static void jump_out(void *arg)
{
	longjmp(*(jmp_buf *)arg, 1);
}

/* Impossible sizes call the callback and do not return a small piece. */
static void test_arena_exhausted(void **state)
{
	static const struct { size_t n, size; } cases[] = {
		{ SIZE_MAX, 2 }, { SIZE_MAX / 2 + 2, 2 }, { 1, SIZE_MAX }, { 1, SIZE_MAX - 8 }, { SIZE_MAX / 16, 16 },
	};
	jmp_buf env;
	struct arena a;

	(void)state;
	for (volatile size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		arena_init(&a, jump_out, &env);
		if (setjmp(env) == 0) {
			arena_calloc(&a, cases[i].n, cases[i].size);
			fail_msg("case %zu: got memory", i);
		}
		assert_string_equal(arena_strdup(&a, "goes on"), "goes on");
		arena_free(&a);
	}
}

static void test_vec(void **state)
{
	VEC(int) v = { 0 };
	struct arena a;

	(void)state;
	arena_init(&a, NULL, NULL);
	for (int i = 0; i < 10000; i++)
		*VEC_ADD(&a, &v) = i;
	assert_int_equal(v.n, 10000);
	assert_true(v.cap >= v.n);
	for (int i = 0; i < 10000; i++)
		assert_int_equal(v.v[i], i);
	arena_free(&a);
}

/* ---- buf ---- */
static void test_buf(void **state)
{
	struct buf b = { 0 };

	(void)state;
	assert_string_equal(buf_str(&b), "");
	buf_put(&b, NULL, 0);
	assert_string_equal(buf_str(&b), "");
	buf_puts(&b, "one");
	buf_putc(&b, ' ');
	buf_pad(&b, '-', 3);
	buf_pad(&b, '-', 0);
	buf_printf(&b, " %s %d", "two", 3);
	assert_string_equal(buf_str(&b), "one --- two 3");
	assert_int_equal(b.len, 13);
	buf_reset(&b);
	assert_string_equal(buf_str(&b), "");
	buf_put(&b, "a\0b", 3);
	assert_int_equal(b.len, 3);
	assert_memory_equal(b.data, "a\0b", 4);
	buf_free(&b);
	buf_free(&b);
	assert_string_equal(buf_str(&b), "");
}

static void test_buf_grows(void **state)
{
	struct buf b = { 0 };

	(void)state;
	for (int i = 0; i < 100000; i++)
		buf_printf(&b, "%06d\n", i);
	assert_int_equal(b.len, 700000);
	for (int i = 0; i < 100000; i++)
		assert_int_equal(atoi(b.data + 7 * i), i);
	buf_printf(&b, "%70000d", 1);
	assert_int_equal(b.len, 770000);
	buf_free(&b);
}

/* A failure sticks: what came before is kept, what comes after is dropped. */
static void test_buf_failed(void **state)
{
	struct buf b = { 0 };

	(void)state;
	buf_puts(&b, "kept");
	buf_pad(&b, 'x', SIZE_MAX - 2);
	assert_true(b.failed);
	buf_puts(&b, "dropped");
	buf_printf(&b, "%d", 1);
	assert_string_equal(buf_str(&b), "kept");
	buf_reset(&b);
	assert_false(b.failed);
	buf_puts(&b, "new");
	assert_string_equal(buf_str(&b), "new");
	buf_free(&b);
}

static void test_buf_dump(void **state)
{
	struct buf b = { 0 };
	unsigned char bytes[35];

	(void)state;
	for (unsigned i = 0; i < sizeof bytes; i++)
		bytes[i] = (unsigned char)(i * 7 + 20);
	buf_dump(&b, bytes, sizeof bytes);
	assert_string_equal(buf_str(&b),
			    "\n             0  1  2  3  4  5  6  7  8  9  a  b  c  d  e  f  0123456789abcdef\n"
			    "         0: 14 1b 22 29 30 37 3e 45 4c 53 5a 61 68 6f 76 7d  ..\")07>ELSZahov}\n"
			    "        10: 84 8b 92 99 a0 a7 ae b5 bc c3 ca d1 d8 df e6 ed  ................\n"
			    "        20: f4 fb 02                                         ...\n");
	buf_free(&b);
}

static void test_buf_read_file(void **state)
{
	char path[] = "/tmp/test_base.XXXXXX";
	struct buf b = { 0 };
	FILE *f;
	int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	f = fdopen(fd, "w");
	assert_non_null(f);
	for (int i = 0; i < 20000; i++)
		fprintf(f, "line %d\n", i);
	fclose(f);
	buf_puts(&b, "before ");
	assert_int_equal(buf_read_file(&b, path), 0);
	assert_memory_equal(b.data, "before line 0\nline 1\n", 21);
	assert_string_equal(b.data + b.len - 11, "line 19999\n");
	unlink(path);
	assert_int_equal(buf_read_file(&b, path), -ENOENT);
	assert_int_equal(buf_read_file(&b, "/"), -EISDIR);
	assert_int_equal(buf_read_file(&b, "/dev/zero"), -EFBIG);
	assert_false(b.failed);
	buf_free(&b);
}

/* ---- map ---- */
static void test_map(void **state)
{
	enum { N = 5000 };
	static int values[N];
	struct arena a;
	struct map m;
	char key[32];

	(void)state;
	arena_init(&a, NULL, NULL);
	map_init(&m, &a);
	assert_null(map_find(&m, "x", 1));
	assert_null(map_gets(&m, "x"));
	for (int i = 0; i < N; i++) {
		snprintf(key, sizeof key, "key %d", i * 7919 % N);
		map_sets(&m, key, &values[i]);
	}
	memset(key, 0, sizeof key);	/* keys were copied */
	assert_int_equal(m.n, N);
	for (int i = 0; i < N; i++) {
		snprintf(key, sizeof key, "key %d", i * 7919 % N);
		assert_ptr_equal(map_gets(&m, key), &values[i]);
		assert_ptr_equal(m.entries[i].value, &values[i]);	/* in order of insertion */
		assert_memory_equal(m.entries[i].key, key, strlen(key));
	}
	map_sets(&m, "key 0", NULL);
	assert_int_equal(m.n, N);
	assert_non_null(map_find(&m, "key 0", 5));
	assert_null(map_gets(&m, "key 0"));
	assert_null(map_gets(&m, "key"));
	arena_free(&a);
}

static void test_map_bytes(void **state)
{
	struct arena a;
	struct map m;
	int one, two, three;

	(void)state;
	arena_init(&a, NULL, NULL);
	map_init(&m, &a);
	*map_put(&m, "a\0b", 3) = &one;
	*map_put(&m, "a\0c", 3) = &two;
	assert_null(*map_put(&m, "", 0));
	*map_put(&m, "", 0) = &three;
	assert_ptr_equal(*map_find(&m, "a\0b", 3), &one);
	assert_ptr_equal(*map_find(&m, "a\0c", 3), &two);
	assert_ptr_equal(*map_find(&m, NULL, 0), &three);
	assert_null(map_find(&m, "a", 1));
	assert_int_equal(m.n, 3);
	/* FNV-1a's published values */
	assert_int_equal(hash_bytes("", 0), 0xcbf29ce484222325u);
	assert_int_equal(hash_bytes("a", 1), 0xaf63dc4c8601ec8cu);
	assert_int_equal(hash_bytes("foobar", 6), 0x85944171f73967e8u);
	arena_free(&a);
}

/* ---- text for a terminal ---- */
static void expect_filled(const char *text, const char *want)
{
	struct buf b = { 0 };

	fill_text(&b, text);
	assert_string_equal(buf_str(&b), want);
	buf_free(&b);
}

#define FIFTY "1 3 5 7 9 11 14 17 20 23 26 29 32 35 38 41 44 47 50"

static void test_fill(void **state)
{
	struct buf b = { 0 };

	(void)state;
	expect_filled("", "");
	expect_filled("one\ntwo\n\n\nthree\n", "one two\n\n\nthree\n");
	expect_filled(FIFTY " 53 56 59 62 65 68 71 74 777\n", FIFTY " 53 56 59 62 65 68 71 74 777\n");	/* 79 columns */
	expect_filled(FIFTY " 53 56 59 62 65 68 71 74 7777\n", FIFTY " 53 56 59 62 65 68 71 74\n7777\n");
	/* a character of several bytes is one column */
	expect_filled(FIFTY " 53 56 59 62 65 68 71 74 77\u00e9\n", FIFTY " 53 56 59 62 65 68 71 74 77\u00e9\n");
	/* what belongs together stays together */
	expect_filled(FIFTY " 53 56 59 62 65 68 71 (-x oformat)\n", FIFTY " 53 56 59 62 65 68 71\n(-x oformat)\n");
	expect_filled(FIFTY " 53 56 59 62 65 68 71 74 77 100 %\n", FIFTY " 53 56 59 62 65 68 71 74 77\n100 %\n");
	expect_filled(FIFTY " 53 56 59 62 65 68 71 74 77 %file\n", FIFTY " 53 56 59 62 65 68 71 74 77\n%file\n");
	expect_filled("usage: it [-a]\nnext\nline\n", "usage: it [-a]\nnext line\n");
	expect_filled("  -a\tfirst\n  -bcd E\t" FIFTY " 53 56 59 62 65 68\nend", "  -a      first\n  -bcd E  " FIFTY
		      " 53 56 59 62 65 68\nend\n");
	expect_filled("  -a\t" FIFTY " 53 56 59 62 65 68 71 74\n", "  -a  " FIFTY " 53 56 59 62 65 68 71\n      74\n");
	expect_filled("  -a\tx\n  -a-very-long-option-with-a-value\ttext\n",
		      "  -a  x\n  -a-very-long-option-with-a-value\n      text\n");
	expect_filled("   as it  is\n", "   as it  is\n");
	assert_int_equal(fill_column("  -a\tfirst\n  -bcd E\tsecond\n\n  --longer-head\tthird\n"), 10);
	fill_row(&b, "name", 10, "text");
	assert_string_equal(buf_str(&b), "  name    text\n");
	buf_free(&b);
}

/* ---- words ---- */
static void test_word_distance(void **state)
{
	static const struct { const char *a, *b; unsigned d; } rows[] = {
		{ "pid", "pid", 0 }, { "pid", "PID", 1 }, { "pid", "pd", 1 }, { "pd", "pid", 1 }, { "pid", "pod", 1 },
		{ "pid", "pdi", 1 },
		{ "execnmae", "execname", 1 }, { "", "abc", 3 }, { "abc", "", 3 }, { "kitten", "sitting", 3 },
		{ "ab", "ba", 1 },
		{ "abcdef", "badcfe", 3 }, { "ca", "abc", 3 }, { "abc", "xyz", 3 }, { "abc", "xyzw", 4 },
		{ "abc", "defghij", 5 },
	};
	char longest[65], longer[66];

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		assert_int_equal(word_distance(rows[i].a, rows[i].b, 5), rows[i].d);
		assert_int_equal(word_distance(rows[i].b, rows[i].a, 5), rows[i].d);
	}
	assert_int_equal(word_distance("kitten", "sitting", 2), 2);
	memset(longest, 'x', 64), longest[64] = '\0';
	memset(longer, 'x', 65), longer[65] = '\0';
	assert_int_equal(word_distance(longest, longest + 1, 4), 1);
	assert_int_equal(word_distance(longer, longer, 4), 4);
}

static const char *meant(struct arena *a, const char *word)
{
	static const char *const names[] = { "epid", "pid", "ppid", "tid", "x", "execname", "_raw0", "walltimestamp",
		"timestamp" };
	struct word_near near = { .word = word };

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		word_offer(&near, names[i]);
	return word_suggestion(a, &near);
}

static void test_word_near(void **state)
{
	struct arena a;

	(void)state;
	arena_init(&a, NULL, NULL);
	assert_string_equal(meant(&a, "execnmae"), " (did you mean 'execname'?)");
	assert_string_equal(meant(&a, "PID"), " (did you mean 'pid'?)");	/* case alone is nearer than a letter */
	assert_string_equal(meant(&a, "timestmp"), " (did you mean 'timestamp'?)");
	assert_string_equal(meant(&a, "WallTimeStmap"), " (did you mean 'walltimestamp'?)");
	assert_string_equal(meant(&a, "pid"), " (did you mean 'epid'?)");	/* not itself */
	assert_string_equal(meant(&a, "y"), "");			/* one letter is no hint */
	assert_string_equal(meant(&a, "raw0"), "");			/* names of dtr's own */
	assert_string_equal(meant(&a, "_raw1"), " (did you mean '_raw0'?)");
	assert_string_equal(meant(&a, "exam"), "");
	assert_string_equal(meant(&a, "something"), "");
	assert_string_equal(meant(&a, ""), "");
	arena_free(&a);
}

static void test_shlib(void **state)
{
	size_t (*length)(const char *text) = NULL;
	void *other = NULL, *lib;
	const struct shlib_symbol want[] = { { "strlen", (void **)&length }, { "dtr_has_no_such_symbol", &other } };
	const char *lacks = "";

	(void)state;
	lib = shlib_open("libc.so.6", want, 1, &lacks);
	assert_non_null(lib);
	assert_null(lacks);
	assert_int_equal(length("four"), 4);
	dlclose(lib);
	assert_null(shlib_open("libc.so.6", want, 2, &lacks));
	assert_string_equal(lacks, "dtr_has_no_such_symbol");
	assert_null(shlib_open("libdtr-no-such-library.so.1", want, 1, &lacks));
	assert_null(lacks);
}

static void test_openfiles(void **state)
{
	const struct rlimit low = { 64, 100 };

	(void)state;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &low), 0);
	assert_int_equal(openfiles_raise(0), 64);
	assert_int_equal(openfiles_raise(70), 70);
	assert_int_equal(openfiles_raise(65), 70);
	assert_int_equal(openfiles_raise(101), 100);
	assert_int_equal(openfiles_raise(UINT64_MAX), 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_arena), cmocka_unit_test(test_arena_strings),
		cmocka_unit_test(test_arena_exhausted), cmocka_unit_test(test_vec), cmocka_unit_test(test_buf),
		cmocka_unit_test(test_buf_grows), cmocka_unit_test(test_buf_failed), cmocka_unit_test(test_buf_dump),
		cmocka_unit_test(test_buf_read_file), cmocka_unit_test(test_map), cmocka_unit_test(test_map_bytes),
		cmocka_unit_test(test_fill), cmocka_unit_test(test_word_distance), cmocka_unit_test(test_word_near),
		cmocka_unit_test(test_shlib), cmocka_unit_test(test_openfiles),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
