/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/session/session.h"

#include "base/clock.h"
#include "engine/output/printer.h"
#include "engine/session/engine.h"

static unsigned style_of(const struct dtr *t)
{
	const bool colour = t->opts.color == COLOR_ALWAYS || (t->opts.color == COLOR_AUTO && t->cfg.colour);

	return (t->opts.errtags ? DIAG_TAGS : 0) | (colour ? DIAG_COLOUR : 0);
}

void session_show_notes(struct dtr *t)
{
	struct buf b = { 0 };

	for (size_t i = 0; i < t->diags.notes.n; i++) {
		buf_reset(&b);
		diag_print(&b, &t->diags.notes.v[i], t->output.progname, style_of(t) & ~DIAG_TAGS);
		output_write_safe(&t->output, &b);
	}
	buf_free(&b);
}

int session_show_diags(struct dtr *t)
{
	const struct printer *p = output_printer(&t->output);
	const unsigned style = style_of(t);
	struct buf b = { 0 };

	for (; t->shown < t->diags.list.n; t->shown++) {
		buf_reset(&b);
		diag_print(&b, &t->diags.list.v[t->shown], t->output.progname, style);
		output_write_safe(&t->output, &b);
		if (p->diag)
			p->diag(&t->output, &t->diags.list.v[t->shown]);
	}
	buf_free(&b);
	return t->diags.nerrors ? -1 : 0;
}

void session_use(struct dtr *t, const struct backend_ops *ops, void *input)
{
	t->ops = ops;
	t->engine_given = true;
	t->engine_input = input;
}

void session_engine(struct dtr *t)
{
	const struct engine_wish wish = {
		.query = t->query, .rather_user = t->rather_user, .by_timers = t->by_timers,
	};

	if (!t->engine_given)
		t->ops = engine_choose(&t->opts, &wish, t->reason, sizeof t->reason);
}

uint64_t session_now(struct dtr *t)
{
	const struct backend_clock *c = t->ops->clock;

	return c && c->now ? c->now(t->backend) : clock_now();
}

void session_options_changed(struct dtr *t)
{
	uint64_t due = t->status_due ? session_now(t) + t->opts.statusrate : 0;

	t->symbols.indent = t->opts.stackindent;
	t->symbols.inlined = t->opts.stackinline;
	t->symbols.places = t->opts.stacklines;
	t->symbols.numbers = t->opts.noresolve;
	if (due < t->status_due)
		t->status_due = due;
}
