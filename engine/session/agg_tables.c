/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/session/agg_tables.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

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

static int read_into(struct dtr *t, struct agg_table *tables, const bool *wanted)
{
	struct agg_table **list = calloc(t->aggs.n + 1, sizeof *list);
	unsigned n = 0;
	int r = -ENOMEM;

	for (unsigned i = 0; list && i < t->aggs.n; i++)
		if (wanted[i])
			list[n++] = &tables[i];
	if (list)
		r = n ? t->ops->snapshot(t->backend, list, n) : 0;
	free(list);
	return r;
}

static void report(struct dtr *t, int r)
{
	if (r >= 0)
		return;
	output_message(&t->output, "failed to read aggregations: %s", strerror(-r));
	t->output.failed = true;
}

/* Moves the rows that were read early to the table. */
static int aside_merge(struct agg_table *to, struct agg_table *from)
{
	int r = 0;

	for (size_t i = 0; i < from->n && !r; i++)
		r = agg_table_put(to, from->rows[i].key, from->rows[i].value);
	agg_table_reset(from);
	return r;
}

void agg_tables_read(struct dtr *t, bool *wanted)
{
	int r = 0;

	read_together(t, wanted);
	for (unsigned i = 0; i < t->aggs.n && !r; i++)
		if (wanted[i] && t->aggs.aside[i].n)
			r = aside_merge(&t->aggs.tables[i], &t->aggs.aside[i]);
	report(t, r ? r : read_into(t, t->aggs.tables, wanted));
}

void agg_tables_relieve(struct dtr *t)
{
	const struct backend_symbols *s = t->ops->symbols;
	bool *wanted;

	if (!s || !s->crowded || !s->crowded(t->backend))
		return;
	wanted = calloc(t->aggs.n + 1, sizeof *wanted);
	for (unsigned i = 0; wanted && i < t->aggs.n; i++)
		wanted[i] = shares_stacks(&t->aggs.tables[i]);
	report(t, wanted ? read_into(t, t->aggs.aside, wanted) : -ENOMEM);
	free(wanted);
}
