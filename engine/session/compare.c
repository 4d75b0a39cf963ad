/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* dtr diff of two recordings: each is summarised by a session of its own. */
#include "engine/session/compare.h"

#include <string.h>

#include "engine/output/picture/picture.h"
#include "engine/output/printer.h"
#include "engine/output/summary/compare.h"
#include "engine/session/summary.h"

struct compare_session {
	struct dtr *t;
	struct summary summary;
};

/* The options of the command, except that of the format: the comparison is printed, not the sessions' output. */
static int side_options(struct dtr *side, const struct dtr *t)
{
	int r = 0;

	for (size_t i = 0; i < t->given.n; i++)
		if (strcmp(t->given.v[i].name, "oformat"))
			r |= dtr_option(side, t->given.v[i].name, t->given.v[i].value);
	return r;
}

static int side_open(struct compare_session *s, const struct dtr *t, const char *path)
{
	s->t = dtr_open(&t->cfg);
	if (!s->t || side_options(s->t, t) < 0)
		return -1;
	s->t->output.printer = &summary_printer;
	return summary_open(s->t, &s->summary, path);
}

/* Without stacks on one side, there is no graph. */
static int side_run(struct compare_session *s, bool graph)
{
	const int r = summary_run(s->t, &s->summary, graph);
	bool ok = true;

	picture_begin(&s->t->output);
	for (unsigned i = 0; graph && i < s->t->aggs.n; i++)
		if (!strcmp(s->t->aggs.tables[i].desc->name, SUMMARY_STACKS))
			ok &= picture_take(&s->t->output, &s->t->aggs.tables[i], 1);
	return r < 0 || !ok ? -1 : 0;
}

static void put_page(struct dtr *t, const struct comparison *c, const struct compare_session *s)
{
	const struct output *const side[] = { &s[0].t->output, &s[1].t->output };

	picture_begin(&t->output);
	picture_page_open(&t->output);
	compare_page(&t->output, c, side);
}

static void comparison_print(struct dtr *t, const struct compare_session *s, bool all)
{
	const struct printer *format = output_printer(&t->output);
	struct comparison c;

	compare_take(&c, &t->arena, &s[0].summary, &s[1].summary);
	t->output.printer = &summary_printer;
	if (format == &printer_json)
		compare_json(&t->output.buf, &c);
	else if (format == &printer_html)
		put_page(t, &c, s);
	else
		compare_text(&t->output.buf, &c, all);
	output_flush(&t->output);
}

int compare_recordings(struct dtr *t, const char *const files[2], bool all)
{
	const struct printer *format = output_printer(&t->output);
	struct compare_session s[2] = { 0 };
	bool graph = format == &printer_html;
	int opened = 0, r = 0;

	if (format != &printer_text && format != &printer_json && !graph) {
		output_message(&t->output, "diff of recordings prints text, json or html");
		return -1;
	}
	for (int i = 0; i < 2; i++)
		opened |= side_open(&s[i], t, files[i]);
	graph = graph && s[0].summary.stacks && s[1].summary.stacks;
	for (int i = 0; i < 2 && !opened; i++)
		r |= side_run(&s[i], graph);
	/* damaged files are compared as far as they go */
	if (s[0].t && s[1].t && s[0].t->finished && s[1].t->finished)
		comparison_print(t, s, all);
	for (int i = 0; i < 2; i++)
		dtr_close(s[i].t);
	return opened || r || t->output.failed ? -1 : 0;
}
