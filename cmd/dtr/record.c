/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* `dtr record`: writes what a profile script can read to a file. */
#include <string.h>

#include "cmd/dtr/cmd.h"
#include "cmd/dtr/command.h"

#define RECORD_FILE "dtr.rec"

/* A wrong rate is a usage error, although the session would report it too. */
static int set_rate(struct command_line *l, const char *rate)
{
	struct dtr_recording *r = l->self;
	char reason[256];
	uint64_t ns;

	r->rate = rate;
	return dtr_interval(rate, &ns, reason, sizeof reason) == 0 ? 0 :
	       command_misused(l, "invalid rate %s: %s", rate, reason);
}

/* As in other tools, a number alone is one of seconds. */
static int set_duration(struct command_line *l, const char *text)
{
	bool seconds = *text && !text[strspn(text, "0123456789")];
	struct dtr_recording *r = l->self;
	char reason[256];
	uint64_t ns;

	r->duration = seconds ? arena_printf(l->arena, "%ss", text) : text;
	return dtr_interval(r->duration, &ns, reason, sizeof reason) == 0 ? 0 :
	       command_misused(l, "invalid duration %s: %s", text, reason);
}

static const struct command_option options[] = {
	{ 'F', NULL, "rate", "samples per second on each CPU, or an interval such as 10ms (default: 997)",
	  .set = set_rate },
	{ 'g', NULL, NULL, "also record stacks of the kernel and of the process",
	  OPTION_IS_FLAG(struct dtr_recording, stacks) },
	{ 'p', NULL, "pid", "record this process and its children until it ends", OPTION_IS_PASSED, .kind = VALUE_PID },
	{ 'c', NULL, "command", "run a command and record it and its children until it ends", OPTION_IS_PASSED,
	  .kind = VALUE_COMMAND },
	{ 'a', NULL, NULL, "record all processes until interrupted (default without -p and -c); with -c until the "
			   "command ends", OPTION_IS_FLAG(struct dtr_recording, all) },
	{ 0, "duration", "time", "end after that time: 30 (seconds), 500ms, 2m", .set = set_duration },
	{ 'o', NULL, "file", "the recording (default: " RECORD_FILE "); - is standard output (the command's output "
			     "then goes to standard error)", OPTION_IS_PASSED, .kind = VALUE_FILE },
	{ 'z', NULL, NULL, "compress the recording", OPTION_IS_FLAG(struct dtr_recording, compress) },
	{ 'q', NULL, NULL, "do not report the number of samples", OPTION_IS_FLAG(struct dtr_recording, quiet) },
	{ 'x', NULL, "opt[=val]", "set an option of dtr", OPTION_IS_PASSED, .kind = VALUE_SETTING },
	{ 0 },
};

static int record_main(struct cmd *c, const struct command *self, int argc, char **argv)
{
	struct dtr_recording *r = arena_alloc(&c->arena, sizeof *r);
	struct command_line l;

	r->rate = "997";
	if (command_parse(&l, c, self, r, argc, argv))
		return l.status;
	c->args.record = r;
	if (cmd_parse(c, &l))
		return 2;
	if (c->args.pids.n > 1)
		return command_refuse(&l, "only one process can be recorded (-p)");
	if (r->all && c->args.pid)
		return command_refuse(&l, "-a cannot be combined with -p");
	if (!c->args.output)
		c->args.output = RECORD_FILE;
	if (!strcmp(c->args.output, "-")) {
		c->args.output = NULL;
		r->stream = true;
	}
	return cmd_run(c);
}

const struct command command_record = {
	.name = "record", .summary = "record a profile, to be queried later",
	.usage = "[-agqz] [-F rate] [-p pid | -c command] [--duration time] [-x name[=value]] [-o file]",
	.about = "Records everything a profile script can read. To query the recording: dtr -r FILE -n SCRIPT\n",
	.options = options, .run = record_main,
};
