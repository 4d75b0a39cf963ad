/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/dtr/gmon.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/fill.h"
#include "cmd/dtr/args.h"
#include "cmd/dtr/made.h"
#include "cmd/dtr/say.h"
#include "cmd/dtr/tool.h"

enum { OPT_ARCS = 256, OPT_FROM, OPT_SCRIPT, RATE_MOST = 5000 };

static const struct option longs[] = {
	{ "arcs", optional_argument, NULL, OPT_ARCS }, { "from", required_argument, NULL, OPT_FROM },
	{ "script", no_argument, NULL, OPT_SCRIPT }, { "help", no_argument, NULL, 'h' }, { 0 },
};

enum gmon_arcs { ARCS_NONE, ARCS_DEFAULT, ARCS_SAMPLED, ARCS_EXACT, ARCS_KINDS };

/* The scripts in share/tools; in those with probes, these are replaced by those of the objects. */
static const struct gmon_script {
	const char *file;
	const char *probe, *provider;	/* what is replaced, and how the others begin; NULL: no probes */
} scripts[2][ARCS_KINDS] = {
	{ [ARCS_NONE] = { "gmon.d", NULL, NULL }, [ARCS_SAMPLED] = { "gmon/stacks.d", NULL, NULL },
	  [ARCS_EXACT] = { "gmon/calls.d", "pid$target:a.out::entry", "pid$target:" } },
	{ [ARCS_NONE] = { "gmon/kernel.d", NULL, NULL }, [ARCS_SAMPLED] = { "gmon/kernel-stacks.d", NULL, NULL },
	  [ARCS_EXACT] = { "gmon/kernel-calls.d", "fbt:vmlinux::entry", "fbt:" } },
};
static const struct gmon_script past = { "gmon/past.d", NULL, NULL };

struct gmon {
	struct arena *arena;
	const char *name, *share;	/* of the command; the directory of the scripts */
	const char *rate, *from, *save;
	enum gmon_arcs arcs;
	VEC(const char *) objects;
	VEC(char *) rest;		/* words for dtr: -p, -c, -x */
	bool kernel, target, script;
};

bool gmon_is(const char *name)
{
	return !strcmp(name, "gmon");
}

static int gmon_error(const struct gmon *g, const char *text)
{
	say("%s gmon: %s (see %s gmon -h)\n", g->name, text, g->name);
	return -1;
}

static int gmon_help(const struct gmon *g)
{
	struct buf text = { 0 };
	struct tool t;

	if (tool_find(&t, g->arena, g->share, "gmon") < 0)
		return gmon_error(g, "its script cannot be read");
	fill_text(&text, t.text);
	fputs(buf_str(&text), stdout);
	buf_free(&text);
	return 1;
}

static int gmon_arcs(struct gmon *g, const char *word)
{
	static const char *const words[ARCS_KINDS] = { [ARCS_SAMPLED] = "sampled", [ARCS_EXACT] = "exact" };

	g->arcs = ARCS_DEFAULT;
	for (int i = 0; word && i < ARCS_KINDS; i++)
		if (words[i] && !strcmp(words[i], word))
			g->arcs = (enum gmon_arcs)i;
	return !word || g->arcs != ARCS_DEFAULT ? 0 :
	       gmon_error(g, arena_printf(g->arena, "--arcs=%s: expected exact or sampled", word));
}

static int gmon_rate(struct gmon *g, const char *text)
{
	g->rate = text;
	return args_number(text, RATE_MOST) > 0 ? 0 :
	       gmon_error(g, arena_printf(g->arena, "invalid rate '%s': expected samples a second, 1 to %d", text,
					  RATE_MOST));
}

static int gmon_object(struct gmon *g, const char *name)
{
	*VEC_ADD(g->arena, &g->objects) = name;
	return *name && !name[strcspn(name, " \t\n,:;{}\"'")] ? 0 :
	       gmon_error(g, arena_printf(g->arena, "invalid object '%s': expected the name of a file or module",
					  name));
}

static int gmon_option(struct gmon *g, int opt, char **argv)
{
	char word[80];

	switch (opt) {
	case 'h':
		return gmon_help(g);
	case 'F':
		return gmon_rate(g, optarg);
	case 'O':
		return gmon_object(g, optarg);
	case 'k':
		g->kernel = true;
		return 0;
	case 'o':
		g->save = optarg;
		return 0;
	case OPT_ARCS:
		return gmon_arcs(g, optarg);
	case OPT_FROM:
		g->from = optarg;
		return 0;
	case OPT_SCRIPT:
		g->script = true;
		return 0;
	case ':':
		return gmon_error(g, arena_printf(g->arena, "option %s needs a value", argv[optind - 1]));
	case '?':
		return gmon_error(g, arena_printf(g->arena, "unknown option %s",
						args_refused(argv, word, sizeof word)));
	}
	g->target |= opt == 'p' || opt == 'c';
	*VEC_ADD(g->arena, &g->rest) = arena_printf(g->arena, "-%c", opt);
	if (optarg)
		*VEC_ADD(g->arena, &g->rest) = optarg;
	return 0;
}

static int gmon_parse(struct gmon *g, int argc, char **argv)
{
	int r = 0;

	opterr = 0;
	optind = 0;		/* glibc: restart */
	for (int opt; !r && (opt = getopt_long(argc, argv, "+:hF:kO:o:p:c:x:Z", longs, NULL)) != -1;)
		r = gmon_option(g, opt, argv);
	if (!r && optind < argc)
		r = gmon_error(g, arena_printf(g->arena, "unexpected argument '%s'", argv[optind]));
	optind = 0;		/* the next parser restarts, too */
	return r;
}

static int gmon_check(struct gmon *g)
{
	if (g->arcs == ARCS_DEFAULT)
		g->arcs = g->kernel || g->from ? ARCS_SAMPLED : ARCS_EXACT;
	if (g->from && g->target)
		return gmon_error(g, "--from cannot be combined with -p or -c");
	if (g->from && g->arcs == ARCS_EXACT)
		return gmon_error(g, "a recording has no calls: use --arcs=sampled");
	if (!g->from && !g->target && !g->kernel && !g->script)
		return gmon_error(g, "-p PID, -c COMMAND, -k or --from RECORDING is missing");
	return 0;
}

static const struct gmon_script *gmon_script(const struct gmon *g)
{
	return g->from && !g->kernel && g->arcs == ARCS_NONE ? &past : &scripts[g->kernel][g->arcs];
}

/* The module of an object, in a description of probes. */
static const char *gmon_module(const struct gmon *g, const char *object)
{
	if (!strcmp(object, "all"))
		return "*";
	return g->kernel && !strcmp(object, "kernel") ? "vmlinux" : object;
}

/* The probes of the objects. */
static const char *gmon_probes(const struct gmon *g, const struct gmon_script *s)
{
	const char *text = "";

	for (size_t i = 0; i < g->objects.n; i++)
		text = arena_printf(g->arena, "%s%s%s%s::entry", text, i ? ", " : "", s->provider,
				    gmon_module(g, g->objects.v[i]));
	return text;
}

/* The text of the script; NULL after a message. */
static const char *gmon_text(const struct gmon *g, const struct gmon_script *s)
{
	const char *path = arena_printf(g->arena, "%s/tools/%s", g->share, s->file), *text = NULL, *at;
	struct buf file = { 0 };
	int r = buf_read_file(&file, path);

	if (r < 0) {
		say("%s gmon: failed to read %s: %s\n", g->name, path, strerror(-r));
		return NULL;
	}
	text = arena_strdup(g->arena, buf_str(&file));
	buf_free(&file);
	at = s->probe && g->objects.n ? strstr(text, s->probe) : NULL;
	if (at)
		text = arena_printf(g->arena, "%.*s%s%s", (int)(at - text), text, gmon_probes(g, s),
				    at + strlen(s->probe));
	return text;
}

static void add(struct gmon *g, struct prog_line *out, const char *option, const char *value)
{
	*VEC_ADD(g->arena, &out->v) = (char *)option;
	if (value)
		*VEC_ADD(g->arena, &out->v) = (char *)value;
}

static const char *gmon_list(const struct gmon *g)
{
	const char *list = g->kernel ? "kernel" : "a.out";

	for (size_t i = 0; i < g->objects.n; i++) {
		if (!strcmp(g->objects.v[i], "all"))
			return "all";
		list = i ? arena_printf(g->arena, "%s,%s", list, g->objects.v[i]) : g->objects.v[i];
	}
	return list;
}

static int gmon_line(struct gmon *g, struct prog_line *out, const char *command)
{
	const char *text = gmon_text(g, gmon_script(g)), *save = g->save ? g->save : "gmon.out";

	if (text && g->script)
		return fputs(text, stdout) < 0 ? -1 : 1;
	out->script = text ? made_script(g->arena, g->name, "gmon", text) : NULL;
	if (!out->script)
		return -1;
	add(g, out, command, NULL);
	add(g, out, "-s", out->script);
	add(g, out, "-o", save);
	add(g, out, "-x", arena_printf(g->arena, "gmonfile=%s", save));
	add(g, out, "-x", arena_printf(g->arena, "gmonobjects=%s", gmon_list(g)));
	if (g->from)
		add(g, out, "-r", g->from);
	for (size_t i = 0; i < g->rest.n; i++)
		add(g, out, g->rest.v[i], NULL);
	add(g, out, g->rate ? g->rate : "997", NULL);
	return 0;
}

int gmon_expand(struct prog_line *out, struct arena *a, const char *share, int argc, char **argv)
{
	const char *slash = strrchr(argv[0], '/');
	struct gmon g = { .arena = a, .share = share, .name = slash ? slash + 1 : argv[0] };
	int r = gmon_parse(&g, argc - 1, argv + 1);

	*out = (struct prog_line){ 0 };
	if (!r)
		r = gmon_check(&g);
	return r ? r : gmon_line(&g, out, argv[0]);
}
