/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "tests/lib/walker.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

/* ---- maps ---- */
enum { OWNERS = 131072, CS_64 = 0x33, MM = 0x100, FSBASE = 0x200, START_STACK = 0x20, ID = 1 };
#define TASK 0xffff888000001000ull
#define TASK_MM 0xffff888000002000ull

struct unwind_shared map_unwind;
uint64_t map_owners[OWNERS];
uint8_t map_unwind_first[UNWIND_CHUNK];
char map_unwind_slots, map_unwind_chunks, map_unwind_ring;

/* The helpers have no argument for it. */
static struct walker current;

static void *must(void *p)
{
	if (!p)
		abort();
	return p;
}

/* ---- helpers ---- */
void *map_lookup(void *map, const void *key)
{
	uint32_t i;

	memcpy(&i, key, sizeof i);
	if (map == &map_unwind_slots)
		return i < UNWIND_LEVELS ? current.slot[i] : NULL;
	if (map == &map_unwind_chunks)
		return i && i < current.nchunks ? current.chunk[i] : NULL;
	return i ? NULL : map;
}

static long own_read(void *dst, uint64_t from, uint32_t size)
{
	struct iovec to = { dst, size }, source = { (void *)from, size };

	return process_vm_readv(getpid(), &to, 1, &source, 1, 0) == (ssize_t)size ? 0 : -1;
}

long read_user(void *dst, uint32_t size, const void *from)
{
	long err;

	current.reads++;
	memset(dst, 0xaa, size);	/* finds accesses beyond the destination */
	err = current.read ? current.read(current.arg, dst, (uint64_t)from, size) : own_read(dst, (uint64_t)from, size);
	if (err)
		memset(dst, 0, size);
	return err;
}

long read_kernel(void *dst, uint32_t size, const void *from)
{
	uint64_t at = (uint64_t)from, mm = TASK_MM;

	if (at == TASK + MM)
		memcpy(dst, &mm, size);
	else if (at == TASK_MM + START_STACK)
		memcpy(dst, &current.start_stack, size);
	else if (at == TASK + FSBASE)
		memcpy(dst, &current.fsbase, size);
	else if (from)
		memcpy(dst, from, size);
	else
		memset(dst, 0, size);
	return from ? 0 : -1;
}

uint64_t time_ns(void)
{
	return 1;
}

uint64_t pid_tgid(void)
{
	return (uint64_t)WALKER_PID << 32 | WALKER_PID;
}

long ns_pid_tgid(uint64_t dev, uint64_t ino, struct pidns_ids *out, uint32_t size)
{
	(void)dev, (void)ino, (void)size;
	*out = (struct pidns_ids){ WALKER_PID, WALKER_PID };
	return 0;
}

void *ring_reserve(void *ring, uint64_t size, uint64_t flags)
{
	(void)ring, (void)flags;
	free(current.handover);
	current.handover = current.no_ring ? NULL : must(malloc(size));
	current.handover_size = current.no_ring ? 0 : size;
	current.submitted = false;
	if (current.handover)
		memset(current.handover, 0xaa, size);
	return current.handover;
}

void ring_submit(void *data, uint64_t flags)
{
	(void)flags;
	current.submitted = data == current.handover;
}

uint64_t task(void)
{
	return TASK;
}

void *task_btf(void)
{
	return NULL;
}

uint64_t ring_query(void *ring, uint64_t what)
{
	(void)ring, (void)what;
	return 0;
}

struct task_regs *task_regs(void *t)
{
	(void)t;
	return &current.regs;
}

/* ---- a session ---- */
struct walker *walker_open(void)
{
	struct walker *w = &current;

	memset(&map_unwind, 0, sizeof map_unwind);
	memset(map_unwind_first, 0, sizeof map_unwind_first);
	*w = (struct walker){ .nchunks = 1, .npieces = 1 };
	w->chunk[0] = map_unwind_first;
	w->regs.cs = CS_64;
	map_unwind.mm = MM;
	map_unwind.start_stack = START_STACK;
	map_unwind.fsbase = FSBASE;
	for (int i = 0; i < UNWIND_LEVELS; i++)
		w->slot[i] = must(calloc(1, sizeof *w->slot[i]));
	if (!rules_open(&w->rules, map_unwind.rule))
		abort();
	return w;
}

void walker_close(struct walker *w)
{
	for (int i = 0; i < UNWIND_LEVELS; i++)
		free(w->slot[i]);
	for (uint32_t i = 1; i < w->nchunks; i++)
		free(w->chunk[i]);
	free(w->handover);
	rules_close(&w->rules);
	*w = (struct walker){ 0 };
}

static void *room(struct walker *w, uint32_t bytes, uint32_t *chunk, uint32_t *at)
{
	if (bytes > UNWIND_CHUNK)
		abort();
	if (w->used + bytes > UNWIND_CHUNK) {
		if (w->nchunks == UNWIND_CHUNKS)
			abort();
		w->chunk[w->nchunks++] = must(calloc(1, UNWIND_CHUNK));
		w->used = 0;
	}
	*chunk = w->nchunks - 1;
	*at = w->used;
	w->used += (bytes + 63) & ~63u;
	return w->chunk[*chunk] + *at;
}

uint32_t walker_absent(struct walker *w, uint64_t start, uint64_t end)
{
	if (w->nmappings == UNWIND_MAPPINGS || w->npieces == UNWIND_PIECES)
		abort();
	w->mapping[w->nmappings++] = (struct unwind_mapping){ start, end, 0, w->npieces };
	return w->npieces++;
}

void walker_generated(struct walker *w, uint64_t start, uint64_t end)
{
	if (w->nmappings == UNWIND_MAPPINGS)
		abort();
	w->mapping[w->nmappings++] = (struct unwind_mapping){ .start = start, .end = end };
}

static void table_add(struct walker *w, const struct pack *k, uint64_t number, struct unwind_piece *p)
{
	struct pack_size size = pack_size(k, number);
	uint32_t *table, at;

	*p = (struct unwind_piece){ .state = UNWIND_PIECE_EMPTY };
	if (!size.words)
		return;
	table = room(w, size.words * 4, &p->chunk, &at);
	p->index = at / 4;
	p->pages = size.pages;
	pack_piece(k, number, size.pages, p->index, table);
	p->state = UNWIND_PIECE_LOADED;
}

void walker_add(struct walker *w, const struct pack *k, uint64_t from, uint64_t to, uint64_t base)
{
	while (from < to) {
		uint64_t number = from >> PACK_PIECE_BITS, next = (number + 1) << PACK_PIECE_BITS;
		uint64_t end = next < to ? next : to;
		uint32_t n = walker_absent(w, from + base, end + base);

		w->mapping[w->nmappings - 1].off = from - (number << PACK_PIECE_BITS);
		table_add(w, k, number, &map_unwind.piece[n]);
		from = end;
	}
}

void walker_publish(struct walker *w)
{
	uint32_t hash = WALKER_PID * 0x9e3779b1u >> 16, bytes = w->nmappings * (uint32_t)sizeof *w->mapping;
	struct unwind_space *s = &map_unwind.space[hash & (UNWIND_SPACES - 1)];
	uint32_t id = s->id + ID;
	void *to = room(w, bytes, &s->chunk, &s->at);

	memcpy(to, w->mapping, bytes);
	s->pid = WALKER_PID;
	s->n = w->nmappings;
	s->id = id;
	for (int i = 0; i < UNWIND_LEVELS; i++)
		w->slot[i]->space = *s;
}
