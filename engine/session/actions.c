/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The recording actions: what the consumer does when it meets them in a record. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "engine/output/picture/picture.h"
#include "engine/output/printer.h"
#include "engine/output/progress.h"
#include "engine/session/control.h"
#include "engine/session/session.h"

#define PROGRESS_DELAY 1000000000ull

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

static bool cleared_stacks(const struct agg_table *t)
{
	return t->desc->cleared && t->desc->has_stacks;
}

/* Their stacks are in tables that are emptied with them, so these are read together. */
static void read_together(const struct dtr *t, bool *wanted)
{
	bool any = false;

	for (unsigned i = 0; i < t->ntables; i++)
		any |= wanted[i] && cleared_stacks(&t->tables[i]);
	for (unsigned i = 0; any && i < t->ntables; i++)
		wanted[i] |= cleared_stacks(&t->tables[i]);
}

static void tables_read(struct dtr *t, bool *wanted)
{
	struct agg_table **list = calloc(t->ntables + 1, sizeof *list);
	unsigned n = 0;
	int r = -ENOMEM;

	read_together(t, wanted);
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

/* As in DTrace, an aggregation counts as printed once rows of it were. */
static void act_printa(struct dtr *t, const void *rec, const struct rec_act *a)
{
	(void)rec;
	for (unsigned i = 0; i < a->naggs; i++)
		if (t->tables[a->aggs[i]->id].n)
			t->printed[a->aggs[i]->id] = true;
}

static void act_clear(struct dtr *t, const void *rec, const struct rec_act *a)
{
	(void)rec;
	picture_keep(t, &t->tables[a->aggs[0]->id]);
	agg_table_clear(&t->tables[a->aggs[0]->id]);
}

static void act_trunc(struct dtr *t, const void *rec, const struct rec_act *a)
{
	int64_t n = a->nfields ? val_int(&a->fields[0], rec) : 0;

	if (!n)
		picture_keep(t, &t->tables[a->aggs[0]->id]);
	agg_table_trunc(&t->tables[a->aggs[0]->id], n);
}

static void act_normalize(struct dtr *t, const void *rec, const struct rec_act *a)
{
	const struct val_field *f = &a->fields[0];
	__int128 by = f->is_signed ? (__int128)val_int(f, rec) : (__int128)(uint64_t)val_int(f, rec);

	if (by)
		t->tables[a->aggs[0]->id].normal = by;
	else
		session_message(t, "normalize() by zero: @%s is unchanged", a->aggs[0]->name);
}

static void act_denormalize(struct dtr *t, const void *rec, const struct rec_act *a)
{
	(void)rec;
	t->tables[a->aggs[0]->id].normal = 1;
}

/* What an action does besides being printed. */
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

	/* the addresses of a row may be of any time */
	t->symbols.at = a->naggs ? 0 : rec->ts;
	progress_begin(&progress, a->naggs ? t->cfg.progress : NULL, t->cfg.arg, "printing aggregations", PROGRESS_DELAY);
	if (a->naggs)
		firing_snapshot(t, cpu, rec->ts, e->probe);
	if (!control_run(t, rec, a) || !t->gone) {
		if (run[a->act])
			run[a->act](t, rec, a);
		session_printer(t)->action(t, rec, a);
	}
	progress_end(&progress);
}

static void rest_print(struct dtr *t)
{
	const struct printer *p = session_printer(t);
	bool any = false;

	if (p->aggregations) {
		p->aggregations(t, t->tables, t->ntables);
		return;
	}
	for (unsigned i = 0; i < t->ntables; i++) {
		if (t->printed[i] || !t->tables[i].n)
			continue;
		p->rest(t, &t->tables[i], !any);
		any = true;
	}
	if (p->rest_end)
		p->rest_end(t, any);
}

void action_print_rest(struct dtr *t)
{
	struct progress progress;
	bool *wanted;

	if (t->gone && !t->opts.aggsave)
		return;
	t->symbols.at = 0;
	wanted = calloc(t->ntables + 1, sizeof *wanted);
	if (!wanted) {
		t->out.failed = true;
		return;
	}
	for (unsigned i = 0; i < t->ntables; i++)
		wanted[i] = !t->printed[i] || t->opts.aggsave || session_printer(t)->aggregations;
	progress_begin(&progress, t->cfg.progress, t->cfg.arg, "printing aggregations", PROGRESS_DELAY);
	tables_read(t, wanted);
	free(wanted);
	if (!t->gone)
		rest_print(t);
	progress_end(&progress);
}
