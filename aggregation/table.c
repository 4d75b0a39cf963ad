/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The table that snapshots are merged into: a hash over the packed keys. */
#include "aggregation/func.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"

enum {
	FEWEST = 16,			/* initial rows and slots of a table */
	MANY_NODES = 1024,		/* of removed stacks, in any tree */
};

/* ---- keys ---- */
static bool is_stack(const struct val_field *f)
{
	return f->kind == VAL_STACK || f->kind == VAL_USTACK;
}

void agg_key_layout(struct agg_desc *desc)
{
	unsigned last = desc->nkeys ? desc->nkeys - 1 : 0;	/* without a stack, keys keep their order */

	desc->keysize = 0;
	for (unsigned i = 0; i < desc->nkeys; i++)
		if (is_stack(&desc->key[i]) &&
		    (!is_stack(&desc->key[last]) || desc->key[i].size > desc->key[last].size))
			last = i;
	for (unsigned n = 0; n < desc->nkeys; n++) {
		struct val_field *f = &desc->key[n < last ? n : n + 1 < desc->nkeys ? n + 1 : last];
		uint32_t align = f->kind == VAL_INT ? f->size : 8;

		f->off = (desc->keysize + align - 1) / align * align;
		desc->keysize = f->off + f->size;
	}
	desc->keysize = (desc->keysize + 7) & ~7u;
}

/* The field that ends the layout, if it is a stack. */
static int tail_of(const struct agg_desc *d)
{
	for (unsigned i = 0; i < d->nkeys; i++)
		if (is_stack(&d->key[i]) && d->key[i].off + d->key[i].size == d->keysize)
			return (int)i;
	return -1;
}

/* Bytes of the key up to the word after the last frame. */
static uint32_t key_length(const struct agg_desc *d, int tail, const uint8_t *key)
{
	const struct val_field *f = tail < 0 ? NULL : &d->key[tail];
	uint32_t i = f && f->kind == VAL_USTACK, n = f ? f->size / 8 : 0;

	while (i < n && val_word(key + f->off, i))
		i++;
	return f ? f->off + 8 * (i < n ? i + 1 : n) : d->keysize;
}

void agg_key_copy(const struct agg_desc *desc, void *to, const uint8_t *key)
{
	uint32_t n = key_length(desc, tail_of(desc), key);

	memcpy(to, key, n);
	memset((uint8_t *)to + n, 0, desc->keysize - n);
}

/* Bytes of a key up to the frames of its last stack. */
static uint32_t fixed_length(const struct agg_desc *d, int tail)
{
	const struct val_field *f = tail < 0 ? NULL : &d->key[tail];

	return f ? f->off + 8 * (f->kind == VAL_USTACK) : d->keysize;
}

uint8_t *agg_row_packed(const struct agg_table *t, const struct agg_row *row)
{
	return (uint8_t *)row->value + t->desc->valsize;
}

uint32_t agg_row_stack(const struct agg_table *t, const struct agg_row *row)
{
	uint32_t stack;

	memcpy(&stack, agg_row_packed(t, row) + fixed_length(t->desc, t->tail), sizeof stack);
	return stack;
}

const uint8_t *agg_row_key(const struct agg_table *t, const struct agg_row *row)
{
	uint32_t at = fixed_length(t->desc, t->tail), node;

	if (t->tail < 0)
		return agg_row_packed(t, row);
	memcpy(t->whole, agg_row_packed(t, row), at);
	node = agg_row_stack(t, row);
	for (; at < t->desc->keysize; at += 8, node = stack_tree_caller(&t->stacks, node)) {
		uint64_t frame = stack_tree_frame(&t->stacks, node);

		memcpy(t->whole + at, &frame, sizeof frame);
		if (!frame)
			break;
	}
	return t->whole;
}

/* True if the row has this key of n bytes. */
static bool row_has(const struct agg_table *t, const struct agg_row *row, const uint8_t *key, uint32_t n)
{
	uint32_t fixed = fixed_length(t->desc, t->tail), node = t->tail < 0 ? 0 : agg_row_stack(t, row);

	if (memcmp(agg_row_packed(t, row), key, fixed) != 0)
		return false;
	for (uint32_t i = fixed; i < n; i += 8, node = stack_tree_caller(&t->stacks, node))
		if (stack_tree_frame(&t->stacks, node) != val_word(key + i, 0))
			return false;
	return true;
}

void agg_table_init(struct agg_table *t, const struct agg_desc *desc)
{
	*t = (struct agg_table){ .desc = desc, .normal = 1, .tail = tail_of(desc) };
	t->cells.size = desc->valsize + (t->tail < 0 ? desc->keysize : fixed_length(desc, t->tail) + 8);
}

static uint64_t samples_in_rows(const struct agg_table *t)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < t->n; i++)
		sum += (uint64_t)t->rows[i].value[0];
	return sum;
}

void agg_samples_sum(struct agg_table *t)
{
	if (t->samples.on)
		t->samples.total = samples_in_rows(t) + t->samples.removed;
}

bool agg_samples_share(const struct agg_table *t, const int64_t *value, double *share, struct share_interval *out)
{
	const uint64_t k = value ? (uint64_t)value[0] : 0, n = t->samples.total;

	if (!t->samples.on || !value)
		return false;
	*share = n ? (double)k / (double)n : 0;
	*out = interval_wilson_lost(k, n, t->samples.lost);
	return true;
}

void agg_table_reset(struct agg_table *t)
{
	pool_free(&t->cells);
	stack_tree_free(&t->stacks);
	t->packed = 0;
	t->n = 0;
	if (t->nslots)
		memset(t->slots, 0, t->nslots * sizeof *t->slots);
}

void agg_table_free(struct agg_table *t)
{
	agg_table_reset(t);
	free(t->rows);
	free(t->slots);
	free(t->settled);
	free(t->whole);
	t->settled = t->whole = NULL;
	t->rows = NULL;
	t->slots = NULL;
	t->cap = t->nslots = 0;
}

/* The row in a slot that is not free. */
static size_t slot_row(uint64_t slot)
{
	return (uint32_t)slot - 1;
}

struct probed_key {
	const uint8_t *bytes;
	uint32_t n;
	uint64_t hash;
};

/* The hash is mixed. Rows may be added in the order of another table's slots: with the same bits of the hash they would
 * fill this table from one end, and each would be compared with thousands of others. */
static struct probed_key probed_key(const struct agg_table *t, const void *bytes)
{
	uint32_t n = t->desc->keysize ? key_length(t->desc, t->tail, bytes) : 0;
	uint64_t hash = n ? hash_key(bytes, n) * 0xd6e8feb86659fd93u >> 32 : 0;

	return (struct probed_key){ bytes, n, hash };
}

/* A key is only read if its hash is the same: in a large table each is in memory that no cache has. */
static bool slot_holds(const struct agg_table *t, uint64_t slot, const struct probed_key *key)
{
	return slot >> 32 == key->hash && (!key->n || row_has(t, &t->rows[slot_row(slot)], key->bytes, key->n));
}

/* The slot of the key, or the free slot in which to store it. */
static size_t table_slot(const struct agg_table *t, const struct probed_key *key)
{
	size_t mask = t->nslots - 1, i = key->hash & mask;

	while (t->slots[i] && !slot_holds(t, t->slots[i], key))
		i = (i + 1) & mask;
	return i;
}

static size_t free_slot(const struct agg_table *t, uint64_t hash)
{
	size_t mask = t->nslots - 1, i = hash & mask;

	while (t->slots[i])
		i = (i + 1) & mask;
	return i;
}

/* Stores all rows in the slots, which are empty. */
static void table_index(struct agg_table *t)
{
	for (size_t i = 0; i < t->n; i++) {
		uint64_t hash = probed_key(t, agg_row_key(t, &t->rows[i])).hash;

		t->slots[free_slot(t, hash)] = hash << 32 | (i + 1);
	}
}

static int table_rehash(struct agg_table *t, size_t nslots)
{
	uint64_t *slots = calloc(nslots, sizeof *slots), *old = t->slots;
	size_t n = t->nslots;

	if (!slots)
		return -ENOMEM;
	t->slots = slots;
	t->nslots = nslots;
	for (size_t i = 0; i < n; i++)
		if (old[i])
			t->slots[free_slot(t, old[i] >> 32)] = old[i];
	free(old);
	return 0;
}

/* Makes room for one more row in the list, and keeps a quarter of the slots free. */
static int table_grow(struct agg_table *t)
{
	if (t->n == t->cap) {
		size_t cap = t->cap ? t->cap * 2 : FEWEST;
		struct agg_row *rows = t->n < UINT32_MAX - 1 ? reallocarray(t->rows, cap, sizeof *rows) : NULL;

		if (!rows)
			return -ENOMEM;
		t->rows = rows;
		t->cap = cap;
	}
	return t->n * 4 >= t->nslots * 3 ? table_rehash(t, t->nslots ? t->nslots * 2 : FEWEST) : 0;
}

/* Stores the key of a row. The stack's number follows what is before its frames. */
static int row_pack(struct agg_table *t, const struct agg_row *row, const uint8_t *key, uint32_t n)
{
	uint32_t fixed = fixed_length(t->desc, t->tail), frames, stack;

	if (fixed)
		memcpy(agg_row_packed(t, row), key, fixed);
	if (t->tail < 0)
		return 0;
	if (!t->whole)
		t->whole = malloc(t->desc->keysize);
	frames = (n - fixed) / 8;
	frames -= frames && !val_word(key + n - 8, 0);
	if (!t->whole || stack_tree_put(&t->stacks, key + fixed, frames, &stack) < 0)
		return -ENOMEM;
	memcpy(agg_row_packed(t, row) + fixed, &stack, sizeof stack);
	return 0;
}

static int table_add_row(struct agg_table *t, const struct probed_key *key)
{
	struct agg_row *row;

	if (table_grow(t) < 0)
		return -ENOMEM;
	row = &t->rows[t->n];
	row->value = pool_get(&t->cells);
	if (!row->value)
		return -ENOMEM;
	if (row_pack(t, row, key->bytes, key->n) < 0) {
		pool_put(&t->cells, row->value);
		return -ENOMEM;
	}
	t->slots[free_slot(t, key->hash)] = key->hash << 32 | (t->n + 1);
	t->n++;
	return 0;
}

static bool key_is_plain(const struct agg_table *t)
{
	for (unsigned i = 0; i < t->desc->nkeys; i++)
		if (val_is_symbolic(t->desc->key[i].kind))
			return false;
	return true;
}

/* Converts a key field from the object's layout: replaces a stack number by frames. */
static void key_field(const struct agg_table *t, unsigned i, const uint8_t *raw)
{
	const struct val_field *to = &t->desc->key[i], *from = &t->desc->raw[i];
	uint32_t head = to->kind == VAL_USTACK ? 8 : 0;
	uint64_t number;

	if (to->kind != VAL_STACK && to->kind != VAL_USTACK) {
		memcpy(t->settled + to->off, raw + from->off, to->size);
		return;
	}
	memcpy(t->settled + to->off, raw + from->off, head);
	memcpy(&number, raw + from->off + head, sizeof number);
	if (t->frames)
		t->frames(t->frames_arg, number, head ? (uint64_t *)(t->settled + to->off) : NULL,
			  (uint64_t *)(t->settled + to->off + head), (to->size - head) / 8);
}

/* Returns the key with frames, with equal addresses for one symbol; NULL without memory. */
static const void *table_settle(struct agg_table *t, const void *raw)
{
	const struct agg_desc *d = t->desc;

	if (key_is_plain(t))
		return raw;
	if (!t->settled)
		t->settled = malloc(d->keysize);
	if (!t->settled)
		return NULL;
	memset(t->settled, 0, d->keysize);
	for (unsigned i = 0; i < d->nkeys; i++) {
		key_field(t, i, raw);
		if (t->names && t->names->settle && val_is_symbolic(d->key[i].kind))
			t->names->settle(t->names->arg, &d->key[i], t->settled);
	}
	return t->settled;
}

int agg_table_put(struct agg_table *t, const void *bytes, const int64_t *value)
{
	const struct probed_key key = probed_key(t, bytes);
	uint64_t slot = t->nslots ? t->slots[table_slot(t, &key)] : 0;

	if (!slot) {
		if (table_add_row(t, &key) < 0)
			return -ENOMEM;
		slot = t->n;
	}
	t->desc->func->merge(&t->desc->spec, t->rows[slot_row(slot)].value, value);
	return 0;
}

int agg_table_add(struct agg_table *t, const void *key, const int64_t *value)
{
	if (key && !(key = table_settle(t, key)))
		return -ENOMEM;
	return agg_table_put(t, key, value);
}

/* Keys of cells are never symbolic, so the object's layout is also that of the table. */
int agg_table_add_cell(struct agg_table *t, uint32_t cell, uint32_t cpu, const int64_t *value)
{
	const struct agg_desc *d = t->desc;

	if (!t->settled)
		t->settled = malloc(d->rawsize + !d->rawsize);
	if (!t->settled)
		return -ENOMEM;
	memcpy(t->settled, d->cells->keys + (size_t)(cell & (d->cells->n - 1)) * d->rawsize, d->rawsize);
	for (unsigned i = 0; i < d->nkeys; i++)
		if (d->cells->cpus >> i & 1)
			memcpy(t->settled + d->raw[i].off, &cpu, sizeof cpu);
	return agg_table_put(t, t->settled, value);
}

void agg_table_clear(struct agg_table *t)
{
	for (size_t i = 0; i < t->n; i++)
		memset(t->rows[i].value, 0, t->desc->valsize);
	t->samples.removed = 0;
	agg_samples_sum(t);
}

/* Copies the rows to memory of their own, without what was removed. False: there is no memory; nothing changes. */
static bool table_repack(struct agg_table *t)
{
	struct agg_table fresh = { .desc = t->desc, .tail = t->tail, .cells.size = t->cells.size };
	struct agg_row row;
	bool done = true;

	fresh.rows = calloc(t->n + 1, sizeof *fresh.rows);
	for (size_t i = 0; i < t->n && done; i++) {
		const uint8_t *key = agg_row_key(t, &t->rows[i]);

		row.value = fresh.rows ? pool_get(&fresh.cells) : NULL;
		done = row.value && !row_pack(&fresh, &row, key, probed_key(t, key).n);
		if (done) {
			memcpy(row.value, t->rows[i].value, t->desc->valsize);
			fresh.rows[i] = row;
		}
	}
	free(fresh.whole);
	if (!done) {
		free(fresh.rows);
		pool_free(&fresh.cells);
		stack_tree_free(&fresh.stacks);
		return false;
	}
	pool_free(&t->cells);
	stack_tree_free(&t->stacks);
	memcpy(t->rows, fresh.rows, t->n * sizeof *t->rows);
	free(fresh.rows);
	t->cells = fresh.cells;
	t->stacks = fresh.stacks;
	t->packed = t->stacks.n;
	return true;
}

/* Frees unused memory after many rows were removed. If there is no memory to do that, the table keeps it. */
static void table_shrink(struct agg_table *t)
{
	size_t cap = t->cap, nslots = t->nslots;
	struct agg_row *rows;
	uint64_t *slots;
	bool packed;

	while (cap > FEWEST && cap / 4 >= t->n)
		cap /= 2;
	/* stacks of removed rows stay in the tree until then */
	packed = (cap < t->cap || t->stacks.n > 2 * (uint64_t)t->packed + MANY_NODES) && table_repack(t);
	rows = cap < t->cap && packed ? reallocarray(t->rows, cap, sizeof *rows) : NULL;
	if (rows) {
		t->rows = rows;
		t->cap = cap;
	}
	while (nslots > FEWEST && nslots / 8 >= t->n)
		nslots /= 2;
	slots = nslots < t->nslots ? calloc(nslots, sizeof *slots) : NULL;
	if (slots) {
		free(t->slots);
		t->slots = slots;
		t->nslots = nslots;
	} else {
		memset(t->slots, 0, t->nslots * sizeof *t->slots);
	}
	table_index(t);
}

/* Removes the rows without a value. The others keep their order. */
static void table_sweep(struct agg_table *t)
{
	size_t n = 0;

	for (size_t i = 0; i < t->n; i++)
		if (t->rows[i].value)
			t->rows[n++] = t->rows[i];
	t->n = n;
	if (t->nslots)
		table_shrink(t);
}

static void row_drop(struct agg_table *t, struct agg_row *row)
{
	pool_put(&t->cells, row->value);
	row->value = NULL;
}

int agg_table_move(struct agg_table *from, struct agg_table *to, agg_rekey_fn *fn, void *arg)
{
	uint8_t *key = malloc(from->desc->keysize + 1);
	int r = key ? 0 : -ENOMEM;
	bool moved = false;

	for (size_t i = 0; i < from->n && !r; i++) {
		if (!fn(arg, from->desc, agg_row_key(from, &from->rows[i]), key))
			continue;
		r = agg_table_put(to, key, from->rows[i].value);
		if (!r)
			row_drop(from, &from->rows[i]);
		moved |= !r;
	}
	if (moved)
		table_sweep(from);
	free(key);
	return r;
}

#define EXCHANGE(a, b) \
	do { \
		__typeof__(a) old = a; \
		a = b; \
		b = old; \
	} while (0)

/* Exchanges the rows. */
static void tables_exchange(struct agg_table *a, struct agg_table *b)
{
	EXCHANGE(a->rows, b->rows);
	EXCHANGE(a->n, b->n);
	EXCHANGE(a->cap, b->cap);
	EXCHANGE(a->cells, b->cells);
	EXCHANGE(a->stacks, b->stacks);
	EXCHANGE(a->packed, b->packed);
	EXCHANGE(a->whole, b->whole);
	EXCHANGE(a->slots, b->slots);
	EXCHANGE(a->nslots, b->nslots);
}

int agg_table_join(struct agg_table *to, struct agg_table *from)
{
	int r = 0;

	if (!to->n)
		tables_exchange(to, from);
	for (size_t i = 0; i < from->n && !r; i++) {
		r = agg_table_put(to, agg_row_key(from, &from->rows[i]), from->rows[i].value);
		if (!r)
			row_drop(from, &from->rows[i]);
	}
	if (from->n)
		table_sweep(from);
	return r;
}

void agg_table_trunc(struct agg_table *t, int64_t n)
{
	uint64_t kept = n < 0 ? 0 - (uint64_t)n : (uint64_t)n;
	const struct agg_order by_value = { 0 };
	const uint64_t before = t->samples.on ? samples_in_rows(t) : 0;
	struct agg_row **rows = NULL;
	size_t count = 0;

	if (n && kept >= t->n)
		return;
	/* Without memory to sort, nothing is removed: too many rows are better than wrong ones. */
	if (n && agg_table_sort(t, &by_value, &rows, &count) < 0)
		return;
	for (size_t i = 0; n == 0 && i < t->n; i++)
		row_drop(t, &t->rows[i]);
	for (size_t i = 0; i < count; i++)
		if (n < 0 ? i >= kept : count - i > kept)
			row_drop(t, rows[i]);
	free(rows);
	table_sweep(t);
	if (t->samples.on)
		t->samples.removed = n ? t->samples.removed + before - samples_in_rows(t) : 0;
	agg_samples_sum(t);
}
