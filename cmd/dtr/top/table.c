/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/dtr/top/table.h"

#include <stdlib.h>
#include <string.h>

#include "base/map.h"

static void *top_new(const struct top_table *t, void *old, size_t n, size_t size)
{
	void *p = reallocarray(old, n ? n : 1, size);

	if (!p)
		t->arena->oom(t->arena->oom_arg);
	return p;
}

static char *top_copy(const struct top_table *t, const char *s)
{
	return memcpy(top_new(t, NULL, strlen(s) + 1, 1), s, strlen(s) + 1);
}

static enum top_kind kind_of(const char *function)
{
	static const struct { const char *name; enum top_kind kind; } kinds[] = {
		{ "count", TOP_COUNT }, { "sum", TOP_SUM }, { "avg", TOP_MEAN }, { "quantize", TOP_BUCKETS },
		{ "lquantize", TOP_BUCKETS }, { "llquantize", TOP_BUCKETS },
	};

	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (!strcmp(function, kinds[i].name))
			return kinds[i].kind;
	return TOP_STATE;
}

void top_table_init(struct top_table *t, struct arena *a, const struct dtr_agg *agg)
{
	*t = (struct top_table){ .arena = a, .kind = kind_of(agg->function), .n_keys = agg->n_keys, .n_slots = 64 };
	t->name = top_copy(t, agg->name);
	t->function = top_copy(t, agg->function);
	t->slots = top_new(t, NULL, t->n_slots, sizeof *t->slots);
	memset(t->slots, 0, t->n_slots * sizeof *t->slots);
}

static void row_free(struct top_row *r, unsigned n_keys)
{
	for (unsigned i = 0; i < n_keys; i++)
		free((char *)r->keys[i].text);
	free(r->keys);
	free(r->past);
	free(r->buckets);
	free(r->lines);
	free(r);
}

void top_table_free(struct top_table *t)
{
	for (size_t i = 0; i < t->n; i++)
		row_free(t->rows[i], t->n_keys);
	free(t->rows);
	free(t->slots);
	free(t->name);
	free(t->function);
	*t = (struct top_table){ 0 };
}

/* ---- finding ---- */

/* Numbers also have texts, which are not needed. */
static bool key_is_text(const struct dtr_key *k)
{
	return k->kind >= DTR_TEXT;
}

static uint64_t keys_hash(const struct dtr_key *k, unsigned n)
{
	uint64_t h = n;

	for (unsigned i = 0; i < n; i++) {
		uint64_t x = key_is_text(&k[i]) ? hash_key(k[i].text, strlen(k[i].text)) : (uint64_t)k[i].number;

		h = (h ^ x) * 0x9e3779b97f4a7c15ull;
		h ^= h >> 29;
	}
	return h;
}

bool top_keys_equal(const struct dtr_key *a, const struct dtr_key *b, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		if (a[i].kind != b[i].kind)
			return false;
		if (key_is_text(&a[i]) ? strcmp(a[i].text, b[i].text) != 0 : a[i].number != b[i].number)
			return false;
	}
	return true;
}

static struct top_row *row_find(const struct top_table *t, const struct dtr_key *keys, uint64_t hash)
{
	for (uint32_t i = t->slots[hash & (t->n_slots - 1)]; i; i = t->rows[i - 1]->next)
		if (t->rows[i - 1]->hash == hash && top_keys_equal(t->rows[i - 1]->keys, keys, t->n_keys))
			return t->rows[i - 1];
	return NULL;
}

struct top_row *top_table_find(const struct top_table *t, const struct dtr_key *keys)
{
	return row_find(t, keys, keys_hash(keys, t->n_keys));
}

/* Fills the slots from the rows. */
static void slots_fill(struct top_table *t)
{
	memset(t->slots, 0, t->n_slots * sizeof *t->slots);
	for (size_t i = 0; i < t->n; i++) {
		uint32_t *slot = &t->slots[t->rows[i]->hash & (t->n_slots - 1)];

		t->rows[i]->next = *slot;
		*slot = (uint32_t)i + 1;
	}
}

static struct top_row *row_new(struct top_table *t, const struct dtr_key *keys, uint64_t hash)
{
	struct top_row *r = top_new(t, NULL, 1, sizeof *r);
	uint32_t *slot;

	*r = (struct top_row){ .hash = hash, .keys = top_new(t, NULL, t->n_keys, sizeof *r->keys) };
	for (unsigned i = 0; i < t->n_keys; i++) {
		r->keys[i] = keys[i];
		r->keys[i].text = key_is_text(&keys[i]) ? top_copy(t, keys[i].text) : NULL;
	}
	if (t->kind != TOP_STATE) {
		r->past = top_new(t, NULL, TOP_PAST, sizeof *r->past);
		memset(r->past, 0, TOP_PAST * sizeof *r->past);
	}
	if (t->n == t->cap)
		t->rows = top_new(t, t->rows, t->cap = t->cap ? 2 * t->cap : 64, sizeof(struct top_row *));
	t->rows[t->n++] = r;
	if (t->n > t->n_slots) {
		t->slots = top_new(t, t->slots, t->n_slots *= 2, sizeof *t->slots);
		slots_fill(t);
		return r;
	}
	slot = &t->slots[hash & (t->n_slots - 1)];
	r->next = *slot;
	*slot = (uint32_t)t->n;
	return r;
}

/* ---- a snapshot ---- */

static unsigned ring_at(const struct top_table *t, unsigned ago)
{
	return (t->snapshots - ago) % TOP_PAST;
}

void top_table_begin(struct top_table *t, double seconds)
{
	t->snapshots++;
	t->lengths[ring_at(t, 0)] = seconds;
}

/* What was added. A number that was set back has begun at 0 again. */
static int64_t difference(int64_t now, int64_t before)
{
	if ((before > 0 && now >= 0 && now < before) || (before < 0 && now <= 0 && now > before))
		return now;
	return (int64_t)((uint64_t)now - (uint64_t)before);
}

static struct top_bucket *row_bucket(const struct top_table *t, struct top_row *r, const struct dtr_bucket *b)
{
	unsigned i = 0;

	while (i < r->n_buckets && r->buckets[i].from < b->from)
		i++;
	if (i < r->n_buckets && r->buckets[i].from == b->from)
		return &r->buckets[i];
	r->buckets = top_new(t, r->buckets, r->n_buckets + 1, sizeof *r->buckets);
	memmove(r->buckets + i + 1, r->buckets + i, (r->n_buckets - i) * sizeof *r->buckets);
	r->n_buckets++;
	r->buckets[i] = (struct top_bucket){ .from = b->from, .to = b->to };
	return &r->buckets[i];
}

static void row_buckets(const struct top_table *t, struct top_row *r, const struct dtr_row *row)
{
	const unsigned at = ring_at(t, 0);

	r->sum = 0;
	for (unsigned i = 0; i < row->n_buckets; i++) {
		struct top_bucket *b;

		if (!row->buckets[i].count)
			continue;
		b = row_bucket(t, r, &row->buckets[i]);
		b->past[at] = difference(row->buckets[i].count, b->count);
		b->count = row->buckets[i].count;
		b->seen = t->snapshots;
		r->sum += b->count;
	}
	r->value = r->count = r->sum;
}

/* Buckets that the snapshot lacks are empty. */
static void row_buckets_end(const struct top_table *t, struct top_row *r)
{
	for (unsigned i = 0; i < r->n_buckets; i++) {
		if (r->buckets[i].seen == t->snapshots)
			continue;
		r->buckets[i].past[ring_at(t, 0)] = 0;
		r->buckets[i].count = 0;
	}
}

int top_table_add(void *arg, const struct dtr_row *row)
{
	struct top_table *t = arg;
	uint64_t hash = keys_hash(row->keys, t->n_keys);
	struct top_row *r = row_find(t, row->keys, hash);
	int64_t sum, count;

	if (!r)
		r = row_new(t, row->keys, hash);
	sum = r->sum;
	count = r->count;
	r->seen = t->snapshots;
	r->value = row->value;
	r->sum = t->kind == TOP_MEAN ? row->sum : row->value;
	r->count = t->kind == TOP_MEAN ? row->count : row->value;
	if (t->kind == TOP_BUCKETS)
		row_buckets(t, r, row);
	if (r->past) {
		r->past[ring_at(t, 0)][0] = difference(r->sum, sum);
		r->past[ring_at(t, 0)][1] = difference(r->count, count);
	}
	return 0;
}

static void row_absent(const struct top_table *t, struct top_row *r)
{
	r->value = r->sum = r->count = 0;
	if (r->past)
		memset(r->past[ring_at(t, 0)], 0, sizeof *r->past);
}

void top_table_end(struct top_table *t)
{
	size_t n = 0;

	for (size_t i = 0; i < t->n; i++) {
		struct top_row *r = t->rows[i];

		row_buckets_end(t, r);
		if (r->seen != t->snapshots)
			row_absent(t, r);
		if (t->snapshots - r->seen >= TOP_PAST)
			row_free(r, t->n_keys);
		else
			t->rows[n++] = r;
	}
	if (n == t->n)
		return;
	t->n = n;
	slots_fill(t);
}

/* ---- values ---- */

static unsigned intervals_known(const struct top_table *t, unsigned intervals)
{
	if (intervals > t->snapshots)
		intervals = t->snapshots;
	return intervals < TOP_PAST ? intervals : TOP_PAST;
}

/* The sum and the count over the last intervals. */
static void row_sums(const struct top_table *t, const struct top_row *r, unsigned intervals, int64_t *sum,
		     int64_t *count)
{
	*sum = *count = 0;
	intervals = intervals_known(t, intervals);
	for (unsigned i = 0; i < intervals; i++) {
		*sum = (int64_t)((uint64_t)*sum + (uint64_t)r->past[ring_at(t, i)][0]);
		*count += r->past[ring_at(t, i)][1];
	}
}

int64_t top_row_value(const struct top_table *t, const struct top_row *r, unsigned intervals)
{
	int64_t sum, count;

	if (!intervals || !r->past)
		return r->value;
	row_sums(t, r, intervals, &sum, &count);
	return t->kind != TOP_MEAN ? sum : count ? sum / count : 0;
}

bool top_row_active(const struct top_table *t, const struct top_row *r, unsigned intervals)
{
	int64_t sum, count;

	if (!intervals || !r->past)
		return r->seen == t->snapshots;
	row_sums(t, r, intervals, &sum, &count);
	return count != 0;
}

int64_t top_bucket_past(const struct top_table *t, const struct top_bucket *b, unsigned ago)
{
	return ago < intervals_known(t, TOP_PAST) ? b->past[ring_at(t, ago)] : 0;
}

double top_table_length(const struct top_table *t, unsigned intervals)
{
	double s = 0;

	intervals = intervals_known(t, intervals);
	for (unsigned i = 0; i < intervals; i++)
		s += t->lengths[ring_at(t, i)];
	return s;
}

bool top_table_adds(const struct top_table *t)
{
	return t->kind == TOP_COUNT || t->kind == TOP_SUM || t->kind == TOP_BUCKETS;
}
