/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* `dtr gmon`: profiles for gprof. Chooses a script of share/tools and the words for dtr. */
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "cmd/dtr/cmd.h"
#include "cmd/dtr/command.h"

enum { RATE_MOST = 5000 };

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
	const char *rate, *from, *save;
	enum gmon_arcs arcs;
	VEC(const char *) objects;
	bool kernel, script;
};

static int set_arcs(struct command_line *l, const char *word)
{
	static const char *const words[ARCS_KINDS] = { [ARCS_SAMPLED] = "sampled", [ARCS_EXACT] = "exact" };
	struct gmon *g = l->self;

	g->arcs = ARCS_DEFAULT;
	for (int i = 0; word && i < ARCS_KINDS; i++)
		if (words[i] && !strcmp(words[i], word))
			g->arcs = (enum gmon_arcs)i;
	return !word || g->arcs != ARCS_DEFAULT ? 0 :
	       command_misused(l, "--arcs=%s: expected exact or sampled", word);
}

static int set_rate(struct command_line *l, const char *text)
{
	struct gmon *g = l->self;

	g->rate = text;
	return args_number(text, RATE_MOST) > 0 ? 0 :
	       command_misused(l, "invalid rate '%s': expected samples a second, 1 to %d", text, RATE_MOST);
}

static int add_object(struct command_line *l, const char *name)
{
	struct gmon *g = l->self;

	*VEC_ADD(l->arena, &g->objects) = name;
	return *name && !name[strcspn(name, " \t\n,:;{}\"'")] ? 0 :
	       command_misused(l, "invalid object '%s': expected the name of a file or module", name);
}

static const struct command_option options[] = {
	{ 'F', NULL, "HZ", "samples a second on each CPU (default: 997)", .set = set_rate },
	{ 'O', NULL, "OBJECT", "profile this: libc.so.6, a module with -k, a.out (the program), all; can be repeated",
	  .set = add_object },
	{ 'k', NULL, NULL, "the kernel; without -p and -c for all processes, until Ctrl-C",
	  OPTION_IS_FLAG(struct gmon, kernel) },
	{ 0, "arcs", "KIND", "also the call graph: exact, by counting all calls (the default for programs); sampled, "
	  "from stacks (the default for the kernel)", .head = "--arcs", .set = set_arcs, .loose = true },
	{ 'o', NULL, "FILE", "the profile (default: gmon.out); those of further objects are FILE.OBJECT",
	  OPTION_IS_TEXT(struct gmon, save), .kind = VALUE_FILE },
	{ 0, "from", "RECORDING", "from a recording of dtr record", OPTION_IS_TEXT(struct gmon, from),
	  .kind = VALUE_FILE },
	{ 0, "script", NULL, "print the D script instead of running it", OPTION_IS_FLAG(struct gmon, script) },
	{ 0 },
};

static int gmon_check(const struct command_line *l)
{
	struct gmon *g = l->self;

	if (g->arcs == ARCS_DEFAULT)
		g->arcs = g->kernel || g->from ? ARCS_SAMPLED : ARCS_EXACT;
	if (g->from && l->target)
		return command_misused(l, "--from cannot be combined with -p or -c");
	if (g->from && g->arcs == ARCS_EXACT)
		return command_misused(l, "a recording has no calls: use --arcs=sampled");
	if (!g->from && !l->target && !g->kernel && !g->script)
		return command_misused(l, "-p PID, -c COMMAND, -k or --from RECORDING is missing");
	return 0;
}

static const struct gmon_script *gmon_script(const struct gmon *g)
{
	return g->from && !g->kernel && g->arcs == ARCS_NONE ? &past : &scripts[g->kernel][g->arcs];
}

/* The probes of the objects, which replace those of the script. */
static const char *gmon_probes(const struct gmon *g, const struct gmon_script *s)
{
	const char *text = "";

	for (size_t i = 0; i < g->objects.n; i++) {
		const char *module = g->objects.v[i];

		if (!strcmp(module, "all"))
			module = "*";
		else if (g->kernel && !strcmp(module, "kernel"))
			module = "vmlinux";
		text = arena_printf(g->arena, "%s%s%s%s::entry", text, i ? ", " : "", s->provider, module);
	}
	return text;
}

/* The text of the script; NULL after a message. */
static const char *gmon_text(const struct command_line *l, const struct gmon_script *s)
{
	const char *path = arena_printf(l->arena, "%s/tools/%s", l->share, s->file), *text = NULL, *at;
	const struct gmon *g = l->self;
	struct buf file = { 0 };
	int r = buf_read_file(&file, path);

	if (r < 0) {
		command_failed(l, "failed to read %s: %s", path, strerror(-r));
		return NULL;
	}
	text = arena_strdup(l->arena, buf_str(&file));
	buf_free(&file);
	if (!s->probe || !g->objects.n)
		return text;
	at = strstr(text, s->probe);
	if (!at) {
		command_failed(l, "%s has no probe %s", path, s->probe);
		return NULL;
	}
	return arena_printf(l->arena, "%.*s%s%s", (int)(at - text), text, gmon_probes(g, s), at + strlen(s->probe));
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

static int gmon_main(struct cmd *c, const struct command *self, int argc, char **argv)
{
	struct gmon g = { .arena = &c->arena };
	const char *text, *save;
	struct command_line l;

	if (command_parse(&l, c, self, &g, argc, argv))
		return l.status;
	if (gmon_check(&l))
		return 2;
	text = gmon_text(&l, gmon_script(&g));
	if (!text)
		return 2;
	if (g.script)
		return cmd_print(c, text);
	save = g.save ? g.save : "gmon.out";
	command_pass_option(&l, "-o", save);
	command_pass_option(&l, "-x", arena_printf(l.arena, "gmonfile=%s", save));
	command_pass_option(&l, "-x", arena_printf(l.arena, "gmonobjects=%s", gmon_list(&g)));
	if (g.from)
		command_pass_option(&l, "-r", g.from);
	command_pass(&l, g.rate ? g.rate : "997");
	return cmd_script(c, &l, text);
}

const struct command command_gmon = {
	.name = "gmon", .summary = "write a profile for GNU gprof: gmon.out", .tool = true,
	.usage = "[-F HZ] [-k] [-O OBJECT]... [--arcs[=KIND]] [-o FILE] {-p PID | -c COMMAND | --from RECORDING}",
	.about = "Where the process spends its time, for gprof. The program needs symbols, but no -pg. Samples in the "
		 "kernel count for the address from which the process entered it.\n",
	.options = options, .passes = "p:c:x:Z", .run = gmon_main,
};
