/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* -O openmetrics: all aggregations as metrics, at the end. */
#include <inttypes.h>
#include <string.h>

#include "engine/output/list.h"
#include "engine/output/metrics/page.h"
#include "engine/output/picture/picture.h"

struct openmetrics_state {
	const struct agg_table *tables;
	unsigned n;
};

static void openmetrics_begin(struct output *o)
{
	o->state = arena_calloc(o->arena, 1, sizeof(struct openmetrics_state));
}

/* The drops are known at the end, but the aggregations come first. */
static void openmetrics_take(struct output *o, const struct agg_table *tables, unsigned n)
{
	struct openmetrics_state *s = o->state;

	*s = (struct openmetrics_state){ tables, n };
	for (unsigned i = 0; i < n; i++)
		if (tables[i].n && metrics_has_stack(tables[i].desc))
			output_message(o, "@%s is not in the metrics: its keys have stacks (-O pprof shows them)",
				       strcmp(tables[i].desc->name, "_") ? tables[i].desc->name : "");
}

static void openmetrics_end(struct output *o)
{
	const struct openmetrics_state *s = o->state;
	uint64_t dropped;
	struct arena a;

	if (!s || o->failed)
		return;
	arena_init(&a, o->oom, o->arg);
	page_put(&o->buf, &(struct page){ .arena = &a, .output = o, .form = METRICS_OPEN }, s->tables, s->n, &dropped);
	arena_free(&a);
	if (dropped)
		output_message(o, "%" PRIu64 " series are not in the metrics: the maximum is %u"
			       " (-x maxseries)", dropped, o->opts->maxseries);
}

const struct printer printer_openmetrics = {
	.pure = true,
	.begin = openmetrics_begin,
	.action = picture_action,
	.record_end = picture_record_end,
	.aggregations = openmetrics_take,
	.end = openmetrics_end,
	.probes = list_text_head,
	.probe = list_text_probe,
	.note = picture_note,
};
