/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What is remembered of ended processes is bounded: thousands of them, of every kind, and small limits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/symbols/maps.h"
#include "engine/symbols/object.h"

/* IDs of no process: the kernel's are below 2^22. */
enum { FIRST_PID = 1 << 23, KEEP = 8, PAGE = 4096 };

static void file_write(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
}

static unsigned open_files(void)
{
	unsigned n = 0;

	for (int fd = 0; fd < 1024; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

/* ---- code that processes generate ---- */
static void map_path(char *path, size_t n, int64_t pid)
{
	snprintf(path, n, "/tmp/perf-%lld.map", (long long)pid);
}

static void test_generated(void **state)
{
	struct jits j = { .keep = KEEP };

	(void)state;
	for (int64_t pid = FIRST_PID; pid < FIRST_PID + 1000; pid++) {
		jits_seen(&j, pid, 0x1000, 0x2000, 0);
		jits_ended(&j, pid, 0);
		assert_int_equal(j.ended, pid - FIRST_PID < KEEP ? pid - FIRST_PID + 1 : KEEP);
		assert_true(jits_known(&j, pid));
		assert_false(jits_known(&j, pid - KEEP));
	}
	jits_close(&j);
	assert_int_equal(j.ended, 0);
	assert_null(j.oldest);
	assert_null(j.newest);
}

/* The default limit, IDs that are used again, programs that execute others. */
static void test_generated_again(void **state)
{
	struct jits j = { .keep = 0 };

	(void)state;
	for (int64_t i = 0; i < 3 * JIT_KEEP; i++) {
		int64_t pid = FIRST_PID + i % 100;

		jits_seen(&j, pid, 0x1000, 0x2000, (uint64_t)i);
		(i % 3 ? jits_ended : jits_begun)(&j, pid, (uint64_t)i);
		assert_int_equal(j.ended, i < JIT_KEEP ? i + 1 : JIT_KEEP);
	}
	jits_close(&j);
	assert_int_equal(j.ended, 0);
}

/* More processes with a map end than there are descriptors; their maps are removed. */
static void test_maps_of_ended(void **state)
{
	enum { PROCESSES = 400 };
	const unsigned before = open_files();
	struct jits j = { .keep = 0 };
	struct jit_found x;
	char path[64], text[64];

	(void)state;
	for (int i = 0; i < PROCESSES; i++) {
		map_path(path, sizeof path, FIRST_PID + i);
		snprintf(text, sizeof text, "1000 10 function%d\n", i);
		file_write(path, text);
		jits_seen(&j, FIRST_PID + i, 0x1000, 0x2000, 0);
		jits_ended(&j, FIRST_PID + i, 0);
		unlink(path);
		assert_true(open_files() <= before + PROCESSES / 2);
	}
	for (int i = 0; i < PROCESSES; i++) {
		snprintf(text, sizeof text, "function%d", i);
		assert_true(jits_find(&j, FIRST_PID + i, 0x1000, 1, &x));
		assert_string_equal(x.name, text);
	}
	assert_int_equal(j.open, 0);
	jits_close(&j);
	assert_int_equal(open_files(), before);
}

/* ---- address spaces ---- */
static void end_child(struct spaces *s, int64_t pid, uint64_t time)
{
	static char file;
	const struct mapping x = { .start = PAGE, .end = 2 * PAGE, .since = time, .file = &file };

	spaces_fork(s, pid, FIRST_PID - 1, time);
	if (pid % 2) {
		spaces_exec(s, pid, time + 1);
		spaces_add(s, spaces_get(s, pid), &x);
	}
	spaces_exit(s, pid);
}

/* Processes that share all mappings with their parent are bounded, too. */
static void test_spaces(void **state)
{
	static struct spaces s;

	(void)state;
	spaces_init(&s);
	s.keep = KEEP;
	end_child(&s, FIRST_PID - 1, 1);
	for (int64_t pid = FIRST_PID; pid < FIRST_PID + 1000; pid++) {
		end_child(&s, pid, (uint64_t)(10 * (pid - FIRST_PID)));
		assert_true(s.ended <= KEEP);
		assert_true(s.mappings <= KEEP);
		assert_non_null(spaces_process(&s, pid));
		assert_null(spaces_process(&s, pid - KEEP));
	}
	for (int64_t i = 0; i < 1000; i++) {		/* the same ID again and again */
		end_child(&s, FIRST_PID, (uint64_t)(100000 + 10 * i));
		assert_true(s.ended <= KEEP);
	}
	spaces_close(&s);
	assert_int_equal(s.ended, 0);
	assert_int_equal(s.mappings, 0);
	assert_null(s.oldest);
}

/* ---- files that are removed ---- */
static struct object *map_and_remove(struct maps *m, const char *dir, int64_t pid)
{
	const struct mapping x = { .start = PAGE, .end = 2 * PAGE };
	char path[PATH_MAX];
	struct stat st;

	snprintf(path, sizeof path, "%s/%lld", dir, (long long)pid);
	file_write(path, "not an executable");
	assert_int_equal(stat(path, &st), 0);
	maps_exec(m, pid, (uint64_t)pid);
	maps_add(m, pid, (uint64_t)pid + 1, &(struct maps_file){ path, st.st_dev, st.st_ino }, &x);
	unlink(path);
	maps_exit(m, pid, (uint64_t)pid + 2);
	return maps_find(m, pid, PAGE, 0)->file;
}

/* The newest files can be read after they were removed, however many there were before. */
static void test_removed_files(void **state)
{
	enum { FILES = 2 * MAPS_OPEN + 100 };
	static struct object *o[FILES];
	static struct maps m;
	const unsigned before = open_files();
	char dir[] = "/tmp/test_ended.XXXXXX";
	unsigned readable = 0;

	(void)state;
	assert_non_null(mkdtemp(dir));
	maps_init(&m);
	for (int i = 0; i < FILES; i++) {
		o[i] = map_and_remove(&m, dir, FIRST_PID + i);
		if (i % 2)
			object_image(o[i]);
		assert_true(open_files() <= before + MAPS_OPEN);
	}
	for (int i = 0; i < FILES; i++)
		readable += o[i]->fd >= 0;
	assert_in_range(readable, 1, MAPS_OPEN);
	assert_true(o[FILES - 2]->fd >= 0);
	maps_close(&m);
	assert_int_equal(open_files(), before);
	assert_int_equal(rmdir(dir), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_generated), cmocka_unit_test(test_generated_again),
		cmocka_unit_test(test_maps_of_ended), cmocka_unit_test(test_spaces),
		cmocka_unit_test(test_removed_files),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
