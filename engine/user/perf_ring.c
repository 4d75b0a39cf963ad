/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/user/perf_ring.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "engine/bpf/cpus.h"
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
	*what = "no memory may be locked for perf events (ulimit -l, kernel.perf_event_mlock_kb)";
	page = mmap(NULL, r->bytes + r->page_size, PROT_READ | PROT_WRITE, MAP_SHARED, ring->fd, 0);
	if (page == MAP_FAILED)
		return -errno;
	ring->page = page;
	return 0;
}

static void rings_unmap(struct perf_rings *r)
{
	for (unsigned i = 0; i < r->n; i++) {
		if (r->v[i].page)
			munmap(r->v[i].page, r->bytes + r->page_size);
		if (r->v[i].fd >= 0)
			close(r->v[i].fd);
		r->v[i] = (struct perf_ring){ .cpu = r->v[i].cpu, .fd = -1 };
	}
}

/* All of one size: the first ones must not take what the last ones would need. */
static int rings_open(struct perf_rings *r, size_t bytes, const char **what)
{
	int err = -ENOMEM;

	for (r->bytes = bytes; r->bytes >= r->page_size; r->bytes /= 2) {
		err = 0;
		for (unsigned i = 0; i < r->n && !err; i++)
			err = ring_open(r, &r->v[i], what);
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
	int *cpus = calloc(possible, sizeof *cpus), err = -ENOMEM;
	const char *what = "perf_event_open";

	*r = (struct perf_rings){ .page_size = (size_t)sysconf(_SC_PAGESIZE) };
	r->v = calloc(possible, sizeof *r->v);
	if (cpus && r->v) {
		r->n = cpus_online(cpus, possible);
		for (unsigned i = 0; i < r->n; i++)
			r->v[i] = (struct perf_ring){ .cpu = cpus[i], .fd = -1 };
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
	buf_free(&r->batch);
	*r = (struct perf_rings){ 0 };
}

int perf_rings_fd(const struct perf_rings *r, int cpu)
{
	for (unsigned i = 0; i < r->n; i++)
		if (r->v[i].cpu == cpu)
			return r->v[i].fd;
	return -1;
}

/* ---- taking ---- */
static uint64_t record_time(const void *rec)
{
	const struct perf_event_header *h = rec;
	uint64_t time;

	if (h->type == PERF_RECORD_SAMPLE)
		return ((const struct perf_head *)rec)->time;
	memcpy(&time, (const char *)rec + h->size - sizeof(struct perf_tail) + offsetof(struct perf_tail, time), sizeof time);
	return time;
}

static void note_add(struct perf_rings *r, const uint8_t *first, size_t nfirst, const uint8_t *rest, size_t nrest)
{
	size_t off = r->batch.len;

	if (r->notes == r->cap) {
		size_t cap = r->cap ? 2 * r->cap : 1024;
		struct perf_note *v = reallocarray(r->note, cap, sizeof *v);

		r->failed |= !v;
		if (!v)
			return;
		r->note = v;
		r->cap = cap;
	}
	buf_put(&r->batch, first, nfirst);
	buf_put(&r->batch, rest, nrest);
	r->failed |= r->batch.failed;
	if (r->batch.failed)
		return;
	r->note[r->notes] = (struct perf_note){ record_time(r->batch.data + off), off, r->notes };
	r->notes++;
}

/* Could a record of this size be one? There are multiples of 8 bytes only. */
static bool size_right(const struct perf_event_header *h, uint64_t there)
{
	size_t least = h->type == PERF_RECORD_SAMPLE ? sizeof(struct perf_head) : sizeof *h + sizeof(struct perf_tail);

	return h->size >= least && h->size <= there && h->size % 8 == 0;
}

/* A record may go round the end of the ring. What cannot be one ends what is there: nobody knows where the next begins. */
static void ring_take(struct perf_rings *r, struct perf_ring *ring)
{
	const size_t largest = UINT16_MAX + 1, room = largest < r->bytes / 2 ? largest : r->bytes / 2;	/* for a record */
	const uint8_t *data = (const uint8_t *)ring->page + r->page_size;
	uint64_t head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE), tail = ring->page->data_tail;

	r->full |= head - tail + room > r->bytes;
	if (head - tail > r->bytes)
		tail = head;
	while (tail < head) {
		size_t at = tail % r->bytes, first;
		struct perf_event_header h;

		memcpy(&h, data + at, sizeof h);
		if (!size_right(&h, head - tail))
			break;
		first = r->bytes - at < h.size ? r->bytes - at : h.size;
		note_add(r, data + at, first, data, h.size - first);
		tail += h.size;
	}
	__atomic_store_n(&ring->page->data_tail, head, __ATOMIC_RELEASE);
}

static int note_compare(const void *x, const void *y)
{
	const struct perf_note *a = x, *b = y;

	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	return a->seq < b->seq ? -1 : a->seq > b->seq;
}

/* What was kept back moves to the front. */
static void batch_move(struct perf_rings *r)
{
	struct buf old = r->batch;
	size_t n = r->notes - r->at, from = r->at;

	r->batch = (struct buf){ 0 };
	r->notes = r->at = 0;
	if (!n) {
		r->batch = old;
		buf_reset(&r->batch);
		return;
	}
	for (size_t i = 0; i < n; i++) {
		const uint8_t *rec = (const uint8_t *)old.data + r->note[from + i].off;

		note_add(r, rec, ((const struct perf_event_header *)rec)->size, rec, 0);
	}
	buf_free(&old);
}

void perf_rings_take(struct perf_rings *r, uint64_t now, bool last)
{
	batch_move(r);
	r->until = last ? UINT64_MAX : now;
	r->full = false;
	for (unsigned i = 0; i < r->n; i++)
		if (r->v[i].page)
			ring_take(r, &r->v[i]);
	for (size_t i = 1; i < r->notes; i++) {
		if (r->note[i].time < r->note[i - 1].time) {
			qsort(r->note, r->notes, sizeof *r->note, note_compare);
			break;
		}
	}
}

const struct perf_event_header *perf_rings_next(struct perf_rings *r, uint64_t *time)
{
	const struct perf_note *n = r->at < r->notes ? &r->note[r->at] : NULL;

	if (!n || n->time > r->until)
		return NULL;
	r->at++;
	*time = n->time;
	return (const void *)(r->batch.data + n->off);
}

void perf_rings_each(const struct perf_rings *r, void (*fn)(void *arg, const struct perf_event_header *h, uint64_t time),
		     void *arg)
{
	for (size_t i = r->at; i < r->notes; i++)
		fn(arg, (const void *)(r->batch.data + r->note[i].off), r->note[i].time);
}
