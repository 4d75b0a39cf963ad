/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* `dtr diff`: compares saved aggregations or recordings. */
#include "cmd/dtr/saved.h"

struct diff {
	struct saved saved;
	bool all;
};

static const struct command_option options[] = {
	{ 'a', NULL, NULL, "recordings: also show differences that are not significant",
	  OPTION_IS_FLAG(struct diff, all) },
	{ 'O', NULL, "format", "recordings: text, json or html (a differential flame graph)", .set = saved_format,
	  .kind = VALUE_FORMAT },
	{ 'x', NULL, "opt[=val]", "set an option of dtr", .set = saved_option, .kind = VALUE_SETTING },
	{ 0 },
};

static int diff_read(struct dtr *t, void *self, const char **files, unsigned n)
{
	const struct diff *d = self;

	(void)n;
	return dtr_diff(t, files[0], files[1], d->all);
}

static int diff_main(struct cmd *c, const struct command *self, int argc, char **argv)
{
	struct diff d = { .all = false };
	struct command_line l;

	return command_parse(&l, c, self, &d, argc, argv) ? l.status : saved_run(&l, 2, 2, diff_read);
}

const struct command command_diff = {
	.name = "diff", .summary = "compare saved aggregations or recordings",
	.usage = "[-a] [-O format] [-x name[=value]] from to",
	.about = "Prints the differences between two files of saved aggregations, the largest first; or which "
		 "functions have significantly larger or smaller shares in a recording than in another.\n",
	.options = options, .operands = true, .run = diff_main,
};
