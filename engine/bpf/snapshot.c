/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/bpf/snapshot.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "aggregation/agg.h"
#include "engine/bpf/layout.h"
#include "engine/bpf/load.h"
#include "engine/bpf/rows.h"

enum { FIRST_BATCH = 256 };

static void pause_now(const struct snapshot_pause *p)
{
	if (p)
		p->meanwhile(p->arg);
}

/* A keyed map being read. */
struct snapshot_reader {
	const struct snapshot_pause *pause;
	const struct ir_obj *obj;
	struct agg_table *table;
	int fd;
	bool empty;
	uint32_t keysize;	/* of the map */
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

static int read_slot(struct agg_table *t, const struct ir_obj *o, uint64_t *cell, int64_t *copy)
{
	cell_copy(copy, cell, o->size);
	return all_zero(copy, o->size) ? 0 : agg_table_add(t, NULL, copy);
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

static int read_slots(const struct bpf_loaded *l, struct agg_table *t, unsigned gen, bool empty)
{
	const struct ir_obj *o = &l->im->prog->objs.v[t->desc->obj];
	int64_t *copy = malloc(o->size);
	int err = copy ? 0 : -ENOMEM;

	for (uint32_t cpu = 0; cpu < l->im->cpuslots && !err; cpu++) {
		uint64_t *cells = cells_of(l, t->desc, gen, cpu);

		err = o->cells ? read_numbered(t, o, cpu, cells, copy) : read_slot(t, o, cells, copy);
		if (empty)
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

/* Reads a CPU's row table, and empties it if `empty`. A row that is claimed meanwhile is counted before it is seen, so
 * it cannot end the loop before older rows have been read. */
static int read_table(const struct ir_obj *o, struct agg_table *t, uint64_t *row, uint32_t rows, bool empty,
		      const struct snapshot_pause *pause)
{
	struct row_head *head = (struct row_head *)((uint8_t *)row - ROW_HEAD);
	uint32_t words = rows_size(o) / 8, value = (ROW_TAG + o->keysize) / 8, found = 0;
	int64_t *copy = malloc(o->size);
	int err = copy ? 0 : -ENOMEM;

	for (uint32_t i = 0; i < rows && found < __atomic_load_n(&head->used, __ATOMIC_RELAXED) && !err; i++) {
		uint64_t *at = row + (size_t)i * words;

		if (!row_used(at))
			continue;
		found++;
		cell_copy(copy, at + value, o->size);
		err = agg_table_add(t, at + ROW_TAG / 8, copy + t->desc->valoff / 8);
		if (empty)
			memset(at, 0, (size_t)words * 8);
		if (found % FIRST_BATCH == 0)
			pause_now(pause);
	}
	free(copy);
	if (empty && !err)
		*head = (struct row_head){ 0 };
	return err;
}

/* Reads the row tables of all CPUs. *missed: whether the hash map was used, too. */
static int read_rows(const struct bpf_loaded *l, struct agg_table *t, unsigned gen, bool empty, bool *missed,
		     const struct snapshot_pause *pause)
{
	uint32_t rows = l->im->place[t->desc->obj].rows;
	int err = 0;

	*missed = !rows;
	for (uint32_t cpu = 0; rows && cpu < l->im->cpuslots && !err; cpu++) {
		uint64_t *row = cells_of(l, t->desc, gen, cpu);
		const struct row_head *head = (const struct row_head *)((uint8_t *)row - ROW_HEAD);

		*missed |= __atomic_load_n(&head->missed, __ATOMIC_ACQUIRE) != 0;
		err = read_table(&l->im->prog->objs.v[t->desc->obj], t, row, rows, empty, pause);
	}
	return err;
}

static int read_map(const struct bpf_loaded *l, struct agg_table *t, unsigned gen, bool empty,
		    const struct snapshot_pause *pause)
{
	uint32_t map = l->im->place[t->desc->obj].map + gen, token = 0;
	struct snapshot_reader r = {
		.pause = pause, .obj = &l->im->prog->objs.v[t->desc->obj], .table = t, .fd = l->mapfd[map],
		.empty = empty, .keysize = l->im->maps.v[map].keysize,
	};
	bool first = true;
	int err = reader_room(&r, FIRST_BATCH);

	if (!err) {
		do
			err = read_batch(&r, &token, &first);
		while (err > 0);
	}
	free(r.keys);
	free(r.values);
	return err;
}

static int read_keyed(const struct bpf_loaded *l, struct agg_table *t, unsigned gen, bool empty,
		      const struct snapshot_pause *pause)
{
	bool missed;
	int err = read_rows(l, t, gen, empty, &missed, pause);

	return err || !missed ? err : read_map(l, t, gen, empty, pause);
}

int snapshot_read(const struct bpf_loaded *l, struct agg_table *t, unsigned gen, const struct snapshot_pause *pause)
{
	const struct ir_obj *o = &l->im->prog->objs.v[t->desc->obj];

	if (!o->generations)
		agg_table_reset(t);
	if (!l->im->place[t->desc->obj].used)
		return 0;
	if (o->keysize && !o->cells)
		return read_keyed(l, t, gen, o->generations, pause);
	return read_slots(l, t, gen, o->generations);
}
