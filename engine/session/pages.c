/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/session/pages.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "engine/output/metrics/page.h"
#include "engine/output/printer.h"
#include "engine/session/about.h"
#include "engine/session/order.h"

static void tables_free(struct agg_table *tables, unsigned n)
{
	for (unsigned i = 0; tables && i < n; i++)
		agg_table_free(&tables[i]);
	free(tables);
}

void pages_close(struct dtr *t)
{
	tables_free(t->pages.before, t->aggs.n);
	t->pages.before = NULL;
}

/* What a page reports is reported with the session's output, once. */
static void ignore_message(void *arg, const char *text)
{
	(void)arg, (void)text;
}

/* Where the caller of dtr_page() and the like wants the page. */
struct page_result {
	char **data;
	size_t *size;
};

static int page_nomem(struct dtr *t)
{
	output_message(&t->output, "out of memory");
	return -1;
}

/* The caller takes the buffer's memory. */
static int page_take(struct dtr *t, struct buf *out, const struct page_result *to)
{
	if (out->failed) {
		buf_free(out);
		return page_nomem(t);
	}
	*to->data = out->data;
	*to->size = out->len;
	return 0;
}

/* Draws tables by the printer of a format, which works on an output of its own. */
static int page_draw(struct dtr *t, const struct printer *p, const struct run_about *about, struct agg_table *tables,
		     const struct page_result *to)
{
	struct output o = t->output;
	struct arena a;

	arena_init(&a, t->cfg.oom, t->cfg.arg);
	o.printer = p;
	o.arena = &a;
	o.buf = (struct buf){ 0 };
	o.file = NULL;
	o.state = NULL;
	o.cleared = NULL;
	o.failed = o.closed = false;
	o.drawn = (struct dtr_picture){ 0 };
	o.about = *about;
	o.tables = tables;
	o.message = ignore_message;
	t->symbols.at = 0;
	p->begin(&o);
	if (!o.failed)
		p->aggregations(&o, tables, t->aggs.n);
	if (o.state)
		p->close(&o);
	arena_free(&a);
	o.buf.failed |= o.failed;
	return page_take(t, &o.buf, to);
}

static void report_dropped(struct dtr *t, uint64_t dropped)
{
	if (dropped && !t->pages.dropped)
		output_message(&t->output, "%" PRIu64 " series are not in the metrics: the maximum is %u "
			       "(-x maxseries)", dropped, t->opts.maxseries);
	t->pages.dropped = dropped > 0;
}

static int page_metrics(struct dtr *t, struct page page, const struct page_result *to)
{
	struct buf out = { 0 };
	uint64_t dropped;
	struct arena a;

	arena_init(&a, t->cfg.oom, t->cfg.arg);
	page.arena = &a;
	t->symbols.at = 0;
	page_put(&out, &page, t->snapshot.tables, t->snapshot.tables ? t->aggs.n : 0, &dropped);
	arena_free(&a);
	report_dropped(t, dropped);
	return page_take(t, &out, to);
}

int dtr_page(struct dtr *t, enum dtr_page page, const struct dtr_metric *own, unsigned n, char **data, size_t *size)
{
	static const enum metrics_form forms[] = {
		[DTR_OPENMETRICS] = METRICS_OPEN, [DTR_METRICS] = METRICS_CLASSIC, [DTR_PROTOBUF] = METRICS_PROTO,
	};
	const struct page_result to = { data, size };

	if (!order_allows(t, CALL_dtr_page))
		return -1;
	if (!t->snapshot.tables) {
		output_message(&t->output, "dtr_page(): call dtr_snapshot() first");
		return -1;
	}
	if (page < DTR_PPROF)
		return page_metrics(t, (struct page){ .output = &t->output, .form = forms[page], .extra = own,
				    .nextra = n }, &to);
	about_end(t);
	return page_draw(t, page == DTR_PPROF ? &printer_pprof : &printer_html, &t->output.about, t->snapshot.tables,
			 &to);
}

/* ---- what was added since the last time ---- */

/* Values that can be subtracted: words that only additions change. */
static bool is_additive(const struct agg_func *f)
{
	return f->bucket || f == agg_func_find("count") || f == agg_func_find("sum");
}

static int copy_rows(struct agg_table *to, const struct agg_table *from)
{
	int r = 0;

	to->names = from->names;
	to->normal = from->normal;
	for (size_t i = 0; !r && i < from->n; i++)
		r = agg_table_put(to, agg_row_key(from, &from->rows[i]), from->rows[i].value);
	return r;
}

static int subtract_rows(struct agg_table *to, const struct agg_table *from, int64_t *negative)
{
	const unsigned words = to->desc->valsize / 8;
	int r = 0;

	for (size_t i = 0; !r && i < from->n; i++) {
		for (unsigned k = 0; k < words; k++)
			negative[k] = (int64_t)-(uint64_t)from->rows[i].value[k];
		r = agg_table_put(to, agg_row_key(from, &from->rows[i]), negative);
	}
	return r;
}

/* A count that has fallen began anew: clear(). A row that is gone has nothing new. */
static void correct_rows(struct agg_table *added, const struct agg_table *now)
{
	const bool sum = added->desc->func == agg_func_find("sum");
	const unsigned words = added->desc->valsize / 8;

	for (size_t i = 0; i < added->n; i++) {
		int64_t *v = added->rows[i].value;
		bool fell = false;

		for (unsigned k = 0; k < words; k++)
			fell |= v[k] < 0;
		if (i >= now->n)
			memset(v, 0, added->desc->valsize);
		else if (fell && !sum)
			memcpy(v, now->rows[i].value, added->desc->valsize);
	}
}

static bool any_row(const struct agg_table *t)
{
	for (size_t i = 0; i < t->n; i++)
		for (unsigned k = 0; k < t->desc->valsize / 8; k++)
			if (t->rows[i].value[k])
				return true;
	return false;
}

/* Rows of now[i] that are not in before[i], or with more in their values. */
static int added_rows(struct agg_table *added, const struct agg_table *now, const struct agg_table *before)
{
	int64_t *negative = malloc(now->desc->valsize);
	int r = negative ? copy_rows(added, now) : -ENOMEM;

	if (!r && before)
		r = subtract_rows(added, before, negative);
	if (!r)
		correct_rows(added, now);
	free(negative);
	return r;
}

static struct agg_table *tables_new(struct dtr *t)
{
	struct agg_table *tables = calloc(t->aggs.n + 1, sizeof *tables);

	for (unsigned i = 0; tables && i < t->aggs.n; i++)
		agg_table_init(&tables[i], t->aggs.tables[i].desc);
	return tables;
}

/* The time since the last profile becomes that of this one. */
static struct run_about about_added(struct dtr *t)
{
	struct run_about about;

	about_end(t);
	about = t->output.about;
	if (t->pages.began) {
		about.wall += t->pages.began - about.began;
		about.began = t->pages.began;
	}
	t->pages.began = about.now;
	return about;
}

int dtr_profile_added(struct dtr *t, char **data, size_t *size, bool *empty)
{
	const struct agg_table *now, *before;
	struct agg_table *added, *copy;
	struct run_about about;
	int r;

	if (!order_allows(t, CALL_dtr_profile_added))
		return -1;
	if (!t->snapshot.tables) {
		output_message(&t->output, "dtr_profile_added(): call dtr_snapshot() first");
		return -1;
	}
	now = t->snapshot.tables;
	before = t->pages.before;
	added = tables_new(t);
	copy = tables_new(t);
	about = about_added(t);
	r = added && copy ? 0 : -1;

	*empty = true;
	for (unsigned i = 0; !r && i < t->aggs.n; i++) {
		if (!is_additive(now[i].desc->func))
			continue;
		r = added_rows(&added[i], &now[i], before ? &before[i] : NULL);
		if (!r)
			r = copy_rows(&copy[i], &now[i]);
		*empty &= !any_row(&added[i]);
	}
	if (!r) {
		tables_free(t->pages.before, t->aggs.n);
		t->pages.before = copy;
		copy = NULL;
	}
	tables_free(copy, t->aggs.n);
	if (r)
		r = page_nomem(t);
	else if (!*empty)
		r = page_draw(t, &printer_pprof, &about, added, &(struct page_result){ data, size });
	tables_free(added, t->aggs.n);
	return r;
}
