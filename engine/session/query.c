/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Queries: scripts on a recording (dtr -r). */
#include "engine/session/query.h"

#include "engine/sample/recorded.h"
#include "engine/session/order.h"

int dtr_query(struct dtr *t, const char *path)
{
	char reason[256] = "";

	if (!order_allows(t, CALL_dtr_query) || !order_given(t, CALL_dtr_query, path, "the path"))
		return -1;
	t->query = arena_alloc(&t->arena, sizeof *t->query);
	t->query->path = path;
	if (record_source(t->query, reason, sizeof reason))
		return 0;
	output_message(&t->output, "%s: %s", path, reason);
	t->output.failed = true;
	return -1;
}

bool query_past(struct dtr *t, struct recording_file *file, struct source_past *out)
{
	struct source_want want = { .arena = &t->arena, .opts = &t->opts, .target = -1, .arg = file };
	struct sample_source *s = NULL;
	char reason[256] = "";
	bool open = file->ops->open(&s, &want, reason, sizeof reason) == 0;

	*out = (struct source_past){ 0 };
	if (open)
		file->ops->past(s, out);
	else
		output_message(&t->output, "%s", reason);
	file->ops->close(s);
	t->output.failed |= !open;
	return open;
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
