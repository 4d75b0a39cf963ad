/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * An untrusted recording, queried like in a session: a file of dtr, a perf.data file, or (after a first byte 'B') the
 * contents of a data block, which is wrapped in a file with correct checksums. Through a pipe it must have the same
 * number of entries, and a script with a clock must end whatever the times are. It can be summarised.
 */
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>

#include "engine/output/write.h"
#include "engine/run/bytes.h"
#include "engine/run/format.h"
#include "engine/sample/pipe.h"
#include "engine/sample/recorded.h"
#include "engine/session/session.h"
#include "tests/fuzz/fuzz.h"

enum { LOOKED_UP = 64, FUZZ_ITEMS = 200000 };
/* A month: its ticks would take long. */
#define LATE 2592000000000000ull

static void look_up(struct sample_source *s, const struct source_ops *ops, const struct sample *x)
{
	void *arg = NULL;
	const struct symbol_ops *names = ops->symbols(s, &arg);
	struct symbol out;

	names->user(arg, (int64_t)x->pid, x->arg[1], x->time, &out);
	names->kernel(arg, x->arg[0], &out);
	for (uint32_t i = 0; i < x->ustack.n && i < 8; i++)
		names->user(arg, (int64_t)x->pid, x->ustack.pc[i], 0, &out);
	FUZZ_CHECK(!out.name || out.object || out.start, "a name of nothing");
}

static void sample_check(const struct sample *x)
{
	FUZZ_CHECK(memchr(x->comm, '\0', sizeof x->comm), "a name without end");
	FUZZ_CHECK(x->stack.n <= SAMPLE_MAXFRAMES && x->ustack.n <= SAMPLE_MAXFRAMES, "%u frames", x->stack.n);
	FUZZ_CHECK(!x->arg[0] || !x->arg[1], "in the kernel and not");
	FUZZ_CHECK(x->time <= INT64_MAX, "a time after the year 2262");
}

/* The contents: number of entries, latest time. */
struct record_asked {
	unsigned n;
	uint64_t last;
};

static struct record_asked ask(const char *path)
{
	struct recording_file file = { .path = path };
	char why[400] = "", text[400];
	const struct source_ops *ops = record_source(&file, why, sizeof why);
	struct sample_source *s = NULL;
	struct source_past past = { 0 };
	struct source_want want = { .arg = &file };
	struct source_item it = { 0 };
	struct record_asked all = { 0 };
	struct arena a;

	FUZZ_CHECK(ops || *why, "no reason");
	if (!ops) {
		recording_file_close(&file);
		return all;
	}
	arena_init(&a, NULL, NULL);
	want.arena = &a;
	if (ops->open(&s, &want, why, sizeof why) == 0) {
		ops->past(s, &past);
		ops->describe(s, text, sizeof text);
		for (; all.n < FUZZ_ITEMS && ops->next(s, &it) > 0; all.n++) {
			if (it.kind != SOURCE_SAMPLE)
				continue;
			sample_check(&it.sample);
			all.last = it.sample.time > all.last ? it.sample.time : all.last;
			if (all.n < LOOKED_UP)
				look_up(s, ops, &it.sample);
		}
		FUZZ_CHECK(!*file.damage || !strncmp(file.damage, "offset ", 7), "%s", file.damage);
		ops->now(s);
	} else {
		FUZZ_CHECK(*why, "no reason");
	}
	ops->close(s);
	recording_file_close(&file);
	arena_free(&a);
	return all;
}

/* Reads in small pieces: the end must be determined only by the headers. */
static void ask_copy(int fd, struct record_asked whole)
{
	int copy = lseek(fd, 0, SEEK_SET) ? -1 : record_pipe_copy(fd, 13);
	char path[64];

	if (copy < 0)
		return;
	snprintf(path, sizeof path, "/proc/self/fd/%d", copy);
	FUZZ_CHECK(ask(path).n == whole.n, "another number of entries through a pipe");
	close(copy);
}

static void quiet(void *arg, const char *text)
{
	(void)arg;
	(void)text;
}

static void query(const char *path)
{
	FILE *out = fopen("/dev/null", "w");
	struct dtr_config config = { .progname = "fuzz", .out = out, .message = quiet, .share = fuzz_share() };
	struct dtr *t = out ? dtr_open(&config) : NULL;

	if (t)
		t->env.btf = fuzz_btf();
	if (t && dtr_option(t, "quiet", NULL) == 0 &&
	    dtr_add_text(t, "tick-1s { n++; @[n % 3] = count(); } END { trace(n); }", DTR_PROBE) == 0 &&
	    dtr_query(t, path) == 0 && dtr_compile(t) == 0 && dtr_go(t) == 0)
		while (dtr_work(t) == DTR_MORE)
			;
	if (t)
		dtr_finish(t);
	dtr_close(t);
	if (out)
		fclose(out);
}

/* dtr report, and dtr diff of the recording and itself. */
static void report(const char *path)
{
	static const char *const formats[] = { "text", "json", "html" };
	FILE *out = fopen("/dev/null", "w");
	struct dtr_config config = { .progname = "fuzz", .out = out, .message = quiet, .share = fuzz_share() };

	for (unsigned i = 0; out && i < sizeof formats / sizeof *formats; i++) {
		struct dtr *t = dtr_open(&config);

		if (t) {
			t->env.btf = fuzz_btf();
			dtr_option(t, "oformat", formats[i]);
			if (i < 2)
				dtr_report(t, path, DTR_REPORT_ALL | (i ? DTR_REPORT_CONTAINERS : 0));
			else
				dtr_diff(t, path, path, true);
		}
		dtr_close(t);
	}
	if (out)
		fclose(out);
}

/* A file with these bytes as its only block. */
static void wrap(struct buf *out, const uint8_t *data, size_t size)
{
	const struct record_info info = { .interval = 1000000, .begin = 1000000000, .known = 31, .cpus = 2 };
	struct record_writer *w = record_writer_open(out, &info, false, NULL, NULL);
	uint8_t h[RECORD_BLOCK_HEAD] = { 0 };

	record_writer_close(w);
	put_le(h, RECORD_BLOCK_MAGIC, 4);
	h[4] = RECORD_B_DATA;
	put_le(h + 8, size, 4);
	put_le(h + 12, size, 4);
	put_le(h + 16, crc32(crc32(0, h, 16), data, (uInt)size), 4);
	buf_put(out, h, sizeof h);
	buf_put(out, data, size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct record_asked whole;
	struct buf b = { 0 };
	char path[64];
	int fd;

	if (size > 1 && *data == 'B')
		wrap(&b, data + 1, size - 1);
	else
		buf_put(&b, data, size);
	fd = memfd_create("recording", MFD_CLOEXEC);
	if (fd >= 0 && !b.failed && write(fd, buf_str(&b), b.len) == (ssize_t)b.len) {
		snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
		whole = ask(path);
		ask_copy(fd, whole);
		if (whole.last > LATE)
			query(path);
		if (whole.n)
			report(path);
	}
	if (fd >= 0)
		close(fd);
	buf_free(&b);
	return 0;
}
