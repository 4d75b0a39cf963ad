/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/programs/entries.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "engine/programs/flows.h"
#include "engine/symbols/elf.h"

enum { PIECE = 1 << 16, STEP = 4, WORD = 8 };	/* bytes that are read together; alignment and size of an address */
enum { ENTRIES_MAX = 1 << 23, PARTS_MAX = 1 << 28 };	/* of a file; bytes of all parts of functions */

struct entries_reading {
	struct entries *out;
	struct arena *arena;
	const struct elf *elf;
	uint64_t parts;			/* bytes of parts so far */
};

static void entry_add(struct entries_reading *r, uint64_t off)
{
	*VEC_ADD(r->arena, &r->out->off) = off;
}

/* ---- addresses in data ---- */
static void scan_piece(struct entries_reading *r, const uint8_t *data, size_t n)
{
	uint64_t word, off, rest;

	for (size_t at = 0; at + WORD <= n; at += STEP) {
		memcpy(&word, data + at, sizeof word);
		if (word && elf_code(r->elf, word, &off, &rest))
			entry_add(r, off);
	}
}

/* Everything that is loaded: data, and relocations, which have the addresses if the program can be loaded anywhere. */
static int scan_load(struct entries_reading *r, const struct elf_load *l)
{
	uint8_t *data = malloc(PIECE + WORD);
	int err = data ? 0 : -ENOMEM;

	for (uint64_t at = 0; !err && at < l->size; at += PIECE) {
		size_t n = l->size - at < PIECE + WORD ? (size_t)(l->size - at) : PIECE + WORD;

		if (elf_read(r->elf, l->off + at, data, n))
			scan_piece(r, data, n);
		else
			err = -EIO;
		if (r->out->off.n > ENTRIES_MAX)
			err = -E2BIG;
	}
	free(data);
	return err;
}

/* ---- jumps of parts ---- */
static int scan_part(struct entries_reading *r, const struct decoder *d, const struct program_function *f)
{
	struct flows x = { 0 };
	int err = (r->parts += f->size) > PARTS_MAX ? -E2BIG : flows_read(&x, d, r->elf, f);

	for (size_t i = 0; !err && i < x.n; i++)
		if ((flow_jumps(&x.v[i]) || x.v[i].address) && x.v[i].target - f->off >= f->size)
			entry_add(r, x.v[i].target);
	flows_free(&x);
	return err;
}

static int scan_functions(struct entries_reading *r, const struct decoder *d, const struct functions *all)
{
	int err = 0;

	for (size_t i = 0; i < all->list.n && !err; i++) {
		const struct program_function *f = &all->list.v[i];

		entry_add(r, f->off);
		if (f->part && !f->alias)
			err = scan_part(r, d, f);
	}
	return err;
}

static int off_compare(const void *x, const void *y)
{
	uint64_t a = *(const uint64_t *)x, b = *(const uint64_t *)y;

	return a < b ? -1 : a > b;
}

int entries_read(struct entries *x, struct arena *a, const struct decoder *d, const struct elf *e,
		 const struct functions *all)
{
	struct entries_reading r = { .out = x, .arena = a, .elf = e };
	int err = e->is64 ? scan_functions(&r, d, all) : -EOPNOTSUPP;

	for (unsigned i = 0; i < e->nloads && !err; i++)
		err = scan_load(&r, &e->load[i]);
	if (!err && x->off.n)
		qsort(x->off.v, x->off.n, sizeof *x->off.v, off_compare);
	return err;
}

void entries_within(const struct entries *x, uint64_t off, uint64_t size, void (*fn)(void *arg, uint64_t off),
		    void *arg)
{
	size_t lo = 0, hi = x->off.n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (x->off.v[mid] < off)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (; lo < x->off.n && x->off.v[lo] - off < size; lo++)
		fn(arg, x->off.v[lo]);
}
