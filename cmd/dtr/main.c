/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * dtr: the command. Only options, targets, signals and exit statuses are handled here; the rest is in engine/.
 * Exit status: 0, 1 after a failure, 2 for a usage error, or the argument of exit() in the script.
 */
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cmd/dtr/cmd.h"
#include "cmd/dtr/command.h"
#include "cmd/dtr/complete/complete.h"
#include "cmd/dtr/own.h"
#include "cmd/dtr/say.h"
#include "cmd/dtr/share.h"
#include "cmd/dtr/stack.h"
#include "cmd/dtr/tool/tool.h"
#include "config.h"

static void cmd_message(void *arg, const char *text)
{
	const struct cmd *c = arg;
	const struct front_ops *f = c->front.ops;

	if (f && f->message && f->message(c->front.arg, text))
		return;
	fflush(stdout);		/* keeps the order if both go to one file */
	fputs(text, stderr);
}

/* Must not allocate. The kernel frees its objects with our descriptors and ends a held child with its pipe. */
void cmd_oom(void *arg)
{
	static const char text[] = ": out of memory\n";
	struct cmd *c = arg;
	const char *prog = c->args.prog ? c->args.prog : "dtr";

	if (c->front.ops && c->front.ops->abandon)
		c->front.ops->abandon(c->front.arg);
	if (write(2, prog, strlen(prog)) > 0 && write(2, text, sizeof text - 1) > 0)
		_exit(1);
	_exit(1);
}

void cmd_error(const struct cmd *c, const char *what, const char *name, int err)
{
	say("%s: %s %s: %s\n", c->args.prog, what, name, dtr_error_text(err));
}

const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

struct dtr_config cmd_config(struct cmd *c)
{
	return (struct dtr_config){
		.progname = c->args.prog, .out = stdout, .message = cmd_message, .oom = cmd_oom, .arg = c,
		.share = c->share,
	};
}

/* What the process needs, whatever it does. */
static void process_prepare(void)
{
	/* a fixed threshold: large tables that grow are mapped, and leave no holes behind */
	mallopt(M_ARENA_MAX, 1);
	mallopt(M_MMAP_THRESHOLD, 1 << 19);
	/* Standard descriptors that are closed are opened, so that no other file gets their numbers: in the wrong
	 * direction, so that using them fails. */
	for (int fd = 0; fd <= 2; fd++)
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd ? O_RDONLY : O_WRONLY) < 0)
			break;
	signal(SIGPIPE, SIG_IGN);	/* writing to a closed pipe, */
	signal(SIGXFSZ, SIG_IGN);	/* or beyond the limit on file sizes, fails instead */
}

int cmd_answered(struct cmd *c)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return 0;
	cmd_error(c, "failed to write", "output", errno);
	return 1;
}

int cmd_print(struct cmd *c, const char *text)
{
	fputs(text, stdout);
	return cmd_answered(c);
}

static int cmd_misused(struct cmd *c)
{
	if (c->args.unknown)
		tool_unknown(&c->arena, c->share, c->args.prog, c->args.unknown);
	return 2;
}

static int cmd_list_tools(struct cmd *c)
{
	bool json = false;
	int r;

	for (size_t i = 0; i < c->args.options.n; i++)
		if (!strcmp(c->args.options.v[i].name, "oformat"))
			json = c->args.options.v[i].value && !strcmp(c->args.options.v[i].value, "json");
	r = tool_list(&c->arena, c->share, c->args.prog, json);
	if (r >= 0)
		return cmd_answered(c) || r;
	cmd_error(c, "failed to read", "the tools", -r);
	return 1;
}

/* ---- command lines ---- */
int cmd_parse(struct cmd *c, struct command_line *l)
{
	*VEC_ADD(&c->arena, &l->passed) = NULL;
	return args_parse(&c->args, &c->arena, (int)l->passed.n - 1, l->passed.v);
}

int cmd_line(struct cmd *c, struct command_line *l)
{
	return cmd_parse(c, l) < 0 ? 2 : cmd_run(c);
}

int cmd_script(struct cmd *c, struct command_line *l, const char *text)
{
	c->args.made = text;
	c->args.maker = arena_printf(&c->arena, "dtr %s --script", l->command->name);
	return cmd_line(c, l);
}

/* Replaces `dtr TOOL ...` by its command line. Returns 0, or -1 with the exit status after an answer or a message. */
static int cmd_tool(struct cmd *c, int *argc, char ***argv, int *status)
{
	struct tool_line line;
	struct tool t;

	if (*argc < 2 || tool_find(&t, &c->arena, c->share, (*argv)[1]) < 0)
		return 0;
	if (tool_expand(&t, c, *argc, *argv, &line) < 0) {
		*status = line.status;
		return -1;
	}
	c->picture = line.picture;
	*argc = line.v.n;
	*VEC_ADD(&c->arena, &line.v) = NULL;
	*argv = line.v.v;
	return 0;
}

/* `dtr ...` and `dtr TOOL ...`. */
static int cmd_trace(struct cmd *c, int argc, char **argv)
{
	int status;

	if (cmd_tool(c, &argc, &argv, &status) < 0)
		return status;
	if (args_parse(&c->args, &c->arena, argc, argv) < 0)
		return cmd_misused(c);
	if (c->args.help) {
		if (own_help(&c->arena, c->args.prog) < 0)
			cmd_oom(c);
		return cmd_answered(c);
	}
	if (c->args.version) {
		printf("dtr %s\n", PACKAGE_VERSION);
		return cmd_answered(c);
	}
	return c->args.tools ? cmd_list_tools(c) : cmd_run(c);
}

int main(int argc, char **argv)
{
	struct cmd c = {
		.child = { .go = -1, .result = -1 }, .watch = { .signals = -1, .quit = -1 },
		.args.prog = argc > 0 ? base_name(argv[0]) : "dtr",
	};
	const struct command *command = argc > 1 ? command_find(argv[1]) : NULL;
	int status = 2;

	process_prepare();
	if (!stack_ensure(&c.stack)) {
		say("%s: the stack limit of %llu KB is too small: at least %d KB are needed (ulimit -s)\n",
		    c.args.prog, (unsigned long long)c.stack.rlim_cur >> 10, STACK_LEAST >> 10);
		return 1;
	}
	arena_init(&c.arena, cmd_oom, &c);
	c.share = share_find(&c.arena);
	if (argc > 2 && !strcmp(argv[1], "--complete"))
		status = complete_main(&c.arena, c.share, c.args.prog, argc - 2, argv + 2) < 0 ? 1 : cmd_answered(&c);
	else if (command)
		status = command->run(&c, command, argc, argv);
	else if (argc > 1 && command_is_left_out(argv[1]))
		say("%s: this dtr was built without '%s'\n", c.args.prog, argv[1]);
	else
		status = cmd_trace(&c, argc, argv);
	arena_free(&c.arena);
	return status;
}
