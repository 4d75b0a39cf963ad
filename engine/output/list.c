/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* dtr -l, -lv and the stability report of -v. */
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "engine/output/printer.h"
#include "engine/session/session.h"
#include "lang/stability.h"

static void print_attr(struct buf *out, const char *title, struct attr a)
{
	buf_printf(out, "\n\t%s\n\t\tIdentifier Names: %s\n\t\tData Semantics:   %s\n\t\tDependency Class: %s\n", title,
		   stability_name(a.name), stability_name(a.data), stability_class_name(a.class));
}

static void print_probe_info(struct buf *out, const struct probe *p)
{
	struct arg_desc args[32];
	unsigned n = p->prov->args ? p->prov->args(p, args, 32) : 0;

	if (p->prov->attr) {
		print_attr(out, "Probe Description Attributes", stability_probe(p));
		print_attr(out, "Argument Attributes", p->prov->attr->args);
	}
	buf_puts(out, "\n\tArgument Types\n");
	for (unsigned i = 0; i < n; i++)
		buf_printf(out, "\t\targs[%u]: %s\n", i, arg_type(&args[i]));
	if (!n)
		buf_puts(out, "\t\tNone\n");
	buf_putc(out, '\n');
}

struct listing {
	struct dtr *t;
	bool *wanted;		/* by place in the probe set */
	size_t n;
};

static void listing_found(void *arg, struct probe *p)
{
	struct listing *l = arg;

	if (p->id <= l->n)	/* ids count from 1 in the order of the set */
		l->wanted[p->id - 1] = true;
}

static void listing_ignore(void *arg, struct probe *p)
{
	(void)arg, (void)p;
}

static int listing_match(struct dtr *t, struct listing *l)
{
	char why[256];
	int r = 0;

	for (const struct clause *c = t->comp.script->clauses; c; c = c->next) {
		for (size_t i = 0; i < c->specs.n; i++) {
			const struct probe_spec *s = &c->specs.v[i];

			why[0] = '\0';
			if (probe_match(&t->probes, s, l ? listing_found : listing_ignore, l, why, sizeof why) || !l)
				continue;
			session_message(t, "failed to match %s: no probe matches this description%s%s%s",
					s->id ? s->text : arena_printf(&t->arena, "%s:%s:%s:%s", s->prov, s->mod, s->func, s->name),
					*why ? ": " : "", why, probe_meant(&t->probes, s));
			r = -1;
		}
	}
	return r;
}

void list_text_head(struct dtr *t)
{
	buf_printf(&t->out, "%5s %10s %17s %33s %s\n", "ID", "PROVIDER", "MODULE", "FUNCTION", "NAME");
}

void list_text_probe(struct dtr *t, const struct probe *p, bool verbose)
{
	const struct { const char *text; int width; } columns[] = {
		{ p->provname, 10 }, { p->mod, 17 }, { p->func, 33 }, { p->name, 0 },
	};

	buf_printf(&t->out, "%5u", p->id);
	for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++) {
		buf_putc(&t->out, ' ');
		escape_column(&t->out, columns[i].text, strlen(columns[i].text), columns[i].width, ESCAPE_LINE);
	}
	buf_putc(&t->out, '\n');
	if (verbose)
		print_probe_info(&t->out, p);
}

int dtr_list(struct dtr *t, bool verbose)
{
	const struct printer *printer = session_printer(t);
	struct listing l = { .t = t };
	bool all = !t->texts.n;
	int r = 0;

	if (session_compile(t, STAGE_PARSED) < 0)
		return -1;
	/* Once to make the probes that exist by being named, so that a glob beside them shows them too. */
	listing_match(t, NULL);
	if (all)
		probe_set_enumerate_all(&t->probes);
	l.n = t->probes.list.n;
	l.wanted = arena_alloc(&t->arena, l.n + 1);
	if (printer->probes)
		printer->probes(t);
	if (all)
		memset(l.wanted, true, l.n);
	else
		r = listing_match(t, &l);
	for (size_t i = 0; i < l.n; i++) {
		const struct probe *p = t->probes.list.v[i];

		if (!l.wanted[i])
			continue;
		printer->probe(t, p, verbose);
	}
	consumer_flush(t);
	return t->failed ? -1 : r;
}

/* ---- -v ---- */
static void report_text(const struct dtr *t, struct buf *out, const struct text *x)
{
	struct attr probes = stability_most, stmts = stability_most;

	for (const struct clause *c = t->comp.script->clauses; c; c = c->next) {
		for (size_t i = 0; source_given(c->loc.src) == &x->src && i < c->probes.n; i++) {
			const struct probe *p = c->probes.v[i];

			if (p->prov->attr)
				probes = stability_min(probes, stability_probe(p));
			stmts = stability_min(stmts, stability_clause(&t->comp, c, p));
		}
	}
	buf_printf(out, "\nStability attributes for %s ", x->kind);
	escape_puts(out, x->name, ESCAPE_LINE);
	buf_puts(out, ":\n");
	print_attr(out, "Minimum Probe Description Attributes", probes);
	print_attr(out, "Minimum Statement Attributes", stmts);
	buf_putc(out, '\n');
}

void dtr_report_stability(struct dtr *t)
{
	struct buf b = { 0 };

	for (size_t i = 0; i < t->texts.n; i++)
		report_text(t, &b, t->texts.v[i]);
	session_printer(t)->note(t, "stability", &b);
	buf_free(&b);
	consumer_flush(t);
}
