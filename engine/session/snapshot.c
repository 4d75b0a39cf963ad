/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/session/snapshot.h"

#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "engine/session/agg_tables.h"
#include "engine/session/order.h"

void snapshot_close(struct dtr *t)
{
	struct session_snapshot *s = &t->snapshot;

	for (unsigned i = 0; s->tables && i < t->aggs.n; i++)
		agg_table_free(&s->tables[i]);
	s->tables = NULL;
	s->rows = NULL;
	arena_free(&s->arena);
}

static void snapshot_open(struct dtr *t)
{
	struct session_snapshot *s = &t->snapshot;

	if (s->tables)
		return;
	arena_init(&s->arena, t->cfg.oom, t->cfg.arg);
	s->tables = arena_calloc(&t->arena, t->aggs.n + 1, sizeof *s->tables);
	s->rows = arena_calloc(&t->arena, t->aggs.n + 1, sizeof *s->rows);
	for (unsigned i = 0; i < t->aggs.n; i++) {
		agg_table_init(&s->tables[i], t->aggs.tables[i].desc);
		s->tables[i].names = &t->output.names;
	}
}

int dtr_snapshot(struct dtr *t)
{
	if (!order_allows(t, CALL_dtr_snapshot))
		return -1;
	snapshot_open(t);
	arena_free(&t->snapshot.arena);
	for (unsigned i = 0; i < t->aggs.n; i++)
		t->snapshot.rows[i] = (struct snapshot_rows){ 0 };
	return agg_tables_view(t, t->snapshot.tables);
}

unsigned dtr_agg_count(const struct dtr *t)
{
	return t->aggs.n;
}

bool dtr_agg(const struct dtr *t, unsigned i, struct dtr_agg *out)
{
	const struct agg_desc *d;

	if (i >= t->aggs.n)
		return false;
	d = t->aggs.tables[i].desc;
	*out = (struct dtr_agg){
		.name = strcmp(d->name, "_") ? d->name : "", .function = d->func->name, .n_keys = d->nkeys,
	};
	return true;
}

/* ---- rows ---- */

static enum dtr_kind kind_of(const struct val_field *f)
{
	switch (f->kind) {
	case VAL_INT:
		return f->is_signed ? DTR_INT : DTR_UINT;
	case VAL_PTR:
		return DTR_UINT;
	case VAL_STACK:
	case VAL_USTACK:
		return DTR_STACK;
	default:
		return DTR_TEXT;
	}
}

static void put_text(struct buf *out, const struct val_field *f, const uint8_t *key, const struct val_names *names)
{
	const char *p = (const char *)key + f->off;

	if (val_is_symbolic(f->kind))
		val_show(out, names, f, key);
	else if (f->kind == VAL_STR)
		escape_put(out, p, strnlen(p, f->size), ESCAPE_LINE);
	else if (val_is_float(f))
		buf_printf(out, "%Lg", val_float(f, key));
	else
		for (uint32_t i = 0; i < f->size; i++)
			buf_printf(out, "%02x", (unsigned char)p[i]);
}

static void put_number(struct buf *out, const struct val_field *f, int64_t v)
{
	buf_printf(out, f->kind == VAL_PTR ? "0x%llx" : f->is_signed ? "%lld" : "%llu", (long long)v);
}

/* A stack begins and ends with a newline. */
static const char *text_of(struct arena *a, const struct buf *b)
{
	const char *s = buf_str(b);
	size_t n = b->len;

	for (; n && *s == '\n'; n--)
		s++;
	while (n && s[n - 1] == '\n')
		n--;
	return arena_strndup(a, s, n);
}

static void make_keys(struct arena *a, const struct agg_table *t, const uint8_t *key, struct dtr_row *out,
		      struct buf *room)
{
	struct dtr_key *keys = arena_calloc(a, t->desc->nkeys, sizeof *keys);

	for (unsigned i = 0; i < t->desc->nkeys; i++) {
		const struct val_field *f = &t->desc->key[i];

		buf_reset(room);
		keys[i].kind = kind_of(f);
		if (keys[i].kind == DTR_INT || keys[i].kind == DTR_UINT) {
			keys[i].number = val_int(f, key);
			put_number(room, f, keys[i].number);
		} else {
			put_text(room, f, key, t->names);
		}
		keys[i].text = text_of(a, room);
	}
	out->keys = keys;
	out->n_keys = t->desc->nkeys;
}

static void make_buckets(struct arena *a, const struct agg_table *t, const int64_t *v, struct dtr_row *out)
{
	struct dtr_bucket *buckets;
	uint32_t words = t->desc->valsize / 8;
	struct agg_bucket b;
	unsigned n = 0;

	for (uint32_t i = 0; i < words; i++)
		n += v[i] != 0;
	buckets = arena_calloc(a, n, sizeof *buckets);
	for (uint32_t i = 0; i < words; i++) {
		if (!v[i] || !t->desc->func->bucket(&b, &t->desc->spec, v, i, t->normal))
			continue;
		buckets[out->n_buckets++] = (struct dtr_bucket){
			b.has_min ? b.min : INT64_MIN, b.has_max ? b.max : INT64_MAX, b.count,
		};
		out->count = (int64_t)((uint64_t)out->count + (uint64_t)b.count);
	}
	out->buckets = buckets;
	out->has_count = true;
	out->value = out->count;
}

static void make_value(struct arena *a, const struct agg_table *t, const int64_t *v, struct dtr_row *out)
{
	const struct agg_func *f = t->desc->func;
	struct agg_parts parts = { 0 };

	if (f->bucket) {
		make_buckets(a, t, v, out);
		return;
	}
	out->value = f->number(&t->desc->spec, v, t->normal);
	if (f->parts)
		f->parts(v, &parts);
	out->has_count = parts.has_count;
	out->has_sum = parts.has_sum;
	out->count = f->takes_value ? parts.count : out->value;
	out->sum = (int64_t)(parts.sum / t->normal);
}

/* Returns 0, or -1 without memory. */
static int make_rows(struct dtr *t, const struct agg_table *table, struct snapshot_rows *out)
{
	struct arena *a = &t->snapshot.arena;
	struct buf room = { 0 };
	struct agg_row **rows;

	if (agg_table_sort(table, &t->opts.order, &rows, &out->n) < 0)
		return -1;
	out->v = arena_calloc(a, out->n, sizeof *out->v);
	for (size_t i = 0; i < out->n; i++) {
		make_keys(a, table, agg_row_key(table, rows[i]), &out->v[i], &room);
		make_value(a, table, rows[i]->value, &out->v[i]);
	}
	out->made = !room.failed;
	free(rows);
	buf_free(&room);
	return out->made ? 0 : -1;
}

/* Stacks of texts have no indentation; their addresses can be from any time. */
static int make_texts(struct dtr *t, unsigned i)
{
	unsigned indent = t->symbols.indent;
	int r;

	t->symbols.indent = 0;
	t->symbols.at = 0;
	r = make_rows(t, &t->snapshot.tables[i], &t->snapshot.rows[i]);
	t->symbols.indent = indent;
	if (r < 0) {
		output_message(&t->output, "out of memory");
		t->output.failed = true;
	}
	return r;
}

int dtr_agg_rows(struct dtr *t, unsigned i, int (*row)(void *arg, const struct dtr_row *r), void *arg)
{
	struct snapshot_rows *rows;
	int r = 0;

	if (!order_allows(t, CALL_dtr_agg_rows) ||
	    !order_given(t, CALL_dtr_agg_rows, (void *)(uintptr_t)row, "the function"))
		return -1;
	if (!t->snapshot.tables || i >= t->aggs.n)
		return 0;
	rows = &t->snapshot.rows[i];
	if (!rows->made && make_texts(t, i) < 0)
		return -1;
	for (size_t k = 0; k < rows->n && !r; k++)
		r = row(arg, &rows->v[k]);
	return r;
}
