/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A session: its options, texts and output; from its start to its end. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/openfiles.h"
#include "cmd/dtr/cmd.h"
#include "cmd/dtr/colour.h"
#include "cmd/dtr/picture_file.h"
#include "cmd/dtr/say.h"

extern char **environ;

/* A line that the next one overwrites. */
static void cmd_progress(void *arg, const char *text)
{
	const struct cmd *c = arg;

	fprintf(stderr, *text ? "\r\033[K%s: %s" : "\r\033[K", c->args.prog, text);
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
	static const enum dtr_text what[128] = {
		['n'] = DTR_PROBE, ['P'] = DTR_PROVIDER, ['m'] = DTR_MODULE, ['f'] = DTR_FUNCTION, ['i'] = DTR_ID,
	};
	int r = 0;

	if (c->args.made)
		dtr_add_script(c->t, c->args.made, c->args.maker);
	for (size_t i = 0; i < c->args.texts.n; i++) {
		const struct arg_text *x = &c->args.texts.v[i];

		if (x->opt == 's')
			r |= dtr_add_file(c->t, x->value, NULL);
		else
			r |= dtr_add_text(c->t, x->value, what[(int)x->opt]);
	}
	dtr_arguments(c->t, c->args.argv0, c->args.operands.v, c->args.declare == 'G' ? 0 : c->args.operands.n);
	return r;
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

/* The session has not begun: there is nothing to report, and the file of -o stays unchanged. */
static int cmd_not_begun(struct cmd *c)
{
	while (dtr_is_cancelled(c->t))
		pause();	/* a signal is about to end us */
	return 1;
}

/* The probes have begun; now the command begins, then what works on the session. Returns -1 after a message. */
static int cmd_begin(struct cmd *c)
{
	const struct front_ops *f = c->front.ops;
	int r = !c->child.pid ? 0 : dtr_traces(c->t) ? child_hand_over(&c->child) : child_release(&c->child);

	if (r < 0) {
		cmd_not_executed(c, -r);
		return -1;
	}
	c->started = true;
	if (c->out && dtr_is_picture(c->t) && ftruncate(fileno(c->out), 0) < 0 && errno != EINVAL) {
		cmd_error(c, "failed to write", c->args.output, errno);
		return -1;
	}
	return f && f->begin ? f->begin(c->front.arg, c->t) : 0;
}

/* Tracing is over. Before the output of the end. failed: 0, or why signals could not be watched for. */
static void cmd_report_over(struct cmd *c, int failed)
{
	const struct front_ops *f = c->front.ops;
	FILE *out = c->out ? c->out : stdout;

	if (c->watch.interrupted && !(f && f->screen) && dtr_for_people(c->t) && isatty(fileno(out)))
		fputc('\n', out);	/* after the terminal's ^C */
	if (failed)
		cmd_error(c, "failed to watch for", "signals", -failed);
	cmd_report_end(c);
}

/* From the compiled program to the end of its output. Returns the exit status. */
static int cmd_trace_program(struct cmd *c)
{
	const struct front_ops *f = c->front.ops;
	enum dtr_work more;
	int failed;

	/* each CPU and probe needs a perf event and each aggregation a map: the soft limit of descriptors is too low */
	openfiles_raise(UINT64_MAX);
	dtr_report_matches(c->t);
	if (c->args.verbose)
		dtr_report_stability(c->t);
	if (f && f->open && f->open(c->front.arg, c->t) < 0)
		return 1;
	if (dtr_go(c->t) < 0)
		return cmd_not_begun(c);
	if (cmd_begin(c) < 0)
		return 1;
	do
		more = f && f->work ? f->work(c->front.arg, c->t) : dtr_work(c->t);
	while (more == DTR_MORE);
	if (f && f->end)
		f->end(c->front.arg, c->t);
	failed = c->watch.failed;
	cmd_report_over(c, failed);
	dtr_finish(c->t);
	if (f && f->finish && f->finish(c->front.arg, c->t) < 0)
		return 1;
	if (c->picture)
		cmd_report_picture(c);
	return failed || more == DTR_ERROR ? 1 : dtr_status(c->t);
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

/* -e. Returns the exit status. */
static int cmd_check(struct cmd *c)
{
	if (dtr_check(c->t) < 0)
		return 1;
	if (c->args.verbose)
		dtr_report_stability(c->t);
	return dtr_status(c->t);
}

/* The first thread that is not this one watches for signals: what blocks them is done before. */
static int cmd_watch(struct cmd *c)
{
	const struct front_ops *f = c->front.ops;
	int r = f && f->block ? f->block(c->front.arg) : 0;

	if (!r) {
		r = watch_open(&c->watch, c->t);
		if (r < 0)
			cmd_error(c, "failed to watch for", "signals", -r);
	}
	return r;
}

/* Runs the command, which is held, up to where its probes can be found. */
static int cmd_advance(struct cmd *c)
{
	const enum dtr_point to = dtr_starts_at(c->t);
	char reason[200];

	if (!c->child.pid || to == DTR_AT_EXEC || child_advance(&c->child, to, reason, sizeof reason) == 0)
		return 0;
	say("%s: failed to start the command '%s': %s\n", c->args.prog, c->args.command, reason);
	return -1;
}

/* Texts, recordings and targets. Returns the exit status, -1: go on. */
static int cmd_inputs(struct cmd *c)
{
	const struct front_ops *f = c->front.ops;

	if (c->args.command && !cmd_words(c))
		return 2;
	if (f && f->check && f->check(c->front.arg) < 0)
		return 1;
	if (c->args.record ? cmd_record(c) < 0 : cmd_texts(c) < 0)
		return 1;
	if (c->args.declare)
		return cmd_declare(c);
	if (c->args.query && dtr_query(c->t, c->args.query) < 0)
		return 1;
	return !c->args.record && cmd_target(c) < 0 ? 1 : -1;
}

/* The steps of a session, up to the one that the options ask for. Returns the exit status. */
static int cmd_session(struct cmd *c)
{
	int r = cmd_options(c);

	if (r)
		return r < 0 ? 2 : 0;
	if (c->args.report)
		return dtr_report(c->t, c->args.query, c->args.verbose) < 0;
	r = cmd_inputs(c);
	if (r >= 0)
		return r;
	if (dtr_parse(c->t) < 0 || cmd_advance(c) < 0)
		return 1;
	if (c->args.list)
		return dtr_list(c->t, c->args.verbose) < 0;
	if (c->args.dump)
		return dtr_dump(c->t, c->args.dump) < 0;
	if (dtr_compile(c->t) < 0 || (c->args.show && dtr_show(c->t) < 0))
		return 1;
	if (c->args.compile_only)
		return cmd_check(c);
	return cmd_watch(c) < 0 ? 1 : cmd_trace_program(c);
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

int cmd_run(struct cmd *c)
{
	struct dtr_config config = cmd_config(c);
	const struct front_ops *f = c->front.ops;
	int status;

	config.colour = colour_wanted(stderr);
	config.progress = isatty(2) ? cmd_progress : NULL;
	if (f && f->config)
		f->config(c->front.arg, &config, &c->watch);
	if (c->args.output && !c->args.compile_only && !c->args.declare) {
		if (cmd_open_output(c) < 0)
			return 1;
		config.out = c->out;
		config.out_name = c->args.output;
	}
	c->t = dtr_open(&config);
	status = cmd_session(c);
	watch_close(&c->watch);
	if (f && f->stop)
		f->stop(c->front.arg);
	dtr_close(c->t);
	child_close(&c->child);
	if (f && f->close)
		f->close(c->front.arg);
	return cmd_close_output(c, status);
}
