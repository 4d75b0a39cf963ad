/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/host/perf_ring.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "engine/host/cpus.h"
#include "engine/host/refusal.h"

/* A ring wakes its reader when this part of it is full. The rest must last until the reader runs, which can take long
 * on a busy machine. */
enum { WAKE_PART = 8 };

/* On failure, *what names the step that failed. */
static int ring_open(const struct perf_rings *r, struct perf_ring *ring, const char **what)
{
	struct perf_event_attr a = r->attr;
	void *page;

	if (a.watermark && !a.wakeup_watermark)
		a.wakeup_watermark = (uint32_t)(r->bytes / WAKE_PART);
	*what = "perf_event_open";
	ring->fd = (int)syscall(SYS_perf_event_open, &a, r->pid, ring->cpu, -1, PERF_FLAG_FD_CLOEXEC);
	if (ring->fd < 0)
		return -errno;
	*what = "the locked-memory limit is too low for perf events (ulimit -l, kernel.perf_event_mlock_kb)";
	page = mmap(NULL, r->bytes + r->page_size, PROT_READ | PROT_WRITE, MAP_SHARED, ring->fd, 0);
	if (page == MAP_FAILED)
		return -errno;
	ring->page = page;
	return 0;
}

static void ring_unmap(const struct perf_rings *r, struct perf_ring *ring)
{
	if (ring->page)
		munmap(ring->page, r->bytes + r->page_size);
	if (ring->fd >= 0)
		close(ring->fd);
	*ring = (struct perf_ring){ .cpu = ring->cpu, .fd = -1, .away = ring->away };
}

static void rings_unmap(struct perf_rings *r)
{
	for (unsigned i = 0; i < r->n; i++)
		ring_unmap(r, &r->v[i]);
}

/* If the CPU has gone offline in the meantime, that is not an error. */
static int ring_open_online(const struct perf_rings *r, struct perf_ring *ring, const char **what)
{
	int err = ring_open(r, ring, what);

	ring->away = err == -ENODEV;
	return ring->away ? 0 : err;
}

/* All rings have the same size; otherwise the first ones could lock memory that the last ones need. */
static int rings_open(struct perf_rings *r, size_t bytes, const char **what)
{
	int err = -ENOMEM;

	for (r->bytes = bytes; r->bytes >= r->page_size; r->bytes /= 2) {
		err = 0;
		for (unsigned i = 0; i < r->n && !err; i++)
			err = r->v[i].away ? 0 : ring_open_online(r, &r->v[i], what);
		if (!err)
			return 0;
		rings_unmap(r);
		if (err != -EPERM && err != -ENOMEM)
			break;
	}
	return err;
}

static void rings_want(struct perf_rings *r, const struct perf_rings_want *want)
{
	*r = (struct perf_rings){ .page_size = (size_t)sysconf(_SC_PAGESIZE), .attr = *want->attr, .pid = want->pid };
	r->attr.type = PERF_TYPE_SOFTWARE;
	r->attr.config = PERF_COUNT_SW_DUMMY;
	r->attr.sample_period = 1;
	r->attr.size = sizeof r->attr;
	r->attr.watermark = 1;
	/* 0: ring_open sets it */
	r->attr.wakeup_watermark = want->at_once ? 1 : want->wake ? 0 : 1u << 30;
}

int perf_rings_open(struct perf_rings *r, const struct perf_rings_want *want, char *reason, size_t n)
{
	unsigned possible = cpus_possible();
	int *cpus = calloc(2 * (size_t)possible, sizeof *cpus), *online = cpus + possible, err = -ENOMEM;
	const char *what = "perf_event_open";

	rings_want(r, want);
	r->v = calloc(possible, sizeof *r->v);
	if (cpus && r->v) {
		unsigned nonline = cpus_online(online, possible);

		r->n = cpus_present(cpus, possible);
		for (unsigned i = 0; i < r->n; i++)
			r->v[i] = (struct perf_ring){ .cpu = cpus[i], .fd = -1,
						      .away = !cpus_has(online, nonline, cpus[i]) };
		err = rings_open(r, want->bytes, &what);
	}
	if (err)
		snprintf(reason, n, "%s: %s", what, refusal_errno(-err));
	free(cpus);
	return err;
}

void perf_rings_close(struct perf_rings *r)
{
	rings_unmap(r);
	free(r->v);
	free(r->pending);
	buf_free(&r->whole);
	*r = (struct perf_rings){ 0 };
}

int perf_rings_add(struct perf_rings *r, unsigned ring)
{
	const char *what;
	int err;

	ring_unmap(r, &r->v[ring]);
	err = ring_open(r, &r->v[ring], &what);
	r->v[ring].away = false;
	if (err)
		ring_unmap(r, &r->v[ring]);
	return err;
}

/* ---- records in a ring ---- */
static const uint8_t *ring_at(const struct perf_rings *r, unsigned ring, uint64_t pos)
{
	return (const uint8_t *)r->v[ring].page + r->page_size + pos % r->bytes;
}

/* Copies a record that wraps around the end of its ring. Returns NULL if there is no memory. */
static const struct perf_event_header *record_at(struct perf_rings *r, const struct perf_pending *n)
{
	const struct perf_event_header *h = (const void *)ring_at(r, n->ring, n->pos);
	size_t first = r->bytes - n->pos % r->bytes;

	if (n->size <= first)
		return h;
	buf_reset(&r->whole);
	buf_put(&r->whole, h, first);
	buf_put(&r->whole, ring_at(r, n->ring, 0), n->size - first);
	r->failed |= r->whole.failed;
	return r->whole.failed ? NULL : (const void *)r->whole.data;
}

/* Bytes of sample_id (perf_event_open(2)), which follows every record that is not a sample. */
static size_t tail_bytes(const struct perf_rings *r)
{
	const uint64_t parts = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID |
			       PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER;

	return 8 * (size_t)__builtin_popcountll(r->attr.sample_type & parts);
}

/* Records consist of 8-byte words, so no word wraps around the end of the ring. */
static uint64_t record_time(const struct perf_rings *r, unsigned ring, uint64_t pos)
{
	const struct perf_event_header *h = (const void *)ring_at(r, ring, pos);
	size_t off = h->type == PERF_RECORD_SAMPLE ? offsetof(struct perf_head, time) :
			h->size - tail_bytes(r) + (r->attr.sample_type & PERF_SAMPLE_TID ? 8 : 0);
	uint64_t time;

	memcpy(&time, ring_at(r, ring, pos + off), sizeof time);
	return time;
}

/* True if the size of a record is valid: a multiple of 8, and at most the `there` bytes in the ring. */
static bool size_valid(const struct perf_rings *r, const struct perf_event_header *h, uint64_t there)
{
	size_t least = h->type == PERF_RECORD_SAMPLE ? sizeof(struct perf_head) : sizeof *h + tail_bytes(r);

	return h->size >= least && h->size <= there && h->size % 8 == 0;
}

/* ---- reading ---- */
static bool pending_add(struct perf_rings *r, unsigned ring, uint64_t pos, uint32_t size)
{
	if (r->npending == r->cap) {
		size_t cap = r->cap ? 2 * r->cap : 1024;
		struct perf_pending *v = reallocarray(r->pending, cap, sizeof *v);

		r->failed |= !v;
		if (!v)
			return false;
		r->pending = v;
		r->cap = cap;
	}
	r->pending[r->npending++] = (struct perf_pending){ record_time(r, ring, pos), r->seq++, pos, ring, size };
	return true;
}

static uint64_t ring_head(const struct perf_ring *ring)
{
	return __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
}

/* True if the largest record might not fit. */
static bool ring_full(const struct perf_rings *r, const struct perf_ring *ring, uint64_t head)
{
	const size_t largest = UINT16_MAX + 1, room = largest < r->bytes / 2 ? largest : r->bytes / 2;

	return head - ring->page->data_tail + room > r->bytes;
}

/* After an invalid record, skips the rest, because the start of the next record is unknown. */
static void ring_take(struct perf_rings *r, unsigned ring)
{
	struct perf_ring *p = &r->v[ring];
	uint64_t head = ring_head(p);

	r->full |= ring_full(r, p, head);
	if (head - p->page->data_tail > r->bytes)
		p->taken = head;
	while (p->taken < head) {
		const struct perf_event_header *h = (const void *)ring_at(r, ring, p->taken);

		if (!size_valid(r, h, head - p->taken) || !pending_add(r, ring, p->taken, h->size))
			break;
		p->taken += h->size;
	}
	p->taken = head;
}

static int pending_compare(const void *x, const void *y)
{
	const struct perf_pending *a = x, *b = y;

	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	return a->seq < b->seq ? -1 : a->seq > b->seq;
}

/* What read() returns, as read_format requests. */
struct perf_ring_count {
	uint64_t value, enabled;
};

bool perf_ring_dead(struct perf_ring *r)
{
	struct perf_ring_count now;
	bool alive = r->page && read(r->fd, &now, sizeof now) == sizeof now && now.enabled != r->enabled;

	r->enabled = alive ? now.enabled : 0;
	return !alive;
}

void perf_rings_take(struct perf_rings *r, uint64_t until)
{
	r->npending -= r->at;
	if (r->npending)
		memmove(r->pending, r->pending + r->at, r->npending * sizeof *r->pending);
	r->at = 0;
	r->until = until;
	r->full = r->filled;
	r->filled = false;
	for (unsigned i = 0; i < r->n; i++)
		if (r->v[i].page)
			ring_take(r, i);
	for (size_t i = 1; i < r->npending; i++) {
		if (r->pending[i].time < r->pending[i - 1].time) {
			qsort(r->pending, r->npending, sizeof *r->pending, pending_compare);
			break;
		}
	}
}

/* Lets the kernel overwrite everything that was read and is not held back. */
static void rings_release(struct perf_rings *r)
{
	for (unsigned i = 0; i < r->n; i++) {
		uint64_t tail = r->v[i].taken;

		if (!r->v[i].page)
			continue;
		for (size_t k = r->at; k < r->npending; k++)
			if (r->pending[k].ring == i && r->pending[k].pos < tail)
				tail = r->pending[k].pos;
		r->filled |= ring_full(r, &r->v[i], ring_head(&r->v[i]));
		__atomic_store_n(&r->v[i].page->data_tail, tail, __ATOMIC_RELEASE);
	}
}

const struct perf_event_header *perf_rings_next(struct perf_rings *r, uint64_t *time)
{
	const struct perf_pending *n = r->at < r->npending ? &r->pending[r->at] : NULL;

	if (!n || n->time > r->until) {
		rings_release(r);
		return NULL;
	}
	r->at++;
	*time = n->time;
	return record_at(r, n);
}

void perf_rings_each(struct perf_rings *r, void (*fn)(void *arg, const struct perf_event_header *h, uint64_t time),
		     void *arg)
{
	for (size_t i = r->at; i < r->npending; i++) {
		const struct perf_event_header *h = record_at(r, &r->pending[i]);

		if (h)
			fn(arg, h, r->pending[i].time);
	}
}
