/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/output/shares/table.h"

#include <inttypes.h>

#include "base/escape.h"

/* Returns true if a row is marked. */
static bool put_rows(struct buf *out, const struct shares *s, const struct shares_group *g)
{
	bool any = false;

	buf_printf(out, "%10s %9s   %-18s   %s\n", "SAMPLES", "SHARE", "95 % INTERVAL", s->what);
	for (size_t i = 0; i < g->n; i++) {
		const struct share_row *r = &s->rows.v[g->first + i];

		buf_printf(out, "%10" PRIu64 " %7.2f %%   %6.2f .. %6.2f %% %c ", r->count, 100 * r->share,
			   100 * r->interval.low, 100 * r->interval.high, r->tied ? '~' : ' ');
		escape_puts(out, r->name, ESCAPE_LINE);
		buf_putc(out, '\n');
		any |= r->tied;
	}
	return any;
}

static bool put_groups(struct buf *out, const struct shares *s)
{
	bool tied = false;

	for (size_t i = 0; i < s->groups.n; i++) {
		const struct shares_group *g = &s->groups.v[i];

		buf_putc(out, '\n');
		if (s->grouped)
			buf_printf(out, "%s%" PRId64 "\n", s->cpus ? "CPU " : "", g->group);
		tied |= put_rows(out, s, g);
		buf_puts(out, "Samples: ");
		shares_total(out, s, g);
		buf_putc(out, '\n');
	}
	return tied;
}

void shares_table(struct output *o, const struct shares_list *list)
{
	struct buf *out = &o->buf;
	bool tied = false;

	for (size_t i = 0; i < list->n; i++)
		tied |= put_groups(out, &list->v[i]);
	if (tied)
		buf_puts(out, "\n" SHARES_TIED "\n");
	if (list->source.name)
		buf_printf(out, "%sSource: %s.\n%s\n", tied ? "" : "\n", list->source.name, list->source.blind);
}
