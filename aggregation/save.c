/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Writes a set in the file format. */
#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "aggregation/file.h"
#include "aggregation/set.h"

struct saver {
	const struct agg_set *s;
	struct buf *out;
	struct buf block;	/* the current block */
	struct map stacks;	/* frames -> number of the stack, from 1 */
	bool too_large;
};

static void put_u32(struct buf *b, uint32_t v)
{
	v = htole32(v);
	buf_put(b, &v, sizeof v);
}

/* Unsigned LEB128. */
static void put_uint(struct buf *b, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		buf_putc(b, (int)(0x80 | (v & 0x7f)));
	buf_putc(b, (int)v);
}

/* Zigzag encoding (0, -1, 1, -2, 2...): small numbers of either sign are short. */
static void put_int(struct buf *b, int64_t v)
{
	put_uint(b, (uint64_t)v << 1 ^ (uint64_t)(v >> 63));
}

static void put_bytes(struct buf *b, const void *p, size_t n)
{
	put_uint(b, n);
	buf_put(b, p, n);
}

static void block_end(struct saver *v, const char *kind)
{
	uint32_t len = htole32((uint32_t)v->block.len);
	uLong crc = crc32(crc32(0, NULL, 0), (const Bytef *)kind, 4);

	v->too_large |= v->block.len > UINT32_MAX;
	v->out->failed |= v->block.failed;
	crc = crc32(crc, (const Bytef *)&len, sizeof len);
	crc = crc32_z(crc, (const Bytef *)buf_str(&v->block), v->block.len);
	buf_put(v->out, kind, 4);
	put_u32(v->out, (uint32_t)v->block.len);
	buf_put(v->out, v->block.data, v->block.len);
	put_u32(v->out, (uint32_t)crc);
	buf_reset(&v->block);
}

static void put_header(struct buf *out, uint32_t version)
{
	struct buf b = { 0 };

	buf_put(&b, FILE_MAGIC, FILE_MAGIC_LEN);
	put_u32(&b, version);
	put_u32(&b, (uint32_t)crc32(0, (const Bytef *)buf_str(&b), (uInt)b.len));
	buf_put(out, b.data, b.len);
	out->failed |= b.failed;
	buf_free(&b);
}

/* Returns the frames of a stack and stores their number. */
static const uint8_t *stack_frames(const struct val_field *f, const uint8_t *key, uint32_t *n)
{
	uint32_t head = f->kind == VAL_USTACK;
	const uint8_t *p = key + f->off + 8 * head;

	for (*n = 0; *n + head < f->size / 8 && val_word(p, *n); ++*n)
		;
	return p;
}

static void add_stacks(struct map *stacks, const struct agg_desc *d, const uint8_t *key)
{
	for (unsigned k = 0; k < d->nkeys; k++) {
		uint32_t n;
		const uint8_t *p;
		void **number;

		if (d->key[k].kind != VAL_STACK && d->key[k].kind != VAL_USTACK)
			continue;
		p = stack_frames(&d->key[k], key, &n);
		number = map_put(stacks, p, 8 * (size_t)n);
		if (!*number)
			*number = (void *)(uintptr_t)stacks->n;
	}
}

static void put_key(struct saver *v, const struct val_field *f, const uint8_t *key)
{
	const uint8_t *p = key + f->off;
	uint32_t n;

	switch (f->kind) {
	case VAL_INT:
	case VAL_PTR:
		put_int(&v->block, val_int(f, key));
		break;
	case VAL_STR:
		put_bytes(&v->block, p, strnlen((const char *)p, f->size));
		break;
	case VAL_BYTES:
		buf_put(&v->block, p, f->size);
		break;
	case VAL_STACK:
	case VAL_USTACK:
		p = stack_frames(f, key, &n);
		put_uint(&v->block, (uintptr_t)*map_find(&v->stacks, p, 8 * (size_t)n) - 1);
		break;
	default:
		put_uint(&v->block, val_word(p, f->size / 8 - 1) - 1);
	}
}

/* Writes the number of non-zero words, then each with the number of zeros before it: most buckets are empty. */
static void put_value(struct buf *b, const int64_t *v, uint32_t words)
{
	uint32_t used = 0, at = 0;

	for (uint32_t i = 0; i < words; i++)
		used += v[i] != 0;
	put_uint(b, used);
	for (uint32_t i = 0; i < words; i++) {
		if (!v[i])
			continue;
		put_uint(b, i - at);
		put_int(b, v[i]);
		at = i + 1;
	}
}

static void put_desc(struct buf *b, const struct agg_table *t, uint64_t nrows)
{
	const struct agg_desc *d = t->desc;

	put_bytes(b, d->name, strlen(d->name));
	put_bytes(b, d->func->name, strlen(d->func->name));
	put_uint(b, d->spec.nparams);
	for (unsigned i = 0; i < d->spec.nparams; i++)
		put_int(b, d->spec.p[i]);
	put_uint(b, d->nkeys);
	for (unsigned i = 0; i < d->nkeys; i++) {
		buf_putc(b, d->key[i].kind);
		buf_putc(b, d->key[i].is_signed);
		put_uint(b, d->key[i].size);
	}
	if (t->normal < 0)
		put_uint(b, 0);
	put_uint(b, (uint64_t)(t->normal < 0 ? -t->normal : t->normal));
	put_uint(b, nrows);
}

static void put_rows(struct saver *v, const struct agg_table *t, struct agg_row *const *rows, size_t nrows)
{
	const struct agg_desc *d = t->desc;

	for (size_t i = 0; i < nrows; i++) {
		const uint8_t *key = agg_row_key(t, rows[i]);

		for (unsigned k = 0; k < d->nkeys; k++)
			put_key(v, &d->key[k], key);
		put_value(&v->block, rows[i]->value, d->valsize / 8);
	}
}

/* The rows of an aggregation sorted by key, so that the file does not depend on the order of insertion. */
static int rows_by_key(const struct agg_set *s, unsigned i, struct agg_row ***rows, size_t *n)
{
	const struct agg_order by_key = { .by_key = true };

	return agg_table_sort(&s->tables[i], &by_key, rows, n);
}

/* The header, the program, the host, texts and stacks. */
static void put_first_blocks(struct saver *v)
{
	put_header(v->out, v->s->host ? FILE_VERSION_HOST : FILE_VERSION);
	buf_put(&v->block, v->s->program, v->s->program_len);
	block_end(v, FILE_PROGRAM);
	if (v->s->host) {
		buf_puts(&v->block, v->s->host);
		block_end(v, FILE_HOST);
	}
	put_uint(&v->block, v->s->texts.n);
	for (size_t i = 0; i < v->s->texts.n; i++)
		put_bytes(&v->block, v->s->texts.v[i], strlen(v->s->texts.v[i]));
	block_end(v, FILE_TEXTS);
	put_uint(&v->block, v->stacks.n);
	for (size_t i = 0; i < v->stacks.n; i++) {
		const struct map_entry *e = &v->stacks.entries[i];

		put_uint(&v->block, e->len / 8);
		for (uint32_t k = 0; k < e->len / 8; k++)
			put_uint(&v->block, val_word(e->key, k) - 1);
	}
	block_end(v, FILE_STACKS);
}

static int saver_result(struct saver *v)
{
	buf_free(&v->block);
	return v->out->failed ? -ENOMEM : v->too_large ? -EFBIG : 0;
}

int agg_save(struct buf *out, const struct agg_set *s)
{
	struct saver v = { .s = s, .out = out };
	struct agg_row ***rows = calloc(s->n + 1, sizeof *rows);
	size_t *nrows = calloc(s->n + 1, sizeof *nrows);
	int r = rows && nrows ? 0 : -ENOMEM;

	for (unsigned i = 0; !r && i < s->n; i++)
		r = rows_by_key(s, i, &rows[i], &nrows[i]);
	if (!r) {
		map_init(&v.stacks, s->arena);
		for (unsigned i = 0; i < s->n; i++)
			for (size_t k = 0; k < nrows[i]; k++)
				add_stacks(&v.stacks, &s->descs[i], agg_row_key(&s->tables[i], rows[i][k]));
		put_first_blocks(&v);
		for (unsigned i = 0; i < s->n; i++) {
			put_desc(&v.block, &s->tables[i], nrows[i]);
			put_rows(&v, &s->tables[i], rows[i], nrows[i]);
			block_end(&v, FILE_AGG);
		}
		block_end(&v, FILE_END);
		r = saver_result(&v);
	}
	for (unsigned i = 0; rows && i < s->n; i++)
		free(rows[i]);
	free(rows);
	free(nrows);
	return r;
}

/* ---- parts ---- */

void agg_writer_open(struct agg_writer *w, const struct agg_set *all)
{
	*w = (struct agg_writer){ .all = all };
	w->part = arena_calloc(all->arena, all->n + 1, sizeof *w->part);
	for (unsigned i = 0; i < all->n; i++) {
		map_init(&w->part[i].stacks, all->arena);
		w->part[i].crc = (uint32_t)crc32(0, NULL, 0);
	}
	map_init(&w->stacks, all->arena);
}

int agg_writer_stacks(struct agg_writer *w, const struct agg_set *part)
{
	struct agg_row **rows;
	size_t n;
	int r = 0;

	for (unsigned i = 0; !r && i < part->n; i++) {
		r = rows_by_key(part, i, &rows, &n);
		for (size_t k = 0; !r && k < n; k++)
			add_stacks(&w->part[i].stacks, &part->descs[i], agg_row_key(&part->tables[i], rows[k]));
		if (!r)
			free(rows);
	}
	return r;
}

/* Stacks are numbered by their first rows: those of the first aggregation first. */
void agg_writer_stacked(struct agg_writer *w)
{
	for (unsigned i = 0; i < w->all->n; i++) {
		const struct map *m = &w->part[i].stacks;

		for (size_t k = 0; k < m->n; k++) {
			void **number = map_put(&w->stacks, m->entries[k].key, m->entries[k].len);

			if (!*number)
				*number = (void *)(uintptr_t)w->stacks.n;
		}
	}
}

int agg_writer_rows(struct agg_writer *w, const struct agg_set *part, unsigned i, struct buf *out)
{
	struct saver v = { .s = part, .out = out, .stacks = w->stacks };
	struct agg_writer_part *p = &w->part[i];
	struct agg_row **rows;
	size_t n;
	int r = rows_by_key(part, i, &rows, &n);

	if (r)
		return r;
	put_rows(&v, &part->tables[i], rows, n);
	free(rows);
	p->rows += n;
	p->bytes += v.block.len;
	p->crc = (uint32_t)crc32_z(p->crc, (const Bytef *)buf_str(&v.block), v.block.len);
	buf_put(out, v.block.data, v.block.len);
	out->failed |= v.block.failed;
	return saver_result(&v);
}

int agg_writer_begin(const struct agg_writer *w, struct buf *out)
{
	struct saver v = { .s = w->all, .out = out, .stacks = w->stacks };

	put_first_blocks(&v);
	return saver_result(&v);
}

int agg_writer_agg(const struct agg_writer *w, unsigned i, struct buf *out, uint32_t *crc)
{
	const struct agg_writer_part *p = &w->part[i];
	struct buf head = { 0 };
	uint64_t len;

	put_desc(&head, &w->all->tables[i], p->rows);
	len = head.len + p->bytes;
	buf_put(out, FILE_AGG, 4);
	put_u32(out, (uint32_t)len);
	buf_put(out, head.data, head.len);
	out->failed |= head.failed;
	if (!out->failed)
		*crc = (uint32_t)crc32_z(crc32(0, NULL, 0), (const Bytef *)out->data + out->len - head.len - FILE_BLOCK,
					 head.len + FILE_BLOCK);
	buf_free(&head);
	return out->failed ? -ENOMEM : len > UINT32_MAX ? -EFBIG : 0;
}

int agg_writer_end(const struct agg_writer *w, unsigned i, struct buf *out, uint32_t crc)
{
	put_u32(out, (uint32_t)crc32_combine(crc, w->part[i].crc, (z_off_t)w->part[i].bytes));
	return out->failed ? -ENOMEM : 0;
}

int agg_writer_done(const struct agg_writer *w, struct buf *out)
{
	struct saver v = { .s = w->all, .out = out };

	block_end(&v, FILE_END);
	return saver_result(&v);
}
