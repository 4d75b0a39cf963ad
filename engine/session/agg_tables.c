/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/session/agg_tables.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "engine/output/printer.h"
#include "engine/output/sampled.h"

static bool shares_stacks(const struct agg_table *t)
{
	return t->desc->generations && t->desc->has_stacks;
}

/* Aggregations with two generations share tables of stacks, which are emptied with them, so they are read together. */
static void read_together(const struct dtr *t, bool *wanted)
{
	bool any = false;

	for (unsigned i = 0; i < t->aggs.n; i++)
		any |= wanted[i] && shares_stacks(&t->aggs.tables[i]);
	for (unsigned i = 0; any && i < t->aggs.n; i++)
		wanted[i] |= shares_stacks(&t->aggs.tables[i]);
}

static void report_unread(struct dtr *t, int r)
{
	if (r >= 0)
		return;
	output_message(&t->output, "failed to read aggregations: %s", strerror(-r));
	t->output.failed = true;
}

/* ---- rows for probes that have not fired ---- */

/* True if the name is in the option's list, and the keys are those of probes: probemod, probefunc, probename. */
static bool has_all_probes(const struct dtr *t, const struct agg_desc *d)
{
	size_t n = strlen(d->name);

	for (unsigned i = 0; i < d->nkeys; i++)
		if (d->key[i].kind != VAL_STR)
			return false;
	for (const char *s = t->opts.aggprobes; s && d->nkeys == 3; s = strchr(s, ',')) {
		s += *s == ',';
		if (!strncmp(s, d->name, n) && (!s[n] || s[n] == ','))
			return true;
	}
	return false;
}

static int add_probe(struct agg_table *table, const struct probe *p, uint8_t *key, const int64_t *zeros)
{
	const char *const part[] = { p->mod, p->func, p->name };

	memset(key, 0, table->desc->keysize);
	for (unsigned i = 0; i < 3; i++) {
		const struct val_field *f = &table->desc->key[i];
		size_t n = strlen(part[i]);

		memcpy(key + f->off, part[i], n < f->size ? n : f->size - 1);
	}
	return agg_table_put(table, key, zeros);
}

/* The clause in which an aggregation is first used. */
static const struct clause *clause_of(const struct dtr *t, const struct agg_desc *d)
{
	const struct clause *found = NULL;

	for (const struct clause *c = t->comp.script->clauses; c; c = c->next)
		if (c->loc.src == d->loc.src && !loc_before(d->loc, c->loc))
			found = c;
	return found;
}

static int add_probes(const struct dtr *t, struct agg_table *table)
{
	const struct clause *c = clause_of(t, table->desc);
	uint8_t *key = malloc(table->desc->keysize);
	int64_t *zeros = calloc(1, table->desc->valsize);
	int r = key && zeros ? 0 : -ENOMEM;

	for (size_t i = 0; c && !r && i < c->probes.n; i++)
		if (c->probes.v[i]->prov->processes)
			r = add_probe(table, c->probes.v[i], key, zeros);
	free(key);
	free(zeros);
	return r;
}

static int add_rows(struct agg_table *to, const struct agg_table *from)
{
	int r = 0;

	for (size_t i = 0; i < from->n && !r; i++)
		r = agg_table_put(to, agg_row_key(from, &from->rows[i]), from->rows[i].value);
	return r;
}

/* ---- texts instead of addresses ---- */
struct key_namer {
	struct names *names;
	bool all;			/* also of running processes */
	unsigned count;			/* keys */
	struct dtr *t;
	void (*meanwhile)(struct dtr *t);	/* or NULL */
};

static bool key_name(void *arg, const struct agg_desc *desc, const uint8_t *key, uint8_t *named)
{
	enum { FEW = 64 };
	struct key_namer *x = arg;
	bool due = false, changed = false;

	if (x->meanwhile && x->count++ % FEW == 0)
		x->meanwhile(x->t);

	for (unsigned i = 0; i < desc->nkeys; i++)
		due |= names_due(x->names, &desc->key[i], key, x->all);
	if (due)
		agg_key_copy(desc, named, key);
	for (unsigned i = 0; due && i < desc->nkeys; i++)
		changed |= names_name(x->names, &desc->key[i], named, x->all);
	return changed;
}

static bool has_processes(const struct agg_desc *d)
{
	for (unsigned i = 0; i < d->nkeys; i++)
		if (val_is_user(d->key[i].kind))
			return true;
	return false;
}

/* Moves the rows of ended processes to `to`, unless the output has their addresses. */
static int rows_name(struct dtr *t, struct agg_table *from, struct agg_table *to, void (*meanwhile)(struct dtr *t))
{
	struct key_namer x = {
		.names = &t->symbols, .all = t->output.phase == OUTPUT_ENDING, .t = t, .meanwhile = meanwhile,
	};

	if (!has_processes(from->desc) || output_printer(&t->output)->addresses)
		return 0;
	return agg_table_move(from, to, key_name, &x);
}

/* The same within a table. */
static int table_name(struct dtr *t, struct agg_table *table)
{
	struct agg_table named;
	int r;

	agg_table_init(&named, table->desc);
	r = rows_name(t, table, &named, NULL);
	if (!r)
		r = agg_table_join(table, &named);
	agg_table_free(&named);
	return r;
}

/* The same for rows that were read early. Keys of snapshots that are compared change when those of the session do. */
static int aside_name(struct dtr *t, void (*meanwhile)(struct dtr *t))
{
	int r = 0;

	for (unsigned i = 0; i < t->aggs.n && r >= 0; i++) {
		if (!t->aggs.aside[i].desc->generations)
			continue;
		r = rows_name(t, &t->aggs.aside[i], &t->aggs.named[i], meanwhile);
		if (!r && t->pages.before)
			r = table_name(t, &t->pages.before[i]);
		if (!r && t->pages.before && t->snapshot.tables)
			r = table_name(t, &t->snapshot.tables[i]);
	}
	return r;
}

static bool any_rows(const struct agg_table *tables, unsigned n)
{
	for (unsigned i = 0; tables && i < n; i++)
		if (tables[i].n)
			return true;
	return false;
}

/* Texts that no row has any more, after trunc(), are freed. Other tables of the session's rows may have them too. */
static void texts_forget(struct dtr *t)
{
	enum { MANY = 1 << 16 };
	const struct agg_table *const tables[] = {
		t->aggs.tables, t->aggs.aside, t->aggs.named, t->snapshot.tables, t->periodic.tables, t->pages.before,
	};
	bool used = t->symbols.frames.n < MANY || output_printer(&t->output)->clear;

	for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
		used = used || any_rows(tables[i], t->aggs.n);
	if (!used)
		texts_free(&t->symbols.frames);
}

/* ---- reading ---- */
void agg_tables_read(struct dtr *t, bool *wanted, const bool *shown)
{
	struct session_aggs *g = &t->aggs;
	struct agg_table **list = calloc(g->n + 1, sizeof *list);
	unsigned n = 0;
	int r = list ? 0 : -ENOMEM;

	read_together(t, wanted);
	for (unsigned i = 0; i < g->n && !r; i++) {
		if (!wanted[i])
			continue;
		list[n++] = &g->tables[i];
		r = agg_table_join(&g->tables[i], &g->named[i]);	/* rows that were read early */
		if (!r)
			r = agg_table_join(&g->tables[i], &g->aside[i]);
	}
	t->symbols.at = 0;	/* the addresses of a row can be from any time */
	if (!r && n)
		r = t->ops->snapshot(t->backend, list, n);
	free(list);
	for (unsigned i = 0; i < g->n && r >= 0; i++) {
		if (shown[i])
			r = table_name(t, &g->tables[i]);
		if (!r && t->output.cleared && t->output.phase == OUTPUT_ENDING)
			r = table_name(t, &t->output.cleared[i]);
	}
	if (r >= 0)
		r = aside_name(t, NULL);
	for (unsigned i = 0; i < g->n && r >= 0; i++)
		if (wanted[i] && has_all_probes(t, g->tables[i].desc))
			r = add_probes(t, &g->tables[i]);
	sampled_sum(&t->output, g->tables, g->n);
	report_unread(t, r);
}

void agg_tables_relieve(struct dtr *t, void (*meanwhile)(struct dtr *t))
{
	const struct backend_symbols *s = t->ops->symbols;
	struct agg_table **list;
	unsigned n = 0;
	int r = -ENOMEM;

	texts_forget(t);
	if (!s || !s->crowded || !s->crowded(t->backend))
		return;
	list = calloc(t->aggs.n + 1, sizeof *list);
	for (unsigned i = 0; list && i < t->aggs.n; i++)
		if (shares_stacks(&t->aggs.tables[i]))
			list[n++] = &t->aggs.aside[i];
	t->symbols.at = 0;
	if (list)
		r = n ? t->ops->snapshot(t->backend, list, n) : 0;
	free(list);
	report_unread(t, r < 0 ? r : aside_name(t, meanwhile));
}

/* What agg_tables_read would make of a table, without changing it. */
static int view_table(struct dtr *t, unsigned i, struct agg_table *view)
{
	int r = 0;

	view->normal = t->aggs.tables[i].normal;
	if (view->desc->generations) {
		agg_table_reset(view);
		r = add_rows(view, &t->aggs.tables[i]);
		if (!r)
			r = add_rows(view, &t->aggs.named[i]);
		if (!r)
			r = add_rows(view, &t->aggs.aside[i]);
	}
	return r || !has_all_probes(t, view->desc) ? r : add_probes(t, view);
}

int agg_tables_view(struct dtr *t, struct agg_table *view)
{
	struct agg_table **list = calloc(t->aggs.n + 1, sizeof *list);
	int r = -ENOMEM;

	t->symbols.at = 0;
	for (unsigned i = 0; list && i < t->aggs.n; i++)
		list[i] = view[i].desc->generations ? &t->aggs.aside[i] : &view[i];
	if (list)
		r = t->aggs.n ? t->ops->snapshot(t->backend, list, t->aggs.n) : 0;
	free(list);
	if (r >= 0)
		r = aside_name(t, NULL);
	for (unsigned i = 0; i < t->aggs.n && r >= 0; i++)
		r = view_table(t, i, &view[i]);
	report_unread(t, r);
	return r < 0 ? -1 : 0;
}
