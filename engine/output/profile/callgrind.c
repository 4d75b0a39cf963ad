/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* -O callgrind: procedures with their calls, or lines, in the format of callgrind.out files, version 1. */
#include <inttypes.h>
#include <string.h>

#include "base/escape.h"
#include "engine/output/printer.h"
#include "engine/output/profile/profile.h"

static void put_name(struct buf *out, const char *what, const char *name)
{
	buf_printf(out, "%s=", what);
	escape_puts(out, *name ? name : "???", ESCAPE_LINE);
	buf_putc(out, '\n');
}

static void put_head(struct buf *out, const struct program_profile *p, const char *events)
{
	buf_puts(out, "# callgrind format\nversion: 1\ncreator: dtr\n");
	profile_cost(out, p, "desc: Note: ");
	buf_printf(out, "positions: line\nevents: %s\n", events);
}

/* The calls that a procedure makes. */
static void put_calls(struct buf *out, const struct program_profile *p, const struct profile_row *caller)
{
	for (size_t i = 0; i < p->rows[PROFILE_ARC].n; i++) {
		const struct profile_row *r = &p->rows[PROFILE_ARC].v[i];

		if (strcmp(r->part[0], caller->part[0]) || strcmp(r->part[1], caller->part[1]))
			continue;
		put_name(out, "cob", r->part[2]);
		put_name(out, "cfn", r->part[3]);
		buf_printf(out, "calls=%" PRId64 " 0\n0 %" PRId64 "\n", r->value[ARC_CALLS], r->value[ARC_TIME]);
	}
}

static void put_procedures(struct buf *out, const struct program_profile *p)
{
	put_head(out, p, "Nanoseconds");
	for (size_t i = 0; i < p->rows[PROFILE_PROCEDURE].n; i++) {
		const struct profile_row *r = &p->rows[PROFILE_PROCEDURE].v[i];

		buf_putc(out, '\n');
		put_name(out, "ob", r->part[0]);
		put_name(out, "fl", "");
		put_name(out, "fn", r->part[1]);
		buf_printf(out, "0 %" PRId64 "\n", r->value[PROC_SELF]);
		put_calls(out, p, r);
	}
}

static void put_lines(struct buf *out, const struct program_profile *p)
{
	put_head(out, p, p->timed ? "Executions Nanoseconds" : "Executions");
	for (size_t i = 0; i < p->rows[PROFILE_LINE].n; i++) {
		const struct profile_row *r = &p->rows[PROFILE_LINE].v[i];

		if (!i || strcmp(r->part[0], r[-1].part[0]) || strcmp(r->part[1], r[-1].part[1])) {
			buf_putc(out, '\n');
			put_name(out, "fl", r->part[0]);
			put_name(out, "fn", r->part[1]);
		}
		buf_printf(out, "%" PRId64 " %" PRId64, r->line, r->value[LINE_COUNT]);
		if (p->timed)
			buf_printf(out, " %" PRId64, r->value[LINE_TIME]);
		buf_putc(out, '\n');
	}
}

static void callgrind_draw(struct output *o, const struct program_profile *p)
{
	if (p->rows[PROFILE_LINE].n)
		put_lines(&o->buf, p);
	else
		put_procedures(&o->buf, p);
}

static void callgrind_begin(struct output *o)
{
	static const struct profile_format format = { callgrind_draw };

	profile_begin(o, &format);
}

const struct printer printer_callgrind = {
	.begin = callgrind_begin,
	PROFILE_FILE,
};
