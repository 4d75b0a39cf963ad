/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/symbols/proc_events.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "engine/host/perf_ring.h"

enum { PAGES = 64 };	/* pages of each CPU's ring: room for some hundred program starts between two passes */

struct proc_events {
	struct perf_rings rings;
	uint64_t lost;
};

int proc_events_open(struct proc_events **out)
{
	const struct perf_event_attr attr = {
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED, .sample_type = PERF_SAMPLE_TIME, .sample_id_all = 1,
		.mmap = 1, .mmap2 = 1, .task = 1, .comm = 1, .comm_exec = 1, .use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
	};
	const struct perf_rings_want want = { .attr = &attr, .pid = -1,
		.bytes = PAGES * (size_t)sysconf(_SC_PAGESIZE), .wake = true };
	struct proc_events *e = calloc(1, sizeof *e);
	char reason[160];
	int err;

	*out = NULL;
	if (!e)
		return -ENOMEM;
	err = perf_rings_open(&e->rings, &want, reason, sizeof reason);
	if (err)
		proc_events_close(e);
	else
		*out = e;
	return err;
}

void proc_events_close(struct proc_events *e)
{
	if (!e)
		return;
	perf_rings_close(&e->rings);
	free(e);
}

bool proc_events_fd(const struct proc_events *e, unsigned i, int *fd)
{
	if (!e || i >= e->rings.n)
		return false;
	*fd = e->rings.v[i].fd;
	return true;
}

uint64_t proc_events_lost(const struct proc_events *e)
{
	return e ? e->lost : 0;
}

/* ---- records ---- */
/* PERF_RECORD_FORK and _EXIT; PERF_RECORD_COMM up to pid. */
struct proc_events_task {
	struct perf_event_header h;
	uint32_t pid, ppid, tid, ptid;
};

static void event_apply(struct proc_events *e, struct maps *m, const struct perf_event_header *h, uint64_t time)
{
	const struct proc_events_task *t = (const void *)h;
	const struct perf_mmap2 *map = (const void *)h;
	const uint64_t *lost = (const uint64_t *)(h + 1) + 1;

	if (h->type != PERF_RECORD_LOST && !t->pid)
		return;		/* all processes outside of this PID name space have this ID */
	switch (h->type) {
	case PERF_RECORD_MMAP2:
		maps_add(m, map->pid, time,
			 &(struct maps_file){ map->path, makedev(map->major, map->minor), map->ino },
			 &(struct mapping){ .start = map->addr, .end = map->addr + map->len, .off = map->off });
		break;
	case PERF_RECORD_FORK:
		if (t->pid != t->ppid && t->ppid)
			maps_fork(m, t->pid, t->ppid, time);
		break;
	case PERF_RECORD_EXIT:
		if (t->pid == t->tid)
			maps_exit(m, t->pid, time);
		break;
	case PERF_RECORD_COMM:
		if (h->misc & PERF_RECORD_MISC_COMM_EXEC)
			maps_exec(m, t->pid, time);
		break;
	case PERF_RECORD_LOST:
		e->lost += *lost;
		break;
	}
}

/* Later events wait for the next pass: an older one may still arrive in a ring that has already been read. */
void proc_events_read(struct proc_events *e, struct maps *m)
{
	const struct perf_event_header *h;
	uint64_t time;

	if (!e)
		return;
	perf_rings_take(&e->rings, clock_now());
	while ((h = perf_rings_next(&e->rings, &time)))
		event_apply(e, m, h, time);
	m->nomem |= e->rings.failed;
	e->rings.failed = false;
}

void proc_events_refresh(struct proc_events *e, struct maps *m)
{
	bool read = false;

	for (unsigned i = 0; e && i < e->rings.n; i++) {
		if (!perf_ring_dead(&e->rings.v[i]))
			continue;
		if (!read)
			proc_events_read(e, m);		/* opening a ring again discards its records */
		read = true;
		perf_rings_add(&e->rings, i);
	}
}
