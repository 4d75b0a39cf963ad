/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Sorts rows, and joins the rows of several aggregations. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "aggregation/func.h"

/* ---- keys ---- */
static int numbers_compare(uint64_t x, uint64_t y)
{
	return (x > y) - (x < y);
}

/* Compares frames and addresses in order, as unsigned numbers or as their source of names does. Process IDs are
 * compared first, the time of their addresses last. */
static int words_compare(const struct val_field *fa, const uint8_t *a, const struct val_field *fb, const uint8_t *b,
			 const struct val_names *names)
{
	uint32_t na = fa->size / 8, nb = fb->size / 8, head = val_is_user(fa->kind);
	uint64_t x = val_field_word(fa, a, 0), y = val_field_word(fb, b, 0);
	int r = head ? numbers_compare((uint64_t)val_owner_pid(x), (uint64_t)val_owner_pid(y)) : 0;
	const bool named = names && names->compare;

	for (uint32_t i = head; !r && (i < na || i < nb); i++) {
		uint64_t v = val_field_word(fa, a, i), w = val_field_word(fb, b, i);

		if (v != w)
			r = named && v && w ? names->compare(names->arg, v, w) : numbers_compare(v, w);
		else if (!v)
			break;
	}
	return r || !head ? r : numbers_compare(x, y);
}

/* Compares the values of integers of any width and signedness. */
static int int_compare(const struct val_field *fa, const uint8_t *a, const struct val_field *fb, const uint8_t *b)
{
	int64_t x = val_int(fa, a), y = val_int(fb, b);
	bool below = fa->is_signed && x < 0, other_below = fb->is_signed && y < 0;

	if (below != other_below)
		return below ? -1 : 1;
	return ((uint64_t)x > (uint64_t)y) - ((uint64_t)x < (uint64_t)y);
}

static int field_compare(const struct val_field *fa, const uint8_t *a, const struct val_field *fb, const uint8_t *b,
			 const struct val_names *names)
{
	size_t n;
	int r;

	if (val_is_float(fa) && val_is_float(fb)) {
		long double x = val_float(fa, a), y = val_float(fb, b);

		if (x < y || x > y)
			return x < y ? -1 : 1;
	}
	if (fa->kind == VAL_STR || fa->kind == VAL_BYTES) {
		size_t na = fa->size, nb = fb->size;

		if (fa->kind == VAL_STR) {
			na = strnlen((const char *)a + fa->off, na);
			nb = strnlen((const char *)b + fb->off, nb);
		}
		n = na < nb ? na : nb;
		r = n ? memcmp(a + fa->off, b + fb->off, n) : 0;
		return r ? (r > 0) - (r < 0) : (na > nb) - (na < nb);
	}
	if (val_is_symbolic(fa->kind))
		return words_compare(fa, a, fb, b, names);
	return int_compare(fa, a, fb, b);
}

int agg_key_compare(const struct agg_desc *da, const void *a, const struct agg_desc *db, const void *b,
		    const struct agg_key_order *o)
{
	unsigned n = da->nkeys < db->nkeys ? da->nkeys : db->nkeys, first = o->first < n ? o->first : 0;
	int r = 0;

	for (unsigned i = 0; i < n && !r; i++) {
		unsigned k = (i + first) % n;

		r = field_compare(&da->key[k], a, &db->key[k], b, o->names);
	}
	return r;
}

/* ---- keys of rows ---- */
/* Compares the stacks at the end of two keys of a table, up to the caller that they have in common. */
static int stacks_compare(const struct agg_table *t, const struct agg_row *a, const struct agg_row *b,
			  const struct val_names *names)
{
	const struct val_field *f = &t->desc->key[t->tail];
	const bool user = f->kind == VAL_USTACK, named = names && names->compare;
	uint64_t x = user ? val_word(agg_row_packed(t, a) + f->off, 0) : 0;
	uint64_t y = user ? val_word(agg_row_packed(t, b) + f->off, 0) : 0;
	uint32_t m = agg_row_stack(t, a), n = agg_row_stack(t, b);
	int r = numbers_compare((uint64_t)val_owner_pid(x), (uint64_t)val_owner_pid(y));

	for (; !r && m != n; m = stack_tree_caller(&t->stacks, m), n = stack_tree_caller(&t->stacks, n)) {
		uint64_t v = stack_tree_frame(&t->stacks, m), w = stack_tree_frame(&t->stacks, n);

		if (v != w)
			r = named && v && w ? names->compare(names->arg, v, w) : numbers_compare(v, w);
	}
	return r ? r : numbers_compare(x, y);
}

/* Compares keys of rows, as agg_key_compare. */
static int keys_compare(const struct agg_table *ta, const struct agg_row *a, const struct agg_table *tb,
			const struct agg_row *b, const struct agg_key_order *o)
{
	const struct agg_desc *d = ta->desc;
	unsigned first = o->first < d->nkeys ? o->first : 0;
	int r = 0;

	if (ta != tb || ta->tail < 0)
		return agg_key_compare(d, agg_row_key(ta, a), tb->desc, agg_row_key(tb, b), o);
	for (unsigned i = 0; i < d->nkeys && !r; i++) {
		unsigned k = (i + first) % d->nkeys;

		r = k == (unsigned)ta->tail ? stacks_compare(ta, a, b, o->names) :
			field_compare(&d->key[k], agg_row_packed(ta, a), &d->key[k], agg_row_packed(ta, b), o->names);
	}
	return r;
}

/* ---- one table ---- */
struct table_sort {
	const struct agg_table *t;
	const struct agg_order *order;
	struct agg_key_order keys;
};

static int row_compare(const void *pa, const void *pb, void *arg)
{
	const struct agg_row *a = *(struct agg_row *const *)pa, *b = *(struct agg_row *const *)pb;
	const struct table_sort *s = arg;
	const struct agg_desc *d = s->t->desc;
	int r = s->order->by_key ? keys_compare(s->t, a, s->t, b, &s->keys) : 0;

	if (!r)
		r = d->func->compare(&d->spec, a->value, b->value);
	/* Keys are long: compare them only if necessary. */
	if (!r && !s->order->by_key)
		r = keys_compare(s->t, a, s->t, b, &s->keys);
	if (r)
		return s->order->reverse ? -r : r;
	return (a > b) - (a < b);	/* rows of one table: keeps their order */
}

static bool is_zero(const struct agg_table *t, const int64_t *value)
{
	const struct agg_func *f = t->desc->func;

	return !value || (!f->histogram && !f->number(&t->desc->spec, value, t->normal));
}

int agg_table_sort(const struct agg_table *t, const struct agg_order *o, struct agg_row ***rows, size_t *n)
{
	struct table_sort s = { t, o, { o->keypos, t->names } };

	*n = 0;
	*rows = calloc(t->n ? t->n : 1, sizeof **rows);
	if (!*rows)
		return -ENOMEM;
	for (size_t i = 0; i < t->n; i++)
		if (!o->nonzero || !is_zero(t, t->rows[i].value))
			(*rows)[(*n)++] = &t->rows[i];
	qsort_r(*rows, *n, sizeof **rows, row_compare, &s);
	return 0;
}

/* ---- several tables ---- */
struct sort_member {
	const struct agg_row *row;
	unsigned table;
	size_t seq;		/* keeps the sort stable */
};

struct join {
	const struct agg_table *const *t;
	unsigned ntables;
	const struct agg_order *order;
	struct agg_key_order keys;	/* as the rows are printed */
	unsigned pos;
	const int64_t *nothing;	/* the value used if an aggregation does not have a key */
};

static int member_compare(const void *pa, const void *pb, void *arg)
{
	const struct sort_member *a = pa, *b = pb;
	const struct join *j = arg;
	const struct agg_key_order from_first = { .names = j->keys.names };
	int r = keys_compare(j->t[a->table], a->row, j->t[b->table], b->row, &from_first);

	return r ? r : (a->seq > b->seq) - (a->seq < b->seq);
}

static int joint_values(const struct join *j, const struct agg_joint *a, const struct agg_joint *b)
{
	int r = 0;

	for (unsigned i = 0; i < j->ntables && !r; i++) {
		unsigned k = (i + j->pos) % j->ntables;
		const struct agg_desc *d = j->t[k]->desc;

		r = d->func->compare(&d->spec, a->value[k] ? a->value[k] : j->nothing,
				     b->value[k] ? b->value[k] : j->nothing);
	}
	return r;
}

static int joint_compare(const void *pa, const void *pb, void *arg)
{
	const struct agg_joint *a = pa, *b = pb;
	const struct join *j = arg;
	int key = keys_compare(a->table, a->row, b->table, b->row, &j->keys);
	int r = j->order->by_key ? key : 0;

	if (!r)
		r = joint_values(j, a, b);
	if (!r)
		r = key;
	return j->order->reverse ? -r : r;
}

/* Returns the rows of all tables, sorted by key. */
static struct sort_member *join_members(const struct join *j, size_t *n)
{
	struct sort_member *m;
	size_t max = 0;

	for (unsigned i = 0; i < j->ntables; i++)
		max += j->t[i]->n;
	*n = 0;
	m = calloc(max ? max : 1, sizeof *m);
	if (!m)
		return NULL;
	for (unsigned i = 0; i < j->ntables; i++) {
		for (size_t k = 0; k < j->t[i]->n; k++) {
			m[*n] = (struct sort_member){ &j->t[i]->rows[k], i, *n };
			(*n)++;
		}
	}
	qsort_r(m, *n, sizeof *m, member_compare, (void *)j);
	return m;
}

static bool same_key(const struct join *j, const struct sort_member *a, const struct sort_member *b)
{
	const struct agg_key_order from_first = { .names = j->keys.names };

	return !keys_compare(j->t[a->table], a->row, j->t[b->table], b->row, &from_first);
}

/* Combines members with equal keys to joint rows. One block holds the rows and, after them, their arrays of values. */
static int join_bundle(const struct join *j, const struct sort_member *m, size_t nmembers, struct agg_joint **rows,
		       size_t *n)
{
	size_t nrows = 0, per_row = sizeof **rows + j->ntables * sizeof(int64_t *);
	const int64_t **values;

	for (size_t i = 0; i < nmembers; i++)
		nrows += i == 0 || !same_key(j, &m[i - 1], &m[i]);
	*rows = calloc(nrows ? nrows : 1, per_row);
	if (!*rows)
		return -ENOMEM;
	values = (const int64_t **)(*rows + nrows);
	*n = 0;
	for (size_t i = 0; i < nmembers; i++) {
		if (i == 0 || !same_key(j, &m[i - 1], &m[i])) {
			(*rows)[*n] = (struct agg_joint){ j->t[m[i].table], m[i].row,
							  values + *n * j->ntables };
			(*n)++;
		}
		(*rows)[*n - 1].value[m[i].table] = m[i].row->value;
	}
	return 0;
}

/* Is the joint row left out? */
static bool is_omitted(const struct join *j, const struct agg_joint *row)
{
	bool zero = j->order->nonzero;

	/* its key is not in the deciding table */
	if (j->order->only && !row->value[j->pos])
		return true;
	for (unsigned i = 0; i < j->ntables && zero; i++)
		zero = is_zero(j->t[i], row->value[i]);
	return zero;
}

int agg_join(const struct agg_table *const *t, unsigned ntables, const struct agg_order *o, struct agg_joint **rows,
	     size_t *n)
{
	struct join j = {
		.t = t, .ntables = ntables, .order = o, .keys = { o->keypos, t[0]->names },
		.pos = o->pos < ntables ? o->pos : 0,
	};
	int64_t *nothing = calloc(1, AGG_MAXVALUE);
	struct sort_member *m = NULL;
	size_t nmembers, kept = 0;
	int err = -ENOMEM;

	*rows = NULL;
	*n = 0;
	j.nothing = nothing;
	if (nothing)
		m = join_members(&j, &nmembers);
	if (m)
		err = join_bundle(&j, m, nmembers, rows, n);
	for (size_t i = 0; !err && i < *n; i++)
		if (!is_omitted(&j, &(*rows)[i]))
			(*rows)[kept++] = (*rows)[i];
	*n = kept;
	if (!err)
		qsort_r(*rows, *n, sizeof **rows, joint_compare, &j);
	free(m);
	free(nothing);
	return err;
}
