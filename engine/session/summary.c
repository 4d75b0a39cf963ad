/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* dtr report: a summary of a recording. */
#include "engine/session/summary.h"

#include <errno.h>
#include <string.h>

#include "engine/output/printer.h"
#include "engine/sample/recorded.h"
#include "engine/session/order.h"
#include "engine/session/query.h"

static void print_action(struct output *o, const struct rec_hdr *rec, const struct rec_act *a)
{
	(void)o, (void)rec, (void)a;
}

static void print_probe(struct output *o, const struct probe *p, bool verbose)
{
	(void)o, (void)p, (void)verbose;
}

static void print_note(struct output *o, const char *what, const struct buf *text)
{
	(void)o, (void)what, (void)text;
}

static void print_rest(struct output *o, const struct agg_table *table, bool first)
{
	(void)o, (void)table, (void)first;
}

const struct printer summary_printer = {
	.silent = true, .action = print_action, .probe = print_probe, .note = print_note, .rest = print_rest,
};

int summary_open(struct dtr *t, struct summary *s, const char *path)
{
	struct source_past past;

	*s = (struct summary){ .path = path };
	if (dtr_query(t, path) < 0 || !query_past(t, t->query, &past))
		return -1;
	record_rate_name(s->probe, sizeof s->probe, past.interval);
	s->interval = past.interval;
	memcpy(s->release, past.release, sizeof s->release);
	memcpy(s->machine, past.machine, sizeof s->machine);
	s->ncpus = past.ncpus;
	s->stacks = past.stacks;
	s->blind = t->output.codeless = past.blind;
	s->reader = t->query->ops == &source_perfdata ? "perf" : "dtr";
	return 0;
}

int summary_run(struct dtr *t, struct summary *s, bool graph)
{
	int r = dtr_option(t, "quiet", NULL) | dtr_option(t, "nolibs", NULL);

	if (t->opts.ledger == LEDGER_OFF)	/* intervals need the losses */
		r |= dtr_option(t, "ledger", "warn");
	dtr_add_script(t, summary_script(&t->arena, s, graph && s->stacks), "dtr report");
	if (r || dtr_compile(t) < 0 || dtr_go(t) < 0)
		return -1;
	while (dtr_work(t) == DTR_MORE)
		;
	r = dtr_finish(t);
	if (summary_take(s, &t->arena, &t->output, t->aggs.tables, t->aggs.n) < 0) {
		output_message(&t->output, "out of memory");
		t->output.failed = true;
	}
	return r < 0 || t->output.failed ? -1 : 0;
}

/* The page shows the aggregations of the script, with intervals. */
static int report_page(struct dtr *t, struct summary *s)
{
	return dtr_option(t, "interval", NULL) < 0 || summary_run(t, s, true) < 0 ? -1 : 0;
}

/* Queries that the recording can answer. */
static void put_examples(struct buf *out, const struct dtr *t, const struct summary *s)
{
	static const char *const keys[] = { "execname", "ustack()" };

	buf_puts(out, "\nScripts can query it:\n");
	for (size_t i = 0; i < (s->stacks ? 2 : 1); i++)
		buf_printf(out, "  %s -r %s -n '%s { @[%s] = count(); }'\n", t->output.progname, s->path, s->probe,
			   keys[i]);
}

static bool format_is(const struct dtr *t, const struct printer *p)
{
	return output_printer(&t->output) == p;
}

int dtr_report(struct dtr *t, const char *path, unsigned what)
{
	struct output *o = &t->output;
	const bool json = format_is(t, &printer_json);
	struct summary s;
	int r;

	if (!order_allows(t, CALL_dtr_report) || !order_given(t, CALL_dtr_report, path, "the path"))
		return -1;
	if (!json && !format_is(t, &printer_text) && !format_is(t, &printer_html)) {
		output_message(o, "report prints text, json or html");
		return -1;
	}
	if (!format_is(t, &printer_html))
		o->printer = &summary_printer;
	if (summary_open(t, &s, path) < 0)
		return -1;
	s.by_container = what & DTR_REPORT_CONTAINERS;
	if (format_is(t, &printer_html))
		return report_page(t, &s);
	r = summary_run(t, &s, false);
	if (t->finished && json)
		summary_json(&o->buf, &s);
	else if (t->finished)
		summary_text(&o->buf, &s, what & DTR_REPORT_ALL);
	if (t->finished && !json)
		put_examples(&o->buf, t, &s);
	output_flush(o);
	return r || o->failed ? -1 : 0;
}
