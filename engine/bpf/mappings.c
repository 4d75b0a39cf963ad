/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/bpf/mappings.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/clock.h"

enum { PAGES = 16 };			/* of each CPU's ring: some hundred mappings */
#define SECOND 1000000000ull

int mappings_open(struct mappings *m, char *reason, size_t n)
{
	const struct perf_event_attr attr = {
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED, .sample_type = PERF_SAMPLE_TIME, .sample_id_all = 1,
		.mmap = 1, .mmap2 = 1, .use_clockid = 1, .clockid = CLOCK_MONOTONIC,
	};
	const struct perf_rings_want want = {
		.attr = &attr, .pid = -1, .bytes = PAGES * (size_t)sysconf(_SC_PAGESIZE), .at_once = true,
	};
	int r = perf_rings_open(&m->rings, &want, reason, n);

	m->seen = r ? NULL : calloc(MAPPINGS_SEEN, sizeof *m->seen);
	m->open = m->seen != NULL;
	if (m->open)
		return 0;
	if (!r)
		snprintf(reason, n, "out of memory");
	perf_rings_close(&m->rings);
	return r ? r : -ENOMEM;
}

static struct mapping_seen *seen_slot(struct mappings *m, uint64_t ino)
{
	return &m->seen[ino % MAPPINGS_SEEN];
}

/* Returns true if the file was not reported within the last second. */
static bool is_new(struct mappings *m, const struct perf_mmap2 *e)
{
	struct mapping_seen now = { e->ino, makedev(e->major, e->minor), e->generation, clock_now() };
	struct mapping_seen *s = seen_slot(m, e->ino);

	if (*e->path != '/' || (s->ino == now.ino && s->dev == now.dev && s->generation == now.generation &&
				now.time - s->time < SECOND))
		return false;
	*s = now;
	return true;
}

static const struct perf_event_header *next_record(struct mappings *m)
{
	const struct perf_event_header *h;
	uint64_t time;

	if (!m->reading)
		perf_rings_take(&m->rings, UINT64_MAX);
	h = perf_rings_next(&m->rings, &time);
	m->reading = h != NULL;
	return h;
}

bool mappings_next(struct mappings *m, struct program_region *r)
{
	const struct perf_event_header *h;

	while (m->open && (h = next_record(m))) {
		const struct perf_mmap2 *e = (const void *)h;

		*r = (struct program_region){ .pid = 0 };
		if (h->type == PERF_RECORD_LOST)
			return true;
		if (h->type != PERF_RECORD_MMAP2 || !is_new(m, e))
			continue;
		*r = (struct program_region){
			.pid = e->pid, .start = e->addr, .end = e->addr + e->len, .ino = e->ino,
		};
		return true;
	}
	return false;
}

void mappings_forget(struct mappings *m, uint64_t ino)
{
	if (m->open)
		seen_slot(m, ino)->time = 0;
}

bool mappings_reopen(struct mappings *m, unsigned i)
{
	return m->open && !m->reading && perf_ring_dead(&m->rings.v[i]) && !perf_rings_add(&m->rings, i);
}

void mappings_close(struct mappings *m)
{
	if (m->open)
		perf_rings_close(&m->rings);
	free(m->seen);
	m->seen = NULL;
	m->open = false;
}
