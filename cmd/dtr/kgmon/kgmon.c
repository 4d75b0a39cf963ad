/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/dtr/kgmon/kgmon.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cmd/dtr/kgmon/script.h"
#include "cmd/dtr/say.h"
#include "config.h"

static const char usage[] =
	"kgmon [-n NAME] -b [-F RATE] [-k | -p PID | -x OBJECT] [--arcs | --calls FUNCTIONS]\n"
	"                 [--aggsize SIZE]\n"
	"       dtr kgmon [-n NAME] [-h] [-p [-o FILE] [-O FORMAT] [--objects LIST]] [-r] [-d]\n"
	"       dtr kgmon -s\n"
	"\n"
	"Profiling that continues after the command has ended.\n"
	"\n"
	"  -b             begin, or continue a session that was stopped\n"
	"  -h             halt: stop counting; the data stay\n"
	"  -p             write the data to gmon.out, for gprof\n"
	"  -r             reset the data\n"
	"  -d             delete the session\n"
	"  -s             show all sessions, or that of -n\n"
	"  -n NAME        the session, 'default' without this option\n"
	"  -F RATE        samples a second on each CPU, or their distance (10ms); 997\n"
	"  -k             measure the kernel (the default)\n"
	"  -p PID         after -b: measure the program of a process\n"
	"  -x OBJECT      measure all processes of a program\n"
	"  --arcs         also callers, from the stacks of the samples\n"
	"  --calls FUNCTIONS\n"
	"                 also count all calls of functions of the kernel: FUNCTION or MODULE:FUNCTION,\n"
	"                 patterns too\n"
	"  --aggsize SIZE bytes per CPU for the counts\n"
	"  -o FILE        write the data to this file\n"
	"  -O FORMAT      format of the data: gmon, text, json, ...\n"
	"  --objects LIST kernel, modules, all: those after the first are written to FILE.OBJECT\n"
	"  --help\n"
	"\n"
	"-h, -p, -r and -d may be combined and are done in this order.\n";

enum { BEGIN = 1, HALT = 2, PRINT = 4, RESET = 8, DELETE = 16, SHOW = 32 };
enum { OPT_ARCS = 256, OPT_AGGSIZE, OPT_CALLS, OPT_OBJECTS, OPT_HELP };

struct kgmon {
	const struct dtr_config *config;
	unsigned tasks;
	const char *name;
	bool named;			/* by -n */
	struct kgmon_want want;
	bool kernel, chosen;		/* chosen: an option says what to measure, or how */
	const char *output, *format, *objects;
	bool help;
	bool shown;			/* by -s: a session */
	struct dtr_kept_about *about;	/* of -b */
};

static int kgmon_error(const struct kgmon *g, const char *text)
{
	say("%s kgmon: %s\n", g->config->progname, text);
	return 1;
}

static int misused(const struct kgmon *g, const char *text, const char *what)
{
	say("%s kgmon: %s%s (see %s kgmon --help)\n", g->config->progname, text, what, g->config->progname);
	return 2;
}

/* ---- the command line ---- */

static const struct {
	int opt;
	unsigned task;
} tasks[] = {
	{ 'b', BEGIN }, { 'h', HALT }, { 'p', PRINT }, { 'r', RESET }, { 'd', DELETE }, { 's', SHOW },
};

static void choose(struct kgmon *g, const char **where)
{
	*where = optarg;
	g->chosen = true;
}

static int measure_option(struct kgmon *g, int opt)
{
	switch (opt) {
	case 'F':
		choose(g, &g->want.rate);
		return 0;
	case 'x':
		choose(g, &g->want.object);
		return 0;
	case 'k':
		g->kernel = g->chosen = true;
		return 0;
	case OPT_ARCS:
		g->want.arcs = g->chosen = true;
		return 0;
	case OPT_CALLS:
		choose(g, &g->want.calls);
		return 0;
	default:
		choose(g, &g->want.aggsize);
		return 0;
	}
}

static int kgmon_option(struct kgmon *g, int opt, char **argv)
{
	switch (opt) {
	case 'n':
		g->name = optarg;
		g->named = true;
		return 0;
	case 'o':
		g->output = optarg;
		return 0;
	case 'O':
		g->format = optarg;
		return 0;
	case OPT_OBJECTS:
		g->objects = optarg;
		return 0;
	case OPT_HELP:
		g->help = true;
		return 0;
	case ':':
		return misused(g, "a value is missing after ", argv[optind - 1]);
	case '?':
		return misused(g, "unknown option ", argv[optind - 1]);
	default:
		return measure_option(g, opt);
	}
}

/* Only -b has a process: "-p PID" follows it, and -p without -b has no argument. */
static int kgmon_line(struct kgmon *g, int argc, char **argv)
{
	static const struct option longs[] = {
		{ "arcs", no_argument, NULL, OPT_ARCS }, { "aggsize", required_argument, NULL, OPT_AGGSIZE },
		{ "calls", required_argument, NULL, OPT_CALLS }, { "objects", required_argument, NULL, OPT_OBJECTS },
		{ "help", no_argument, NULL, OPT_HELP }, { 0 },
	};
	static const char *const letters[] = { "+:bhrdskn:F:x:o:O:p", "+:bhrdskn:F:x:o:O:p:" };
	int opt, r = 0;

	opterr = 0;
	optind = 0;
	while (!r && !g->help) {
		opt = getopt_long(argc, argv, letters[(g->tasks & BEGIN) != 0], longs, NULL);
		if (opt == -1)
			break;
		if (opt == 'p' && g->tasks & BEGIN) {
			choose(g, &g->want.pid);
			continue;
		}
		for (size_t i = 0; i < sizeof tasks / sizeof *tasks; i++)
			if (tasks[i].opt == opt) {
				g->tasks |= tasks[i].task;
				opt = 0;
			}
		if (opt)
			r = kgmon_option(g, opt, argv);
	}
	if (!r && !g->help && optind < argc)
		r = misused(g, "unexpected argument ", argv[optind]);
	return r;
}

static int check(const struct kgmon *g)
{
	const int kinds = g->kernel + (g->want.pid != NULL) + (g->want.object != NULL);

	if (!g->tasks)
		return misused(g, "one of -b, -h, -p, -r, -d, -s is missing", "");
	if (g->tasks & (BEGIN | SHOW) && g->tasks & (g->tasks - 1))
		return misused(g, g->tasks & BEGIN ? "-b cannot be combined with -h, -p, -r, -d, -s" :
			       "-s cannot be combined with others", "");
	if (kinds > 1)
		return misused(g, "only one of -k, -p PID, -x can be measured by a session (-n)", "");
	if (g->chosen && !(g->tasks & BEGIN))
		return misused(g, "-F, -k, -x, --arcs, --calls and --aggsize need -b", "");
	if ((g->output || g->format || g->objects) && !(g->tasks & PRINT))
		return misused(g, "-o, -O and --objects need -p", "");
	if (g->want.calls && (g->want.arcs || g->want.pid || g->want.object))
		return misused(g, "--calls is for the kernel, without --arcs", "");
	if (!dtr_kept_name_valid(g->name))
		return misused(g, "invalid name of a session (letters, digits, _ and -): ", g->name);
	return 0;
}

/* ---- sessions with programs ---- */

static int file_error(const struct kgmon *g, const char *what, const char *path)
{
	say("%s kgmon: failed to %s %s: %s\n", g->config->progname, what, path, strerror(errno));
	return 1;
}

/* Where -p writes to. */
struct kgmon_output {
	FILE *file;
	const char *path;		/* NULL: standard output */
	const char *format;
};

static int set_options(const struct kgmon *g, struct dtr *t, const struct dtr_kept_about *a,
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

static int kgmon_session(const struct kgmon *g, struct dtr_kept_args *args, const struct dtr_kept_about *a,
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
	r = set_options(g, t, a, out);
	if (!r) {
		dtr_add_script(t, a->text, "dtr kgmon -b");
		r = dtr_compile(t);
	}
	if (!r)
		r = dtr_go(t);
	if (!r && out && out->path && ftruncate(fileno(out->file), 0) && errno != EINVAL)
		r = file_error(g, "write", out->path);
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
	say("%s kgmon: session '%s' was started by dtr %s, and this is dtr " PACKAGE_VERSION "\n",
	    g->config->progname, g->name, a->version);
	return 1;
}

static int incomplete(const struct kgmon *g, const struct dtr_kept_state *s)
{
	say(s->condition == DTR_KEPT_FOREIGN ? "%s kgmon: '%s' is not a session of dtr\n" :
	    "%s kgmon: session '%s' is incomplete: -d deletes it\n", g->config->progname, g->name);
	return 1;
}

static int resume(const struct kgmon *g, struct dtr_kept *k)
{
	const struct dtr_kept_about *a = dtr_kept_about(k);
	struct dtr_kept_args args = { .use = DTR_KEPT_RESUME, .kept = k };
	char reason[DTR_KEPT_REASON];
	struct dtr_kept_state s;

	dtr_kept_state(k, &s);
	if (!a)
		return incomplete(g, &s);
	if (same_version(g, a))
		return 1;
	if (g->chosen && strcmp(g->about->text, a->text)) {
		say("%s kgmon: session '%s' measures something else: %s (-n names another one, -d deletes it)\n",
		    g->config->progname, g->name, a->what);
		return 1;
	}
	if (s.condition == DTR_KEPT_RUNNING) {
		say("%s kgmon: session '%s' is running\n", g->config->progname, g->name);
		return 1;
	}
	if (s.condition == DTR_KEPT_INTERRUPTED && dtr_kept_stop(k, reason) < 0)
		return kgmon_error(g, reason);
	return kgmon_session(g, &args, a, NULL);
}

static int begin(struct kgmon *g)
{
	struct dtr_kept_args args = { .use = DTR_KEPT_START, .name = g->name };
	char reason[DTR_KEPT_REASON];
	struct dtr_kept *k;
	int r;

	g->about = calloc(1, sizeof *g->about);
	if (!g->about)
		return kgmon_error(g, "out of memory");
	if (kgmon_script(g->about, g->config->progname, &g->want) < 0)
		return 1;
	r = dtr_kept_open(&k, g->name, reason);
	if (r && r != -ENOENT)
		return kgmon_error(g, reason);
	args.about = g->about;
	r = r ? kgmon_session(g, &args, g->about, NULL) : resume(g, k);
	dtr_kept_close(k);
	return r;
}

/* A program that was changed has other functions at these addresses. */
static int same_object(const struct kgmon *g, const struct dtr_kept_about *a)
{
	struct stat st;

	if (!*a->object || (!stat(a->object, &st) && st.st_ino == a->ino && (uint64_t)st.st_size == a->size))
		return 0;
	say("%s kgmon: %s has changed since session '%s' began\n", g->config->progname, a->object, g->name);
	return 1;
}

/* The contents of a file stay until there are others. *made: it did not exist. */
static FILE *open_output(const char *path, bool *made)
{
	int fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_EXCL | O_CLOEXEC, 0666);

	*made = fd >= 0;
	return *made ? fdopen(fd, "a") : fopen(path, "ae");
}

static int print(const struct kgmon *g, struct dtr_kept *k)
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
		return file_error(g, "open", out.path);
	r = kgmon_session(g, &args, a, &out);
	if (out.path && fclose(out.file) && !r)
		r = file_error(g, "write", out.path);
	if (r && made)
		unlink(out.path);
	return r;
}

/* ---- the others ---- */

static int change(const struct kgmon *g)
{
	char reason[DTR_KEPT_REASON];
	struct dtr_kept_state s;
	struct dtr_kept *k;
	int r = dtr_kept_open(&k, g->name, reason);

	if (r)
		return kgmon_error(g, reason);
	dtr_kept_state(k, &s);
	r = g->tasks == DELETE || dtr_kept_about(k) ? 0 : incomplete(g, &s);
	if (!r && g->tasks & HALT && dtr_kept_stop(k, reason) < 0)
		r = kgmon_error(g, reason);
	if (!r && g->tasks & PRINT)
		r = print(g, k);
	if (!r && g->tasks & RESET && dtr_kept_reset(k, reason) < 0)
		r = kgmon_error(g, reason);
	if (!r && g->tasks & DELETE && dtr_kept_remove(k, reason) < 0)
		r = kgmon_error(g, reason);
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

static void show_counts(FILE *out, const struct dtr_kept_about *a, const struct dtr_kept_state *s)
{
	uint64_t due = a->interval ? s->active / a->interval * s->cpus : 0;
	time_t created = (time_t)(s->created / 1000000000);
	char when[64] = "";
	struct tm tm;

	if (localtime_r(&created, &tm))
		strftime(when, sizeof when, "%Y-%m-%d %H:%M:%S", &tm);
	fprintf(out, "  created   %s\n", when);
	fprintf(out, "  counted   %.3f s, every %.6f s on %u CPU%s\n", (double)s->active / 1e9,
		(double)a->interval / 1e9, s->cpus, s->cpus == 1 ? "" : "s");
	fprintf(out, "  samples   %" PRIu64 " of %" PRIu64 " due\n", s->fired, due);
	fprintf(out, "  drops     %" PRIu64 "\n", s->drops);
}

static void show_one(void *arg, const char *name, const struct dtr_kept_about *a, const struct dtr_kept_state *s)
{
	struct kgmon *g = arg;
	FILE *out = g->config->out;

	if (g->named && strcmp(g->name, name))
		return;
	g->shown = true;
	fprintf(out, "%s: %s\n", name, conditions[s->condition]);
	if (*s->foreign)
		fprintf(out, "  other     %s\n", s->foreign);
	if (!a)
		return;
	fprintf(out, "  measures  %s\n", a->what);
	show_counts(out, a, s);
}

static int show(struct kgmon *g)
{
	char reason[DTR_KEPT_REASON];

	if (dtr_kept_each(show_one, g, reason) < 0)
		return kgmon_error(g, reason);
	if (!g->named || g->shown)
		return 0;
	say("%s kgmon: there is no session '%s'\n", g->config->progname, g->name);
	return 1;
}

bool kgmon_is(const char *name)
{
	return !strcmp(name, "kgmon");
}

static int kgmon_run(struct kgmon *g)
{
	char reason[256];

	if (dtr_refused(reason, sizeof reason)) {
		say("%s kgmon: %s\n", g->config->progname, reason);
		return 1;
	}
	if (g->tasks & BEGIN)
		return begin(g);
	return g->tasks & SHOW ? show(g) : change(g);
}

int kgmon_main(const struct dtr_config *config, int argc, char **argv)
{
	struct kgmon g = { .config = config, .name = "default", .want.rate = "997" };
	int r = kgmon_line(&g, argc - 1, argv + 1);

	if (!r && g.help) {
		fprintf(config->out, "Usage: %s %s", config->progname, usage);
		return 0;
	}
	if (!r)
		r = check(&g);
	if (!r)
		r = kgmon_run(&g);
	free(g.about);
	return r;
}
