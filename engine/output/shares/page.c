/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/output/shares/page.h"

#include <inttypes.h>
#include <string.h>

#include "engine/output/markup.h"

static const char head[] =
	"<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>Shares</title><style>\n"
	"body { font-family: sans-serif } table { border-collapse: collapse }\n"
	"td, th { font-family: monospace; padding: 0 .6em; text-align: right; white-space: pre }\n"
	"td.text, th.text { text-align: left } td.bar { width: 300px; padding: 0; text-align: left }\n"
	"i { display: inline-block; height: .8em } i.low { background: #c60 } i.range { background: #fc9 }\n"
	"</style></head><body>\n";

/* The bar is dark up to the lower bound of the interval, light up to the upper one. */
static void put_row(struct buf *out, const struct share_row *r)
{
	buf_printf(out, "<tr><td>%" PRIu64 "</td><td>%.2f %%</td><td>%.2f .. %.2f %%</td><td>%s</td>", r->count,
		   100 * r->share, 100 * r->interval.low, 100 * r->interval.high, r->tied ? "~" : "");
	buf_printf(out, "<td class=\"bar\"><i class=\"low\" style=\"width:%.2f%%\"></i>"
		   "<i class=\"range\" style=\"width:%.2f%%\"></i></td><td class=\"text\">", 100 * r->interval.low,
		   100 * (r->interval.high - r->interval.low));
	markup_text(out, r->name, strlen(r->name));
	buf_puts(out, "</td></tr>\n");
}

static void put_group(struct buf *out, const struct shares *s, const struct shares_group *g)
{
	if (s->grouped)
		buf_printf(out, "<h2>%s%" PRId64 "</h2>\n", s->cpus ? "CPU " : "", g->group);
	buf_printf(out, "<table><tr><th>SAMPLES</th><th>SHARE</th><th>95 %% INTERVAL</th><th></th><th></th>"
		   "<th class=\"text\">%s</th></tr>\n", s->what);
	for (size_t i = 0; i < g->n; i++)
		put_row(out, &s->rows.v[g->first + i]);
	buf_puts(out, "</table>\n<p>Samples: ");
	shares_total(out, s, g);
	buf_puts(out, "</p>\n");
}

void shares_page(struct output *o, const struct shares_list *list)
{
	struct buf *out = &o->buf;

	buf_puts(out, head);
	for (size_t i = 0; i < list->n; i++)
		for (size_t k = 0; k < list->v[i].groups.n; k++)
			put_group(out, &list->v[i], &list->v[i].groups.v[k]);
	buf_puts(out, "<p>" SHARES_TIED "</p>\n");
	if (list->source.name)
		buf_printf(out, "<p>Source: %s. %s</p>\n", list->source.name, list->source.blind);
	buf_puts(out, "</body></html>\n");
}
