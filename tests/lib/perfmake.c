/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "tests/lib/perfmake.h"

#include <linux/perf_event.h>
#include <stdint.h>
#include <string.h>

enum { HEAD = 104, PID = 100, CHILD = 102 };

static void u16(struct buf *b, unsigned v) { uint16_t x = (uint16_t)v; buf_put(b, &x, sizeof x); }
static void u32(struct buf *b, uint32_t v) { buf_put(b, &v, sizeof v); }
static void u64(struct buf *b, uint64_t v) { buf_put(b, &v, sizeof v); }

/* A record with what stands behind each but samples: pid, tid, time, CPU. */
static void record(struct buf *out, unsigned type, unsigned misc, struct buf *body, uint64_t time)
{
	if (type != PERF_RECORD_SAMPLE) {
		u32(body, PID);
		u32(body, PID);
		u64(body, time);
		u64(body, 1);
	}
	u32(out, type);
	u16(out, misc);
	u16(out, (unsigned)(8 + body->len));
	buf_put(out, body->data, body->len);
	buf_reset(body);
}

static void text(struct buf *b, const char *s)
{
	size_t n = strlen(s) + 1;

	buf_put(b, s, n);
	buf_pad(b, 0, -n & 7);
}

static void sample(struct buf *out, struct buf *b, uint32_t pid, uint32_t tid, uint64_t time, bool user)
{
	u64(b, user ? 0x401010 : 0xffffffff81000010);
	u32(b, pid);
	u32(b, tid);
	u64(b, time);
	u32(b, (uint32_t)(time % 2));
	u32(b, 0);
	u64(b, 1003009);
	u64(b, user ? 3 : 6);
	if (!user) {
		u64(b, (uint64_t)PERF_CONTEXT_KERNEL);
		u64(b, 0xffffffff81000010);
		u64(b, 0xffffffff81000020);
	}
	u64(b, (uint64_t)PERF_CONTEXT_USER);
	u64(b, 0x401010);
	u64(b, 0x401020);
	record(out, PERF_RECORD_SAMPLE, user ? PERF_RECORD_MISC_USER : PERF_RECORD_MISC_KERNEL, b, time);
}

static void records(struct buf *out, struct buf *b)
{
	u32(b, PID), u32(b, PID), text(b, "maker");
	record(out, PERF_RECORD_COMM, 0, b, 0);
	u32(b, PID), u32(b, PID), u64(b, 0x401000), u64(b, 0x1000), u64(b, 0x1000);
	u32(b, 8), u32(b, 1), u64(b, 77), u64(b, 0), u32(b, 5), u32(b, 2), text(b, "/nowhere/maker");
	record(out, PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER, b, 5);
	for (unsigned i = 0; i < PERFMAKE_SAMPLES - 2; i++)
		sample(out, b, PID, PID + i % 2, 1000000 * (10 - i), i % 4 != 3);
	u32(b, PID), u32(b, PID), u32(b, PID + 1), u32(b, PID), u64(b, 0);
	record(out, PERF_RECORD_FORK, 0, b, 10);
	u32(b, PID), u32(b, PID + 1), text(b, "worker");
	record(out, PERF_RECORD_COMM, 0, b, 11);
	u32(b, CHILD), u32(b, PID), u32(b, CHILD), u32(b, PID), u64(b, 0);
	record(out, PERF_RECORD_FORK, 0, b, 12);
	u64(b, 1), u64(b, PERFMAKE_LOST);
	record(out, PERF_RECORD_LOST, 0, b, 13000000);
	sample(out, b, CHILD, CHILD, 14000000, true);
	sample(out, b, CHILD, CHILD, 15000000, true);
}

static void feature_part(struct buf *out, uint64_t *at, uint64_t size)
{
	u64(out, *at);
	u64(out, size);
	*at += size;
}

static struct perf_event_attr attr_make(void)
{
	return (struct perf_event_attr){
		.type = PERF_TYPE_SOFTWARE, .size = sizeof(struct perf_event_attr), .config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_freq = PERFMAKE_HZ, .freq = 1, .sample_id_all = 1,
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU |
		PERF_SAMPLE_PERIOD |
			       PERF_SAMPLE_CALLCHAIN,
	};
}

/* A record that holds a piece of a zstd stream: a block that is stored as it is, the last one or not. */
static void packed(struct buf *out, const char *p, size_t n, bool first, bool last)
{
	size_t head = (first ? 6 : 0) + 3;
	uint32_t block = last | (uint32_t)n << 3;

	u32(out, 81);
	u16(out, 0);
	u16(out, (unsigned)(8 + head + n));
	if (first) {
		u32(out, 0xfd2fb528);
		u16(out, 0x58 << 8);		/* no checksum, a window of 2 MB */
	}
	buf_put(out, &block, 3);
	buf_put(out, p, n);
}

void perfmake_pipe(struct buf *out, bool pack)
{
	struct perf_event_attr a = attr_make();
	struct buf body = { 0 }, data = { 0 };

	records(&data, &body);
	buf_put(out, "PERFILE2", 8);
	u64(out, 16);
	u32(out, 64), u16(out, 0), u16(out, 8 + sizeof a + 8);
	buf_put(out, &a, sizeof a);
	u64(out, 1);
	u32(out, 80), u16(out, 0), u16(out, 8 + 8 + 8), u64(out, 7), u32(out, 2), u32(out, 2);
	if (pack) {
		packed(out, data.data, data.len / 2 - 3, true, false);
		packed(out, data.data + data.len / 2 - 3, data.len - data.len / 2 + 3, false, true);
	} else {
		buf_put(out, data.data, data.len);
	}
	out->failed |= data.failed || body.failed;
	buf_free(&body);
	buf_free(&data);
}

void perfmake(struct buf *out)
{
	struct perf_event_attr a = attr_make();
	struct buf body = { 0 }, data = { 0 }, ids = { 0 };
	uint64_t at;

	records(&data, &body);
	u32(&body, PID);
	buf_pad(&body, 0xab, 20);
	buf_pad(&body, 0, 4);
	text(&body, "/nowhere/maker");
	u32(&ids, 0), u16(&ids, PERF_RECORD_MISC_USER), u16(&ids, (unsigned)(8 + body.len));
	buf_put(&ids, body.data, body.len);
	buf_put(out, "PERFILE2", 8);
	u64(out, HEAD), u64(out, sizeof a + 16);
	u64(out, HEAD), u64(out, sizeof a + 16);
	u64(out, HEAD + sizeof a + 16), u64(out, data.len);
	u64(out, 0), u64(out, 0);
	u64(out, 1u << 2 | 1u << 7), u64(out, 0), u64(out, 0), u64(out, 0);
	buf_put(out, &a, sizeof a);
	u64(out, HEAD), u64(out, 0);
	buf_put(out, data.data, data.len);
	at = out->len + 32;
	feature_part(out, &at, ids.len);
	feature_part(out, &at, 8);
	buf_put(out, ids.data, ids.len);
	u32(out, 2), u32(out, 2);
	out->failed |= data.failed || body.failed || ids.failed;
	buf_free(&body);
	buf_free(&data);
	buf_free(&ids);
}
