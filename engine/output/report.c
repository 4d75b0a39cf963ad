/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/output/report.h"

#include <inttypes.h>
#include <string.h>

#include "engine/output/printer.h"

/* ---- faults ---- */

static const struct {
	const char *text;
	bool value;		/* the value is the address */
} faults[] = {
	[IR_FLT_UNKNOWN] = { "unknown fault", false },
	[IR_FLT_BADADDR] = { "invalid address", true },
	[IR_FLT_BADALIGN] = { "invalid alignment", true },
	[IR_FLT_ILLOP] = { "illegal operation", false },
	[IR_FLT_DIVZERO] = { "divide-by-zero", false },
	[IR_FLT_NOSCRATCH] = { "out of scratch space", false },
	[IR_FLT_KPRIV] = { "invalid kernel access", true },
	[IR_FLT_UPRIV] = { "invalid user access", true },
	[IR_FLT_TUPOFLOW] = { "tuple stack overflow", false },
	[IR_FLT_BADSTACK] = { "bad stack", true },
};

/* Returns the location of the action with this number, or NULL. */
static const struct loc *action_loc(const struct stmt *s, unsigned action)
{
	for (; s; s = s->next) {
		const struct loc *l = NULL;

		if (s->action == action)
			return &s->loc;
		if (s->kind == S_IF) {
			l = action_loc(s->yes, action);
			if (!l)
				l = action_loc(s->no, action);
		}
		if (l)
			return l;
	}
	return NULL;
}

/* The reports of a fault: the same one is one of the same kind in the same action of the same enabling. */
struct fault_reports {
	const char *text;		/* the first report */
	uint64_t more;			/* faults after it */
};

static struct fault_reports *reports_of(struct output *o, const struct error_rec *r)
{
	const struct { uint32_t epid, kind, action; } key = { r->epid, r->kind, r->action };
	struct fault_reports *f;
	void **place;

	if (!o->faults.arena)
		map_init(&o->faults, o->arena);
	place = map_put(&o->faults, &key, sizeof key);
	if (*place)
		return *place;
	*place = f = arena_calloc(o->arena, 1, sizeof *f);
	*VEC_ADD(o->arena, &o->reported) = f;
	return f;
}

void report_repeated(struct output *o)
{
	for (size_t i = 0; i < o->reported.n; i++)
		if (o->reported.v[i]->more)
			output_stderr(o, "%s: %" PRIu64 " more time%s", o->reported.v[i]->text, o->reported.v[i]->more,
				      o->reported.v[i]->more == 1 ? "" : "s");
}

void report_error(struct output *o, const struct error_rec *r)
{
	const struct printer *printer = output_printer(o);
	struct fault_reports *same;
	struct buf text = { 0 };
	unsigned kind = r->kind < sizeof faults / sizeof faults[0] ? r->kind : IR_FLT_UNKNOWN;
	char value[32] = "", where[32] = "predicate", line[24] = "";
	const struct epid_desc *enabling;
	const struct loc *loc;

	if (!r->epid || r->epid > o->prog->epids.n)
		return;
	enabling = &o->prog->epids.v[r->epid - 1];
	if (r->action)
		loc = action_loc(enabling->clause->body, r->action);
	else
		loc = enabling->clause->pred ? &enabling->clause->pred->loc : NULL;
	if (printer->fault)
		printer->fault(o, &(struct output_fault){
			.e = enabling, .rec = r, .text = faults[kind].text, .has_value = faults[kind].value,
			.line = loc ? loc->line : 0,
		});
	if (printer->silent)
		return;
	if (faults[kind].value)
		snprintf(value, sizeof value, " (0x%" PRIx64 ")", r->value);
	if (r->action)
		snprintf(where, sizeof where, "action #%u", r->action);
	if (loc && loc->line)
		snprintf(line, sizeof line, " at line %u", loc->line);
	buf_printf(&text, "error on enabled probe ID %u (ID %u: %s:%s:%s:%s): %s%s in %s%s", r->epid,
		   enabling->probe->id, enabling->probe->provname, enabling->probe->mod, enabling->probe->func,
		   enabling->probe->name, faults[kind].text, value, where, line);
	same = o->opts->every_fault ? NULL : reports_of(o, r);
	if (same && same->text)
		same->more++;
	else
		output_stderr(o, "%s", text.failed ? "out of memory" : buf_str(&text));
	if (same && !same->text)
		same->text = arena_strdup(o->arena, buf_str(&text));
	buf_free(&text);
}

/* ---- drops ---- */

struct drop_row {
	const char *tag, *text, *tail;
	bool per_cpu;
};

static const struct drop_row drop_rows[IR_NDROPS] = {
	[IR_DROP_PRINCIPAL] = { "DTRACEDROP_PRINCIPAL", "drop", "", true },
	[IR_DROP_AGG] = { "DTRACEDROP_AGGREGATION", "aggregation drop", "", true },
	[IR_DROP_DYNAMIC] = { "DTRACEDROP_DYNAMIC", "dynamic variable drop", "", false },
	[IR_DROP_SCRATCH] = { "DTRACEDROP_SCRATCH", "scratch space drop", "", true },
	[IR_DROP_DBLERROR] = { "DTRACEDROP_DBLERROR", "error", " in ERROR probe enabling", false },
	[IR_DROP_SPEC] = { "DTRACEDROP_SPEC", "speculative drop", "", false },
	[IR_DROP_SPECBUSY] = {
		"DTRACEDROP_SPECBUSY", "failed speculation", " (available buffer(s) still busy)", false,
	},
	[IR_DROP_SPECUNAVAIL] = {
		"DTRACEDROP_SPECUNAVAIL", "failed speculation", " (no speculative buffer available)", false,
	},
	[IR_DROP_NESTED] = { "DTRACEDROP_NESTED", "nested firing",
			      " (the same program was already running on the CPU)", false },
	[IR_DROP_MISSED] = { "DTRACEDROP_MISSED", "missed return",
			      " (more calls were waiting for their return than the kernel keeps)", false },
};

const char *report_drop_tag(unsigned kind)
{
	return kind < IR_NDROPS ? drop_rows[kind].tag : NULL;
}

static void report_drop(struct output *o, enum ir_drop kind, uint64_t n, int cpu)
{
	const struct drop_row *r = &drop_rows[kind];
	char tag[40] = "", where[24] = "";

	o->lost[kind] += n;
	if (!n)
		return;
	if (o->opts->droptags)
		snprintf(tag, sizeof tag, "[%s] ", r->tag);
	if (r->per_cpu)
		snprintf(where, sizeof where, " on CPU %d", cpu);
	if (output_printer(o)->drop)
		output_printer(o)->drop(o, &(struct output_drop){
			.tag = r->tag, .cpu = r->per_cpu ? cpu : -1, .n = n,
		});
	output_stderr(o, "%s%" PRIu64 " %s%s%s%s", tag, n, r->text, n == 1 ? "" : "s", r->tail, where);
}

void report_drops(struct output *o, const struct backend_ops *ops, struct backend *b, uint64_t speculative)
{
	struct drop_counts sum = { 0 }, c;

	for (int cpu = 0; memset(&c, 0, sizeof c), ops->drops(b, cpu, &c); cpu++) {
		for (int k = 0; k < IR_NDROPS; k++) {
			if (drop_rows[k].per_cpu)
				report_drop(o, k, c.n[k], cpu);
			else
				sum.n[k] += c.n[k];
		}
	}
	sum.n[IR_DROP_SPEC] += speculative;
	for (int k = 0; k < IR_NDROPS; k++)
		report_drop(o, k, sum.n[k], -1);
}
