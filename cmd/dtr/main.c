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
#include "cmd/dtr/colour.h"
#include "cmd/dtr/complete/complete.h"
#include "cmd/dtr/gmon.h"
#include "cmd/dtr/help/help.h"
#include "cmd/dtr/kgmon/kgmon.h"
#include "cmd/dtr/merge.h"
#include "cmd/dtr/prog/prog.h"
#include "cmd/dtr/record.h"
#include "cmd/dtr/say.h"
#include "cmd/dtr/share.h"
#include "cmd/dtr/stack.h"
#include "cmd/dtr/stat/stat.h"
#include "cmd/dtr/tool.h"
#include "config.h"

static void cmd_message(void *arg, const char *text)
{
	const struct cmd *c = arg;

	if (c->top && top_message(c->top, text))
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

	if (c->top)
		top_term_abandon(&c->top->term);
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

static int cmd_advance(void *arg, enum dtr_point to, char *reason, size_t n)
{
	struct cmd *c = arg;

	return c->child.pid ? child_advance(&c->child, to, reason, n) : 0;
}

struct dtr_config cmd_config(struct cmd *c)
{
	return (struct dtr_config){
		.progname = c->args.prog, .out = stdout, .message = cmd_message, .oom = cmd_oom, .arg = c,
		.share = c->share, .advance = cmd_advance,
	};
}

/* Opens standard descriptors that are closed, so that no other file gets their numbers. They are opened in the wrong
 * direction, so that using them fails. */
static void cmd_hold_standard_files(void)
{
	for (int fd = 0; fd <= 2; fd++)
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd ? O_RDONLY : O_WRONLY) < 0)
			return;
}

/* For output that no session wrote, such as help: reports a full disk. */
static int cmd_answered(struct cmd *c)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return 0;
	cmd_error(c, "failed to write", "output", errno);
	return 1;
}

/* Replaces `dtr TOOL ...` by its command line. Returns 0, 1 if it was a request for help, -1 after a message. */
static int cmd_tool(struct cmd *c, int *argc, char ***argv)
{
	struct tool_line line;
	struct tool t;
	int r;

	if (*argc < 2 || tool_find(&t, &c->arena, c->share, (*argv)[1]) < 0)
		return 0;
	r = tool_expand(&t, &c->arena, *argc, *argv, &line);
	if (r)
		return r;
	c->picture = line.picture;
	*argc = line.v.n;
	*VEC_ADD(&c->arena, &line.v) = NULL;
	*argv = line.v.v;
	return 0;
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
	r = tool_list(&c->arena, c->share, json);

	if (!r)
		return cmd_answered(c);
	cmd_error(c, "failed to read", "the tools", -r);
	return 1;
}

/* `dtr merge`, `dtr diff`. */
static int cmd_merge(struct cmd *c, int argc, char **argv)
{
	const struct dtr_config config = cmd_config(c);
	int status = merge_main(&config, argc, argv);

	/* the session reports write errors of its own, except EPIPE; help is written without a session */
	return status || ferror(stdout) ? status : cmd_answered(c);
}

static int cmd_kgmon(struct cmd *c, int argc, char **argv)
{
	const struct dtr_config config = cmd_config(c);
	int status = kgmon_main(&config, argc, argv);

	return status || ferror(stdout) ? status : cmd_answered(c);
}

static int cmd_stat(struct cmd *c, int argc, char **argv)
{
	const struct dtr_config config = cmd_config(c);
	int status = stat_main(&config, &c->arena, &c->stack, argc, argv);

	return status || ferror(stdout) ? status : cmd_answered(c);
}

/* Replaces `dtr prog ...` and the like by the command line of dtr or `dtr merge` that does it. Returns as cmd_tool. */
static int cmd_made(struct cmd *c, int *argc, char ***argv)
{
	static const struct {
		bool (*is)(const char *name);
		int (*expand)(struct prog_line *out, struct arena *a, const char *share, int argc, char **argv);
		const char *maker;
	} makers[] = {
		{ prog_is, prog_expand, "dtr prog --script" }, { gmon_is, gmon_expand, "dtr gmon --script" },
	};
	struct prog_line line;
	size_t i = 0;
	int r;

	while (*argc > 1 && i < sizeof makers / sizeof *makers && !makers[i].is((*argv)[1]))
		i++;
	if (*argc < 2 || i == sizeof makers / sizeof *makers)
		return 0;
	r = makers[i].expand(&line, &c->arena, c->share, *argc, *argv);
	if (r)
		return r;
	c->made = line.script;
	c->maker = makers[i].maker;
	*argc = line.v.n;
	*VEC_ADD(&c->arena, &line.v) = NULL;
	*argv = line.v.v;
	return 0;
}

static int cmd_main(struct cmd *c, int argc, char **argv);

/* `dtr help [TOPIC]`. A command shows its own help first, as with -h. */
static int cmd_help(struct cmd *c, int argc, char **argv)
{
	struct help h = { &c->arena, c->share, c->args.prog, colour_wanted(stdout), false };
	const char *command = help_command(&h, argc - 2, argv + 2);
	char *line[] = { argv[0], (char *)command, "--help", NULL };
	int status = command ? cmd_main(c, 3, line) : 0;

	return status || help_show(&h, argc - 2, argv + 2, command) ? 1 : cmd_answered(c);
}

/* Commands that show a session in a way of their own. *argc and *argv become those of the session. Returns 0, 1 after
 * an answer, -1 after a message. */
static int cmd_front(struct cmd *c, int *argc, char ***argv)
{
	int r;

	if (serve_is(*argc, *argv)) {
		r = serve_parse(&c->serve, &c->arena, argc, argv);
		c->front = (struct front){ &serve_front, &c->serve };
		if (r)
			return r;
	}
	r = top_command(&c->top, &c->arena, c->share, argc, argv);
	if (c->top)
		c->front = (struct front){ &top_front, c->top };
	if (!r && !c->top)
		r = trace_command(&c->trace, &c->arena, c->share,
				  (struct trace_output){ &c->out, &c->args.output }, argc, argv);
	if (c->trace) {
		c->front = (struct front){ &trace_front, c->trace };
		c->made = c->trace->script;
		c->maker = "dtr trace --script";
	}
	return r;
}

static int cmd_main(struct cmd *c, int argc, char **argv)
{
	const char *slash = argc > 0 ? strrchr(argv[0], '/') : NULL;
	int r;

	c->args.prog = argc > 0 ? slash ? slash + 1 : argv[0] : "dtr";
	if (!stack_ensure(&c->stack)) {
		say("%s: the stack limit of %llu KB is too small: at least %d KB are needed (ulimit -s)\n",
		    c->args.prog, (unsigned long long)c->stack.rlim_cur >> 10, STACK_LEAST >> 10);
		return 1;
	}
	c->share = share_find(&c->arena);
	if (argc > 2 && !strcmp(argv[1], "--complete"))
		return complete_main(&c->arena, c->share, c->args.prog, argc - 2, argv + 2) < 0 ? 1 : cmd_answered(c);
	if (argc > 1 && help_is(argv[1]))
		return cmd_help(c, argc, argv);
	r = cmd_made(c, &argc, &argv);
	if (r)
		return r < 0 ? 2 : cmd_answered(c);
	if (argc > 1 && merge_is(argv[1]))
		return cmd_merge(c, argc, argv);
	if (argc > 1 && kgmon_is(argv[1]))
		return cmd_kgmon(c, argc, argv);
	if (argc > 1 && stat_is(argv[1]))
		return cmd_stat(c, argc, argv);
	if (record_is(argc, argv)) {
		r = record_parse(&c->args, &c->arena, argc, argv);
		return r < 0 ? 2 : r ? cmd_answered(c) : cmd_run(c);
	}
	r = cmd_front(c, &argc, &argv);
	if (!r && !c->top && !c->trace)
		r = cmd_tool(c, &argc, &argv);
	if (r)
		return r < 0 ? 2 : cmd_answered(c);
	if (args_parse(&c->args, &c->arena, argc, argv) < 0)
		return cmd_misused(c);
	if (c->serve.prog && c->args.query) {
		say("%s: serve: a recording is not live: query it with %s -r\n", c->args.prog, c->args.prog);
		return 2;
	}
	if (c->args.help) {
		if (args_help(&c->args) < 0)
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
		.child = { .go = -1, .result = -1 }, .watch = { .signals = -1, .quit = -1, .target = -1 },
	};
	int status;

	/* a fixed threshold: large tables that grow are mapped, and leave no holes behind */
	mallopt(M_ARENA_MAX, 1);
	mallopt(M_MMAP_THRESHOLD, 1 << 19);
	cmd_hold_standard_files();
	signal(SIGPIPE, SIG_IGN);	/* writing to a closed pipe, */
	signal(SIGXFSZ, SIG_IGN);	/* or beyond the limit on file sizes, fails instead */
	arena_init(&c.arena, cmd_oom, &c);
	status = cmd_main(&c, argc, argv);
	arena_free(&c.arena);
	return status;
}
