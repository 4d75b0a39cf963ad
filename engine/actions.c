/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The recording actions: what the consumer does when it meets them in a record. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "engine/print.h"
#include "engine/session.h"

/* Marks the aggregations that the clauses of a probe name in their actions. */
static void probe_aggs(const struct dtr *t, const struct probe *p, bool *named)
{
	for (size_t i = 0; i < t->prog->epids.n; i++) {
		const struct epid_desc *e = &t->prog->epids.v[i];

		for (unsigned j = 0; e->probe == p && j < e->nacts; j++)
			for (unsigned k = 0; k < e->acts[j].naggs; k++)
				named[e->acts[j].aggs[k]->id] = true;
	}
}

static void tables_read(struct dtr *t, const bool *wanted)
{
	struct agg_table **list = calloc(t->ntables + 1, sizeof *list);
	unsigned n = 0;
	int r = -ENOMEM;

	for (unsigned i = 0; list && i < t->ntables; i++)
		if (wanted[i])
			list[n++] = &t->tables[i];
	if (list)
		r = n ? t->ops->snapshot(t->backend, list, n) : 0;
	if (r < 0) {
		session_message(t, "failed to read aggregations: %s", strerror(-r));
		t->failed = true;
	}
	free(list);
}

/*
 * All clauses of one firing work on one snapshot: what comes in between a printa() and the clear() behind it is
 * neither printed nor cleared, so that nothing is lost.
 */
static void firing_snapshot(struct dtr *t, int cpu, uint64_t ts, const struct probe *p)
{
	bool *named;

	if (t->snap.valid && t->snap.cpu == cpu && t->snap.ts == ts && t->snap.probe == p)
		return;
	named = calloc(t->ntables + 1, sizeof *named);
	if (!named) {
		session_message(t, "out of memory");
		t->failed = true;
		return;
	}
	probe_aggs(t, p, named);
	tables_read(t, named);
	free(named);
	t->snap.valid = true;
	t->snap.cpu = cpu;
	t->snap.ts = ts;
	t->snap.probe = p;
}

static bool table_has_rows(const struct agg_table *t)
{
	for (size_t i = 0; i < t->n; i++)
		if (t->rows[i].live)
			return true;
	return false;
}

static void act_default(struct dtr *t, const void *rec, const struct rec_act *a)
{
	(void)t, (void)rec, (void)a;	/* its line says all */
}

/* A stack stands on lines of its own, a symbol in a column. */
static void act_show(struct dtr *t, const void *rec, const struct rec_act *a)
{
	struct buf b = { 0 };

	for (unsigned i = 0; i < a->nfields; i++) {
		const struct val_field *f = &a->fields[i];

		buf_reset(&b);
		val_show(&b, &t->names, f, rec);
		buf_printf(&t->out, f->kind == VAL_STACK || f->kind == VAL_USTACK ? "%s" : "  %-50s", buf_str(&b));
	}
	t->out.failed |= b.failed;
	buf_free(&b);
}

static void act_trace(struct dtr *t, const void *rec, const struct rec_act *a)
{
	for (unsigned i = 0; i < a->nfields; i++)
		print_trace(&t->out, &a->fields[i], rec, t->opts.quiet);
}

static void act_printf(struct dtr *t, const void *rec, const struct rec_act *a)
{
	print_format(&t->out, a->fmt, a->fields, a->nfields, rec, &t->names);
}

static void act_printa(struct dtr *t, const void *rec, const struct rec_act *a)
{
	const struct agg_table *tables[64];
	unsigned n = a->naggs < 64 ? a->naggs : 64;
	int r;

	(void)rec;
	for (unsigned i = 0; i < n; i++) {
		tables[i] = &t->tables[a->aggs[i]->id];
		/* As in DTrace, an aggregation counts as printed once rows of it were. */
		if (table_has_rows(tables[i]))
			t->printed[a->aggs[i]->id] = true;
	}
	if (a->fmt)
		r = print_printa(&t->out, a->fmt, tables, n, &t->opts.order);
	else if (n == 1)
		r = agg_print(&t->out, tables[0], &t->opts.order);
	else
		r = agg_print_joint(&t->out, tables, n, &t->opts.order);
	if (r < 0)
		t->out.failed = true;
}

static void act_clear(struct dtr *t, const void *rec, const struct rec_act *a)
{
	(void)rec;
	agg_table_clear(&t->tables[a->aggs[0]->id]);
}

static void act_trunc(struct dtr *t, const void *rec, const struct rec_act *a)
{
	agg_table_trunc(&t->tables[a->aggs[0]->id], a->nfields ? val_int(&a->fields[0], rec) : 0);
}

static void act_normalize(struct dtr *t, const void *rec, const struct rec_act *a)
{
	uint64_t by = val_int(&a->fields[0], rec);

	if (by)
		t->tables[a->aggs[0]->id].normal = by;
	else
		session_message(t, "normalize() by zero: @%s is left as it is", a->aggs[0]->name);
}

static void act_denormalize(struct dtr *t, const void *rec, const struct rec_act *a)
{
	(void)rec;
	t->tables[a->aggs[0]->id].normal = 1;
}

void action_run(struct dtr *t, int cpu, const struct rec_hdr *rec, const struct epid_desc *e, const struct rec_act *a)
{
	static void (*const run[ACT_COUNT])(struct dtr *, const void *, const struct rec_act *) = {
		[ACT_NONE] = act_default,
		[ACT_EXIT] = act_default,	/* the engine knows its status */
		[ACT_SHOW] = act_show,
		[ACT_TRACE] = act_trace,
		[ACT_PRINTF] = act_printf,
		[ACT_PRINTA] = act_printa,
		[ACT_CLEAR] = act_clear,
		[ACT_TRUNC] = act_trunc,
		[ACT_NORMALIZE] = act_normalize,
		[ACT_DENORMALIZE] = act_denormalize,
	};

	if (a->naggs)
		firing_snapshot(t, cpu, rec->ts, e->probe);
	run[a->act](t, rec, a);
}

/* As in DTrace the rows of all of them stand below each other, behind one empty line. */
static void rest_print(struct dtr *t)
{
	bool any = false;

	for (unsigned i = 0; i < t->ntables; i++) {
		struct buf b = { 0 };

		if (t->printed[i] || !table_has_rows(&t->tables[i]))
			continue;
		if (agg_print(&b, &t->tables[i], &t->opts.order) < 0 || b.failed)
			t->out.failed = true;
		buf_puts(&t->out, buf_str(&b) + (any && b.len));	/* agg_print begins with the empty line */
		buf_free(&b);
		any = true;
	}
	/* What is not quiet ends with that line in any case. */
	if (!any && !t->opts.quiet)
		buf_putc(&t->out, '\n');
}

void action_print_rest(struct dtr *t)
{
	bool *wanted;

	if (t->gone)
		return;
	wanted = calloc(t->ntables + 1, sizeof *wanted);
	if (!wanted) {
		t->out.failed = true;
		return;
	}
	for (unsigned i = 0; i < t->ntables; i++)
		wanted[i] = !t->printed[i];
	tables_read(t, wanted);
	free(wanted);
	rest_print(t);
}
