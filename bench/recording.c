/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * recording dtr|perf SAMPLES FILE: a recording of made-up samples, the same ones in both formats: two CPUs at 997 Hz,
 * 50 threads with 20 names, a quarter in the kernel.
 */
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/output/write.h"

enum { THREADS = 50, NAMES = 20, PERF_HEAD = 104 };

struct recording_maker {
	FILE *out;
	struct buf b;
	struct record_writer *w;
	struct record_task thread[THREADS];
};

static uint64_t next(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return *seed >> 33;
}

static void drain(struct recording_maker *m, bool all)
{
	if (!all && m->b.len < 1 << 20)
		return;
	if (fwrite(m->b.data, 1, m->b.len, m->out) != m->b.len)
		exit(1);
	buf_reset(&m->b);
}

static void perf_record(struct buf *b, uint32_t type, uint16_t misc, const void *body, size_t n)
{
	struct perf_event_header h = { type, misc, (uint16_t)(sizeof h + n) };

	buf_put(b, &h, sizeof h);
	buf_put(b, body, n);
}

static void perf_sample(struct recording_maker *m, const struct record_sample *s)
{
	const struct { uint64_t ip; uint32_t pid, tid; uint64_t time; uint32_t cpu, res; uint64_t period; } body = {
		s->pc, s->task->pid, s->task->tid, s->ts, s->cpu, 0, 1003009,
	};

	perf_record(&m->b, PERF_RECORD_SAMPLE, s->user ? PERF_RECORD_MISC_USER : PERF_RECORD_MISC_KERNEL, &body,
		    sizeof body);
}

static void perf_head(struct recording_maker *m, uint64_t data)
{
	struct perf_event_attr a = {
		.type = PERF_TYPE_SOFTWARE, .size = sizeof a, .config = PERF_COUNT_SW_CPU_CLOCK, .sample_freq = 997,
		.freq = 1,
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU |
		PERF_SAMPLE_PERIOD,
		.sample_id_all = 1, .comm = 1, .mmap = 1, .task = 1,
	};
	const uint64_t each = sizeof a + 16, none[2] = { PERF_HEAD, 0 };
	const uint64_t head[] = { PERF_HEAD, each, PERF_HEAD, each, PERF_HEAD + each, data, 0, 0, 0, 0, 0, 0 };

	buf_put(&m->b, "PERFILE2", 8);
	buf_put(&m->b, head, sizeof head);
	buf_put(&m->b, &a, sizeof a);
	buf_put(&m->b, none, sizeof none);
	for (unsigned i = 0; i < THREADS; i++) {
		struct { uint32_t pid, tid; char comm[16]; uint32_t id[2]; uint64_t time, cpu; } body = {
			.pid = m->thread[i].pid, .tid = m->thread[i].tid, .id = { m->thread[i].pid, m->thread[i].tid },
		};

		memcpy(body.comm, m->thread[i].comm, sizeof body.comm);
		perf_record(&m->b, PERF_RECORD_COMM, 0, &body, sizeof body);
	}
}

static void samples(struct recording_maker *m, uint64_t n, const struct record_info *info)
{
	uint64_t seed = 1, on[2] = { 0, 1 };

	for (uint64_t i = 0; i < n; i++) {
		struct record_sample s = { .cpu = i & 1 };

		if (next(&seed) % 8 == 0)
			on[s.cpu] = next(&seed) % THREADS;
		s.ts = info->begin + i / 2 * info->interval + next(&seed) % 3000;
		s.task = &m->thread[on[s.cpu]];
		s.user = next(&seed) % 4;
		s.pc = (s.user ? 0x400000 : 0xffffffff81000000) + next(&seed) % 0x100000;
		if (m->w)
			record_put_sample(m->w, &s);
		else
			perf_sample(m, &s);
		drain(m, false);
	}
}

int main(int argc, char **argv)
{
	const struct record_info info = { .interval = 1003009, .begin = 1000000000, .known = 31, .cpus = 2,
		.target = "made up" };
	uint64_t n = argc > 3 ? strtoull(argv[2], NULL, 10) : 0;
	struct recording_maker m = { 0 };

	m.out = n ? fopen(argv[3], "we") : NULL;
	if (!m.out)
		return 2;
	for (unsigned i = 0; i < THREADS; i++) {
		m.thread[i].pid = m.thread[i].tid = 1000 + i;
		snprintf(m.thread[i].comm, sizeof m.thread[i].comm, "proc%u", i % NAMES);
	}
	if (!strcmp(argv[1], "dtr"))
		m.w = record_writer_open(&m.b, &info, false, NULL, NULL);
	else
		perf_head(&m, n * 48 + THREADS * 56);
	samples(&m, n, &info);
	if (m.w)
		record_finish(m.w, info.begin + n * info.interval);
	drain(&m, true);
	record_writer_close(m.w);
	buf_free(&m.b);
	return fclose(m.out) != 0;
}
