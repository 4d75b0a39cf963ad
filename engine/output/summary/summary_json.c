/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <string.h>

#include "base/interval.h"
#include "base/json.h"
#include "engine/output/summary/summary.h"

enum { DIGITS = 6 };

/* A member that is left out if its text is empty: unknown. */
static void member_known(struct buf *b, const char *name, const char *text)
{
	if (*text)
		json_member_text(b, name, text);
}

void summary_facts(struct buf *b, const struct summary *s)
{
	member_known(b, "recording", s->path);
	member_known(b, "made_by", s->reader);
	member_known(b, "host", s->about.host);
	member_known(b, "kernel", s->release);
	member_known(b, "machine", s->machine);
	json_member_uint(b, "cpus", s->ncpus);
	member_known(b, "subject", s->about.subject);
	if (s->about.dated)
		json_member_uint(b, "walltime", s->about.wall);
	json_member_uint(b, "duration", s->duration);
	json_member_uint(b, "interval", s->interval);
	json_name(b, "stacks");
	json_bool(b, s->stacks);
	json_member_uint(b, "samples", s->samples);
	json_member_uint(b, "busy", s->busy);
	json_member_uint(b, "lost", s->lost);
}

static void put_row(struct buf *b, const struct summary *s, const char *type, const struct summary_row *r, uint64_t of)
{
	const struct share_interval i = interval_wilson_lost(r->count, of, s->lost);

	json_line_open(b, type);
	json_member_text(b, "name", r->name);
	if (r->processes)
		json_member_uint(b, "processes", r->processes);
	json_member_uint(b, "count", r->count);
	json_member_float(b, "share", of ? (double)r->count / (double)of : 0, DIGITS);
	json_member_float(b, "low", i.low, DIGITS);
	json_member_float(b, "high", i.high, DIGITS);
	json_line_close(b);
}

static void put_list(struct buf *b, const struct summary *s, const char *type, const struct summary_list *list)
{
	for (size_t i = 0; i < list->n; i++)
		put_row(b, s, type, &list->v[i], s->busy);
}

void summary_json(struct buf *b, const struct summary *s)
{
	json_line_open(b, "report");
	json_member_uint(b, "schema", 1);
	summary_facts(b, s);
	json_line_close(b);
	for (int i = 0; i < SUMMARY_MODES; i++)
		put_row(b, s, "mode", &(struct summary_row){ summary_mode_name((enum summary_mode)i), s->mode[i], 0 },
			s->samples);
	put_list(b, s, "container", &s->containers);
	put_list(b, s, "process", &s->processes);
	put_list(b, s, "function", &s->functions);
}
