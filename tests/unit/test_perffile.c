/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Files of perf record: a small one that was made here, whole, cut off and changed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/arena.h"
#include "engine/sample/perffile.h"
#include "engine/sample/recorded.h"
#include "engine/sample/unpack.h"
#include "tests/lib/perfmake.h"

struct perffile_asked {
	unsigned samples, lost, workers;
	uint64_t last;
	char why[400];
	struct recording_file file;
};

static void sample_look(struct perffile_asked *a, const struct sample *s)
{
	bool user = s->mode == SAMPLE_USER;

	assert_true(s->time >= a->last);
	a->last = s->time;
	a->samples++;
	a->workers += !strcmp(s->comm, "worker");
	assert_int_equal(s->cpu, s->time % 2);
	assert_int_equal(s->arg[user], user ? 0x401010 : 0xffffffff81000010);
	assert_int_equal(s->arg[!user], 0);
	assert_int_equal(s->stack.n, user ? 0 : 2);
	assert_int_equal(s->ustack.n, 2);
	assert_int_equal(s->ustack.pc[1], 0x401020);
}

static void name_look(struct sample_source *s, const struct sample *x)
{
	void *arg;
	const struct symbol_ops *names = source_perfdata.symbols(s, &arg);
	struct symbol out;

	/* the child's, too, which has mapped nothing itself */
	names->user(arg, (int64_t)x->pid, 0x401010, x->time, &out);
	assert_string_equal(out.object, "maker");
	assert_null(out.name);
	assert_int_equal(out.base, 0x401000);
}

/* 0, or -1 if it cannot be queried. */
static int ask(const void *p, size_t n, struct perffile_asked *a)
{
	int fd = memfd_create("perf.data", MFD_CLOEXEC);
	char path[64];
	struct sample_source *s = NULL;
	struct source_item it;
	struct arena arena;
	struct source_want want = { .arena = &arena, .arg = &a->file, .kstacks = true, .ustacks = true };
	int r;

	*a = (struct perffile_asked){ 0 };
	assert_int_equal(write(fd, p, n), n);
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	a->file.path = path;
	arena_init(&arena, NULL, NULL);
	r = source_perfdata.open(&s, &want, a->why, sizeof a->why);
	while (!r && source_perfdata.next(s, &it) > 0) {
		if (it.kind == SOURCE_LOST)
			a->lost += (unsigned)it.lost;
		else if (it.kind == SOURCE_SAMPLE)
			sample_look(a, &it.sample);
		if (a->samples == PERFMAKE_SAMPLES)
			name_look(s, &it.sample);
	}
	source_perfdata.close(s);
	arena_free(&arena);
	close(fd);
	return r;
}

static void test_whole(void **state)
{
	const uint64_t right = 1000000000 / PERFMAKE_HZ, wrong = 1000000000 / 97;
	struct buf b = { 0 };
	struct perffile_asked a;
	char why[200];

	(void)state;
	perfmake(&b);
	assert_false(b.failed);
	assert_int_equal(ask(b.data, b.len, &a), 0);
	assert_int_equal(a.samples, PERFMAKE_SAMPLES);
	assert_int_equal(a.lost, PERFMAKE_LOST);
	assert_int_equal(a.workers, 4);
	assert_string_equal(a.file.damage, "");
	assert_int_equal(record_rates(right, &right, 1, why, sizeof why), 0);
	assert_int_equal(record_rates(right, &wrong, 1, why, sizeof why), -1);
	assert_string_equal(why, "the recording has samples of profile-997, not of profile-97");
	buf_free(&b);
}

/* The data before the truncation is used, and the truncation is reported. */
static void test_cut(void **state)
{
	unsigned seen = PERFMAKE_SAMPLES;
	struct buf b = { 0 };
	struct perffile_asked a;

	(void)state;
	perfmake(&b);
	for (size_t n = b.len; n-- > 0;) {
		if (ask(b.data, n, &a) < 0) {
			assert_true(strlen(a.why) > 0);
			continue;
		}
		assert_true(a.samples <= seen);
		seen = a.samples;
		if (seen < PERFMAKE_SAMPLES)
			assert_non_null(strstr(a.file.damage, "truncated"));
	}
	assert_int_equal(seen, 0);
	buf_free(&b);
}

/* The head of a record that cannot be. */
static void test_bad_record(void **state)
{
	struct buf b = { 0 };
	struct perffile_asked a;
	uint64_t data;

	(void)state;
	perfmake(&b);
	memcpy(&data, b.data + 40, sizeof data);
	b.data[data + 6] = 3;
	assert_int_equal(ask(b.data, b.len, &a), 0);
	assert_int_equal(a.samples, 0);
	assert_non_null(strstr(a.file.damage, "a record's length is invalid"));
	buf_free(&b);
}

/* Data from a pipe: complete, truncated and changed. */
static void test_pipe(void **state)
{
	unsigned seen = PERFMAKE_SAMPLES;
	struct buf b = { 0 };
	struct perffile_asked a;

	(void)state;
	perfmake_pipe(&b, false);
	assert_int_equal(ask(b.data, b.len, &a), 0);
	assert_int_equal(a.samples, PERFMAKE_SAMPLES);
	assert_int_equal(a.lost, PERFMAKE_LOST);
	assert_string_equal(a.file.damage, "");
	for (size_t n = b.len; n-- > 0;) {
		if (ask(b.data, n, &a) < 0) {
			assert_true(strlen(a.why) > 0);
			continue;
		}
		assert_true(a.samples <= seen);
		seen = a.samples;
	}
	assert_int_equal(seen, 0);
	buf_free(&b);
}

/* Compressed: truncated or damaged, the data before the damage is used. */
static void test_packed(void **state)
{
	struct unpack *u = unpack_open();
	struct buf b = { 0 };
	struct perffile_asked a;

	(void)state;
	perfmake_pipe(&b, true);
	assert_int_equal(ask(b.data, b.len, &a), 0);
	if (!u) {
		assert_non_null(strstr(a.file.damage, "libzstd.so.1"));
		buf_free(&b);
		skip();
	}
	unpack_close(u);
	assert_int_equal(a.samples, PERFMAKE_SAMPLES);
	assert_int_equal(a.lost, PERFMAKE_LOST);
	assert_string_equal(a.file.damage, "");
	assert_int_equal(ask(b.data, b.len - 1, &a), 0);
	assert_true(a.samples > 0 && a.samples < PERFMAKE_SAMPLES);
	assert_non_null(strstr(a.file.damage, "truncated"));
	for (size_t i = 0; i < 4; i++) {		/* the stream's mark */
		size_t at = 16 + 16 + sizeof(struct perf_event_attr) + 24 + 8 + i;

		b.data[at] ^= 0x55;
		assert_int_equal(ask(b.data, b.len, &a), 0);
		assert_int_equal(a.samples, 0);
		assert_non_null(strstr(a.file.damage, "the compressed records are damaged"));
		b.data[at] ^= 0x55;
	}
	buf_free(&b);
}

static struct perf_event_attr *attr_of(struct buf *b)
{
	return (struct perf_event_attr *)(void *)(b->data + 104);
}

/* Which events stand for time. */
static void test_events(void **state)
{
	static const struct { uint32_t type; uint64_t config; const char *why; } events[] = {
		{ PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, NULL }, { PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK,
		  NULL },
		{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, NULL }, { PERF_TYPE_RAW, 0x3c, NULL },
		{ PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, "taken by events, not by time" },
		{ PERF_TYPE_TRACEPOINT, 300, "taken by events, not by time" },
		{ PERF_TYPE_BREAKPOINT, 0, "taken by events, not by time" },
		{ PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY, "none of its events is sampled" },
	};
	struct buf b = { 0 };
	struct perffile_asked a;

	(void)state;
	perfmake(&b);
	for (size_t i = 0; i < sizeof events / sizeof events[0]; i++) {
		attr_of(&b)->type = events[i].type;
		attr_of(&b)->config = events[i].config;
		assert_int_equal(ask(b.data, b.len, &a), events[i].why ? -1 : 0);
		if (events[i].why)
			assert_non_null(strstr(a.why, events[i].why));
		else
			assert_int_equal(a.samples, PERFMAKE_SAMPLES);
	}
	attr_of(&b)->config = PERF_COUNT_SW_CPU_CLOCK;
	attr_of(&b)->sample_type &= ~(uint64_t)PERF_SAMPLE_TIME;
	assert_int_equal(ask(b.data, b.len, &a), -1);
	assert_non_null(strstr(a.why, "no time (perf record -T)"));
	buf_free(&b);
}

static void test_refused(void **state)
{
	struct buf b = { 0 };
	struct perffile_asked a;

	(void)state;
	assert_int_equal(ask("PERFILE2\20\0\0\0\0\0\0\0 and so on", 26, &a), -1);
	assert_non_null(strstr(a.why, "offset 16: none of its events is sampled"));
	perfmake(&b);
	memcpy(b.data, "2ELIFREP", 8);
	assert_int_equal(ask(b.data, b.len, &a), -1);
	assert_non_null(strstr(a.why, "different byte order"));
	buf_free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_whole), cmocka_unit_test(test_cut), cmocka_unit_test(test_bad_record),
		cmocka_unit_test(test_refused), cmocka_unit_test(test_pipe), cmocka_unit_test(test_packed),
		cmocka_unit_test(test_events),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
