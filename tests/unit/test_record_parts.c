/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Parts of recordings: numbers, the set of known pairs, symbols of addresses, pipes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/host/boot.h"
#include "engine/output/number_set.h"
#include "engine/run/bytes.h"
#include "engine/run/format.h"
#include "engine/sample/names.h"
#include "engine/sample/recorded.h"
#include "tests/lib/random.h"

/* ---- numbers ---- */
static void test_numbers(void **state)
{
	uint64_t seed = 1, v[200], at = 0;
	struct buf b = { 0 };
	struct bytes in;

	(void)state;
	for (unsigned i = 0; i < 200; i++) {
		v[i] = i < 64 ? 1ull << i : i < 128 ? (1ull << (i - 64)) - 1 : random_next(&seed) >> i % 64;
		put_number(&b, v[i]);
		assert_true(b.len - at <= 10);
		assert_int_equal(b.len - at, v[i] ? (64 - (unsigned)__builtin_clzll(v[i]) + 6) / 7 : 1);
		at = b.len;
		assert_int_equal(zigzag_decode(zigzag_encode((int64_t)v[i])), v[i]);
		assert_int_equal(zigzag_encode(zigzag_decode(v[i])), v[i]);
	}
	in = (struct bytes){ (const uint8_t *)b.data, (const uint8_t *)b.data + b.len, false };
	for (unsigned i = 0; i < 200; i++)
		assert_int_equal(get_number(&in), v[i]);
	assert_ptr_equal(in.p, in.end);
	assert_false(in.bad);
	assert_int_equal(get_number(&in), 0);
	assert_true(in.bad);
	assert_int_equal(zigzag_encode(0), 0);
	assert_int_equal(zigzag_encode(-1), 1);
	assert_int_equal(zigzag_encode(1), 2);
	assert_int_equal(zigzag_encode(INT64_MIN), UINT64_MAX);
	buf_free(&b);
}

/* A number without an end, one that is too long, a length beyond the end or above the limit. */
static void test_bad_numbers(void **state)
{
	static const uint8_t long_one[12] = { 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1 },
	text[] = { 4, 'a', 'b', 'c', 'd' };
	struct bytes in = { long_one, long_one + 3, false };
	uint32_t n;

	(void)state;
	assert_int_equal(get_number(&in), 0);
	assert_true(in.bad);
	in = (struct bytes){ long_one, long_one + sizeof long_one, false };
	assert_int_equal(get_number(&in), 0);
	assert_true(in.bad);
	in = (struct bytes){ text, text + 4, false };
	assert_null(get_counted(&in, 100, &n));
	assert_int_equal(n, 0);
	assert_true(in.bad);
	in = (struct bytes){ text, text + 5, false };
	assert_null(get_counted(&in, 3, &n));
	assert_true(in.bad);
	in = (struct bytes){ text, text, false };
	assert_null(get_bytes(&in, UINT64_MAX));
	assert_true(in.bad);
}

static void test_fixed(void **state)
{
	uint8_t p[8];

	(void)state;
	for (unsigned n = 1; n <= 8; n++) {
		put_le(p, 0x8877665544332211, n);
		assert_int_equal(p[0], 0x11);
		assert_int_equal(p[n - 1], 0x11 * n);
		assert_int_equal(get_le(p, n), 0x8877665544332211 & UINT64_MAX >> (64 - 8 * n));
	}
}

/* ---- what was seen ---- */
static void test_seen(void **state)
{
	struct number_set s = { 0 };
	unsigned again = 0;

	(void)state;
	for (uint64_t i = 1; i <= 100000; i++)
		assert_true(number_set_add(&s, i * 4096, i % 7));
	for (uint64_t i = 1; i <= 100000; i++) {
		again += number_set_add(&s, i * 4096, i % 7);
		if (i % 1000 == 0)
			assert_true(number_set_add(&s, i * 4096, 8));
	}
	assert_int_equal(again, 0);
	/* full: it forgets, and goes on */
	for (uint64_t i = 1; i <= 2 * (uint64_t)NUMBER_SET_MAX + 5; i++)
		number_set_add(&s, i, UINT64_MAX);
	assert_true(s.n <= NUMBER_SET_MAX);
	assert_true(s.slots <= 4 * (size_t)NUMBER_SET_MAX);
	assert_false(number_set_add(&s, 2 * (uint64_t)NUMBER_SET_MAX + 5, UINT64_MAX));
	number_set_free(&s);
	number_set_free(&s);
	assert_true(number_set_add(&s, 1, 0));
	number_set_free(&s);
}

/* ---- names ---- */
static struct symbol user(struct record_names *n, int64_t pid, uint64_t addr, uint64_t at)
{
	struct symbol s;

	record_symbol_ops.user(n, pid, addr, at, &s);
	return s;
}

static void symbol_put(struct record_names *n, uint32_t object, uint64_t start, uint64_t last, const char *name)
{
	record_names_symbol(n, &(struct record_symbol){ object, start, last, object ? 0 : 0xffffffffc0000000,
							object ? "" : "module", name });
}

static struct record_names *names_make(void)
{
	struct record_names *n = record_names_open(NULL, NULL);

	assert_non_null(n);
	record_names_object(n, &(struct record_object){ .path = "/nowhere/one", .ino = 1 });
	record_names_object(n, &(struct record_object){ .path = "/nowhere/two", .ino = 2 });
	record_names_map(n, &(struct record_map){ .pid = 10, .start = 0x1000, .end = 0x3000, .off = 0x500, .object = 0,
		.since = 5 });
	record_names_map(n, &(struct record_map){ .pid = 10, .start = 0x1000, .end = 0x2000, .off = 0, .object = 1,
		.since = 50 });
	symbol_put(n, 1, 0x600, 0x640, "inner");
	symbol_put(n, 1, 0x500, 0x900, "outer");
	symbol_put(n, 2, 0x100, 0x100, "second");
	symbol_put(n, 0, 0xffffffffc0000100, 0xffffffffc0000120, "kernel_part");
	symbol_put(n, 0, 0xffffffffc0000200, 0xffffffffc0000200, "");
	return n;
}

static void test_names(void **state)
{
	struct record_names *n = names_make();
	struct symbol s;

	(void)state;
	s = user(n, 10, 0x1100, 10);
	assert_string_equal(s.object, "one");
	assert_string_equal(s.name, "inner");
	assert_int_equal(s.start, 0x1100);
	assert_string_equal(user(n, 10, 0x1141, 10).name, "outer");		/* after the inner symbol */
	assert_null(user(n, 10, 0x2f00, 10).name);				/* after its last address */
	assert_string_equal(user(n, 10, 0x2f00, 10).object, "one");
	assert_string_equal(user(n, 10, 0x1100, 60).name, "second");		/* another file has taken its place */
	assert_string_equal(user(n, 10, 0x2100, 60).object, "one");		/* but for the rest */
	assert_string_equal(user(n, 10, 0x1100, 1).object, "one");		/* before it was known: the soonest */
	assert_null(user(n, 10, 0x3000, 60).object);
	assert_null(user(n, 11, 0x1100, 60).object);
	assert_null(user(n, -1, 0x1100, 60).object);
	assert_null(user(n, (int64_t)UINT32_MAX + 11, 0x1100, 60).object);
	record_symbol_ops.kernel(n, 0xffffffffc0000110, &s);
	assert_string_equal(s.object, "module");
	assert_string_equal(s.name, "kernel_part");
	assert_int_equal(s.base, 0xffffffffc0000000);
	record_symbol_ops.kernel(n, 0xffffffffc0000121, &s);
	assert_null(s.object);
	record_symbol_ops.kernel(n, 0xffffffffc0000200, &s);
	assert_string_equal(s.object, "module");
	assert_null(s.name);
	record_names_close(n);
	record_names_close(NULL);
}

/* A child has what its parent had then; a process ID that is used again has had others. */
static void test_forks(void **state)
{
	struct record_names *n = names_make();

	(void)state;
	record_names_fork(n, 20, 10, 7);
	record_names_map(n, &(struct record_map){ .pid = 10, .start = 0x8000, .end = 0x9000, .object = 1, .since = 8 });
	assert_string_equal(user(n, 20, 0x1100, 10).name, "inner");
	assert_string_equal(user(n, 10, 0x8100, 10).name, "second");
	assert_null(user(n, 20, 0x8100, 10).object);
	assert_true(record_names_map(n, &(struct record_map){ .pid = 20, .start = 0x1000, .end = 0x2000, .object = 1,
		.since = 9 }));
	assert_string_equal(user(n, 20, 0x1100, 10).name, "second");
	assert_string_equal(user(n, 10, 0x1100, 10).name, "inner");
	record_names_fork(n, 20, 10, 20);
	assert_string_equal(user(n, 20, 0x8100, 25).name, "second");
	assert_null(user(n, 20, 0x8100, 15).object);
	record_names_fork(n, 30, 99, 20);		/* of an unknown process */
	assert_null(user(n, 30, 0x1100, 25).object);
	record_names_fork(n, 10, 10, 20);
	assert_string_equal(user(n, 10, 0x1100, 25).name, "inner");
	for (uint32_t pid = 100; pid < 300; pid++)	/* a long line of them */
		record_names_fork(n, pid + 1, pid == 100 ? 10 : pid, 30 + pid);
	assert_string_equal(user(n, 101, 0x8100, 400).name, "second");
	assert_string_equal(user(n, 300, 0x8100, 400).name, "second");
	record_names_close(n);
}

/* Another program has other addresses; memory without a file hides a file. */
static void test_changes(void **state)
{
	struct record_names *n = names_make();
	const uint64_t addr[] = { 0x2100 };

	(void)state;
	assert_true(record_names_map(n, &(struct record_map){ .pid = 10, .start = 0x2000, .end = 0x3000,
		.object = RECORD_NO_OBJECT,
							      .since = 60 }));
	assert_false(record_names_map(n, &(struct record_map){ .pid = 10, .start = 0x7000, .end = 0x8000, .since = 60,
							       .object = RECORD_NO_OBJECT }));
	assert_string_equal(user(n, 10, 0x2100, 55).object, "one");
	assert_null(user(n, 10, 0x2100, 60).object);
	assert_int_equal(record_symbol_ops.settle(n, 10, &(struct symbol_addresses){ addr, 1 }, 1, 59), 0);
	assert_int_equal(record_symbol_ops.settle(n, 10, &(struct symbol_addresses){ addr, 1 }, 1, 70), 60);
	assert_int_equal(record_symbol_ops.changed(n, 10, 70), 60);
	record_names_exec(n, 10, 80, true);
	record_names_exec(n, 10, 80, true);
	assert_null(user(n, 10, 0x1100, 80).object);
	assert_string_equal(user(n, 10, 0x1100, 79).name, "second");
	record_names_map(n, &(struct record_map){ .pid = 10, .start = 0x1000, .end = 0x2000, .off = 0x500, .object = 0,
		.since = 85 });
	record_names_exec(n, 10, 80, true);		/* reported again: what came since stays */
	assert_string_equal(user(n, 10, 0x1100, 90).name, "inner");
	/* of files of perf record: the next mapping begins it */
	record_names_exec(n, 10, 100, false);
	assert_string_equal(user(n, 10, 0x1100, 101).name, "inner");
	assert_true(record_names_map(n, &(struct record_map){ .pid = 10, .start = 0x1000, .end = 0x2000, .object = 1,
		.since = 102 }));
	assert_string_equal(user(n, 10, 0x1100, 101).name, "inner");
	assert_string_equal(user(n, 10, 0x1100, 102).name, "second");
	assert_int_equal(record_symbol_ops.next(n, 10, 81), 102);
	record_names_close(n);
}

/* ---- which file ---- */
static void pipe_ask(const char *bytes, size_t n, const struct source_ops *want)
{
	struct recording_file file = { .path = "-" };
	char why[200] = "", got[RECORD_MAGIC_BYTES] = "";
	const struct source_ops *ops;
	size_t magic;
	int fds[2], kept = dup(0), fd;
	pid_t pid;

	assert_int_equal(pipe(fds), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		close(fds[0]);
		for (size_t i = 0; i < n; i++)		/* a byte at a time */
			if (write(fds[1], bytes + i, 1) != 1)
				_exit(1);
		_exit(0);
	}
	close(fds[1]);
	dup2(fds[0], 0);
	close(fds[0]);
	ops = record_source(&file, why, sizeof why);
	dup2(kept, 0);
	close(kept);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_ptr_equal(ops, want);
	assert_true(want ? !*why : !!strstr(why, "offset 0: not a recording"));
	fd = file.fd;
	/* of an unknown format, what follows the first bytes may not be copied */
	magic = n < sizeof got ? n : sizeof got;
	assert_true(pread(fd, got, sizeof got, 0) == (ssize_t)magic);
	assert_memory_equal(got, bytes, magic);
	recording_file_close(&file);
	recording_file_close(&file);
	assert_int_equal(pread(fd, got, 1, 0), -1);
}

static void test_pipe(void **state)
{
	(void)state;
	pipe_ask(RECORD_MAGIC "and more than sixteen bytes", 30, &source_record);
	pipe_ask("PERFILE2xx", 10, &source_perfdata);
	pipe_ask("2ELIFREPxx", 10, &source_perfdata);
	pipe_ask("PERFILE", 7, NULL);
	pipe_ask("", 0, NULL);
}

static void test_rates(void **state)
{
	const uint64_t three[] = { 1003009, 1003009, 10000 };
	uint8_t boot[16], other[16] = { 0 };
	char why[200];

	(void)state;
	assert_int_equal(record_rates(1003009, three, 2, why, sizeof why), 0);
	assert_int_equal(record_rates(1003009, three, 3, why, sizeof why), -1);
	assert_string_equal(why, "the recording has samples of profile-997, not of profile-100000");
	assert_int_equal(record_rates(1234560, three, 1, why, sizeof why), -1);
	assert_string_equal(why, "the recording has samples of profile-1234560ns, not of profile-997");
	boot_id(boot);
	assert_int_equal(record_same_boot(other), false);
	assert_memory_not_equal(boot, other, sizeof boot);
	assert_true(record_same_boot(boot));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numbers), cmocka_unit_test(test_bad_numbers), cmocka_unit_test(test_fixed),
		cmocka_unit_test(test_seen), cmocka_unit_test(test_names), cmocka_unit_test(test_forks),
		cmocka_unit_test(test_changes),
		cmocka_unit_test(test_pipe), cmocka_unit_test(test_rates),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
