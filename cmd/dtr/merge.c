/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* `dtr merge`: adds up saved aggregations. */
#include <stdint.h>

#include "cmd/dtr/saved.h"

struct merge {
	struct saved saved;
	const char *output;
	bool by_host, quiet;
};

static const struct command_option options[] = {
	{ 0, "by-host", NULL, "make the host the first key, instead of adding up the hosts",
	  OPTION_IS_FLAG(struct merge, by_host) },
	{ 'o', NULL, "file", "also write the result to a file", OPTION_IS_TEXT(struct merge, output),
	  .kind = VALUE_FILE },
	{ 'q', NULL, NULL, "print nothing", OPTION_IS_FLAG(struct merge, quiet) },
	{ 'O', NULL, "format", "output format (-x oformat)", .set = saved_format, .kind = VALUE_FORMAT },
	{ 'x', NULL, "opt[=val]", "set an option of dtr", .set = saved_option, .kind = VALUE_SETTING },
	{ 0 },
};

static int merge_read(struct dtr *t, void *self, const char **files, unsigned n)
{
	const struct merge *m = self;

	return (m->by_host ? dtr_merge_hosts : dtr_merge)(t, files, n, m->output, !m->quiet);
}

static int merge_main(struct cmd *c, const struct command *self, int argc, char **argv)
{
	struct merge m = { .quiet = false };
	struct command_line l;

	return command_parse(&l, c, self, &m, argc, argv) ? l.status : saved_run(&l, 1, SIZE_MAX, merge_read);
}

const struct command command_merge = {
	.name = "merge", .summary = "add up saved aggregations",
	.usage = "[-q] [--by-host] [-o file] [-O format] [-x name[=value]] file ...",
	.about = "Merges aggregations saved with -x aggsave=file and prints the result.\n",
	.options = options, .operands = true, .run = merge_main,
};
