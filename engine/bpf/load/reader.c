/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/bpf/load/reader.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
	PART = 256 * 1024,	/* bytes that are mapped at a time, unless a record is longer */
	HEADER = 8,		/* BPF_RINGBUF_HDR_SZ */
};

/* The records are mapped as a whole, with the page that precedes them. */
static bool is_small(const struct ring_reader *r)
{
	return 2 * r->size <= PART;
}

/* In a file of the kernel, the page with `taken` and that with `written` precede the records. */
static void *map_pages(const struct ring_reader *r, int protection, uint64_t at, uint64_t len)
{
	void *p = mmap(NULL, len, protection, MAP_SHARED, r->fd, (off_t)at);

	return p == MAP_FAILED ? NULL : p;
}

static void part_unmap(struct ring_reader *r)
{
	if (r->part && !is_small(r))
		munmap((void *)r->part, r->len);
	r->part = NULL;
}

static bool part_has(const struct ring_reader *r, uint64_t at, uint64_t n)
{
	return r->part && at >= r->from && at + n <= r->from + r->len;
}

/* The n bytes at an offset, or NULL: errno says why. */
static const uint8_t *part_at(struct ring_reader *r, uint64_t at, uint64_t n)
{
	const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), whole = 2 * r->size;
	uint64_t least;

	if (!part_has(r, at, n)) {
		part_unmap(r);
		r->from = at / page * page;
		least = (at - r->from + n + page - 1) / page * page;
		r->len = least > PART ? least : PART;
		if (r->len > whole - r->from)
			r->len = whole - r->from;
		r->part = map_pages(r, PROT_READ, 2 * page + r->from, r->len);
	}
	return r->part ? r->part + (at - r->from) : NULL;
}

/* Bytes that are mapped for as long as the ring is open, from the page with `written` on. */
static uint64_t pages_written(const struct ring_reader *r)
{
	return (uint64_t)sysconf(_SC_PAGESIZE) + (is_small(r) ? 2 * r->size : 0);
}

int reader_open(struct ring_reader *r, int fd)
{
	const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	struct bpf_map_info info = { 0 };
	uint32_t n = sizeof info;
	int err;

	*r = (struct ring_reader){ .fd = fd };
	if (bpf_obj_get_info_by_fd(fd, &info, &n))
		return -errno;
	r->size = info.max_entries;
	r->taken = map_pages(r, PROT_READ | PROT_WRITE, 0, page);
	if (r->taken)
		r->written = map_pages(r, PROT_READ, page, pages_written(r));
	if (!r->written) {
		err = -errno;
		reader_close(r);
		return err;
	}
	if (is_small(r)) {
		r->part = (const uint8_t *)r->written + page;
		r->len = 2 * r->size;
	}
	return 0;
}

/* To callers the other two mean that nothing is wrong. */
static int part_error(void)
{
	return errno == EAGAIN || errno == EINTR ? -ENOMEM : -errno;
}

int reader_take(struct ring_reader *r, ring_record_fn *fn, void *arg)
{
	uint64_t at = *r->taken, end;

	while (at < (end = __atomic_load_n(r->written, __ATOMIC_ACQUIRE))) {
		while (at < end) {
			const uint8_t *p = part_at(r, at & (r->size - 1), HEADER);
			uint32_t head, n;

			if (!p)
				return part_error();
			head = __atomic_load_n((const uint32_t *)p, __ATOMIC_ACQUIRE);
			if (head & BPF_RINGBUF_BUSY_BIT)	/* it is being written, and what follows waits for it */
				return 0;
			n = head & ~(uint32_t)(BPF_RINGBUF_BUSY_BIT | BPF_RINGBUF_DISCARD_BIT);
			p = part_at(r, at & (r->size - 1), HEADER + n);
			if (!p)
				return part_error();
			if (!(head & BPF_RINGBUF_DISCARD_BIT))
				fn(arg, p + HEADER, n);
			at += (HEADER + n + 7) & ~7ull;
			__atomic_store_n(r->taken, at, __ATOMIC_RELEASE);
		}
	}
	return 0;
}

void reader_close(struct ring_reader *r)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);

	part_unmap(r);
	if (r->taken)
		munmap(r->taken, page);
	if (r->written)
		munmap((void *)r->written, pages_written(r));
	*r = (struct ring_reader){ 0 };
}
