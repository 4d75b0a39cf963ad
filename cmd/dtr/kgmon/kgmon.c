/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* `dtr kgmon`: profiling that continues after the command has ended. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cmd/dtr/cmd.h"
#include "cmd/dtr/command.h"
#include "cmd/dtr/kgmon/script.h"
#include "config.h"

enum { BEGIN = 1, HALT = 2, PRINT = 4, RESET = 8, DELETE = 16, SHOW = 32 };

struct kgmon {
	const struct dtr_config *config;
	const struct command_line *line;
	unsigned tasks;
	const char *name;
	bool named;			/* by -n */
	struct kgmon_want want;
	bool kernel;
	const char *output, *format, *objects;
	bool shown;			/* by -s: a session */
	struct dtr_kept_about *about;	/* of -b */
};

/* ---- the command line ---- */
static int set_task(struct command_line *l, const char *value)
{
	struct kgmon *g = l->self;

	(void)value;
	g->tasks |= (unsigned)l->option->code;
	return 0;
}

static bool has_begun(const struct command_line *l)
{
	const struct kgmon *g = l->self;

	return g->tasks & BEGIN;
}

/* Only -b has a process: "-p PID" follows it, and -p without -b has no value. */
static int set_process(struct command_line *l, const char *value)
{
	struct kgmon *g = l->self;

	if (!has_begun(l))
		return set_task(l, value);
	g->want.pid = value;
	return 0;
}

static int set_name(struct command_line *l, const char *value)
{
	struct kgmon *g = l->self;

	g->name = value;
	g->named = true;
	return 0;
}

static const struct command_option options[] = {
	{ 'b', NULL, NULL, "begin, or continue a session that was stopped", .set = set_task, .code = BEGIN },
	{ 'h', NULL, NULL, "halt: stop counting; the data stay", .set = set_task, .code = HALT },
	{ 'p', NULL, "PID", "after -b: measure the program of a process; without -b, and without PID: write the data "
			    "to gmon.out, for gprof", .set = set_process, .code = PRINT, .valued = has_begun,
	  .kind = VALUE_PID },
	{ 'r', NULL, NULL, "reset the data", .set = set_task, .code = RESET },
	{ 'd', NULL, NULL, "delete the session", .set = set_task, .code = DELETE },
	{ 's', NULL, NULL, "show all sessions, or that of -n", .set = set_task, .code = SHOW },
	{ 'n', NULL, "NAME", "the session, 'default' without this option", .set = set_name },
	{ 'F', NULL, "RATE", "samples a second on each CPU, or their distance (10ms); 997",
	  OPTION_IS_TEXT(struct kgmon, want.rate) },
	{ 'k', NULL, NULL, "measure the kernel (the default)", OPTION_IS_FLAG(struct kgmon, kernel) },
	{ 'x', NULL, "OBJECT", "measure all processes of a program", OPTION_IS_TEXT(struct kgmon, want.object) },
	{ 0, "arcs", NULL, "also callers, from the stacks of the samples", OPTION_IS_FLAG(struct kgmon, want.arcs) },
	{ 0, "calls", "FUNCTIONS", "also count all calls of functions of the kernel: FUNCTION or MODULE:FUNCTION, "
				   "patterns too", OPTION_IS_TEXT(struct kgmon, want.calls) },
	{ 0, "aggsize", "SIZE", "bytes per CPU for the counts", OPTION_IS_TEXT(struct kgmon, want.aggsize) },
	{ 'o', NULL, "FILE", "write the data to this file", OPTION_IS_TEXT(struct kgmon, output), .kind = VALUE_FILE },
	{ 'O', NULL, "FORMAT", "format of the data: gmon, text, json, ...", OPTION_IS_TEXT(struct kgmon, format),
	  .kind = VALUE_FORMAT },
	{ 0, "objects", "LIST", "kernel, modules, all: those after the first are written to FILE.OBJECT",
	  OPTION_IS_TEXT(struct kgmon, objects) },
	{ 0 },
};

/* An option says what to measure, or how. */
static bool is_chosen(const struct kgmon *g)
{
	const struct kgmon_want *w = &g->want;

	return g->kernel || w->rate || w->pid || w->object || w->arcs || w->calls || w->aggsize;
}

static int kgmon_check(const struct kgmon *g)
{
	const int kinds = g->kernel + (g->want.pid != NULL) + (g->want.object != NULL);
	const struct command_line *l = g->line;

	if (!g->tasks)
		return command_misused(l, "one of -b, -h, -p, -r, -d, -s is missing");
	if (g->tasks & BEGIN && g->tasks != BEGIN)
		return command_misused(l, "-b cannot be combined with -h, -p, -r, -d, -s");
	if (g->tasks & SHOW && g->tasks != SHOW)
		return command_misused(l, "-s cannot be combined with others");
	if (kinds > 1)
		return command_misused(l, "only one of -k, -p PID, -x can be measured by a session (-n)");
	if (is_chosen(g) && !(g->tasks & BEGIN))
		return command_misused(l, "-F, -k, -x, --arcs, --calls and --aggsize need -b");
	if ((g->output || g->format || g->objects) && !(g->tasks & PRINT))
		return command_misused(l, "-o, -O and --objects need -p");
	if (g->want.calls && (g->want.arcs || g->want.pid || g->want.object))
		return command_misused(l, "--calls is for the kernel, without --arcs");
	if (!dtr_kept_name_valid(g->name))
		return command_misused(l, "invalid name of a session (letters, digits, _ and -): %s", g->name);
	return 0;
}

/* ---- sessions with programs ---- */

static int file_failed(const struct kgmon *g, const char *what, const char *path)
{
	return command_failed(g->line, "failed to %s %s: %s", what, path, strerror(errno));
}

/* Where -p writes to. */
struct kgmon_output {
	FILE *file;
	const char *path;		/* NULL: standard output */
	const char *format;
};

static int session_options(const struct kgmon *g, struct dtr *t, const struct dtr_kept_about *a,
		       const struct kgmon_output *out)
{
	const char *slash = strrchr(a->object, '/'), *objects = g->objects;
	int r = 0;

	if (!out)	/* the script has it, too; here it is checked */
		return g->want.aggsize ? dtr_option(t, "aggsize", g->want.aggsize) : 0;
	if (!objects)
		objects = slash ? slash + 1 : "kernel";
	r = dtr_option(t, "oformat", out->format);
	if (!r)
		r = dtr_option(t, "gmonobjects", objects);
	if (!r && *a->object)
		r = dtr_option(t, "gmonaddresses", a->object);
	return r || !out->path ? r : dtr_option(t, "gmonfile", out->path);
}

static int session_run(const struct kgmon *g, struct dtr_kept_args *args, const struct dtr_kept_about *a,
			 const struct kgmon_output *out)
{
	struct dtr_config config = *g->config;
	struct dtr *t;
	int r;

	if (out) {
		config.out = out->file;
		config.out_name = out->path;
	}
	t = dtr_open(&config);
	if (!t)
		return 1;
	dtr_keep(t, args);
	r = session_options(g, t, a, out);
	if (!r) {
		dtr_add_script(t, a->text, "dtr kgmon -b");
		r = dtr_compile(t);
	}
	if (!r)
		r = dtr_go(t);
	if (!r && out && out->path && ftruncate(fileno(out->file), 0) && errno != EINVAL)
		r = file_failed(g, "write", out->path);
	if (!r && out)
		r = dtr_finish(t);
	r = r ? 1 : out ? dtr_status(t) : 0;
	dtr_close(t);
	return r;
}

/* A session of another version may have other data for the same script. */
static int same_version(const struct kgmon *g, const struct dtr_kept_about *a)
{
	if (!strcmp(a->version, PACKAGE_VERSION))
		return 0;
	return command_failed(g->line, "session '%s' was started by dtr %s, and this is dtr " PACKAGE_VERSION, g->name,
			      a->version);
}

static int session_refuse(const struct kgmon *g, const struct dtr_kept_state *s)
{
	return s->condition == DTR_KEPT_FOREIGN ? command_failed(g->line, "'%s' is not a session of dtr", g->name) :
	       command_failed(g->line, "session '%s' is incomplete: -d deletes it", g->name);
}

static int session_resume(const struct kgmon *g, struct dtr_kept *k)
{
	const struct dtr_kept_about *a = dtr_kept_about(k);
	struct dtr_kept_args args = { .use = DTR_KEPT_RESUME, .kept = k };
	char reason[DTR_KEPT_REASON];
	struct dtr_kept_state s;

	dtr_kept_state(k, &s);
	if (!a)
		return session_refuse(g, &s);
	if (same_version(g, a))
		return 1;
	if (is_chosen(g) && strcmp(g->about->text, a->text))
		return command_failed(g->line, "session '%s' measures something else: %s (-n names another one, "
				      "-d deletes it)", g->name, a->what);
	if (s.condition == DTR_KEPT_RUNNING)
		return command_failed(g->line, "session '%s' is running", g->name);
	if (s.condition == DTR_KEPT_INTERRUPTED && dtr_kept_stop(k, reason) < 0)
		return command_failed(g->line, "%s", reason);
	return session_run(g, &args, a, NULL);
}

static int session_begin(struct kgmon *g)
{
	struct dtr_kept_args args = { .use = DTR_KEPT_START, .name = g->name };
	struct kgmon_want want = g->want;
	char reason[DTR_KEPT_REASON];
	struct dtr_kept *k;
	int r;

	if (!want.rate)
		want.rate = "997";
	g->about = calloc(1, sizeof *g->about);
	if (!g->about)
		return command_failed(g->line, "out of memory");
	if (kgmon_script(g->about, g->config->progname, &want) < 0)
		return 1;
	r = dtr_kept_open(&k, g->name, reason);
	if (r && r != -ENOENT)
		return command_failed(g->line, "%s", reason);
	args.about = g->about;
	r = r ? session_run(g, &args, g->about, NULL) : session_resume(g, k);
	dtr_kept_close(k);
	return r;
}

/* A program that was changed has other functions at these addresses. */
static int same_object(const struct kgmon *g, const struct dtr_kept_about *a)
{
	struct stat st;

	if (!*a->object || (!stat(a->object, &st) && st.st_ino == a->ino && (uint64_t)st.st_size == a->size))
		return 0;
	return command_failed(g->line, "%s has changed since session '%s' began", a->object, g->name);
}

/* The contents of a file stay until there are others. *made: it did not exist. */
static FILE *open_output(const char *path, bool *made)
{
	int fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_EXCL | O_CLOEXEC, 0666);

	*made = fd >= 0;
	return *made ? fdopen(fd, "a") : fopen(path, "ae");
}

static int session_print(const struct kgmon *g, struct dtr_kept *k)
{
	struct dtr_kept_args args = { .use = DTR_KEPT_READ, .kept = k };
	const struct dtr_kept_about *a = dtr_kept_about(k);
	struct kgmon_output out = { g->config->out, g->output, g->format ? g->format : "gmon" };
	bool gmon = !strcmp(out.format, "gmon"), made = false;
	int r;

	if (same_version(g, a) || (gmon && same_object(g, a)))
		return 1;
	if (!out.path && gmon)
		out.path = "gmon.out";
	if (out.path)
		out.file = open_output(out.path, &made);
	if (!out.file)
		return file_failed(g, "open", out.path);
	r = session_run(g, &args, a, &out);
	if (out.path && fclose(out.file) && !r)
		r = file_failed(g, "write", out.path);
	if (r && made)
		unlink(out.path);
	return r;
}

/* ---- the others ---- */

static int session_change(const struct kgmon *g)
{
	char reason[DTR_KEPT_REASON];
	struct dtr_kept_state s;
	struct dtr_kept *k;
	int r = dtr_kept_open(&k, g->name, reason);

	if (r)
		return command_failed(g->line, "%s", reason);
	dtr_kept_state(k, &s);
	r = g->tasks == DELETE || dtr_kept_about(k) ? 0 : session_refuse(g, &s);
	if (!r && g->tasks & HALT && dtr_kept_stop(k, reason) < 0)
		r = command_failed(g->line, "%s", reason);
	if (!r && g->tasks & PRINT)
		r = session_print(g, k);
	if (!r && g->tasks & RESET && dtr_kept_reset(k, reason) < 0)
		r = command_failed(g->line, "%s", reason);
	if (!r && g->tasks & DELETE && dtr_kept_remove(k, reason) < 0)
		r = command_failed(g->line, "%s", reason);
	dtr_kept_close(k);
	return r;
}

static const char *const conditions[] = {
	[DTR_KEPT_FOREIGN] = "not a session of dtr",
	[DTR_KEPT_BUSY] = "in use by another dtr",
	[DTR_KEPT_PARTIAL] = "incomplete: its start or deletion was interrupted; -d deletes it",
	[DTR_KEPT_OTHER] = "of another version of dtr; -d deletes it",
	[DTR_KEPT_INTERRUPTED] = "interrupted, not counting; -b continues, -h stops, -d deletes it",
	[DTR_KEPT_STOPPED] = "stopped",
	[DTR_KEPT_RUNNING] = "running",
};

static void show_session(void *arg, const char *name, const struct dtr_kept_about *a, const struct dtr_kept_state *s)
{
	const time_t created = (time_t)(s->created / 1000000000);
	struct kgmon *g = arg;
	FILE *out = g->config->out;
	char when[64] = "";
	struct tm tm;

	if (g->named && strcmp(g->name, name))
		return;
	g->shown = true;
	fprintf(out, "%s: %s\n", name, conditions[s->condition]);
	if (*s->foreign)
		fprintf(out, "  other     %s\n", s->foreign);
	if (!a)
		return;
	if (localtime_r(&created, &tm))
		strftime(when, sizeof when, "%Y-%m-%d %H:%M:%S", &tm);
	fprintf(out, "  measures  %s\n  created   %s\n", a->what, when);
	fprintf(out, "  counted   %.3f s, every %.6f s on %u CPU%s\n", (double)s->active / 1e9,
		(double)a->interval / 1e9, s->cpus, s->cpus == 1 ? "" : "s");
	fprintf(out, "  samples   %" PRIu64 " of %" PRIu64 " due\n", s->fired,
		a->interval ? s->active / a->interval * s->cpus : 0);
	fprintf(out, "  drops     %" PRIu64 "\n", s->drops);
}

static int sessions_show(struct kgmon *g)
{
	char reason[DTR_KEPT_REASON];

	if (dtr_kept_each(show_session, g, reason) < 0)
		return command_failed(g->line, "%s", reason);
	if (!g->named || g->shown)
		return 0;
	return command_failed(g->line, "there is no session '%s'", g->name);
}

static int kgmon_main(struct cmd *c, const struct command *self, int argc, char **argv)
{
	const struct dtr_config config = cmd_config(c);
	struct command_line l;
	struct kgmon g = { .config = &config, .line = &l, .name = "default" };
	char reason[256];
	int status;

	if (command_parse(&l, c, self, &g, argc, argv))
		return l.status;
	if (kgmon_check(&g))
		return 2;
	if (dtr_refused(reason, sizeof reason))
		return command_failed(&l, "%s", reason);
	if (g.tasks & BEGIN)
		status = session_begin(&g);
	else
		status = g.tasks & SHOW ? sessions_show(&g) : session_change(&g);
	free(g.about);
	return status || ferror(stdout) ? status : cmd_answered(c);
}

const struct command command_kgmon = {
	.name = "kgmon", .summary = "profiling that continues after the command has ended",
	.usage = "[-n NAME] -b [-F RATE] [-k | -p PID | -x OBJECT] [--arcs | --calls FUNCTIONS] [--aggsize SIZE]\n"
		 "usage: dtr kgmon [-n NAME] [-h] [-p [-o FILE] [-O FORMAT] [--objects LIST]] [-r] [-d]\n"
		 "usage: dtr kgmon -s",
	.about = "Profiling that continues after the command has ended.\n",
	.options = options,
	.more = "\n-h, -p, -r and -d may be combined and are done in this order.\n",
	.run = kgmon_main,
};
