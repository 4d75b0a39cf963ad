/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/output/metrics/page.h"

#include <ctype.h>
#include <string.h>

#include "engine/output/accounts.h"
#include "engine/output/report.h"

/* The names of the page's own families. An aggregation that has one gets another name. */
#define DROPPED "dtr_dropped_series"
#define OMITTED "dtr_omitted_aggregations"
#define LOST "dtr_lost"
#define EXPECTED "dtr_firings_expected"
#define DELIVERED "dtr_firings_delivered"

static void names_reserve(struct metrics *m, const struct page *p)
{
	static const struct {
		const char *name;
		enum metric_type type;
	} own[] = {
		{ DROPPED, METRIC_GAUGE }, { OMITTED, METRIC_GAUGE }, { LOST, METRIC_COUNTER },
		{ EXPECTED, METRIC_COUNTER }, { DELIVERED, METRIC_COUNTER },
	};

	for (size_t i = 0; i < sizeof own / sizeof own[0]; i++)
		metrics_reserve(m, own[i].name, own[i].type);
	for (unsigned i = 0; i < p->nextra; i++)
		metrics_reserve(m, p->extra[i].name, p->extra[i].counter ? METRIC_COUNTER : METRIC_GAUGE);
}

static void put_gauge(struct metrics *m, const char *name, const char *help, uint64_t value)
{
	const struct metric_family f = { .name = name, .help = help, .type = METRIC_GAUGE };
	const struct metric_point p = { .value = (int64_t)value };

	metrics_family(m, &f, &p, 1);
}

/* "DTRACEDROP_PRINCIPAL" is "principal". */
static const char *drop_kind(struct arena *a, const char *tag)
{
	const char *bar = strchr(tag, '_');
	char *kind = arena_strdup(a, bar ? bar + 1 : tag);

	for (char *s = kind; *s; s++)
		*s = (char)tolower((unsigned char)*s);
	return kind;
}

static void put_lost(struct metrics *m, const struct output *o)
{
	const struct metric_family f = {
		.name = LOST, .type = METRIC_COUNTER, .help = "what was lost, as dtr reports it (drops), by kind",
	};
	struct metric_point p[IR_NDROPS];
	struct metric_label label[IR_NDROPS];
	unsigned n = 0;

	for (unsigned i = 0; i < IR_NDROPS; i++) {
		if (!report_drop_tag(i))
			continue;
		label[n] = (struct metric_label){ "kind", drop_kind(m->arena, report_drop_tag(i)) };
		p[n] = (struct metric_point){ .label = &label[n], .nlabels = 1, .value = (int64_t)o->lost[i] };
		n++;
	}
	metrics_family(m, &f, p, n);
}

/* Firings of probes that fire by the clock. */
static void put_firings(struct metrics *m, const struct accounts *accounts)
{
	const struct metric_family due = {
		.name = EXPECTED, .help = "firings due by the clock", .type = METRIC_COUNTER,
	};
	const struct metric_family made = {
		.name = DELIVERED, .help = "firings by the clock that happened", .type = METRIC_COUNTER,
	};
	VEC(struct metric_point) expected = { 0 }, delivered = { 0 };
	struct dtr_account a;
	bool beyond = false;

	for (unsigned i = 0; !beyond; i++) {
		struct metric_point point = { .nlabels = 1 };

		if (!accounts_get(accounts, i, -1, &a, &beyond))
			continue;
		point.label = arena_memdup(m->arena, &(struct metric_label){ "probe", a.probe }, sizeof *point.label);
		point.value = (int64_t)a.expected;
		*VEC_ADD(m->arena, &expected) = point;
		point.value = (int64_t)a.delivered;
		*VEC_ADD(m->arena, &delivered) = point;
	}
	if (!expected.n)
		return;
	metrics_family(m, &due, expected.v, (unsigned)expected.n);
	metrics_family(m, &made, delivered.v, (unsigned)delivered.n);
}

void page_put(struct buf *out, const struct page *p, const struct agg_table *tables, unsigned n, uint64_t *dropped)
{
	unsigned omitted = 0;
	struct metrics m;

	for (unsigned i = 0; i < n; i++)
		omitted += metrics_has_stack(tables[i].desc);
	metrics_begin(&m, p->arena, out, p->form, p->output->opts->maxseries);
	names_reserve(&m, p);
	metrics_tables(&m, tables, n);
	put_gauge(&m, DROPPED, "series that are not shown: more than -x maxseries", m.dropped);
	put_gauge(&m, OMITTED, "aggregations that are not shown: their keys have stacks", omitted);
	if (p->output->accounts) {
		put_lost(&m, p->output);
		put_firings(&m, p->output->accounts);
	}
	for (unsigned i = 0; i < p->nextra; i++) {
		const struct dtr_metric *x = &p->extra[i];
		const struct metric_family f = { .name = x->name, .help = x->help,
						 .type = x->counter ? METRIC_COUNTER : METRIC_GAUGE };

		metrics_family(&m, &f, &(struct metric_point){ .value = x->value }, 1);
	}
	metrics_end(&m);
	*dropped = m.dropped;
}
