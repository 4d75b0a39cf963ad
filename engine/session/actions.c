/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/session/actions.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "engine/output/printer.h"
#include "engine/output/progress.h"
#include "engine/output/rest.h"
#include "engine/session/agg_tables.h"
#include "engine/session/control.h"
#include "engine/session/lateness.h"

#define PROGRESS_DELAY 1000000000ull

void actions_open(struct dtr *t)
{
	const struct script *s = t->prog->script;
	struct output *o = &t->output;
	struct session_aggs *g = &t->aggs;

	o->names = (struct val_names){
		.arg = &t->symbols, .show = names_show, .addr = names_addr, .settle = names_settle,
		.frames = names_frames, .weigh = names_weigh, .compare = names_compare,
		.target = t->env.target < 0 ? -1 : t->env.target | (int64_t)VAL_OWNER_NEXT,
	};
	g->n = s->agglist.n;
	g->tables = arena_calloc(&t->arena, g->n, sizeof *g->tables);
	g->aside = arena_calloc(&t->arena, g->n, sizeof *g->aside);
	g->named = arena_calloc(&t->arena, g->n, sizeof *g->named);
	g->printed = arena_calloc(&t->arena, g->n, sizeof *g->printed);
	for (unsigned i = 0; i < g->n; i++) {
		agg_table_init(&g->tables[i], s->agglist.v[i]);
		g->tables[i].names = &o->names;
		agg_table_init(&g->aside[i], s->agglist.v[i]);
		g->aside[i].names = &o->names;
		agg_table_init(&g->named[i], s->agglist.v[i]);
	}
	o->prog = t->prog;
	o->types = &t->comp.types;
	o->tables = g->tables;
	o->ntables = g->n;
}

void actions_close(struct dtr *t)
{
	for (unsigned i = 0; i < t->aggs.n; i++) {
		agg_table_free(&t->aggs.tables[i]);
		agg_table_free(&t->aggs.aside[i]);
		agg_table_free(&t->aggs.named[i]);
	}
	t->aggs.n = 0;
}

/* Marks the aggregations that the clauses of a probe name in their actions. */
static void probe_aggs(const struct dtr *t, const struct probe *p, bool *named, bool *shown)
{
	for (size_t i = 0; i < t->prog->epids.n; i++) {
		const struct epid_desc *e = &t->prog->epids.v[i];

		for (unsigned j = 0; e->probe == p && j < e->nacts; j++)
			for (unsigned k = 0; k < e->acts[j].naggs; k++) {
				named[e->acts[j].aggs[k]->id] = true;
				shown[e->acts[j].aggs[k]->id] |= e->acts[j].act == ACT_PRINTA;
			}
	}
}

/*
 * All clauses of one firing work on one snapshot: values added between its printa() and its clear() are neither
 * printed nor cleared, so that nothing is lost.
 */
static void firing_snapshot(struct dtr *t, int cpu, uint64_t ts, const struct probe *p)
{
	bool *named;

	if (t->aggs.snap.valid && t->aggs.snap.cpu == cpu && t->aggs.snap.ts == ts && t->aggs.snap.probe == p)
		return;
	named = calloc(2 * (size_t)t->aggs.n + 1, sizeof *named);
	if (!named) {
		output_message(&t->output, "out of memory");
		t->output.failed = true;
		return;
	}
	probe_aggs(t, p, named, named + t->aggs.n);
	agg_tables_read(t, named, named + t->aggs.n);
	free(named);
	t->aggs.snap.valid = true;
	t->aggs.snap.cpu = cpu;
	t->aggs.snap.ts = ts;
	t->aggs.snap.probe = p;
}

/* As in DTrace, an aggregation counts as printed once any of its rows was printed. */
static void act_printa(struct dtr *t, const void *rec, const struct rec_act *a)
{
	(void)rec;
	for (unsigned i = 0; i < a->naggs; i++)
		if (t->aggs.tables[a->aggs[i]->id].n)
			t->aggs.printed[a->aggs[i]->id] = true;
}

/* Printers that show all rows at the end need those that are cleared. */
static void clear_notify(struct dtr *t, const struct agg_table *table)
{
	if (output_printer(&t->output)->clear)
		output_printer(&t->output)->clear(&t->output, table);
}

static void act_clear(struct dtr *t, const void *rec, const struct rec_act *a)
{
	(void)rec;
	clear_notify(t, &t->aggs.tables[a->aggs[0]->id]);
	agg_table_clear(&t->aggs.tables[a->aggs[0]->id]);
}

static void act_trunc(struct dtr *t, const void *rec, const struct rec_act *a)
{
	int64_t n = a->nfields ? val_int(&a->fields[0], rec) : 0;

	if (!n)
		clear_notify(t, &t->aggs.tables[a->aggs[0]->id]);
	agg_table_trunc(&t->aggs.tables[a->aggs[0]->id], n);
}

static void act_normalize(struct dtr *t, const void *rec, const struct rec_act *a)
{
	const struct val_field *f = &a->fields[0];
	__int128 by = f->is_signed ? (__int128)val_int(f, rec) : (__int128)(uint64_t)val_int(f, rec);

	if (by)
		t->aggs.tables[a->aggs[0]->id].normal = by;
	else
		output_message(&t->output, "normalize() by zero: @%s is unchanged", a->aggs[0]->name);
}

static void act_denormalize(struct dtr *t, const void *rec, const struct rec_act *a)
{
	(void)rec;
	t->aggs.tables[a->aggs[0]->id].normal = 1;
}

void action_run(struct dtr *t, int cpu, const struct rec_hdr *rec, const struct epid_desc *e, const struct rec_act *a)
{
	static void (*const run[ACT_COUNT])(struct dtr *, const void *, const struct rec_act *) = {
		[ACT_PRINTA] = act_printa,
		[ACT_CLEAR] = act_clear,
		[ACT_TRUNC] = act_trunc,
		[ACT_NORMALIZE] = act_normalize,
		[ACT_DENORMALIZE] = act_denormalize,
	};
	struct progress progress;

	/* the addresses of a row can be from any time */
	t->symbols.at = a->naggs ? 0 : rec->ts;
	progress_begin(&progress, a->naggs ? t->cfg.progress : NULL, t->cfg.arg, "printing aggregations",
		       PROGRESS_DELAY);
	if (a->act == ACT_PRINTA)
		lateness_note(t, e, rec->ts);
	if (a->naggs)
		firing_snapshot(t, cpu, rec->ts, e->probe);
	if (control_needs_flush(a))
		output_flush(&t->output);
	if (!control_run(t, rec, a) || !t->output.closed) {
		if (run[a->act])
			run[a->act](t, rec, a);
		output_printer(&t->output)->action(&t->output, rec, a);
	}
	progress_end(&progress);
}

void action_print_rest(struct dtr *t)
{
	struct progress progress;
	bool *wanted;

	if (t->output.closed && !t->opts.aggsave)
		return;
	t->symbols.at = 0;
	wanted = calloc(t->aggs.n + 1, sizeof *wanted);
	if (!wanted) {
		t->output.buf.failed = true;
		return;
	}
	for (unsigned i = 0; i < t->aggs.n; i++)
		wanted[i] = !t->aggs.printed[i] || t->opts.aggsave || output_printer(&t->output)->aggregations;
	progress_begin(&progress, t->cfg.progress, t->cfg.arg, "printing aggregations", PROGRESS_DELAY);
	agg_tables_read(t, wanted, wanted);
	free(wanted);
	if (!t->output.closed)
		rest_print(&t->output, t->aggs.tables, t->aggs.n, t->aggs.printed);
	progress_end(&progress);
}
