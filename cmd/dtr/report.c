/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* `dtr report`: summarises a recording. */
#include "cmd/dtr/saved.h"

struct report {
	struct saved saved;
	bool all, containers;
};

static const struct command_option options[] = {
	{ 'a', NULL, NULL, "show all rows of the tables", OPTION_IS_FLAG(struct report, all) },
	{ 'C', NULL, NULL, "also by container", OPTION_IS_FLAG(struct report, containers) },
	{ 'O', NULL, "format", "text, json or html", .set = saved_format, .kind = VALUE_FORMAT },
	{ 'x', NULL, "opt[=val]", "set an option of dtr", .set = saved_option, .kind = VALUE_SETTING },
	{ 0 },
};

static int report_read(struct dtr *t, void *self, const char **files, unsigned n)
{
	const struct report *r = self;

	(void)n;
	return dtr_report(t, files[0], (r->all ? DTR_REPORT_ALL : 0u) |
				       (r->containers ? DTR_REPORT_CONTAINERS : 0u));
}

static int report_main(struct cmd *c, const struct command *self, int argc, char **argv)
{
	struct report r = { .all = false };
	struct command_line l;

	return command_parse(&l, c, self, &r, argc, argv) ? l.status : saved_run(&l, 1, 1, report_read);
}

const struct command command_report = {
	.name = "report", .summary = "summarise a recording",
	.usage = "[-aC] [-O format] [-x name[=value]] recording",
	.about = "Summarises a recording of \"dtr record\" or perf record: host, time, modes, containers (-C), "
		 "processes and functions with the 95 % intervals of their shares, losses.\n",
	.options = options, .operands = true, .run = report_main,
};
