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

static void put_texts(struct saver *v)
{
	put_uint(&v->block, v->s->texts.n);
	for (size_t i = 0; i < v->s->texts.n; i++)
		put_bytes(&v->block, v->s->texts.v[i], strlen(v->s->texts.v[i]));
	block_end(v, FILE_TEXTS);
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

static void add_stacks(struct saver *v, const struct agg_desc *d, const uint8_t *key)
{
	for (unsigned k = 0; k < d->nkeys; k++) {
		uint32_t n;
		const uint8_t *p;
		void **number;

		if (d->key[k].kind != VAL_STACK && d->key[k].kind != VAL_USTACK)
			continue;
		p = stack_frames(&d->key[k], key, &n);
		number = map_put(&v->stacks, p, 8 * (size_t)n);
		if (!*number)
			*number = (void *)(uintptr_t)v->stacks.n;
	}
}

static int put_stacks(struct saver *v, struct agg_row ***rows, const size_t *nrows)
{
	for (unsigned i = 0; i < v->s->n; i++)
		for (size_t k = 0; k < nrows[i]; k++)
			add_stacks(v, &v->s->descs[i], rows[i][k]->key);
	put_uint(&v->block, v->stacks.n);
	for (size_t i = 0; i < v->stacks.n; i++) {
		const struct map_entry *e = &v->stacks.entries[i];

		put_uint(&v->block, e->len / 8);
		for (uint32_t k = 0; k < e->len / 8; k++)
			put_uint(&v->block, val_word(e->key, k) - 1);
	}
	block_end(v, FILE_STACKS);
	return 0;
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

static void put_agg(struct saver *v, const struct agg_table *t, struct agg_row *const *rows, size_t nrows)
{
	const struct agg_desc *d = t->desc;
	struct buf *b = &v->block;

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
	for (size_t i = 0; i < nrows; i++) {
		for (unsigned k = 0; k < d->nkeys; k++)
			put_key(v, &d->key[k], rows[i]->key);
		put_value(b, rows[i]->value, d->valsize / 8);
	}
	block_end(v, FILE_AGG);
}

/* Sorts the rows by key, so that the file does not depend on the order of insertion. */
static int sort_rows(const struct agg_set *s, struct agg_row ***rows, size_t *nrows)
{
	const struct agg_order by_key = { .by_key = true };
	int r = 0;

	for (unsigned i = 0; !r && i < s->n; i++)
		r = agg_table_sort(&s->tables[i], &by_key, &rows[i], &nrows[i]);
	return r;
}

int agg_save(struct buf *out, const struct agg_set *s)
{
	struct saver v = { .s = s, .out = out };
	struct agg_row ***rows = calloc(s->n + 1, sizeof *rows);
	size_t *nrows = calloc(s->n + 1, sizeof *nrows);
	int r = rows && nrows ? sort_rows(s, rows, nrows) : -ENOMEM;

	if (!r) {
		map_init(&v.stacks, s->arena);
		put_header(out, s->host ? FILE_VERSION_HOST : FILE_VERSION);
		buf_put(&v.block, s->program, s->program_len);
		block_end(&v, FILE_PROGRAM);
		if (s->host) {
			buf_puts(&v.block, s->host);
			block_end(&v, FILE_HOST);
		}
		put_texts(&v);
		put_stacks(&v, rows, nrows);
		for (unsigned i = 0; i < s->n; i++)
			put_agg(&v, &s->tables[i], rows[i], nrows[i]);
		block_end(&v, FILE_END);
		r = out->failed ? -ENOMEM : v.too_large ? -EFBIG : 0;
	}
	for (unsigned i = 0; rows && i < s->n; i++)
		free(rows[i]);
	buf_free(&v.block);
	free(rows);
	free(nrows);
	return r;
}
