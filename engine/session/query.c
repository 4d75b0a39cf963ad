/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Queries: scripts on a recording (dtr -r). */
#include "engine/session/query.h"

#include "engine/sample/recorded.h"

int dtr_query(struct dtr *t, const char *path)
{
	char reason[256] = "";

	t->query = arena_alloc(&t->arena, sizeof *t->query);
	t->query->path = path;
	if (record_source(t->query, reason, sizeof reason))
		return 0;
	output_message(&t->output, "%s: %s", path, reason);
	t->output.failed = true;
	return -1;
}

/* Shows a query that the recording can answer. */
static void query_example(struct dtr *t, const char *path, const char *probe, const char *key)
{
	struct buf b = { 0 };

	buf_printf(&b, "  %s -r %s -n '%s { @[%s] = count(); }'\n", t->output.progname, path, probe, key);
	output_write_message(&t->output, &b);
	buf_free(&b);
}

void dtr_query_examples(struct dtr *t, const char *path)
{
	struct recording_file file = { .path = path };
	struct source_want want = { .arena = &t->arena, .opts = &t->opts, .target = -1, .arg = &file };
	struct source_past past = { 0 };
	struct sample_source *s = NULL;
	char reason[256] = "", probe[64];
	const struct source_ops *ops = record_source(&file, reason, sizeof reason);

	if (ops && ops->open(&s, &want, reason, sizeof reason) == 0) {
		ops->past(s, &past);
		record_rate_name(probe, sizeof probe, past.interval);
		output_message(&t->output, "-r needs a script (-n, -s). %s has samples of %s%s:", path, probe,
				past.stacks ? " with stacks" : "");
		query_example(t, path, probe, "execname");
		if (past.stacks)
			query_example(t, path, probe, "ustack()");
	} else {
		output_message(&t->output, ops ? "%s" : "%2$s: %1$s", reason, path);
	}
	if (ops)
		ops->close(s);
	recording_file_close(&file);
}

void query_report(struct dtr *t)
{
	if (!t->query || !*t->query->damage)
		return;
	output_message(&t->output, "%s: %s", t->query->path, t->query->damage);
	t->output.failed = true;
}

void query_close(struct dtr *t)
{
	if (t->query)
		recording_file_close(t->query);
}
