/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/output/shares/shares.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "engine/output/accounts.h"
#include "engine/output/picture/picture.h"

struct sharing {
	struct shares *s;
	struct arena *arena;
	const struct output *o;
	const struct agg_table *table, *idle;	/* idle: @idle[cpu]; NULL: there is none */
	struct map rows;			/* group and name -> index + 1 */
	struct buf text;
};

static bool is_count(const struct agg_desc *d)
{
	return d->func == agg_func_find("count");
}

static bool is_idle(const struct agg_desc *d)
{
	return !strcmp(d->name, "idle") && d->nkeys == 1 && d->key[0].kind == VAL_INT;
}

static bool is_shown(const struct agg_desc *d)
{
	return is_count(d) && !is_idle(d);
}

bool shares_all(const struct agg_table *tables, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (!is_count(tables[i].desc))
			return false;
	return true;
}

/* ---- names ---- */

static bool is_kernel(const struct val_field *f)
{
	return f->kind == VAL_SYM || f->kind == VAL_MOD || f->kind == VAL_STACK;
}

static void put_frame(void *arg, const struct val_frame *f)
{
	if (!f->inlined)
		val_put_frame(arg, f, strcspn(f->text, "+"));
}

/* The text of a key in t->text. A stack is its first frame. */
static const char *key_text(struct sharing *t, const struct val_field *f, const uint8_t *key)
{
	const bool user = f->kind == VAL_USTACK;
	const uint64_t pc = val_field_word(f, key, user);

	buf_reset(&t->text);
	if ((user || f->kind == VAL_STACK) && pc)
		val_frames(t->table->names, user ? (int64_t)val_field_word(f, key, 0) : -1, pc, false, put_frame,
			   &t->text);
	else if (!user && f->kind != VAL_STACK)
		picture_text(&t->text, f, key, t->table->names);
	return buf_str(&t->text);
}

static bool is_nowhere(const char *text)
{
	return !*text || !strcmp(text, "0x0") || !strcmp(text, "0");
}

/* The name of a row, from the keys after the group. */
static const char *row_name(struct sharing *t, const uint8_t *key)
{
	const struct agg_desc *d = t->table->desc;
	struct buf name = { 0 };
	const char *result;

	for (unsigned i = t->s->grouped; i < d->nkeys; i++) {
		const struct val_field *f = &d->key[i];
		const char *text = key_text(t, f, key);
		bool after = f->kind == VAL_SYM && i > t->s->grouped && is_kernel(f - 1) && f[-1].kind != VAL_SYM;

		if (f->kind == VAL_SYM && shares_idle(text)) {
			buf_free(&name);
			return "idle";
		}
		if (after)
			continue;
		if (is_kernel(f) && is_nowhere(text))
			text = t->o->blind ? "(unknown)" : "user";
		buf_printf(&name, "%s%s", name.len ? ", " : "", text);
	}
	if (!d->nkeys)
		buf_puts(&name, d->name);
	t->text.failed |= name.failed;
	result = arena_strdup(t->arena, buf_str(&name));
	buf_free(&name);
	return result;
}

static const char *row_heading(const struct agg_desc *d, unsigned first)
{
	static const char *const what[] = { [VAL_STACK] = "LINE", [VAL_SYM] = "ROUTINE", [VAL_MOD] = "MODULE" };

	return first < d->nkeys && is_kernel(&d->key[first]) ? what[d->key[first].kind] : "KEY";
}

/* ---- rows ---- */

static void row_add(struct sharing *t, int64_t group, const char *name, uint64_t count)
{
	struct buf id = { 0 };
	void **slot;

	buf_put(&id, &group, sizeof group);
	buf_puts(&id, name);
	t->text.failed |= id.failed;
	slot = id.failed ? NULL : map_put(&t->rows, id.data, id.len);
	buf_free(&id);
	if (slot && !*slot) {
		*VEC_ADD(t->arena, &t->s->rows) = (struct share_row){ .group = group, .name = name };
		*slot = (void *)t->s->rows.n;
	}
	if (slot)
		t->s->rows.v[(size_t)*slot - 1].count += count;
}

static void add_rows(struct sharing *t)
{
	const struct agg_desc *d = t->table->desc;

	for (size_t i = 0; i < t->table->n; i++) {
		const struct agg_row *r = &t->table->rows[i];
		const uint8_t *key = agg_row_key(t->table, r);
		int64_t n = d->func->number(&d->spec, r->value, 1);

		if (n > 0)
			row_add(t, t->s->grouped ? val_int(&d->key[0], key) : 0, row_name(t, key), (uint64_t)n);
	}
}

static int compare_rows(const void *x, const void *y)
{
	const struct share_row *a = x, *b = y;

	if (a->group != b->group)
		return a->group < b->group ? -1 : 1;
	if (a->count != b->count)
		return a->count > b->count ? -1 : 1;
	return strcmp(a->name, b->name);
}

/* ---- firings that were not delivered ---- */

/* Returns false if there is no such row. */
static bool idle_row(const struct sharing *t, int64_t cpu, uint64_t *count)
{
	const struct agg_desc *d = t->idle ? t->idle->desc : NULL;

	*count = 0;
	for (size_t i = 0; d && i < t->idle->n; i++)
		if (val_int(&d->key[0], agg_row_key(t->idle, &t->idle->rows[i])) == cpu) {
			*count = (uint64_t)d->func->number(&d->spec, t->idle->rows[i].value, 1);
			return true;
		}
	return false;
}

static struct shares_group *group_of(struct sharing *t, int64_t group)
{
	for (size_t i = t->s->groups.n; i-- > 0;)	/* usually the last one */
		if (t->s->groups.v[i].group == group)
			return &t->s->groups.v[i];
	*VEC_ADD(t->arena, &t->s->groups) = (struct shares_group){ .group = group };
	return &t->s->groups.v[t->s->groups.n - 1];
}

/* In groups that are not CPUs, nobody knows where the lost samples belong. */
static void add_losses(struct sharing *t)
{
	struct shares *s = t->s;
	struct accounts_missing missing;
	uint64_t sampled;
	const bool attribute = idle_row(t, -1, &sampled);

	if (s->grouped && !s->cpus)
		return;
	for (int cpu = 0;; cpu++) {
		struct shares_group *g;

		idle_row(t, cpu, &sampled);
		if (!accounts_missing(t->o->accounts, cpu, sampled, &missing))
			break;
		g = group_of(t, s->cpus ? cpu : 0);
		g->lost += missing.lost;
		if (attribute && missing.idle) {
			g->idle += missing.idle;
			row_add(t, g->group, "idle", missing.idle);
		}
		s->known = true;
	}
	if (!s->known && !s->grouped && accounts_missing(t->o->accounts, -1, 0, &missing)) {
		group_of(t, 0)->lost += missing.lost;
		s->known = true;
	}
}

/* ---- shares ---- */

static int compare_groups(const void *x, const void *y)
{
	const struct shares_group *a = x, *b = y;

	return (a->group > b->group) - (a->group < b->group);
}

/* Sorts rows and groups and computes the shares. */
static void groups_finish(struct sharing *t)
{
	struct shares *s = t->s;

	if (s->rows.n)
		qsort(s->rows.v, s->rows.n, sizeof *s->rows.v, compare_rows);
	for (size_t i = 0; i < s->rows.n; i++) {
		struct shares_group *g = group_of(t, s->rows.v[i].group);

		if (!g->n++)
			g->first = i;
		g->total += s->rows.v[i].count;
	}
	if (!s->grouped)
		group_of(t, 0);
	if (s->groups.n)
		qsort(s->groups.v, s->groups.n, sizeof *s->groups.v, compare_groups);
	for (size_t i = 0; i < s->groups.n; i++) {
		const struct shares_group *g = &s->groups.v[i];

		for (size_t k = g->first; k < g->first + g->n; k++) {
			struct share_row *row = &s->rows.v[k];

			row->share = (double)row->count / (double)g->total;
			row->interval = interval_wilson_lost(row->count, g->total, g->lost);
			row->tied = k > g->first && interval_overlap(row->interval, row[-1].interval);
		}
	}
}

/* idle: the table of @idle[cpu], or NULL. */
static int shares_make(struct shares *s, struct arena *a, const struct output *o, const struct agg_table *table,
		       const struct agg_table *idle)
{
	struct sharing t = { .s = s, .arena = a, .o = o, .table = table, .idle = idle };
	const struct agg_desc *d = table->desc;

	*s = (struct shares){ .table = table };
	s->grouped = o->opts->shares == SHARES_GROUP && d->nkeys > 1 && d->key[0].kind == VAL_INT;
	s->cpus = s->grouped && idle;
	s->what = row_heading(d, s->grouped);
	map_init(&t.rows, a);
	add_rows(&t);
	add_losses(&t);
	groups_finish(&t);
	buf_free(&t.text);
	return t.text.failed ? -ENOMEM : 0;
}

/* If no aggregation has rows, the first one is shown: nothing was sampled. */
int shares_take(struct shares_list *out, struct arena *a, const struct output *o, const struct agg_table *tables,
		unsigned n)
{
	const struct agg_table *idle = NULL;
	bool any = false;
	int r = 0;

	*out = (struct shares_list){ .source = shares_source(o) };
	for (unsigned i = 0; i < n; i++) {
		if (!idle && is_idle(tables[i].desc))
			idle = &tables[i];
		any |= is_shown(tables[i].desc) && tables[i].n;
	}
	for (unsigned i = 0; i < n && !r; i++)
		if (is_shown(tables[i].desc) && (any ? tables[i].n > 0 : !out->n))
			r = shares_make(VEC_ADD(a, out), a, o, &tables[i], idle);
	return r;
}

void shares_total(struct buf *out, const struct shares *s, const struct shares_group *g)
{
	buf_printf(out, "%" PRIu64, g->total);
	if (s->known)
		buf_printf(out, ", %" PRIu64 " lost", g->lost);
	if (g->idle)
		buf_printf(out, "; %" PRIu64 " that an idle CPU did not deliver are counted as idle", g->idle);
}
