/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/dtr/trace/trace.h"

#include <errno.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "cmd/dtr/cmd.h"
#include "cmd/dtr/command.h"
#include "cmd/dtr/say.h"
#include "cmd/dtr/trace/script.h"
#include "cmd/dtr/trace/summary.h"

static const char *trace_output_name(const struct trace_command *t) { return *t->out.file ? *t->out.name : "output"; }

/* Writes what there is. After a failure tracing ends, and nothing more is written. */
static int trace_write(struct trace_command *t)
{
	FILE *out = *t->out.file ? *t->out.file : stdout;
	struct buf *b = &t->lines.out;

	if (b->len && !t->failed && (fwrite(b->data, 1, b->len, out) < b->len || fflush(out) != 0)) {
		t->failed = errno;
		dtr_stop(t->session);
		/* a reader that has left wants no message */
		if (errno != EPIPE)
			say("%s trace: failed to write %s: %s\n", t->o.prog, trace_output_name(t), strerror(errno));
	}
	buf_reset(b);
	return t->failed ? -1 : 0;
}

static void trace_record(void *arg, const struct dtr_record *r)
{
	enum { CHUNK = 64 * 1024 };
	struct trace_command *t = arg;

	if (t->o.summary || t->failed)
		return;
	trace_lines_record(&t->lines, r);
	if (t->lines.out.len > CHUNK)
		trace_write(t);
}

static int trace_open(void *arg, struct dtr *session)
{
	struct trace_command *t = arg;

	t->session = session;
	dtr_records(session, trace_record, t);
	if (t->o.summary)
		dtr_omit(session);
	return 0;
}

/* dtr appends to the file of -o; a trace replaces it. */
static int trace_begin(void *arg, struct dtr *session)
{
	struct trace_command *t = arg;

	(void)session;
	if (!t->o.summary)
		trace_lines_exec(&t->lines, &t->exec);
	/* EINVAL: a pipe or a device */
	if (!*t->out.file || !ftruncate(fileno(*t->out.file), 0) || errno == EINVAL)
		return 0;
	command_failed(t->o.line, "failed to write %s: %s", trace_output_name(t), strerror(errno));
	return -1;
}

static enum dtr_work trace_work(void *arg, struct dtr *session)
{
	enum dtr_work w = dtr_work(session);

	return trace_write(arg) < 0 && w == DTR_MORE ? DTR_DONE : w;
}

static int trace_finish(void *arg, struct dtr *session)
{
	struct trace_command *t = arg;
	int r = 0;

	if (t->o.summary)
		r = trace_summary(&t->lines.out, &t->o, session, t->exec.pid);
	else
		trace_lines_end(&t->lines);
	r |= trace_write(t);
	trace_lines_close(&t->lines);
	return t->failed == EPIPE ? 0 : r;
}

static void trace_executed(void *arg, int pid, const char *path, char **words)
{
	struct trace_command *t = arg;

	t->exec = (struct trace_exec){
		.pid = pid, .path = arena_strdup(t->o.arena, path), .words = words, .environment = environ,
		.time = clock_now(),
	};
}

static const struct front_ops trace_front = {
	.executed = trace_executed, .open = trace_open, .begin = trace_begin, .work = trace_work,
	.finish = trace_finish,
};

/* The words that -e accepts. */
static void trace_words(void (*offer)(void *arg, const char *word), void *arg)
{
	static const char *const classes[] = {
		"%file", "%desc", "%network", "%process", "%memory", "%signal", "%ipc", "%clock",
	};
	size_t n;
	const struct call *c = calls_table(&n);

	for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
		offer(arg, classes[i]);
	for (size_t i = 0; i < n; i++)
		offer(arg, c[i].name);
}

static int trace_main(struct cmd *c, const struct command *self, int argc, char **argv)
{
	struct trace_command *t = arena_alloc(&c->arena, sizeof *t);
	struct command_line l;
	const char *text;

	t->o = (struct trace_options){ .arena = &c->arena, .share = c->share, .prog = c->args.prog };
	t->out = (struct trace_output){ &c->out, &c->args.output };
	trace_options_init(&t->o, &l);
	if (command_parse(&l, c, self, &t->o, argc, argv))
		return l.status;
	if (trace_options_check(&l) < 0)
		return 2;
	text = trace_script(&t->o);
	if (!text)
		return 2;
	if (t->o.script)
		return cmd_print(c, text);
	trace_lines_open(&t->lines, &t->o);
	c->front = (struct front){ &trace_front, t };
	return cmd_script(c, &l, text);
}

const struct command command_trace = {
	.name = "trace", .summary = "system calls of a process, with their arguments and results", .tool = true,
	.usage = "[OPTION]... {COMMAND [ARG]... | -c COMMAND | -p PID}",
	.about = "A line for each system call, like strace(1), but the process is not stopped: the calls are "
		 "recorded in the kernel and decoded afterwards.\n",
	.options = trace_flags, .words = true, .operands = true, .list_words = trace_words, .run = trace_main,
};
