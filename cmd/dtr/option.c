/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/dtr/option.h"

#include <string.h>

#include "base/fill.h"

bool option_is_last(const struct command_option *o)
{
	return !o->letter && !o->name && !o->head;
}

const char *option_word(struct arena *a, const struct command_option *o)
{
	return o->letter ? arena_printf(a, "-%c", o->letter) : arena_printf(a, "--%s", o->name);
}

/* "-F rate", "-o, --output FILE", "--arcs[=KIND]" */
static const char *option_head(struct arena *a, const struct command_option *o)
{
	const char *letter = o->letter ? arena_printf(a, "-%c", o->letter) : "";
	const char *name = o->name ? arena_printf(a, "%s--%s", o->letter ? ", " : "", o->name) : "";

	return arena_printf(a, !o->value ? "%s%s" : o->loose ? "%s%s[=%s]" : "%s%s %s", letter, name,
			    o->value ? o->value : "");
}

void option_rows(struct buf *out, struct arena *a, const struct command_option *options)
{
	const char *before = "";

	for (const struct command_option *o = options; !option_is_last(o); o++) {
		const char *head = o->head ? o->head : arena_printf(a, "%s%s", before, option_head(a, o));

		before = o->joins ? arena_printf(a, "%s, ", head) : "";
		if (o->text)
			buf_printf(out, "  %s%s%s\n", head, *o->text ? "\t" : "", o->text);
	}
}

const char *option_first_line(struct arena *a, unsigned column, const char *text)
{
	struct buf b = { 0 };
	const char *line;

	fill_row(&b, "", column, text);
	if (b.failed)
		arena_exhausted(a);
	line = buf_str(&b) + strspn(buf_str(&b), " ");
	line = arena_strndup(a, line, strcspn(line, "\n"));
	buf_free(&b);
	return line;
}

const char *option_line(struct arena *a, const struct command_option *options, const struct command_option *o)
{
	struct buf rows = { 0 };
	unsigned column;

	while (o->joins)
		o++;
	option_rows(&rows, a, options);
	if (rows.failed)
		arena_exhausted(a);
	column = fill_column(buf_str(&rows));
	buf_free(&rows);
	return o->text ? option_first_line(a, column, o->text) : "";
}
