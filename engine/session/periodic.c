/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/session/periodic.h"

#include <string.h>

#include "base/clock.h"
#include "engine/output/saved.h"
#include "engine/session/agg_tables.h"

/* A recording is read at once. */
static bool is_periodic(const struct dtr *t)
{
	return t->opts.aggsave && t->opts.aggsaverate && !t->query;
}

static void periodic_open(struct dtr *t)
{
	struct session_periodic *p = &t->periodic;

	if (p->tables)
		return;
	p->tables = arena_calloc(&t->arena, t->aggs.n + 1, sizeof *p->tables);
	for (unsigned i = 0; i < t->aggs.n; i++) {
		agg_table_init(&p->tables[i], t->aggs.tables[i].desc);
		p->tables[i].names = t->aggs.tables[i].names;
	}
}

static void periodic_save(struct dtr *t)
{
	int r;

	periodic_open(t);
	if (agg_tables_view(t, t->periodic.tables) < 0)
		return;
	r = saved_write_now(&t->output, t->periodic.tables);
	if (r && !t->periodic.failed)
		output_message(&t->output, "failed to write %s: %s; tracing continues", t->opts.aggsave, strerror(-r));
	t->periodic.failed = r;
}

/* The first time only sets the time of the next one, which does not move if saving takes a while. */
void periodic_pass(struct dtr *t)
{
	uint64_t now = clock_now(), *due = &t->periodic.due;

	if (!is_periodic(t) || now < *due)
		return;
	if (*due)
		periodic_save(t);
	*due = *due + t->opts.aggsaverate > now ? *due + t->opts.aggsaverate : now + t->opts.aggsaverate;
}

uint64_t periodic_patience(const struct dtr *t, uint64_t timeout)
{
	uint64_t now = clock_now();

	if (!is_periodic(t) || t->periodic.due >= now + timeout)
		return timeout;
	return t->periodic.due > now ? t->periodic.due - now : 0;
}

void periodic_close(struct dtr *t)
{
	for (unsigned i = 0; t->periodic.tables && i < t->aggs.n; i++)
		agg_table_free(&t->periodic.tables[i]);
	t->periodic.tables = NULL;
}
