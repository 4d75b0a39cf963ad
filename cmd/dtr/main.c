/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * dtr: the command. Only options, targets, signals and exit statuses are handled here; the rest is in engine/.
 * Exit status: 0, 1 after a failure, 2 for a usage error, or the argument of exit() in the script.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/dtr/args.h"
#include "cmd/dtr/child.h"
#include "cmd/dtr/colour.h"
#include "cmd/dtr/complete.h"
#include "cmd/dtr/gmon.h"
#include "cmd/dtr/help.h"
#include "cmd/dtr/kgmon.h"
#include "cmd/dtr/merge.h"
#include "cmd/dtr/picture_file.h"
#include "cmd/dtr/prog.h"
#include "cmd/dtr/program.h"
#include "cmd/dtr/record.h"
#include "cmd/dtr/say.h"
#include "cmd/dtr/serve.h"
#include "cmd/dtr/share.h"
#include "cmd/dtr/stack.h"
#include "cmd/dtr/tool.h"
#include "cmd/dtr/top.h"
#include "cmd/dtr/watch.h"
#include "config.h"
#include "engine/dtr.h"

extern char **environ;

struct cmd {
	struct arena arena;
	struct cmd_args args;
	char **words;			/* of the command; the program is the first */
	const char *program;
	struct child child;
	struct watch watch;
	struct serve serve;
	struct rlimit stack;		/* the limits when dtr was started */
	const char *share;
	const char *made, *maker;	/* the script of `dtr prog` or `dtr gmon` and its name; NULL: none */
	struct top *top;		/* `dtr top`, or NULL */
	FILE *out;
	bool started;			/* the session and the command have begun */
	bool picture;			/* the picture is described at the end */
	struct dtr *t;
};

static void cmd_message(void *arg, const char *text)
{
	const struct cmd *c = arg;

	if (c->top && top_message(c->top, text))
		return;
	fflush(stdout);		/* keeps the order if both go to one file */
	fputs(text, stderr);
}

/* A line that the next one overwrites. */
static void cmd_progress(void *arg, const char *text)
{
	const struct cmd *c = arg;

	fprintf(stderr, *text ? "\r\033[K%s: %s" : "\r\033[K", c->args.prog, text);
}

/* Must not allocate. The kernel frees its objects with our descriptors and ends a held child with its pipe. */
static void cmd_oom(void *arg)
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

static void cmd_error(const struct cmd *c, const char *what, const char *name, int err)
{
	say("%s: %s %s: %s\n", c->args.prog, what, name, dtr_error_text(err));
}

/* Opens standard descriptors that are closed, so that no other file gets their numbers. They are opened in the wrong
 * direction, so that using them fails. */
static void cmd_hold_standard_files(void)
{
	for (int fd = 0; fd <= 2; fd++)
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd ? O_RDONLY : O_WRONLY) < 0)
			return;
}

/* Each CPU and probe needs a perf event and each aggregation a map: the soft limit of descriptors is too low. */
static void cmd_raise_limits(void)
{
	struct rlimit r;

	if (getrlimit(RLIMIT_NOFILE, &r) == 0 && r.rlim_cur < r.rlim_max) {
		r.rlim_cur = r.rlim_max;
		setrlimit(RLIMIT_NOFILE, &r);
	}
}

/* Returns 0, -1 after a message, or 1 if the options were a request for help, which was answered. */
static int cmd_options(struct cmd *c)
{
	if (dtr_environment(c->t, environ) < 0)
		return -1;
	for (size_t i = 0; i < c->args.options.n; i++) {
		const struct arg_option *o = &c->args.options.v[i];

		if (!strcmp(o->name, "profsrc") && o->value && !strcmp(o->value, "help")) {
			dtr_source_help(stdout);
			return 1;
		}
		if (dtr_option(c->t, o->name, o->value) < 0)
			return -1;
	}
	return 0;
}

static int cmd_texts(struct cmd *c)
{
	static const char *const what[128] = {
		['n'] = "probe specifier", ['P'] = "provider", ['m'] = "module", ['f'] = "function", ['i'] = "probe id",
	};
	int r = 0;

	for (size_t i = 0; i < c->args.texts.n; i++) {
		const struct arg_text *x = &c->args.texts.v[i];

		if (x->opt == 's')
			r |= dtr_add_file(c->t, x->value,
					  c->made && !strcmp(x->value, c->made) ? c->maker : NULL);
		else
			r |= dtr_add_text(c->t, x->value, what[(int)x->opt]);
	}
	dtr_arguments(c->t, c->args.argv0, c->args.operands.v, c->args.declare == 'G' ? 0 : c->args.operands.n);
	return r;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* The process of -p is described by the file that it executes. */
static void cmd_describe_pid(struct cmd *c)
{
	char path[4096];
	ssize_t n = readlink(arena_printf(&c->arena, "/proc/%d/exe", (int)c->args.pid), path, sizeof path);

	dtr_subject(c->t, arena_printf(&c->arena, "process %d", (int)c->args.pid),
		    n > 0 ? base_name(arena_strndup(&c->arena, path, (size_t)n)) : NULL);
}

/* The program exists, but its interpreter may not, or the kernel cannot load all of it and kills the process. */
static void cmd_not_executed(const struct cmd *c, int err)
{
	int status = c->child.status;

	if (err == ENOENT)
		say("%s: failed to execute %s: its interpreter does not exist\n", c->args.prog, c->program);
	else if (err == ECHILD && WIFSIGNALED(status))
		say("%s: failed to execute %s: killed by signal %d (%s)\n", c->args.prog, c->program, WTERMSIG(status),
		    strsignal(WTERMSIG(status)));
	else
		cmd_error(c, "failed to execute", c->program, err);
}

static bool cmd_words(struct cmd *c)
{
	c->words = child_words(&c->arena, c->args.command);
	if (!c->words)
		say("%s: invalid command '%s': empty, or unterminated quote\n", c->args.prog, c->args.command);
	return c->words;
}

static int cmd_command(struct cmd *c)
{
	char **words = c->words, path[PATH_MAX];
	int r;

	c->program = words[0];
	dtr_subject(c->t, arena_printf(&c->arena, "the command '%s'", c->args.command), base_name(c->program));
	r = program_find(words[0], path, sizeof path);
	if (r < 0) {
		cmd_error(c, "failed to execute", c->program, -r);
		return -1;
	}
	if (c->top && top_aside_begin(c->top) < 0)
		return -1;
	r = child_start(&c->child, path, words, c->args.record && c->args.record->stream, &c->stack);
	if (c->top)
		top_aside_end(c->top);
	if (!r)
		r = watch_target(&c->watch, c->child.pid);
	if (r < 0) {
		cmd_not_executed(c, -r);
		return -1;
	}
	dtr_target(c->t, c->child.pid, true);
	return 0;
}

/* The process of a thread, from /proc; 0: unknown. */
static pid_t process_of_thread(struct arena *a, pid_t tid)
{
	FILE *f = fopen(arena_printf(a, "/proc/%d/status", (int)tid), "re");
	char line[256];
	int pid = 0;

	while (f && !pid && fgets(line, sizeof line, f))
		if (sscanf(line, "Tgid: %d", &pid) != 1)
			pid = 0;
	if (f)
		fclose(f);
	return pid;
}

/* pidfd_open() fails with ENOENT (before 6.9: EINVAL) for a thread that is not the first of its process. */
static void cmd_not_watched(struct cmd *c, int err)
{
	pid_t pid = process_of_thread(&c->arena, c->args.pid);

	if (pid && pid != c->args.pid)
		say("%s: failed to watch process %d: it is a thread of process %d\n", c->args.prog, (int)c->args.pid,
		    (int)pid);
	else
		cmd_error(c, "failed to watch process", arena_printf(&c->arena, "%d", (int)c->args.pid), err);
}

static int cmd_target(struct cmd *c)
{
	int r = 0;

	if (c->args.command)
		return cmd_command(c);
	if (!c->args.pid)
		return 0;
	if (!c->args.query) {	/* in a query the process may have ended long ago */
		cmd_describe_pid(c);
		r = watch_target(&c->watch, c->args.pid);
	}
	if (r < 0) {
		cmd_not_watched(c, -r);
		return -1;
	}
	dtr_target(c->t, c->args.pid, false);
	return 0;
}

static int cmd_record(struct cmd *c)
{
	FILE *out = c->out ? c->out : stdout;

	if (isatty(fileno(out))) {
		say("%s: record: refusing to write a recording to a terminal: use a file or a pipe (-o)\n",
		    c->args.prog);
		return -1;
	}
	setvbuf(out, NULL, _IONBF, 0);	/* a failed write is not repeated */
	return cmd_target(c) < 0 ? -1 : dtr_record(c->t, c->args.record);
}

/* As in DTrace, unless -q is set. A command that failed is reported with the picture, too. */
static void cmd_report_end(struct cmd *c)
{
	pid_t pid = c->child.pid ? c->child.pid : c->args.pid;
	int status;

	if (!c->watch.target_gone)
		return;
	status = c->child.pid && child_ended(&c->child) ? c->child.status : 0;
	if (dtr_quiet(c->t) && !(c->picture && status))
		return;
	if (WIFSIGNALED(status) && sigabbrev_np(WTERMSIG(status)))
		say("%s: pid %d terminated by SIG%s\n", c->args.prog, pid, sigabbrev_np(WTERMSIG(status)));
	else if (WIFSIGNALED(status))
		say("%s: pid %d terminated by signal %d\n", c->args.prog, pid, WTERMSIG(status));
	else if (WEXITSTATUS(status))
		say("%s: pid %d exited with status %d\n", c->args.prog, pid, WEXITSTATUS(status));
	else
		say("%s: pid %d has exited\n", c->args.prog, pid);
}

static void cmd_report_picture(const struct cmd *c)
{
	struct dtr_picture p;

	if (dtr_status(c->t))	/* it was not written, which is reported */
		return;
	if (dtr_picture(c->t, &p))
		picture_file_report(c->args.prog, c->args.output, &p);
	else
		say("%s: %s: no samples\n", c->args.prog, c->args.output);
}

static int cmd_trace(struct cmd *c)
{
	enum dtr_work more = DTR_MORE;
	int r = 0;

	cmd_raise_limits();
	dtr_report_matches(c->t);
	if (c->args.verbose)
		dtr_report_stability(c->t);
	if (c->serve.prog && serve_open(&c->serve, c->t) < 0)
		return 1;
	if (dtr_go(c->t) < 0) {
		while (dtr_is_cancelled(c->t))
			pause();	/* a signal is about to end us */
		return 1;
	}
	if (c->child.pid) {
		r = child_release(&c->child);
		if (r < 0) {	/* there is nothing to report, and the file of -o stays unchanged */
			cmd_not_executed(c, -r);
			return 1;
		}
	}
	c->started = true;
	if (c->out && dtr_is_picture(c->t) && ftruncate(fileno(c->out), 0) < 0 && errno != EINVAL) {
		cmd_error(c, "failed to write", c->args.output, errno);
		return 1;
	}
	if (c->serve.prog && serve_begin(&c->serve, &c->arena, c->t) < 0)
		return 1;
	while (!r && more == DTR_MORE) {
		more = c->top ? top_run(c->top, c->t) : dtr_work(c->t);
		if (c->serve.prog)
			serve_pass(&c->serve, c->t);
	}
	if (c->serve.prog)
		serve_end(&c->serve, c->t);
	if (c->top)
		top_leave(c->top, c->t, c->watch.interrupted);
	if (c->watch.interrupted && !c->top && dtr_for_people(c->t) && isatty(fileno(c->out ? c->out : stdout)))
		fputc('\n', c->out ? c->out : stdout);	/* after the terminal's ^C */
	if (c->watch.failed) {
		r = c->watch.failed;
		cmd_error(c, "failed to watch for", "signals", -r);
	}
	cmd_report_end(c);
	dtr_finish(c->t);
	if (c->picture)
		cmd_report_picture(c);
	return r < 0 || more == DTR_ERROR ? 1 : dtr_status(c->t);
}

/* -h, -G. Without -o the file is in the current directory and named after the script. */
static int cmd_declare(struct cmd *c)
{
	bool object = c->args.declare == 'G';
	const char *path = c->args.output, *script = base_name(c->args.argv0);
	size_t n = strlen(script);

	if (!path && c->args.texts.v[0].opt != 's') {
		say("%s: option -%c needs a script (-s) or the name of the output (-o)\n", c->args.prog,
		    c->args.declare);
		return 2;
	}
	if (!path) {
		n -= n > 2 && !strcmp(script + n - 2, ".d") ? 2 : 0;
		path = arena_printf(&c->arena, "%.*s.%c", (int)n, script, object ? 'o' : 'h');
	}
	return dtr_declare(c->t, !object ? 0 : c->args.narrow ? 32 : 64, path, c->args.operands.v,
			   object ? (unsigned)c->args.operands.n : 0) < 0;
}

static int cmd_session(struct cmd *c)
{
	int r = cmd_options(c);

	if (r)
		return r < 0 ? 2 : 0;
	if (c->args.report)
		return dtr_report(c->t, c->args.query, c->args.verbose) < 0;
	if (c->args.command && !cmd_words(c))
		return 2;
	if (c->top && top_check(c->top) < 0)
		return 1;
	if (c->args.record ? cmd_record(c) < 0 : cmd_texts(c) < 0)
		return 1;
	if (c->args.declare)
		return cmd_declare(c);
	if (c->args.query && dtr_query(c->t, c->args.query) < 0)
		return 1;
	if (!c->args.record && cmd_target(c) < 0)
		return 1;
	if (c->args.list)
		return dtr_list(c->t, c->args.verbose) < 0;
	if (c->args.dump)
		return dtr_dump(c->t, c->args.dump) < 0;
	if (dtr_compile(c->t) < 0)
		return 1;
	if (c->args.show && dtr_show(c->t) < 0)
		return 1;
	if (c->args.compile_only) {
		if (dtr_check(c->t) < 0)
			return 1;
		if (c->args.verbose)
			dtr_report_stability(c->t);
		return dtr_status(c->t);
	}
	if (c->top && top_block(c->top) < 0)
		return 1;
	r = watch_open(&c->watch, c->t);
	if (r < 0) {
		cmd_error(c, "failed to watch for", "signals", -r);
		return 1;
	}
	return cmd_trace(c);
}

static int cmd_advance(void *arg, enum dtr_point to, char *reason, size_t n)
{
	struct cmd *c = arg;

	return c->child.pid ? child_advance(&c->child, to, reason, n) : 0;
}

static struct dtr_config cmd_config(struct cmd *c)
{
	return (struct dtr_config){
		.progname = c->args.prog, .out = stdout, .message = cmd_message, .oom = cmd_oom, .arg = c,
		.share = c->share, .advance = cmd_advance,
	};
}

/* A private file is for its owner only; a file that exists keeps its mode. *created: the file did not exist. */
static FILE *output_open(const char *path, bool private, bool *created)
{
	const int flags = O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC;
	const mode_t mode = private ? 0600 : 0666;
	int fd = open(path, flags | O_EXCL, mode);
	FILE *f;

	*created = fd >= 0;
	if (fd < 0)
		fd = open(path, flags, mode);
	f = fd < 0 ? NULL : fdopen(fd, "a");
	if (fd >= 0 && !f)
		close(fd);
	return f;
}

static int cmd_open_output(struct cmd *c)
{
	bool created;

	c->out = output_open(c->args.output, c->args.record, &created);
	if (!c->out) {
		cmd_error(c, "failed to open", c->args.output, errno);
		return -1;
	}
	if (created)
		c->watch.created = c->args.output;
	return 0;
}

static int cmd_close_output(struct cmd *c, int status)
{
	if (status && !c->started)
		watch_remove_created(&c->watch);
	if (!c->out || fclose(c->out) == 0 || status)
		return status;
	cmd_error(c, "failed to write", c->args.output, errno);
	return 1;
}

static int cmd_run(struct cmd *c)
{
	struct dtr_config config = cmd_config(c);
	int status;

	config.colour = colour_wanted(stderr);
	config.progress = isatty(2) ? cmd_progress : NULL;
	if (c->top)
		top_config(c->top, &config, &c->watch);
	if (c->args.output && !c->args.compile_only && !c->args.declare) {
		if (cmd_open_output(c) < 0)
			return 1;
		config.out = c->out;
	}
	c->t = dtr_open(&config);
	status = cmd_session(c);
	watch_close(&c->watch);
	serve_close(&c->serve);
	dtr_close(c->t);
	child_close(&c->child);
	if (c->top)
		top_end(c->top);
	return cmd_close_output(c, status);
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
	const struct help h = { &c->arena, c->share, c->args.prog, colour_wanted(stdout) };
	const char *command = help_command(&h, argc - 2, argv + 2);
	char *line[] = { argv[0], (char *)command, "--help", NULL };
	int status = command ? cmd_main(c, 3, line) : 0;

	return status || help_show(&h, argc - 2, argv + 2, command) ? 1 : cmd_answered(c);
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
		return complete_main(&c->arena, c->share, argc - 2, argv + 2) < 0 ? 1 : cmd_answered(c);
	if (argc > 1 && help_is(argv[1]))
		return cmd_help(c, argc, argv);
	r = cmd_made(c, &argc, &argv);
	if (r)
		return r < 0 ? 2 : cmd_answered(c);
	if (argc > 1 && merge_is(argv[1]))
		return cmd_merge(c, argc, argv);
	if (argc > 1 && kgmon_is(argv[1]))
		return cmd_kgmon(c, argc, argv);
	if (record_is(argc, argv)) {
		r = record_parse(&c->args, &c->arena, argc, argv);
		return r < 0 ? 2 : r ? cmd_answered(c) : cmd_run(c);
	}
	if (serve_is(argc, argv)) {
		r = serve_parse(&c->serve, &c->arena, &argc, &argv);
		if (r)
			return r < 0 ? 2 : cmd_answered(c);
	}
	r = top_command(&c->top, &c->arena, c->share, &argc, &argv);
	if (!r && !c->top)
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
		printf("%s: dtr %s\n", c->args.prog, PACKAGE_VERSION);
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

	cmd_hold_standard_files();
	signal(SIGPIPE, SIG_IGN);	/* writing to a closed pipe, */
	signal(SIGXFSZ, SIG_IGN);	/* or beyond the limit on file sizes, fails instead */
	arena_init(&c.arena, cmd_oom, &c);
	status = cmd_main(&c, argc, argv);
	arena_free(&c.arena);
	return status;
}
