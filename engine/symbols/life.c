/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/symbols/life.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"

enum { PAGES = 64 };	/* of each CPU's buffer: some hundred programs started between two looks */

struct cpu_ring {
	int fd;
	struct perf_event_mmap_page *page;
	uint64_t enabled;	/* for how long, when it was asked last: it stands still when its CPU has been away */
};

/* What read() gives, as read_format says. */
struct reading {
	uint64_t value, enabled;
};

/* Where a note lies in the bytes that were taken. */
struct note {
	uint64_t time;
	size_t off, seq;
};

struct life {
	size_t page_size;
	unsigned n;
	struct cpu_ring *ring;
	struct buf bytes;
	struct note *note;
	size_t notes, cap;
	uint64_t lost;
	uint8_t whole[UINT16_MAX + 1];	/* a record, copied: it may wrap around the end of its ring */
};

static int ring_open(const struct life *w, struct cpu_ring *r, int cpu)
{
	struct perf_event_attr a = {
		.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_DUMMY, .size = sizeof a, .sample_period = 1,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED,
		.sample_type = PERF_SAMPLE_TIME, .sample_id_all = 1, .mmap = 1, .mmap2 = 1, .task = 1, .comm = 1,
		.comm_exec = 1, .use_clockid = 1, .clockid = CLOCK_MONOTONIC, .watermark = 1, .wakeup_watermark = 1 << 30,
	};
	int err;

	r->fd = (int)syscall(SYS_perf_event_open, &a, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	if (r->fd < 0)
		return -errno;
	r->page = mmap(NULL, (PAGES + 1) * w->page_size, PROT_READ | PROT_WRITE, MAP_SHARED, r->fd, 0);
	if (r->page != MAP_FAILED) {
		r->enabled = 0;
		return 0;
	}
	err = -errno;
	r->page = NULL;
	close(r->fd);
	r->fd = -1;
	return err;
}

static void ring_close(const struct life *w, struct cpu_ring *r)
{
	if (r->page)
		munmap(r->page, (PAGES + 1) * w->page_size);
	if (r->fd >= 0)
		close(r->fd);
	r->page = NULL;
	r->fd = -1;
}

/* A CPU that is offline has none until life_refresh finds it online. */
int life_open(struct life **out)
{
	struct life *w = calloc(1, sizeof *w);
	long ncpus = sysconf(_SC_NPROCESSORS_CONF);
	int err = -ENOMEM;
	bool any = false;

	*out = NULL;
	if (w)
		w->ring = calloc((size_t)ncpus, sizeof *w->ring);
	if (!w || !w->ring) {
		free(w);
		return -ENOMEM;
	}
	w->page_size = (size_t)sysconf(_SC_PAGESIZE);
	for (; w->n < (unsigned)ncpus; w->n++) {
		int r = ring_open(w, &w->ring[w->n], (int)w->n);

		any |= !r;
		err = r ? r : err;
	}
	if (!any) {
		life_close(w);
		return err;
	}
	*out = w;
	return 0;
}

void life_close(struct life *w)
{
	if (!w)
		return;
	for (unsigned i = 0; i < w->n; i++)
		ring_close(w, &w->ring[i]);
	free(w->ring);
	free(w->note);
	buf_free(&w->bytes);
	free(w);
}

uint64_t life_lost(const struct life *w)
{
	return w ? w->lost : 0;
}

/* ---- taking ---- */
static void note_add(struct life *w, const uint8_t *rec, size_t size)
{
	uint64_t time;

	if (w->notes == w->cap) {
		size_t cap = w->cap ? 2 * w->cap : 256;
		struct note *v = reallocarray(w->note, cap, sizeof *v);

		if (!v) {
			w->bytes.failed = true;
			return;
		}
		w->note = v;
		w->cap = cap;
	}
	memcpy(&time, rec + size - sizeof time, sizeof time);
	w->note[w->notes] = (struct note){ time, w->bytes.len, w->notes };
	buf_put(&w->bytes, rec, size);
	w->notes++;
}

/* A record may go round the end of the ring. */
static void ring_take(struct life *w, struct cpu_ring *r)
{
	size_t room = PAGES * w->page_size;
	const uint8_t *data = (const uint8_t *)r->page + w->page_size;
	uint64_t head = __atomic_load_n(&r->page->data_head, __ATOMIC_ACQUIRE), tail = r->page->data_tail;

	while (tail < head) {
		struct perf_event_header h;
		size_t at = tail % room, first;

		memcpy(&h, data + at, sizeof h);	/* records are aligned to 8 */
		if (h.size < sizeof h + sizeof(uint64_t) || h.size > head - tail)
			break;
		first = room - at < h.size ? room - at : h.size;
		memcpy(w->whole, data + at, first);
		memcpy(w->whole + first, data, h.size - first);
		note_add(w, w->whole, h.size);
		tail += h.size;
	}
	__atomic_store_n(&r->page->data_tail, head, __ATOMIC_RELEASE);
}

/* An event whose CPU went offline is dead, though its descriptor and its buffer are not. */
void life_refresh(struct life *w)
{
	for (unsigned i = 0; w && i < w->n; i++) {
		struct cpu_ring *r = &w->ring[i];
		struct reading now;

		if (r->page && read(r->fd, &now, sizeof now) == sizeof now && now.enabled != r->enabled) {
			r->enabled = now.enabled;
			continue;
		}
		if (r->page)
			ring_take(w, r);
		ring_close(w, r);
		ring_open(w, r, (int)i);
	}
}

static int note_compare(const void *x, const void *y)
{
	const struct note *a = x, *b = y;

	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	return a->seq < b->seq ? -1 : a->seq > b->seq;
}

/* ---- what they say ---- */
struct mmap2 {
	struct perf_event_header h;
	uint32_t pid, tid;
	uint64_t addr, len, off;
	uint32_t major, minor;
	uint64_t ino, generation;
	uint32_t prot, flags;
	char path[];
};

struct task {
	struct perf_event_header h;
	uint32_t pid, ppid, tid, ptid;
};

static void note_mmap(struct maps *m, const struct mmap2 *e, uint64_t time)
{
	struct mapping x = { .start = e->addr, .end = e->addr + e->len, .off = e->off };

	maps_note(m, e->pid, time, e->path, makedev(e->major, e->minor), e->ino, &x);
}

static void note_apply(struct life *w, struct maps *m, const void *rec, uint64_t time)
{
	const struct perf_event_header *h = rec;
	const struct task *t = rec;
	const uint64_t *lost = (const uint64_t *)(h + 1) + 1;

	switch (h->type) {
	case PERF_RECORD_MMAP2:
		note_mmap(m, rec, time);
		break;
	case PERF_RECORD_FORK:
		if (t->pid != t->ppid)
			spaces_fork(&m->spaces, t->pid, t->ppid, time);
		break;
	case PERF_RECORD_EXIT:
		if (t->pid == t->tid)
			spaces_exit(&m->spaces, t->pid);
		break;
	case PERF_RECORD_COMM:
		if (h->misc & PERF_RECORD_MISC_COMM_EXEC)
			spaces_exec(&m->spaces, t->pid, time);
		break;
	case PERF_RECORD_LOST:
		w->lost += *lost;
		break;
	}
}

/* Those from note number `first` on stay for the next time. */
static void notes_keep(struct life *w, size_t first)
{
	struct buf later = { 0 };

	for (size_t i = first; i < w->notes; i++) {
		const struct perf_event_header *h = (const void *)(w->bytes.data + w->note[i].off);
		struct note n = { w->note[i].time, later.len, i - first };

		buf_put(&later, h, h->size);
		w->note[i - first] = n;
	}
	w->notes = later.failed ? 0 : w->notes - first;
	buf_free(&w->bytes);
	w->bytes = later;
}

/* What is younger than the look at the first ring is kept back: an older note may still come into a ring that was
 * looked at before. */
void life_read(struct life *w, struct maps *m)
{
	struct timespec ts;
	uint64_t until;
	size_t i;

	if (!w)
		return;
	clock_gettime(CLOCK_MONOTONIC, &ts);
	until = (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
	for (i = 0; i < w->n; i++)
		if (w->ring[i].page)
			ring_take(w, &w->ring[i]);
	qsort(w->note, w->notes, sizeof *w->note, note_compare);
	for (i = 0; i < w->notes && !w->bytes.failed && w->note[i].time <= until; i++)
		note_apply(w, m, w->bytes.data + w->note[i].off, w->note[i].time);
	m->nomem |= w->bytes.failed;
	if (w->bytes.failed)
		i = w->notes;
	notes_keep(w, i);
	m->nomem |= w->bytes.failed;
	w->bytes.failed = false;
}
