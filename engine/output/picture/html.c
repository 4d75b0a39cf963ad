/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* -O html: share/picture.html with the rows of all aggregations in place of @DATA@. The page needs no other files. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/json.h"
#include "engine/output/list.h"
#include "engine/output/picture/picture.h"
#include "engine/output/shares/page.h"

#define MARK "@DATA@"

enum { MANY = 64 };

/* JavaScript's numbers are exact up to here. */
static void put_number(struct buf *b, int64_t v)
{
	const int64_t exact = 1ll << 53;
	char text[24];

	if (v >= -exact && v <= exact) {
		json_int(b, v);
		return;
	}
	snprintf(text, sizeof text, "%lld", (long long)v);
	json_text(b, text);
}

static void put_frames(struct buf *b, const struct picture *p)
{
	json_name(b, "frames");
	json_open(b, '[');
	for (size_t i = 0; i < p->frames.n; i++) {
		json_open(b, '[');
		json_text(b, p->frames.v[i].name);
		if (p->frames.v[i].object)
			json_text(b, p->frames.v[i].object);
		json_close(b, ']');
	}
	json_close(b, ']');
}

static const char *kind_name(const struct val_field *f)
{
	static const char *const names[] = {
		[VAL_INT] = "int", [VAL_STACK] = "stack", [VAL_USTACK] = "ustack",
	};
	const char *name = f->kind < sizeof names / sizeof names[0] ? names[f->kind] : NULL;

	return name ? name : "text";
}

static void put_cell(struct buf *b, struct picture *p, const struct agg_table *t,
		     const struct val_field *f, const uint8_t *key)
{
	struct buf text = { 0 };

	if (f->kind == VAL_STACK || f->kind == VAL_USTACK) {
		uint32_t *v = malloc((picture_stack_max(f, t->names) + 1) * sizeof *v);
		unsigned n = v ? picture_stack(p, f, key, t->names, v) : 0;

		json_open(b, '[');
		for (unsigned i = 0; i < n; i++)
			json_uint(b, v[i]);
		json_close(b, ']');
		b->failed |= !v;
		free(v);
	} else if (f->kind == VAL_INT && f->is_signed) {
		put_number(b, val_int(f, key));
	} else {
		picture_text(&text, f, key, t->names);
		if (f->kind == VAL_INT && text.len < 16)
			json_uint(b, (uint64_t)val_int(f, key));
		else
			json_string(b, buf_str(&text), text.len);
	}
	b->failed |= text.failed;
	buf_free(&text);
}

static void put_bound(struct buf *b, bool there, int64_t v)
{
	if (there)
		put_number(b, v);
	else
		json_null(b);
}

/* The range of buckets that is shown: from the first used one to the last. */
static void used_buckets(const struct agg_table *t, const int64_t *v, unsigned *first, unsigned *last)
{
	struct agg_bucket k;
	bool any = false;

	*first = *last = 0;
	for (unsigned i = 0; t->desc->func->bucket(&k, &t->desc->spec, v, i, t->normal); i++) {
		if (k.empty)
			continue;
		*first = any ? *first : i;
		*last = i;
		any = true;
	}
}

/* Empty buckets between others are shown unless they are many. */
static void put_value(struct buf *b, const struct agg_table *t, const int64_t *v)
{
	const struct agg_func *f = t->desc->func;
	unsigned first, last;
	struct agg_bucket k;

	if (!f->bucket) {
		put_number(b, f->number(&t->desc->spec, v, t->normal));
		return;
	}
	used_buckets(t, v, &first, &last);
	json_open(b, '[');
	for (unsigned i = 0; f->bucket(&k, &t->desc->spec, v, i, t->normal); i++) {
		if (k.empty && (i < first || i > last || last - first > MANY))
			continue;
		json_open(b, '[');
		put_bound(b, k.has_min, k.min);
		put_bound(b, k.has_max, k.max);
		put_number(b, k.count);
		json_close(b, ']');
	}
	json_close(b, ']');
}

static void put_rows(struct buf *b, struct picture *p, const struct picture_agg *a)
{
	const struct agg_table *t = a->table;

	json_name(b, "rows");
	json_open(b, '[');
	for (size_t i = 0; i < a->nrows; i++) {
		const uint8_t *key = agg_row_key(t, a->rows[i]);

		json_open(b, '[');
		json_open(b, '[');
		for (unsigned k = 0; k < t->desc->nkeys; k++)
			put_cell(b, p, t, &t->desc->key[k], key);
		json_close(b, ']');
		put_value(b, t, a->rows[i]->value);
		json_close(b, ']');
	}
	json_close(b, ']');
}

/* With -x interval: what intervals need besides the rows, which must be counts. */
static void put_samples(struct buf *b, const struct agg_samples *s)
{
	if (!s->on)
		return;
	json_name(b, "samples");
	json_open(b, '{');
	json_member_uint(b, "removed", s->removed);
	json_name(b, "lost");
	if (s->known)
		json_uint(b, s->lost);
	else
		json_null(b);
	json_member_uint(b, "idle", s->idle);
	json_close(b, '}');
}

static void put_agg(struct buf *b, struct output *o, const struct picture_agg *a)
{
	const struct agg_desc *d = a->table->desc;
	struct picture_unit unit = picture_unit(o, a->table);

	json_open(b, '{');
	json_member_text(b, "name", picture_name(o, a));
	json_member_text(b, "func", d->func->name);
	json_name(b, "counts");
	json_bool(b, a->counts);
	if (unit.name)
		json_member_text(b, "unit", unit.name);
	if (unit.interval)
		json_member_uint(b, "interval", unit.interval);
	if (o->tables && a->table->normal == 1)
		put_samples(b, &o->tables[d->id].samples);
	json_name(b, "keys");
	json_open(b, '[');
	for (unsigned i = 0; i < d->nkeys; i++)
		json_text(b, kind_name(&d->key[i]));
	json_close(b, ']');
	put_rows(b, picture_of(o), a);
	json_close(b, '}');
}

static void put_about(struct buf *b, const struct output *o)
{
	const struct run_about *about = &o->about;

	json_name(b, "program");
	json_string(b, o->program, o->program_len);
	if (o->codeless)
		json_member_text(b, "lack", PICTURE_CODELESS);
	if (*about->host)
		json_member_text(b, "host", about->host);
	if (*about->subject)
		json_member_text(b, "subject", about->subject);
	if (about->dated)
		json_member_uint(b, "time", about->wall / 1000000);
	if (about->timed) {
		json_name(b, "seconds");
		buf_printf(b, "%.3f", (double)(about->now - about->began) / 1e9);
	}
}

/* Escapes "<", because "</script" and "<!--" have a meaning within <script>. */
static void put_safely(struct buf *out, const struct buf *json)
{
	for (size_t i = 0; i < json->len; i++) {
		if (json->data[i] == '<')
			buf_puts(out, "\\u003c");
		else
			buf_putc(out, json->data[i]);
	}
	out->failed |= json->failed;
}

void picture_page_write(struct output *o, const struct buf *json)
{
	const char *page = picture_of(o)->page, *mark = page ? strstr(page, MARK) : NULL;

	if (!mark)
		return;
	buf_put(&o->buf, page, (size_t)(mark - page));
	put_safely(&o->buf, json);
	buf_puts(&o->buf, mark + sizeof MARK - 1);
}

static void html_draw(struct output *o, const struct agg_table *tables, unsigned n)
{
	struct buf json = { 0 };

	if (!picture_take(o, tables, n))
		return;
	picture_of(o)->taken = true;
	json_open(&json, '{');
	put_about(&json, o);
	json_name(&json, "aggs");
	json_open(&json, '[');
	for (size_t i = 0; i < picture_of(o)->aggs.n; i++)
		put_agg(&json, o, &picture_of(o)->aggs.v[i]);
	json_close(&json, ']');
	put_frames(&json, picture_of(o));
	json.failed |= picture_of(o)->failed;
	json_close(&json, '}');
	picture_page_write(o, &json);
	buf_free(&json);
}

void picture_page_open(struct output *o)
{
	const char *dir = o->opts->syslibdir ? o->opts->syslibdir : o->share ? o->share : ".";
	const char *path = arena_printf(o->arena, "%s/picture.html", dir);
	struct buf b = { 0 };
	int r = buf_read_file(&b, path);

	if (!r && !b.failed && strstr(buf_str(&b), MARK)) {
		picture_of(o)->page = arena_strndup(o->arena, b.data, b.len);
	} else {
		output_message(o, "failed to read %s: %s", path, r ? strerror(-r) : "not a page written by dtr");
		o->failed = true;
	}
	buf_free(&b);
}

/* The page is read before anything is traced: a missing file is reported at once. */
static void html_begin(struct output *o)
{
	picture_begin(o);
	picture_page_open(o);
}

const struct printer printer_html = {
	.pure = true,
	.begin = html_begin,
	.action = picture_action,
	.record_end = picture_record_end,
	.clear = picture_clear,
	.aggregations = html_draw,
	.shares = shares_page,
	.probes = list_text_head,
	.probe = list_text_probe,
	.note = picture_note,
	.close = picture_close,
};
