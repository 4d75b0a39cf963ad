/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/bpf/unwind/memory.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "engine/bpf/code/bpf.h"
#include "engine/bpf/load/loaded.h"
#include "engine/bpf/load/maps.h"
#include "rt/unwind.h"

enum { ALIGN = 64, GROWTH = 16 /* chunks added at once, at most */ };

/* ---- lists of extents ---- */
static bool extent_add(struct unwind_extents *l, uint32_t at, struct unwind_extent e)
{
	if (l->n == l->cap) {
		uint32_t cap = l->cap ? 2 * l->cap : 64;
		struct unwind_extent *v = reallocarray(l->v, cap, sizeof *v);

		if (!v)
			return false;
		l->v = v;
		l->cap = cap;
	}
	memmove(l->v + at + 1, l->v + at, (l->n - at) * sizeof *l->v);
	l->v[at] = e;
	l->n++;
	return true;
}

static void extent_remove(struct unwind_extents *l, uint32_t at)
{
	l->n--;
	memmove(l->v + at, l->v + at + 1, (l->n - at) * sizeof *l->v);
}

static bool adjoin(const struct unwind_extent *a, const struct unwind_extent *b)
{
	return a->chunk == b->chunk && a->at + a->size == b->at;
}

/* Adds to the room, which is sorted and has no adjoining extents. If memory runs out, the extent is lost. */
static void room_add(struct unwind_extents *l, struct unwind_extent e)
{
	uint32_t i = 0, end = l->n;

	while (i < end) {
		uint32_t mid = (i + end) / 2;
		bool before = l->v[mid].chunk != e.chunk ? l->v[mid].chunk < e.chunk : l->v[mid].at < e.at;

		i = before ? mid + 1 : i;
		end = before ? end : mid;
	}
	if (i < l->n && adjoin(&e, &l->v[i])) {
		e.size += l->v[i].size;
		extent_remove(l, i);
	}
	if (i && adjoin(&l->v[i - 1], &e))
		l->v[i - 1].size += e.size;
	else
		extent_add(l, i, e);
}

/* ---- chunks ---- */
static int chunk_map(struct unwind_memory *m, int fd)
{
	struct unwind_chunk *v = reallocarray(m->chunk, m->nchunks + 1, sizeof *v);
	void *p;

	if (!v)
		return -ENOMEM;
	m->chunk = v;
	p = mmap(NULL, UNWIND_CHUNK, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (p == MAP_FAILED)
		return -errno;
	v[m->nchunks] = (struct unwind_chunk){ fd, p };
	room_add(&m->room, (struct unwind_extent){ m->nchunks++, 0, UNWIND_CHUNK });
	return 0;
}

/* The kernel waits for RCU after each call. Before Linux 5.19, there is none for several elements. */
static int chunks_publish(const struct unwind_memory *m, const uint32_t *number, const int *fd, uint32_t n)
{
	int outer = m->loaded->mapfd[m->loaded->im->map_of[BPF_MAP_UNWIND_CHUNKS]], err = 0;
	uint32_t done = n;

	if (n > 1 && !bpf_map_update_batch(outer, number, fd, &done, NULL))
		return 0;
	for (uint32_t i = 0; i < n && !err; i++)
		err = bpf_map_update_elem(outer, &number[i], &fd[i], BPF_ANY) ? -errno : 0;
	return err;
}

/* Adds chunks: half as many as there are. */
static int chunks_add(struct unwind_memory *m)
{
	uint64_t room = m->limit / UNWIND_CHUNK - m->nchunks, want = 1 + m->nchunks / 2;
	uint32_t number[GROWTH], n = 0, used = 0;
	int fd[GROWTH], err = 0;

	room = room < UNWIND_CHUNKS - m->nchunks ? room : UNWIND_CHUNKS - m->nchunks;
	want = want < GROWTH ? want : GROWTH;
	while (n < want && n < room && (fd[n] = chunk_create()) >= 0) {
		number[n] = m->nchunks + n;
		n++;
	}
	if (!n)
		return room ? fd[0] : -ENOSPC;
	err = chunks_publish(m, number, fd, n);
	while (used < n && !err && !(err = chunk_map(m, fd[used])))
		used++;
	for (uint32_t i = used; i < n; i++)
		close(fd[i]);
	return used ? 0 : err;
}

int memory_open(struct unwind_memory *m, const struct bpf_loaded *l, uint64_t limit)
{
	*m = (struct unwind_memory){ .loaded = l, .limit = limit };
	return chunk_map(m, l->mapfd[l->im->map_of[BPF_MAP_UNWIND_FIRST]]);
}

void memory_close(struct unwind_memory *m)
{
	for (uint32_t i = 0; i < m->nchunks; i++) {
		munmap(m->chunk[i].bytes, UNWIND_CHUNK);
		if (i)
			close(m->chunk[i].fd);	/* the first one is the image's */
	}
	free(m->chunk);
	free(m->room.v);
	free(m->limbo.v);
	*m = (struct unwind_memory){ 0 };
}

/* ---- use ---- */
static struct unwind_extent room_take(struct unwind_extents *l, uint32_t bytes)
{
	for (uint32_t i = 0; i < l->n; i++) {
		struct unwind_extent e = { l->v[i].chunk, l->v[i].at, bytes };

		if (l->v[i].size < bytes)
			continue;
		l->v[i].at += bytes;
		l->v[i].size -= bytes;
		if (!l->v[i].size)
			extent_remove(l, i);
		return e;
	}
	return (struct unwind_extent){ 0 };
}

struct unwind_extent memory_take(struct unwind_memory *m, uint32_t bytes)
{
	uint32_t size = (bytes + ALIGN - 1) / ALIGN * ALIGN;
	struct unwind_extent e = { 0 };

	if (!bytes || bytes > UNWIND_CHUNK)
		return e;
	e = room_take(&m->room, size);
	if (e.size || (m->nchunks + 1ull) * UNWIND_CHUNK > m->limit || m->nchunks == UNWIND_CHUNKS)
		return e;
	m->err = chunks_add(m);
	return m->err ? e : room_take(&m->room, size);
}

void memory_give(struct unwind_memory *m, struct unwind_extent e)
{
	if (e.size && extent_add(&m->limbo, m->limbo.n, e))
		m->waiting += e.size;
}

void memory_settle(struct unwind_memory *m)
{
	for (uint32_t i = 0; i < m->limbo.n; i++)
		room_add(&m->room, m->limbo.v[i]);
	m->limbo.n = 0;
	m->waiting = 0;
}

void *memory_at(const struct unwind_memory *m, struct unwind_extent e)
{
	return m->chunk[e.chunk].bytes + e.at;
}
