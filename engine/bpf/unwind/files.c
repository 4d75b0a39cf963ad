/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/bpf/unwind/files.h"

#include <errno.h>
#include <stdlib.h>

enum { FIRST_PIECE = 1, RECENT = 3 /* epochs */, LONGEST = 64 /* pieces of a function */ };

int files_open(struct unwind_files *f, struct unwind_shared *shared, struct unwind_memory *m)
{
	*f = (struct unwind_files){ .shared = shared, .memory = m, .npieces = FIRST_PIECE,
				    .of_piece = calloc(UNWIND_PIECES, sizeof *f->of_piece),
				    .spare = calloc(UNWIND_PIECES, sizeof *f->spare) };
	if (!rules_open(&f->rules, shared->rule) || !f->of_piece || !f->spare)
		return -ENOMEM;
	return frame_loader_open(&f->loader, &f->rules);
}

void files_close(struct unwind_files *f)
{
	frame_loader_close(&f->loader);
	for (unsigned i = 0; i < UNWIND_FILES; i++) {
		while (f->file[i]) {
			struct unwind_file *x = f->file[i];

			f->file[i] = x->next;
			free(x->part);
			free(x);
		}
	}
	pack_close(&f->pack);
	free(f->of_piece);
	free(f->spare);
	rules_close(&f->rules);
	f->of_piece = NULL;
	f->spare = NULL;
}

static struct unwind_file *file_of(struct unwind_files *f, struct object *o, bool make)
{
	struct unwind_file **slot = &f->file[(uintptr_t)o / 64 % UNWIND_FILES], *x;

	for (x = *slot; x; x = x->next)
		if (x->object == o)
			return x;
	x = make ? calloc(1, sizeof *x) : NULL;
	f->nomem |= make && !x;
	if (!x)
		return NULL;
	x->object = o;
	x->next = *slot;
	return *slot = x;
}

uint32_t files_piece(struct unwind_files *f, struct object *o, uint64_t number)
{
	struct unwind_file *x = file_of(f, o, true);
	struct unwind_part *v;
	uint32_t piece;

	for (uint32_t i = 0; x && i < x->nparts; i++) {
		uint32_t k = (x->found + i) % x->nparts;

		if (x->part[k].number == number)
			return x->part[x->found = k].piece;
	}
	f->exhausted |= f->npieces == UNWIND_PIECES && !f->nspare;
	if (!x || f->exhausted)
		return 0;
	v = reallocarray(x->part, x->nparts + 1, sizeof *v);
	f->nomem |= !v;
	if (!v)
		return 0;
	x->part = v;
	piece = f->nspare ? f->spare[--f->nspare] : f->npieces++;
	v[x->nparts++] = (struct unwind_part){ .number = number, .piece = piece };
	f->of_piece[piece] = x;
	return piece;
}

/* ---- memory ---- */
static uint64_t part_used(const struct unwind_files *f, const struct unwind_part *p)
{
	return p->table.size ? __atomic_load_n(&f->shared->used[p->piece], __ATOMIC_RELAXED) : 0;
}

static void part_unload(struct unwind_files *f, struct unwind_part *p)
{
	__atomic_store_n(&f->shared->piece[p->piece].state, UNWIND_PIECE_ABSENT, __ATOMIC_RELEASE);
	memory_give(f->memory, p->table);
	p->table.size = 0;
}

/* Removes the tables of the file that was not used for the longest time. Returns false if none has tables, or (!any) if
 * all have been used recently: then those that are in use would replace each other all the time. */
static bool evict_one(struct unwind_files *f, bool any)
{
	uint64_t least = any ? UINT64_MAX : f->shared->epoch < RECENT ? 0 : f->shared->epoch - RECENT;
	struct unwind_file *oldest = NULL;

	for (uint32_t i = FIRST_PIECE; i < f->npieces; i++) {
		struct unwind_file *x = f->of_piece[i];
		uint64_t last = 0, tables = 0;

		for (uint32_t k = 0; x && k < x->nparts; k++) {
			uint64_t used = part_used(f, &x->part[k]);

			tables += x->part[k].table.size;
			last = used > last ? used : last;
		}
		if (tables && last < least) {
			least = last;
			oldest = x;
		}
	}
	for (uint32_t k = 0; oldest && k < oldest->nparts; k++)
		if (oldest->part[k].table.size)
			part_unload(f, &oldest->part[k]);
	return oldest;
}

/* Frees an eighth of the memory at a time, because each barrier costs. */
static struct unwind_extent memory_make(struct unwind_files *f, uint32_t bytes, bool any)
{
	struct unwind_extent e = memory_take(f->memory, bytes);

	while (!e.size && bytes <= UNWIND_CHUNK) {
		bool evicted = false;

		while (f->memory->waiting < f->memory->limit / 8 + bytes && evict_one(f, any))
			evicted = true;
		if (!evicted && !f->memory->waiting)
			break;
		f->barrier(f->arg);
		memory_settle(f->memory);
		e = memory_take(f->memory, bytes);
	}
	return e;
}

struct unwind_extent files_memory(struct unwind_files *f, uint32_t bytes)
{
	return memory_make(f, bytes, true);
}

/* ---- numbers ---- */
static void file_reclaim(struct unwind_files *f, struct unwind_file *x, const uint8_t *used)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < x->nparts; i++) {
		struct unwind_part *p = &x->part[i];

		if (used[p->piece]) {
			x->part[n++] = *p;
			continue;
		}
		part_unload(f, p);
		f->of_piece[p->piece] = NULL;
		f->spare[f->nspare++] = p->piece;
	}
	x->nparts = n;
}

/* Before a number is used again, the programs that may have read it end. */
void files_reclaim(struct unwind_files *f, const uint8_t used[UNWIND_PIECES])
{
	for (unsigned i = 0; i < UNWIND_FILES; i++)
		for (struct unwind_file *x = f->file[i]; x; x = x->next)
			file_reclaim(f, x, used);
	f->barrier(f->arg);
	memory_settle(f->memory);
	f->exhausted = false;
}

/* ---- loading ---- */
static void part_load(struct unwind_files *f, struct unwind_part *p, const struct pack *k, bool wanted)
{
	struct pack_size size = pack_size(k, p->number);
	struct unwind_piece *piece = &f->shared->piece[p->piece];
	uint32_t word;

	if (!size.words) {
		__atomic_store_n(&piece->state, UNWIND_PIECE_EMPTY, __ATOMIC_RELEASE);
		return;
	}
	p->table = wanted ? memory_make(f, size.words * 4, false) : memory_take(f->memory, size.words * 4);
	if (!p->table.size)
		return;
	word = p->table.at / 4;
	pack_piece(k, p->number, size.pages, word, memory_at(f->memory, p->table));
	f->shared->used[p->piece] = (uint32_t)f->shared->epoch;
	piece->chunk = p->table.chunk;
	piece->index = word;
	piece->pages = size.pages;
	__atomic_store_n(&piece->state, UNWIND_PIECE_LOADED, __ATOMIC_RELEASE);
}

/* Gives each piece that has rows its number. Rows of damaged files may extend over any number of pieces. */
static void parts_make(struct unwind_files *f, struct unwind_file *x, const struct pack *k)
{
	for (size_t i = 0; i + 1 < k->n; i++) {
		uint64_t from = k->v[i].at >> PACK_PIECE_BITS, to = (k->v[i + 1].at - 1) >> PACK_PIECE_BITS;

		if (k->v[i].rule == RULES_NONE || to - from > LONGEST)
			continue;
		if (!x->nparts || x->part[x->nparts - 1].number != from)
			files_piece(f, x->object, from);
		while (from < to)
			files_piece(f, x->object, ++from);
	}
}

static bool absent(const struct unwind_files *f, uint32_t piece)
{
	return f->shared->piece[piece].state == UNWIND_PIECE_ABSENT;
}

bool files_absent(const struct unwind_files *f, uint32_t piece)
{
	return piece >= FIRST_PIECE && piece < f->npieces && f->of_piece[piece] && absent(f, piece);
}

/* Loads what there is room for. */
static void packed_load(struct unwind_files *f, struct unwind_file *x, uint32_t wanted)
{
	bool whole = true;

	for (int rest = 0; rest < 2; rest++)
		for (uint32_t i = 0; i < x->nparts; i++)
			if (absent(f, x->part[i].piece) && (x->part[i].piece == wanted) == !rest)
				part_load(f, &x->part[i], &f->pack, !rest);
	for (uint32_t i = 0; i < x->nparts; i++)
		whole &= !absent(f, x->part[i].piece);
	if (files_absent(f, wanted))
		f->full = f->shared->epoch;
	if (whole) {
		pack_close(&f->pack);
		f->packed = NULL;
	}
}

/* Without room, it is tried once in an epoch. */
void files_load(struct unwind_files *f, uint32_t piece)
{
	struct unwind_file *x = f->of_piece[piece];

	if (!files_absent(f, piece) || x->loading || f->full == f->shared->epoch)
		return;
	if (f->packed == x) {
		packed_load(f, x, piece);
		return;
	}
	x->wanted = piece;
	x->loading = frame_loader_put(&f->loader, x->object, x);
	f->nomem |= f->loader.nomem;
}

void files_prepare(struct unwind_files *f, struct object *o)
{
	struct unwind_file *x = file_of(f, o, true);

	if (!x || x->nparts || x->loading)
		return;
	x->whole = true;
	x->wanted = 0;
	x->loading = frame_loader_put(&f->loader, o, x);
	f->nomem |= f->loader.nomem;
}

void files_take(struct unwind_files *f, bool wait)
{
	struct unwind_file *x;
	struct pack pack;

	if (wait)
		frame_loader_wait(&f->loader);
	while ((x = frame_loader_take(&f->loader, &pack))) {
		x->loading = false;
		f->nomem |= pack.nomem;
		pack_close(&f->pack);
		f->packed = pack.nomem ? NULL : x;
		f->pack = pack;
		if (x->whole)
			parts_make(f, x, &f->pack);
		x->whole = false;
		if (!pack.nomem)
			packed_load(f, x, x->wanted);
		else
			pack_close(&f->pack);
	}
}
