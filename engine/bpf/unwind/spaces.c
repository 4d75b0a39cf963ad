/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/bpf/unwind/spaces.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "engine/symbols/ranges.h"
#include "engine/symbols/spaces.h"
#include "lang/prog.h"

enum { TRIES = 4, SWEEPS = 8 };

/* ---- the list of mappings ---- */
struct mapping_list {
	struct unwind_mapping *v;
	uint32_t n, cap;
	struct unwind_spaces *spaces;
	uint32_t pid;
	bool load, failed, toomany;
	struct unwind_space interpreter;	/* only its address and layout */
};

/* NULL: no memory, or the process has too many mappings. */
static struct unwind_mapping *list_add(struct mapping_list *l)
{
	uint32_t cap = l->cap ? 2 * l->cap : 64;
	struct unwind_mapping *v;

	if (l->n < l->cap)
		return &l->v[l->n++];
	v = cap > UNWIND_MAPPINGS ? NULL : reallocarray(l->v, cap, sizeof *v);
	l->failed |= !v;
	l->toomany |= cap > UNWIND_MAPPINGS;
	l->spaces->nomem |= !v && !l->toomany;
	if (!v)
		return NULL;
	l->v = v;
	l->cap = cap;
	return &l->v[l->n++];
}

uint32_t spaces_piece(struct unwind_spaces *s, struct object *o, uint64_t off)
{
	const struct elf *e = object_image(o);
	uint64_t vaddr = off;

	if (e)
		elf_vaddr(e, off, &vaddr);
	return files_piece(s->files, o, vaddr >> PACK_PIECE_BITS);
}

/* The link-time address of a mapping's first byte. */
static uint64_t mapping_vaddr(const struct mapping *x)
{
	const struct elf *e = object_image(x->file);
	uint64_t bias;

	return e && elf_bias(e, x->start, x->off, &bias) ? x->start - bias : x->off;
}

/* A mapping is divided where pieces of the file's code are. */
static void list_mapping(void *arg, const struct mapping *x)
{
	struct mapping_list *l = arg;
	uint64_t vaddr = mapping_vaddr(x), at = x->start;

	while (at < x->end && !l->failed) {
		uint64_t number = vaddr >> PACK_PIECE_BITS, in = vaddr & ((1 << PACK_PIECE_BITS) - 1);
		uint64_t left = (1 << PACK_PIECE_BITS) - in, n = left < x->end - at ? left : x->end - at;
		struct unwind_mapping *m = list_add(l);
		uint32_t piece = m ? files_piece(l->spaces->files, x->file, number) : 0;

		l->failed |= !piece;
		if (!piece)
			return;
		*m = (struct unwind_mapping){ at, at + n, in, piece };
		if (l->load)
			files_load(l->spaces->files, piece);
		at += n;
		vaddr += n;
	}
	if (l->spaces->jstacks && !l->interpreter.runtime)
		jstacks_mapped(l->spaces->jstacks, l->pid, x, &l->interpreter);
}

static bool list_put(struct mapping_list *l, const struct unwind_mapping *x)
{
	struct unwind_mapping *m = list_add(l);

	if (m)
		*m = *x;
	return m;
}

/* Adds the memory of a set that no mapping of the list has: in order of address. */
static void list_fill(struct mapping_list *l, const struct address_ranges *set)
{
	struct mapping_list out = { .spaces = l->spaces };
	uint32_t next = 0;
	uint64_t at = 0;
	bool ok = true;

	for (uint32_t i = 0; i < set->n && ok; i++) {
		const struct address_range *r = &set->v[i];

		while (ok && at < r->end) {
			bool any = next < l->n && l->v[next].start < r->end;
			const struct unwind_mapping *m = any ? &l->v[next++] : NULL;
			uint64_t from = at > r->start ? at : r->start, to = m ? m->start : r->end;

			if (from < to)
				ok = list_put(&out, &(struct unwind_mapping){ .start = from, .end = to });
			if (m)
				ok = ok && list_put(&out, m);
			at = m ? m->end : r->end;
		}
	}
	while (ok && next < l->n)
		ok = list_put(&out, &l->v[next++]);
	free(l->v);
	l->v = out.v;
	l->n = out.n;
	l->failed |= out.failed;
	l->toomany |= out.toomany;
}

/* ---- a process ---- */
static struct unwind_space *slot_of(struct unwind_spaces *s, uint32_t pid)
{
	uint32_t hash = pid * 0x9e3779b1u >> 16;
	struct unwind_space *oldest = NULL, *free_slot = NULL;

	for (uint32_t i = 0; i < UNWIND_PROBES; i++) {
		struct unwind_space *x = &s->shared->space[(hash + i) & (UNWIND_SPACES - 1)];

		if (x->id && x->pid == pid)
			return x;
		if (!x->id && !free_slot)
			free_slot = x;
		if (!oldest || x->id < oldest->id)
			oldest = x;
	}
	return free_slot ? free_slot : oldest;
}

static void slot_clear(struct unwind_spaces *s, struct unwind_space *x)
{
	struct unwind_extent e = { x->chunk, x->at, (uint32_t)((x->n * sizeof(struct unwind_mapping) + 63) & ~63ull) };
	bool valid = x->id;

	__atomic_store_n(&x->id, 0, __ATOMIC_SEQ_CST);
	if (valid)
		memory_give(s->files->memory, e);
}

static bool slot_fill(struct unwind_spaces *s, uint32_t pid, uint64_t owner, const struct mapping_list *l)
{
	struct unwind_extent e = files_memory(s->files, l->n * (uint32_t)sizeof *l->v);
	struct unwind_space *x = slot_of(s, pid);

	if (!e.size)
		return false;
	memcpy(memory_at(s->files->memory, e), l->v, l->n * sizeof *l->v);
	slot_clear(s, x);
	x->pid = pid;
	x->owner = owner;
	x->chunk = e.chunk;
	x->at = e.at;
	x->n = l->n;
	x->runtime = l->interpreter.runtime;
	x->layout = l->interpreter.layout;
	x->own = l->interpreter.own;
	if (!++s->id)
		s->id = 1;
	__atomic_store_n(&x->id, s->id, __ATOMIC_RELEASE);
	return true;
}

/* ---- numbers of pieces ---- */
static void space_use(const struct unwind_spaces *s, const struct unwind_space *x, uint8_t *used)
{
	const struct unwind_mapping *m = memory_at(s->files->memory, (struct unwind_extent){ x->chunk, x->at, 1 });

	for (uint32_t i = 0; i < x->n; i++)
		used[m[i].piece] = 1;
}

static int id_order(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* The median of the ids, 0 if there are none. */
static uint32_t ids_median(const struct unwind_spaces *s, uint32_t *id)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < UNWIND_SPACES; i++)
		if (s->shared->space[i].id)
			id[n++] = s->shared->space[i].id;
	qsort(id, n, sizeof *id, id_order);
	return n ? id[n / 2] : 0;
}

/* There are no more numbers: takes those of files that no process has mapped. The older half of the processes is
 * forgotten until it needs its mappings again. */
static void spaces_reclaim(struct unwind_spaces *s)
{
	uint8_t *used = calloc(UNWIND_PIECES, 1);
	uint32_t *id = calloc(UNWIND_SPACES, sizeof *id), median = id && used ? ids_median(s, id) : 0;

	s->nomem |= !used || !id;
	for (uint32_t i = 0; id && used && i < UNWIND_SPACES; i++) {
		struct unwind_space *x = &s->shared->space[i];

		if (x->id && x->id <= median)
			slot_clear(s, x);
		if (x->id)
			space_use(s, x, used);
	}
	if (id && used)
		files_reclaim(s->files, used);
	free(used);
	free(id);
}

/* ---- publishing ---- */
static uint64_t owner_of(const struct unwind_spaces *s, uint32_t pid)
{
	return atomic_load(&s->owners[pid & (PROG_OWNERS - 1)]);
}

/* The list is that of the owner if the owner is the same before and after. */
static bool publish_once(struct unwind_spaces *s, uint32_t pid, bool load, bool *done)
{
	struct mapping_list l = { .spaces = s, .pid = pid, .load = load };
	uint64_t owner = owner_of(s, pid);
	bool read = !symbols_code(s->symbols, pid, list_mapping, &l);
	const struct address_ranges *generated = symbols_generated(s->symbols, pid);

	if (read && !l.failed && generated && generated->n)
		list_fill(&l, generated);
	if (l.toomany)
		s->refused[pid % UNWIND_REFUSED] = (struct unwind_refused){ pid, owner };
	*done = (owner == owner_of(s, pid) && !s->files->exhausted) || !read || l.failed;
	if (read && !l.failed && l.n && owner == owner_of(s, pid))
		read = slot_fill(s, pid, owner, &l);
	else
		read = false;
	free(l.v);
	return read;
}

bool spaces_publish(struct unwind_spaces *s, uint32_t pid, bool load)
{
	const struct unwind_space *x = slot_of(s, pid);
	bool done = false, known = x->id && x->pid == pid && x->owner == owner_of(s, pid);
	struct unwind_refused *r = &s->refused[pid % UNWIND_REFUSED];

	if (r->pid == pid && r->owner == owner_of(s, pid))
		return false;
	for (int i = 0; !known && !done && i < TRIES; i++) {
		known = publish_once(s, pid, load, &done);
		if (s->files->exhausted) {
			spaces_reclaim(s);
			done = false;
		}
	}
	return known;
}

void spaces_sweep(struct unwind_spaces *s, uint32_t turn)
{
	for (uint32_t i = turn % SWEEPS; i < UNWIND_SPACES; i += SWEEPS) {
		struct unwind_space *x = &s->shared->space[i];

		if (x->id && kill((pid_t)x->pid, 0) && errno == ESRCH)
			slot_clear(s, x);
	}
}
