/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/dtr/trace/trace.h"

#include <errno.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "cmd/dtr/made.h"
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
	if (!*t->out.file || !ftruncate(fileno(*t->out.file), 0) || errno == EINVAL)	/* EINVAL: a pipe or a device */
		return 0;
	return trace_error(&t->o, arena_printf(t->o.arena, "failed to write %s: %s", trace_output_name(t),
						  strerror(errno)));
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

void trace_executed(struct trace_command *t, int pid, const char *path, char **words)
{
	t->exec = (struct trace_exec){
		.pid = pid, .path = arena_strdup(t->o.arena, path), .words = words, .environment = environ,
		.time = clock_now(),
	};
}

const struct front_ops trace_front = {
	.open = trace_open, .begin = trace_begin, .work = trace_work, .finish = trace_finish,
};

static int trace_make(struct trace_command *t)
{
	const char *text = trace_script(&t->o);

	if (!text)
		return -1;
	if (t->o.script)
		return fputs(text, stdout) < 0 ? -1 : 1;
	t->script = made_script(t->o.arena, t->o.prog, "trace", text);
	return t->script ? 0 : -1;
}

int trace_command(struct trace_command **out, struct arena *a, const char *share, struct trace_output to, int *argc,
		  char ***argv)
{
	const char *slash;
	struct trace_command *t;
	VEC(char *) line = { 0 };
	int r;

	if (*argc < 2 || strcmp((*argv)[1], "trace"))
		return 0;
	t = arena_calloc(a, 1, sizeof *t);
	slash = strrchr((*argv)[0], '/');
	t->o = (struct trace_options){ .arena = a, .share = share, .prog = slash ? slash + 1 : (*argv)[0] };
	t->out = to;
	r = trace_options_parse(&t->o, *argc - 1, *argv + 1);
	if (!r)
		r = trace_make(t);
	if (r)
		return r;
	trace_lines_open(&t->lines, &t->o);
	*VEC_ADD(a, &line) = (*argv)[0];
	*VEC_ADD(a, &line) = (char *)"-s";
	*VEC_ADD(a, &line) = (char *)t->script;
	for (size_t i = 0; i < t->o.words.n; i++)
		*VEC_ADD(a, &line) = t->o.words.v[i];
	*VEC_ADD(a, &line) = (char *)(t->o.follow ? "1" : "0");
	*argc = (int)line.n;
	*VEC_ADD(a, &line) = NULL;
	*argv = line.v;
	*out = t;
	return 0;
}

void trace_words(void (*offer)(void *arg, const char *word), void *arg)
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
