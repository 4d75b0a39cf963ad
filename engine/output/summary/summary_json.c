/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <string.h>

#include "base/interval.h"
#include "base/json.h"
#include "engine/output/summary/summary.h"

enum { DIGITS = 6 };

static void member_text(struct buf *b, const char *name, const char *text)
{
	if (!*text)
		return;
	json_name(b, name);
	json_text(b, text);
}

static void member_uint(struct buf *b, const char *name, uint64_t v)
{
	json_name(b, name);
	json_uint(b, v);
}

static void member_float(struct buf *b, const char *name, double v)
{
	json_name(b, name);
	json_float(b, v, DIGITS);
}

static void line_open(struct buf *b, const char *type)
{
	json_open(b, '{');
	member_text(b, "type", type);
}

static void line_close(struct buf *b)
{
	json_close(b, '}');
	buf_putc(b, '\n');
}

void summary_facts(struct buf *b, const struct summary *s)
{
	member_text(b, "recording", s->path);
	member_text(b, "made_by", s->reader);
	member_text(b, "host", s->about.host);
	member_text(b, "kernel", s->release);
	member_text(b, "machine", s->machine);
	member_uint(b, "cpus", s->ncpus);
	member_text(b, "subject", s->about.subject);
	if (s->about.dated)
		member_uint(b, "walltime", s->about.wall);
	member_uint(b, "duration", s->duration);
	member_uint(b, "interval", s->interval);
	json_name(b, "stacks");
	json_bool(b, s->stacks);
	member_uint(b, "samples", s->samples);
	member_uint(b, "busy", s->busy);
	member_uint(b, "lost", s->lost);
}

static void put_row(struct buf *b, const struct summary *s, const char *type, const struct summary_row *r, uint64_t of)
{
	const struct share_interval i = interval_wilson_lost(r->count, of, s->lost);

	line_open(b, type);
	json_name(b, "name");
	json_text(b, r->name);
	if (r->processes)
		member_uint(b, "processes", r->processes);
	member_uint(b, "count", r->count);
	member_float(b, "share", of ? (double)r->count / (double)of : 0);
	member_float(b, "low", i.low);
	member_float(b, "high", i.high);
	line_close(b);
}

static void put_list(struct buf *b, const struct summary *s, const char *type, const struct summary_list *list)
{
	for (size_t i = 0; i < list->n; i++)
		put_row(b, s, type, &list->v[i], s->busy);
}

void summary_json(struct buf *b, const struct summary *s)
{
	line_open(b, "report");
	member_uint(b, "schema", 1);
	summary_facts(b, s);
	line_close(b);
	for (int i = 0; i < SUMMARY_MODES; i++)
		put_row(b, s, "mode", &(struct summary_row){ summary_mode_name((enum summary_mode)i), s->mode[i], 0 },
			s->samples);
	put_list(b, s, "process", &s->processes);
	put_list(b, s, "function", &s->functions);
}
