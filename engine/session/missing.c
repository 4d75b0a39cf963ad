/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/session/missing.h"

#include <inttypes.h>
#include <string.h>

#include "engine/host/refusal.h"
#include "engine/session/session.h"

static void report_kernel(struct dtr *t, int err)
{
	char reason[256];

	refusal_kallsyms(reason, sizeof reason, err);
	output_message(&t->output, "warning: kernel addresses are not resolved: %s", reason);
}

static void report_file(struct dtr *t, const struct symbol_lacks *l)
{
	char reason[256];

	refusal_file(reason, sizeof reason, l->file, l->path);
	output_message(&t->output, "warning: cannot read %s: %s: some addresses are not resolved", l->path,
		       l->why ? l->why : reason);
}

static void report_engine(struct dtr *t)
{
	const struct backend_report *report = t->ops->report;
	struct buf b = { 0 };

	if (report && report->lacks && !report->lacks(t->backend, &b))
		t->output.failed = true;
	if (b.len)
		output_message(&t->output, "%s", buf_str(&b));
	buf_free(&b);
}

static void report_unnamed(struct dtr *t)
{
	struct names *n = &t->symbols;
	struct buf b = { 0 };

	unnamed_hint(&n->unnamed, n->inlined || n->places, &b);
	if (b.len)
		output_message(&t->output, "%s", buf_str(&b));
	buf_free(&b);
}

void missing_report(struct dtr *t)
{
	struct symbol_lacks l;

	names_lacks(&t->symbols, &l);
	if (l.nomem) {
		output_message(&t->output, "out of memory: some addresses are not resolved");
		t->output.failed = true;
	}
	if (l.kernel)
		report_kernel(t, l.kernel);
	if (l.file)
		report_file(t, &l);
	if (l.lines)
		output_message(&t->output, "warning: source lines and inlined functions may be missing: %s", l.lines);
	report_engine(t);
	report_unnamed(t);
	if (l.notes)
		output_message(&t->output, "%" PRIu64 " process events were lost; some addresses may stay unresolved",
			       l.notes);
}
