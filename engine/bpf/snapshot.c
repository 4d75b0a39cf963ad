/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/bpf/snapshot.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "aggregation/agg.h"
#include "engine/bpf/code/layout.h"
#include "engine/bpf/code/rows.h"
#include "engine/bpf/load/load.h"

enum { FIRST_BATCH = 256 };

static void pause_now(const struct snapshot_pause *p)
{
	if (p)
		p->meanwhile(p->arg);
}

/* An aggregation being read. */
struct snapshot_reader {
	const struct bpf_loaded *loaded;
	const struct snapshot_pause *pause;
	const struct ir_obj *obj;
	struct agg_table *table;
	unsigned gen;
	bool empty;		/* what was read is removed */
	/* of its map */
	int fd;
	uint32_t keysize;
	uint8_t *keys, *values;
	uint32_t room;		/* elements that fit */
};

unsigned snapshot_flip(const struct bpf_loaded *l, const struct agg_desc *desc)
{
	_Atomic uint64_t *gen;

	if (!l->im->place[desc->obj].used || !l->im->prog->objs.v[desc->obj].generations)
		return 0;
	gen = (_Atomic uint64_t *)(l->data + l->im->place[desc->obj].gen);
	return atomic_fetch_xor(gen, 1) & 1;
}

static bool all_zero(const int64_t *v, uint32_t size)
{
	for (uint32_t i = 0; i < size / 8; i++) {
		if (v[i])
			return false;
	}
	return true;
}

/* The start of a CPU's cells of the aggregation. */
static uint64_t *cells_of(const struct bpf_loaded *l, const struct agg_desc *d, unsigned gen, uint32_t cpu)
{
	const struct bpf_image *im = l->im;

	return (uint64_t *)(l->data + im->off_cells + (size_t)cpu * im->cell_stride + (size_t)gen * im->gen_stride +
			    im->place[d->obj].off);
}

static void cell_copy(int64_t *to, const uint64_t *cell, uint32_t size)
{
	for (uint32_t i = 0; i < size / 8; i++)
		to[i] = (int64_t)__atomic_load_n(&cell[i], __ATOMIC_RELAXED);
}

/* Reads the numbered cells that were used; a cell of zeros is a row too. */
static int read_numbered(struct agg_table *t, const struct ir_obj *o, uint32_t cpu, uint64_t *cell, int64_t *copy)
{
	int err = 0;

	for (uint32_t n = 0; n < o->cells && !err; n++, cell += layout_cell_size(o) / 8) {
		if (!__atomic_load_n(cell, __ATOMIC_RELAXED))
			continue;
		cell_copy(copy, cell + CELL_HEAD / 8, o->size);
		err = agg_table_add_cell(t, n, cpu, copy + t->desc->valoff / 8);
	}
	return err;
}

/* Reads the cells of all CPUs that have fixed places: one without a key, or the numbered ones. */
static int read_cells(const struct snapshot_reader *r)
{
	const struct bpf_loaded *l = r->loaded;
	const struct ir_obj *o = r->obj;
	int64_t *copy = malloc(o->size);
	int err = copy ? 0 : -ENOMEM;

	for (uint32_t cpu = 0; cpu < l->im->cpuslots && !err; cpu++) {
		uint64_t *cells = cells_of(l, r->table->desc, r->gen, cpu);

		if (o->cells) {
			err = read_numbered(r->table, o, cpu, cells, copy);
		} else {
			cell_copy(copy, cells, o->size);
			err = all_zero(copy, o->size) ? 0 : agg_table_add(r->table, NULL, copy);
		}
		if (r->empty)
			memset(cells, 0, (size_t)(o->cells ? o->cells : 1) * layout_cell_size(o));
	}
	free(copy);
	return err;
}

static int reader_room(struct snapshot_reader *r, uint32_t room)
{
	uint8_t *keys = realloc(r->keys, (size_t)room * r->keysize), *values;

	if (!keys)
		return -ENOMEM;
	r->keys = keys;
	values = realloc(r->values, (size_t)room * r->obj->size);
	if (!values)
		return -ENOMEM;
	r->values = values;
	r->room = room;
	return 0;
}

/* A CPU number follows the key; agg_table_add ignores it. A value of zeros is a row too. */
static int add_element(const struct snapshot_reader *r, uint32_t at)
{
	return agg_table_add(r->table, r->keys + (size_t)at * r->keysize,
			     (const int64_t *)(r->values + (size_t)at * r->obj->size + r->table->desc->valoff));
}

/* Reads one batch, starting at *token. Returns 1 if there is more, 0 at the end, or -errno. */
static int read_batch(struct snapshot_reader *r, uint32_t *token, bool *first)
{
	uint32_t n = r->room, next = 0;
	int err;

	if (r->empty)
		err = bpf_map_lookup_and_delete_batch(r->fd, *first ? NULL : token, &next, r->keys, r->values, &n,
						      NULL);
	else
		err = bpf_map_lookup_batch(r->fd, *first ? NULL : token, &next, r->keys, r->values, &n, NULL);
	err = err ? -errno : 0;
	if (err == -ENOSPC)	/* one bucket holds more elements than fit */
		return reader_room(r, r->room * 2) ? -ENOMEM : 1;
	if (err && err != -ENOENT)
		return err == -EINTR ? 1 : err;
	for (uint32_t i = 0; i < n; i++) {
		int failed = add_element(r, i);

		if (failed)
			return failed;
		if (i % FIRST_BATCH == 0)
			pause_now(r->pause);
	}
	*token = next;
	*first = false;
	return err == -ENOENT ? 0 : 1;
}

/* Reads the row tables of all CPUs. A row that is claimed meanwhile is counted before it is seen, so it cannot end the
 * loop before older rows have been read. *missed: whether the hash map was used, too. */
static int read_rows(const struct snapshot_reader *r, bool *missed)
{
	const struct bpf_image *im = r->loaded->im;
	uint32_t rows = im->place[r->table->desc->obj].rows, words = rows_size(r->obj) / 8;
	uint32_t value = (ROW_TAG + r->obj->keysize) / 8;
	int64_t *copy = malloc(r->obj->size);
	int err = copy ? 0 : -ENOMEM;

	*missed = !rows;
	for (uint32_t cpu = 0; rows && cpu < im->cpuslots && !err; cpu++) {
		uint64_t *row = cells_of(r->loaded, r->table->desc, r->gen, cpu);
		struct row_head *head = (struct row_head *)((uint8_t *)row - ROW_HEAD);
		uint32_t found = 0;

		*missed |= __atomic_load_n(&head->missed, __ATOMIC_ACQUIRE) != 0;
		for (uint32_t i = 0; i < rows && found < __atomic_load_n(&head->used, __ATOMIC_RELAXED) && !err;
		     i++, row += words) {
			if (!row_used(row))
				continue;
			found++;
			cell_copy(copy, row + value, r->obj->size);
			err = agg_table_add(r->table, row + ROW_TAG / 8, copy + r->table->desc->valoff / 8);
			if (r->empty)
				memset(row, 0, (size_t)words * 8);
			if (found % FIRST_BATCH == 0)
				pause_now(r->pause);
		}
		if (r->empty && !err)
			*head = (struct row_head){ 0 };
	}
	free(copy);
	return err;
}

static int read_map(struct snapshot_reader *r)
{
	uint32_t map = r->loaded->im->place[r->table->desc->obj].map + r->gen, token = 0;
	bool first = true;
	int err;

	r->fd = r->loaded->mapfd[map];
	r->keysize = r->loaded->im->maps.v[map].keysize;
	err = reader_room(r, FIRST_BATCH);
	if (!err) {
		do
			err = read_batch(r, &token, &first);
		while (err > 0);
	}
	free(r->keys);
	free(r->values);
	return err;
}

int snapshot_read(const struct bpf_loaded *l, struct agg_table *t, unsigned gen, const struct snapshot_pause *pause)
{
	const struct ir_obj *o = &l->im->prog->objs.v[t->desc->obj];
	struct snapshot_reader r = {
		.loaded = l, .pause = pause, .obj = o, .table = t, .gen = gen, .empty = o->generations,
	};
	bool missed;
	int err;

	if (!o->generations)
		agg_table_reset(t);
	if (!l->im->place[t->desc->obj].used)
		return 0;
	if (!o->keysize || o->cells)
		return read_cells(&r);
	err = read_rows(&r, &missed);
	return err || !missed ? err : read_map(&r);
}
