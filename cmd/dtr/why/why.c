/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* `dtr why`: where the time of each thread goes, and what it waits for. Makes the script, and prints what it counts. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cmd/dtr/cmd.h"
#include "cmd/dtr/command.h"
#include "cmd/dtr/say.h"
#include "cmd/dtr/why/print.h"

struct why {
	struct cmd *cmd;
	struct why_table table;
	const char *duration;
	const char *thread;
	bool json, all, script;
	pid_t only;
};

/* As in other tools, a number alone is one of seconds. */
static int set_duration(struct command_line *l, const char *text)
{
	bool seconds = *text && !text[strspn(text, "0123456789")];
	struct why *w = l->self;
	char reason[256];
	uint64_t ns;

	w->duration = seconds ? arena_printf(l->arena, "%ss", text) : text;
	return dtr_interval(w->duration, &ns, reason, sizeof reason) == 0 ? 0 :
	       command_misused(l, "invalid duration %s: %s", text, reason);
}

static int set_format(struct command_line *l, const char *word)
{
	struct why *w = l->self;

	w->json = !strcmp(word, "json");
	return w->json || !strcmp(word, "text") ? 0 : command_misused(l, "invalid format %s: text or json", word);
}

static int set_thread(struct command_line *l, const char *text)
{
	const long tid = args_number(text, INT32_MAX);
	struct why *w = l->self;

	w->only = (pid_t)tid;
	return tid > 0 ? 0 : command_misused(l, "invalid thread ID '%s'", text);
}

static const struct command_option options[] = {
	{ 'a', NULL, NULL, "all processes (without -p and -c)", OPTION_IS_FLAG(struct why, all) },
	{ 'p', NULL, "pid", OPTION_IS_PASSED, .kind = VALUE_PID, .joins = true },
	{ 'c', NULL, "command", "this process, and those that it creates", OPTION_IS_PASSED, .kind = VALUE_COMMAND },
	{ 't', NULL, "thread", "show this thread only", .set = set_thread },
	{ 0, "for", "time", "end after that time: 10 (seconds), 500ms (default: at Ctrl-C, or with the process)",
	  .set = set_duration },
	{ 'O', NULL, "text|json", "the format of the output", .set = set_format, .kind = VALUE_WORDS },
	{ 'o', NULL, "file", "append the output to this file", OPTION_IS_PASSED, .kind = VALUE_FILE },
	{ 0, "script", NULL, "print the D script instead of running it", OPTION_IS_FLAG(struct why, script) },
	{ 0 },
};

/* What the threads of the target do before the session. */
static int why_open(void *arg, struct dtr *session)
{
	struct why *w = arg;
	const struct cmd_args *a = &w->cmd->args;

	dtr_omit(session);
	for (size_t i = 0; i < a->pids.n; i++)
		why_look(&w->table, a->pids.v[i]);
	if (w->all)
		why_look_all(&w->table);
	w->table.command = !a->pids.n && !w->all;
	return 0;
}

static int why_finish(void *arg, struct dtr *session)
{
	struct why *w = arg;
	FILE *out = w->cmd->out ? w->cmd->out : stdout;
	struct buf b = { 0 };
	int r = why_read(&w->table, session, w->only);

	if (!r && w->json)
		why_print_json(&b, &w->table);
	else if (!r)
		why_print(&b, &w->table);
	if (!r && !w->table.counted && w->only) {
		say("%s why: thread %d did not run\n", w->cmd->args.prog, (int)w->only);
		r = -1;
	}
	if (!r && (b.failed || fwrite(buf_str(&b), 1, b.len, out) != b.len || fflush(out))) {
		cmd_error(w->cmd, "failed to write", w->cmd->args.output ? w->cmd->args.output : "output", errno);
		r = -1;
	}
	buf_free(&b);
	return r;
}

static const struct front_ops front = { .open = why_open, .finish = why_finish };

/* NULL after a message. */
static const char *why_script(struct command_line *l)
{
	const struct why *w = l->self;
	const char *path = arena_printf(l->arena, "%s/tools/why.d", l->share), *text = NULL;
	struct buf file = { 0 }, out = { 0 };
	int r = buf_read_file(&file, path);

	if (r < 0) {
		command_failed(l, "failed to read %s: %s", path, strerror(-r));
	} else {
		why_declare(&out);
		buf_puts(&out, buf_str(&file));
		if (w->duration)
			buf_printf(&out, "tick-%s { exit(0); }\n", w->duration);
		text = arena_strdup(l->arena, buf_str(&out));
	}
	buf_free(&file);
	buf_free(&out);
	return text;
}

static int why_main(struct cmd *c, const struct command *self, int argc, char **argv)
{
	struct why *w = arena_alloc(&c->arena, sizeof *w);
	struct command_line l;
	const char *text;

	*w = (struct why){ .cmd = c, .table.arena = &c->arena };
	if (command_parse(&l, c, self, w, argc, argv))
		return l.status;
	if (!l.target && !w->all && !w->script)
		return command_refuse(&l, "-p PID, -c COMMAND or -a is missing");
	if (l.target && w->all)
		return command_refuse(&l, "-a cannot be combined with -p and -c");
	text = why_script(&l);
	if (!text)
		return 2;
	if (w->script)
		return cmd_print(c, text);
	c->front = (struct front){ &front, w };
	return cmd_script(c, &l, text);
}

const struct command command_why = {
	.name = "why", .summary = "where the time of each thread goes, and what it waits for", .tool = true,
	.usage = "{-p PID | -c COMMAND | -a} [-t THREAD] [--for TIME] [-O text|json] [-o FILE]",
	.about = "Divides the whole time of each thread: running, runnable, blocked and by what; and prints the "
		 "longest waits with what ended them.\n",
	.options = options, .passes = "x:q", .run = why_main,
};
