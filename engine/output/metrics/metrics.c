/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/output/metrics/metrics.h"

#include <stdlib.h>
#include <string.h>

#include "engine/output/picture/picture.h"

#define PREFIX "dtr_"
#define ANONYMOUS "aggregation"

/* The samples of a family. The names of all families' samples are different. */
static const char *const suffixes[][6] = {
	[METRIC_COUNTER] = { "", "_total", "_created", NULL },
	[METRIC_GAUGE] = { "", NULL },
	[METRIC_SUMMARY] = { "", "_count", "_sum", "_created", "_avg", NULL },
	[METRIC_HISTOGRAM] = { "", "_bucket", "_count", "_sum", "_created", NULL },
};

static const struct metric_writer *writer_of(const struct metrics *m)
{
	static const struct metric_writer *const writers[] = {
		[METRICS_OPEN] = &metrics_open, [METRICS_CLASSIC] = &metrics_classic, [METRICS_PROTO] = &metrics_proto,
	};

	return writers[m->form];
}

void metrics_begin(struct metrics *m, struct arena *a, struct buf *out, enum metrics_form form, uint64_t most)
{
	*m = (struct metrics){ .arena = a, .out = out, .form = form, .room = most };
	map_init(&m->taken, a);
}

void metrics_end(struct metrics *m)
{
	if (m->form == METRICS_OPEN)
		buf_puts(m->out, "# EOF\n");
}

void metrics_reserve(struct metrics *m, const char *name, enum metric_type type)
{
	for (const char *const *s = suffixes[type]; *s; s++)
		map_sets(&m->taken, arena_printf(m->arena, "%s%s", name, *s), m);
}

static bool name_is_free(const struct metrics *m, const char *name, enum metric_type type)
{
	for (const char *const *s = suffixes[type]; *s; s++)
		if (map_gets(&m->taken, arena_printf(m->arena, "%s%s", name, *s)))
			return false;
	return true;
}

/* The name of an aggregation's family: a counter's sample gets "_total" once. A name that is taken gets a number. */
static const char *family_name(struct metrics *m, const struct agg_desc *d, enum metric_type type)
{
	static const char total[] = "_total";
	struct buf b = { 0 };
	const char *base, *name;
	size_t n;

	buf_puts(&b, PREFIX);
	metrics_name(&b, strcmp(d->name, "_") ? d->name : ANONYMOUS);
	n = b.len;
	if (type == METRIC_COUNTER && n > sizeof PREFIX + sizeof total - 2 &&
	    !strcmp(buf_str(&b) + n - strlen(total), total))
		n -= strlen(total);
	base = name = arena_strndup(m->arena, buf_str(&b), n);
	m->out->failed |= b.failed;
	buf_free(&b);
	for (unsigned i = 2; !name_is_free(m, name, type); i++)
		name = arena_printf(m->arena, "%s_%u", base, i);
	metrics_reserve(m, name, type);
	return name;
}

/* ---- labels ---- */

static bool same_label(const struct metric_label *label, unsigned n, const char *name)
{
	for (unsigned i = 0; i < n; i++)
		if (!strcmp(label[i].name, name))
			return true;
	return !strcmp(name, "le") || !strcmp(name, "quantile") || !strncmp(name, "__", 2);
}

/* Names of labels: of a variable its name, else "key0" and so on; names that are taken or reserved get a number. */
static struct metric_label *label_names(struct metrics *m, const struct agg_desc *d)
{
	struct metric_label *label = arena_calloc(m->arena, d->nkeys + 1, sizeof *label);

	for (unsigned i = 0; i < d->nkeys; i++) {
		struct buf b = { 0 };
		const char *base, *name;

		if (d->keyname[i])
			metrics_name(&b, d->keyname[i]);
		m->out->failed |= b.failed;
		base = name = b.len ? arena_strdup(m->arena, buf_str(&b)) :
			      arena_printf(m->arena, "key%u", i);
		if (!strncmp(base, "__", 2))
			base = arena_printf(m->arena, "key%s", base);
		for (unsigned k = 2; same_label(label, i, name); k++)
			name = arena_printf(m->arena, "%s_%u", base, k);
		label[i].name = name;
		buf_free(&b);
	}
	return label;
}

/* Values live until the arena is freed. */
static void label_values(struct metrics *m, const struct agg_table *t, const uint8_t *key, struct metric_label *label)
{
	for (unsigned i = 0; i < t->desc->nkeys; i++) {
		struct buf b = { 0 };

		picture_text(&b, &t->desc->key[i], key, t->names);
		m->out->failed |= b.failed;
		label[i].value = arena_strdup(m->arena, buf_str(&b));
		buf_free(&b);
	}
}

bool metrics_has_stack(const struct agg_desc *d)
{
	for (unsigned i = 0; i < d->nkeys; i++)
		if (d->key[i].kind == VAL_STACK || d->key[i].kind == VAL_USTACK)
			return true;
	return false;
}

/* ---- histograms ---- */

/* The buckets that all rows show: those in which any row has counted something, and one before them, whose bound is
 * where the first one begins. All rows have the same buckets, so that they can be added up. */
struct span {
	unsigned first, n;
};

static struct span table_span(const struct agg_table *t)
{
	unsigned low = ~0u, high = 0;
	struct agg_bucket b;

	for (size_t r = 0; r < t->n; r++)
		for (unsigned i = 0; t->desc->func->bucket(&b, &t->desc->spec, t->rows[r].value, i, t->normal); i++)
			if (!b.empty) {
				low = i < low ? i : low;
				high = i > high ? i : high;
			}
	if (low == ~0u)
		return (struct span){ 0 };
	low -= low > 0;
	return (struct span){ low, high - low + 1 };
}

/* ---- rows ---- */

struct table_state {
	struct metric_family family;
	struct metric_family extra;	/* avg(): its quotient */
	const struct agg_table *t;
	struct span span;
	struct agg_bucket *bucket;	/* [span.n] */
	struct metric_label *label;
	bool avg;
	bool sums;			/* no sum is negative */
	uint64_t each;			/* series of a row */
	struct buf extras;		/* the points of `extra` */
};

static bool func_is(const struct agg_desc *d, const char *func)
{
	return d->func == agg_func_find(func);
}

/* Counters never fall, so that a sum with negative values is none; neither is that of a mean. */
static bool any_negative(const struct agg_table *t)
{
	const bool avg = func_is(t->desc, "avg");
	int64_t num, den;

	for (size_t i = 0; i < t->n; i++) {
		if (avg)
			t->desc->func->fraction(t->rows[i].value, &num, &den);
		else
			num = t->desc->func->number(&t->desc->spec, t->rows[i].value, t->normal);
		if (num < 0)
			return true;
	}
	return false;
}

static void state_open(struct metrics *m, struct table_state *s, const struct agg_table *t)
{
	const struct agg_desc *d = t->desc;
	const char *name = strcmp(d->name, "_") ? d->name : "";

	*s = (struct table_state){ .t = t, .avg = func_is(d, "avg"), .each = 1 };
	s->family.type = METRIC_GAUGE;
	s->family.help = arena_printf(m->arena, "%s() of @%s", d->func->name, name);
	if (d->func->bucket) {
		s->family.type = METRIC_HISTOGRAM;
		s->family.powers = func_is(d, "quantize");
		s->span = table_span(t);
		s->bucket = arena_calloc(m->arena, s->span.n + 1, sizeof *s->bucket);
		s->each = s->span.n + 1 + (m->form != METRICS_OPEN);
	} else if (s->avg) {
		s->family.type = METRIC_SUMMARY;
		s->sums = t->normal > 0 && !any_negative(t);
		s->each = 2 + s->sums;
	} else if ((func_is(d, "count") || func_is(d, "sum")) && !any_negative(t)) {
		s->family.type = METRIC_COUNTER;
	}
	s->family.name = family_name(m, d, s->family.type);
	s->label = label_names(m, d);
	if (s->avg)
		s->extra = (struct metric_family){
			.name = arena_printf(m->arena, "%s_avg", s->family.name), .type = METRIC_GAUGE,
			.help = arena_printf(m->arena, "the mean of @%s", name),
		};
}

/* True if nothing was added. */
static bool value_is_zero(const int64_t *v, uint32_t size)
{
	for (uint32_t i = 0; i < size / sizeof *v; i++)
		if (v[i])
			return false;
	return true;
}

static void put_row(struct metrics *m, struct table_state *s, struct buf *out, const struct agg_row *row)
{
	const struct agg_table *t = s->t;
	const struct agg_func *func = t->desc->func;
	struct metric_point point = { .label = s->label, .nlabels = t->desc->nkeys, .bucket = s->bucket };
	int64_t den = 0;

	label_values(m, t, agg_row_key(t, row), s->label);
	if (func->number)
		point.value = func->number(&t->desc->spec, row->value, t->normal);
	if (s->avg) {
		func->fraction(row->value, &point.sum, &den);
		point.count = value_is_zero(row->value, t->desc->valsize) ? 0 : (uint64_t)den;
		point.sum = (int64_t)(point.sum / t->normal);
		point.has_sum = s->sums;
		writer_of(m)->point(&s->extras, &s->extra, &point);
	}
	for (unsigned i = 0; i < s->span.n; i++) {
		struct agg_bucket *b = &s->bucket[i];

		if (!func->bucket(b, &t->desc->spec, row->value, s->span.first + i, t->normal))
			break;
		/* only a weight or a divisor below 0 makes a count negative */
		b->count = b->count > 0 ? b->count : 0;
		point.nbuckets++;
	}
	writer_of(m)->point(out, &s->family, &point);
}

/* The family of the means. */
static void put_means(struct metrics *m, struct table_state *s)
{
	struct buf b = { 0 };

	writer_of(m)->begin(&b, &s->extra);
	buf_put(&b, s->extras.data, s->extras.len);
	b.failed |= s->extras.failed;
	writer_of(m)->end(m->out, &b, &s->extra);
	buf_free(&b);
	buf_free(&s->extras);
}

static void put_table(struct metrics *m, const struct agg_table *t)
{
	const struct agg_order down = { .reverse = true };
	struct buf b = { 0 };
	struct table_state s;
	struct agg_row **rows;
	size_t n, shown;

	if (agg_table_sort(t, &down, &rows, &n) < 0) {
		m->out->failed = true;
		return;
	}
	state_open(m, &s, t);
	if (!n) {	/* only its name is taken, so that the others do not depend on which aggregations have rows */
		free(rows);
		return;
	}
	shown = m->room / s.each < n ? m->room / s.each : n;
	m->room -= shown * s.each;
	m->dropped += (n - shown) * s.each;
	writer_of(m)->begin(&b, &s.family);
	for (size_t i = 0; i < shown; i++)
		put_row(m, &s, &b, rows[i]);
	writer_of(m)->end(m->out, &b, &s.family);
	buf_free(&b);
	if (s.avg)
		put_means(m, &s);
	free(rows);
}

void metrics_tables(struct metrics *m, const struct agg_table *tables, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (!metrics_has_stack(tables[i].desc))
			put_table(m, &tables[i]);
}

void metrics_family(struct metrics *m, const struct metric_family *f, const struct metric_point *p, unsigned n)
{
	struct buf b = { 0 };

	writer_of(m)->begin(&b, f);
	for (unsigned i = 0; i < n; i++)
		writer_of(m)->point(&b, f, &p[i]);
	writer_of(m)->end(m->out, &b, f);
	buf_free(&b);
}
