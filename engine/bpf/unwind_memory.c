/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/bpf/unwind_memory.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "engine/bpf/bpf.h"
#include "engine/bpf/loaded.h"
#include "engine/bpf/maps.h"
#include "rt/unwind.h"

enum { ALIGN = 64 };

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

static int chunk_add(struct unwind_memory *m)
{
	int outer = m->loaded->mapfd[m->loaded->im->map_of[BPF_MAP_UNWIND_CHUNKS]];
	int fd = chunk_create(), err = fd;
	uint32_t number = m->nchunks;

	if (fd >= 0)
		err = bpf_map_update_elem(outer, &number, &fd, BPF_ANY) ? -errno : chunk_map(m, fd);
	if (err && fd >= 0)
		close(fd);
	return err;
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
	m->err = chunk_add(m);
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
