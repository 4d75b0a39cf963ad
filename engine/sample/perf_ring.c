/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/sample/perf_ring.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "engine/host/cpus.h"
#include "engine/unwind/unwind.h"

/* A ring wakes us when an eighth of it is full: the rest is for the time until we run, which is long on a busy machine. */
enum { WAKE_PART = 8 };

void perf_ring_attr(struct perf_event_attr *a)
{
	a->size = sizeof *a;
	a->sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU;
	a->sample_id_all = 1;
	a->use_clockid = 1;
	a->clockid = CLOCK_MONOTONIC;
	a->exclude_kernel = a->exclude_hv = 1;
	a->watermark = 1;
}

void perf_ring_unwind(struct perf_event_attr *a, uint32_t bytes)
{
	a->sample_type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
	a->sample_regs_user |= unwind_mask();
	a->sample_stack_user = bytes;
}

int perf_try_unwind(uint32_t bytes)
{
	struct perf_event_attr a = { .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_DUMMY, .sample_period = 1, .disabled = 1 };
	int fd;

	perf_ring_attr(&a);
	perf_ring_unwind(&a, bytes);
	fd = (int)syscall(SYS_perf_event_open, &a, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		return -errno;
	close(fd);
	return 0;
}

/* An event on this process that counts nothing: only its buffer is of use. What fails is told by its name. */
static int ring_open(const struct perf_rings *r, struct perf_ring *ring, const char **what)
{
	struct perf_event_attr a = { .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_DUMMY, .sample_period = 1, .disabled = 1 };
	void *page;

	perf_ring_attr(&a);
	a.wakeup_watermark = (uint32_t)(r->bytes / WAKE_PART);
	*what = "perf_event_open";
	ring->fd = (int)syscall(SYS_perf_event_open, &a, 0, ring->cpu, -1, PERF_FLAG_FD_CLOEXEC);
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

/* All of one size: the first ones must not take what the last ones would need. */
static int rings_open(struct perf_rings *r, size_t bytes, const char **what)
{
	int err = -ENOMEM;

	for (r->bytes = bytes; r->bytes >= r->page_size; r->bytes /= 2) {
		err = 0;
		for (unsigned i = 0; i < r->n && !err; i++)
			err = r->v[i].away ? 0 : ring_open(r, &r->v[i], what);
		if (!err)
			return 0;
		rings_unmap(r);
		if (err != -EPERM && err != -ENOMEM)
			break;
	}
	return err;
}

int perf_rings_open(struct perf_rings *r, size_t bytes, char *why, size_t n)
{
	unsigned possible = cpus_possible();
	int *cpus = calloc(2 * (size_t)possible, sizeof *cpus), *online = cpus + possible, err = -ENOMEM;
	const char *what = "perf_event_open";

	*r = (struct perf_rings){ .page_size = (size_t)sysconf(_SC_PAGESIZE) };
	r->v = calloc(possible, sizeof *r->v);
	if (cpus && r->v) {
		unsigned nonline = cpus_online(online, possible);

		r->n = cpus_present(cpus, possible);
		for (unsigned i = 0; i < r->n; i++)
			r->v[i] = (struct perf_ring){ .cpu = cpus[i], .fd = -1,
						      .away = !cpus_has(online, nonline, cpus[i]) };
		err = rings_open(r, bytes, &what);
	}
	if (err)
		snprintf(why, n, "%s: %s", what, strerror(-err));
	free(cpus);
	return err;
}

void perf_rings_close(struct perf_rings *r)
{
	rings_unmap(r);
	free(r->v);
	free(r->note);
	buf_free(&r->whole);
	*r = (struct perf_rings){ 0 };
}

int perf_rings_add(struct perf_rings *r, unsigned ring)
{
	const char *what;
	int err = ring_open(r, &r->v[ring], &what);

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

/* A record goes round the end of its ring: that one is put together. NULL: no memory. */
static const struct perf_event_header *record_at(struct perf_rings *r, const struct perf_note *n)
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

/* Records are made of whole words, so none goes round the end within one. */
static uint64_t record_time(const struct perf_rings *r, unsigned ring, uint64_t pos)
{
	const struct perf_event_header *h = (const void *)ring_at(r, ring, pos);
	size_t off = h->type == PERF_RECORD_SAMPLE ? offsetof(struct perf_head, time) :
			h->size - sizeof(struct perf_tail) + offsetof(struct perf_tail, time);
	uint64_t time;

	memcpy(&time, ring_at(r, ring, pos + off), sizeof time);
	return time;
}

/* Could a record of this size be one? There are multiples of 8 bytes only. */
static bool size_right(const struct perf_event_header *h, uint64_t there)
{
	size_t least = h->type == PERF_RECORD_SAMPLE ? sizeof(struct perf_head) : sizeof *h + sizeof(struct perf_tail);

	return h->size >= least && h->size <= there && h->size % 8 == 0;
}

/* ---- taking ---- */
static bool note_add(struct perf_rings *r, unsigned ring, uint64_t pos, uint32_t size)
{
	if (r->notes == r->cap) {
		size_t cap = r->cap ? 2 * r->cap : 1024;
		struct perf_note *v = reallocarray(r->note, cap, sizeof *v);

		r->failed |= !v;
		if (!v)
			return false;
		r->note = v;
		r->cap = cap;
	}
	r->note[r->notes++] = (struct perf_note){ record_time(r, ring, pos), r->seq++, pos, ring, size };
	return true;
}

static uint64_t ring_head(const struct perf_ring *ring)
{
	return __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
}

/* Is there too little room for the largest record? */
static bool ring_full(const struct perf_rings *r, const struct perf_ring *ring, uint64_t head)
{
	const size_t largest = UINT16_MAX + 1, room = largest < r->bytes / 2 ? largest : r->bytes / 2;

	return head - ring->page->data_tail + room > r->bytes;
}

/* What cannot be a record ends what is there: nobody knows where the next begins. */
static void ring_take(struct perf_rings *r, unsigned ring)
{
	struct perf_ring *p = &r->v[ring];
	uint64_t head = ring_head(p);

	r->full |= ring_full(r, p, head);
	if (head - p->page->data_tail > r->bytes)
		p->taken = head;
	while (p->taken < head) {
		const struct perf_event_header *h = (const void *)ring_at(r, ring, p->taken);

		if (!size_right(h, head - p->taken) || !note_add(r, ring, p->taken, h->size))
			break;
		p->taken += h->size;
	}
	p->taken = head;
}

static int note_compare(const void *x, const void *y)
{
	const struct perf_note *a = x, *b = y;

	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	return a->seq < b->seq ? -1 : a->seq > b->seq;
}

void perf_rings_take(struct perf_rings *r, uint64_t now, bool last)
{
	r->notes -= r->at;
	if (r->notes)
		memmove(r->note, r->note + r->at, r->notes * sizeof *r->note);
	r->at = 0;
	r->until = last ? UINT64_MAX : now;
	r->full = r->filled;
	r->filled = false;
	for (unsigned i = 0; i < r->n; i++)
		if (r->v[i].page)
			ring_take(r, i);
	for (size_t i = 1; i < r->notes; i++) {
		if (r->note[i].time < r->note[i - 1].time) {
			qsort(r->note, r->notes, sizeof *r->note, note_compare);
			break;
		}
	}
}

/* The kernel may write over all that was taken and is not kept back. */
static void rings_release(struct perf_rings *r)
{
	for (unsigned i = 0; i < r->n; i++) {
		uint64_t tail = r->v[i].taken;

		if (!r->v[i].page)
			continue;
		for (size_t k = r->at; k < r->notes; k++)
			if (r->note[k].ring == i && r->note[k].pos < tail)
				tail = r->note[k].pos;
		r->filled |= ring_full(r, &r->v[i], ring_head(&r->v[i]));
		__atomic_store_n(&r->v[i].page->data_tail, tail, __ATOMIC_RELEASE);
	}
}

const struct perf_event_header *perf_rings_next(struct perf_rings *r, uint64_t *time)
{
	const struct perf_note *n = r->at < r->notes ? &r->note[r->at] : NULL;

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
	for (size_t i = r->at; i < r->notes; i++) {
		const struct perf_event_header *h = record_at(r, &r->note[i]);

		if (h)
			fn(arg, h, r->note[i].time);
	}
}
