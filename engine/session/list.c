/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* dtr -l, -lv, "matched N probes" and the stability report of -v. */
#include <string.h>

#include "base/escape.h"
#include "engine/output/list.h"
#include "engine/output/printer.h"
#include "engine/session/order.h"
#include "engine/session/session.h"
#include "engine/session/text.h"

struct list_match {
	struct dtr *t;
	bool *wanted;		/* by position in the probe set */
	size_t n;
};

static void listing_found(void *arg, struct probe *p)
{
	struct list_match *l = arg;

	if (p->id <= l->n)	/* ids count from 1 in the order of the set */
		l->wanted[p->id - 1] = true;
}

static void listing_ignore(void *arg, struct probe *p)
{
	(void)arg, (void)p;
}

static int listing_match(struct dtr *t, struct list_match *l)
{
	const struct probe_sink to = { l ? listing_found : listing_ignore, l };
	char reason[256];
	int r = 0;

	for (const struct clause *c = t->comp.script->clauses; c; c = c->next) {
		for (size_t i = 0; i < c->specs.n; i++) {
			const struct probe_spec *s = &c->specs.v[i];

			reason[0] = '\0';
			if (probe_match(&t->probes, s, &to, reason, sizeof reason) || !l)
				continue;
			r = -1;
			if (t->probes.refused) {
				output_message(&t->output, "failed to match %s: %s", s->text, reason);
				continue;
			}
			output_message(&t->output, "failed to match %s: no probe matches this description%s%s%s",
				       s->id ? s->text : arena_printf(&t->arena, "%s:%s:%s:%s", s->prov, s->mod,
								      s->func, s->name),
				       *reason ? ": " : "", reason, probe_suggestion(&t->probes, s));
		}
	}
	return r;
}

int dtr_list(struct dtr *t, bool verbose)
{
	const struct printer *printer = output_printer(&t->output);
	struct list_match l = { .t = t };
	bool all = !t->texts.n;
	int r = 0;

	if (!order_allows(t, CALL_dtr_list))
		return -1;
	if (dtr_parse(t) < 0)
		return -1;
	t->output.compiler = &t->comp;
	/* The first pass creates probes that exist once they are named, so that globs find them too. */
	listing_match(t, NULL);
	if (all)
		probe_set_enumerate_all(&t->probes);
	l.n = t->probes.list.n;
	l.wanted = arena_alloc(&t->arena, l.n + 1);
	if (all)
		memset(l.wanted, true, l.n);
	else
		r = listing_match(t, &l);
	/* no header if all descriptions are wrong */
	if (printer->probes && (!r || memchr(l.wanted, true, l.n)))
		printer->probes(&t->output);
	for (size_t i = 0; i < l.n; i++) {
		const struct probe *p = t->probes.list.v[i];

		if (!l.wanted[i] || !probe_exists(p))
			continue;
		printer->probe(&t->output, p, verbose);
	}
	output_flush(&t->output);
	return t->output.failed ? -1 : r;
}

/* ---- -v ---- */
static void report_stability(const struct dtr *t, struct buf *out, const struct script_text *x)
{
	struct attr probes = stability_most, stmts = stability_most;

	for (const struct clause *c = t->comp.script->clauses; c; c = c->next) {
		for (size_t i = 0; source_given(c->loc.src) == &x->src && i < c->probes.n; i++) {
			const struct probe *p = c->probes.v[i];

			if (p->prov->attr)
				probes = stability_min(probes, stability_probe(p));
			stmts = stability_min(stmts, stability_clause(c, p));
		}
	}
	buf_printf(out, "\nStability attributes for %s ", x->kind);
	escape_puts(out, x->name, ESCAPE_LINE);
	buf_puts(out, ":\n");
	list_attr(out, "Minimum Probe Description Attributes", probes);
	list_attr(out, "Minimum Statement Attributes", stmts);
	buf_putc(out, '\n');
}

void dtr_report_stability(struct dtr *t)
{
	struct buf b = { 0 };

	if (!order_allows(t, CALL_dtr_report_stability))
		return;
	session_show_notes(t);
	for (size_t i = 0; i < t->texts.n; i++)
		report_stability(t, &b, t->texts.v[i]);
	output_printer(&t->output)->note(&t->output, "stability", &b);
	buf_free(&b);
	output_flush(&t->output);
}

/* ---- matches ---- */
static unsigned count_matches(const struct dtr *t, const struct script_text *x)
{
	unsigned n = 0;

	for (const struct clause *c = t->comp.script->clauses; c; c = c->next)
		if (source_given(c->loc.src) == &x->src)
			n += c->probes.n;
	return n;
}

void dtr_report_matches(struct dtr *t)
{
	if (!order_allows(t, CALL_dtr_report_matches) || t->opts.quiet)
		return;
	for (size_t i = 0; i < t->texts.n; i++) {
		const struct script_text *x = t->texts.v[i];
		unsigned n = count_matches(t, x);

		output_message(&t->output, "%s '%s' matched %u probe%s", x->kind, x->name, n, n == 1 ? "" : "s");
	}
}
