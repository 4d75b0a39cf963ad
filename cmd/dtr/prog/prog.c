/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/dtr/prog/prog.h"

#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/fill.h"
#include "cmd/dtr/args.h"
#include "cmd/dtr/child.h"
#include "cmd/dtr/made.h"
#include "cmd/dtr/prog/cost.h"
#include "cmd/dtr/prog/script.h"
#include "cmd/dtr/say.h"
#include "cmd/dtr/tool.h"

enum { LONG = 256, OPT_OBJECT = LONG + 16, OPT_BLOCK, OPT_FROM, OPT_TO, OPT_MODE, OPT_SUM, OPT_SCRIPT,
       OPT_TIMES, OPT_NET, OPT_COST, OPT_SOURCE };

static const struct option longs[] = {
	{ "procs", no_argument, NULL, LONG + PROG_PROCS }, { "lines", no_argument, NULL, LONG + PROG_LINES },
	{ "vars", no_argument, NULL, LONG + PROG_VARS }, { "object", required_argument, NULL, OPT_OBJECT },
	{ "block", required_argument, NULL, OPT_BLOCK }, { "from", required_argument, NULL, OPT_FROM },
	{ "to", required_argument, NULL, OPT_TO }, { "mode", required_argument, NULL, OPT_MODE },
	{ "sum", no_argument, NULL, OPT_SUM }, { "script", no_argument, NULL, OPT_SCRIPT },
	{ "times", no_argument, NULL, OPT_TIMES }, { "net", no_argument, NULL, OPT_NET },
	{ "source", required_argument, NULL, OPT_SOURCE },
	{ PROG_COST_OPTION, no_argument, NULL, OPT_COST }, { "help", no_argument, NULL, 'h' }, { 0 },
};

/* The formats of profiles; text: the script's own. */
static const struct {
	const char *word, *format;
} formats[] = {
	{ "text", "tables" }, { "html", "annotated" }, { "json", "json" }, { "lcov", "lcov" },
	{ "callgrind", "callgrind" },
};

struct prog {
	struct arena *arena;
	const char *name;		/* of the command: "dtr" */
	const char *share;
	struct prog_want want;
	VEC(char *) rest;		/* words for dtr: -p, -c, -x */
	VEC(char *) files;		/* of --sum */
	VEC(char *) sources;		/* words for dtr: -x sourcedir=DIR */
	const char *save, *format;
	bool chosen, target, sum, script, in_mode;
};

bool prog_is(const char *name)
{
	return !strcmp(name, "prog");
}

static int prog_error(const struct prog *p, const char *text)
{
	say("%s prog: %s (see %s prog -h)\n", p->name, text, p->name);
	return -1;
}

static int prog_parse(struct prog *p, int argc, char **argv);

/* Lines that begin with # are comments. */
static int prog_mode(struct prog *p, const char *path)
{
	const int at = optind;
	struct buf file = { 0 }, text = { 0 };
	char **words = NULL;
	int r = buf_read_file(&file, path), n = 0;

	if (r < 0)
		say("%s prog: failed to read %s: %s\n", p->name, path, strerror(-r));
	for (const char *s = buf_str(&file), *end; !r && *s; s = end + (*end != '\0')) {
		end = s + strcspn(s, "\n");
		if (*s != '#')
			buf_put(&text, s, (size_t)(end - s) + (*end != '\0'));
	}
	if (!r)
		words = child_words(p->arena, arena_printf(p->arena, "%s %s", path, buf_str(&text)));
	buf_free(&file);
	buf_free(&text);
	if (!r && !words)
		say("%s prog: %s: unterminated quote\n", p->name, path);
	while (words && words[n])
		n++;
	p->in_mode = true;
	r = words ? prog_parse(p, n, words) : -1;
	p->in_mode = false;
	optind = at;
	return r;
}

static int prog_kind(struct prog *p, enum prog_kind kind)
{
	if (p->chosen && p->want.kind != kind)
		return prog_error(p, "only one of --procs, --lines, --vars can be measured at a time");
	p->chosen = true;
	p->want.kind = kind;
	return 0;
}

static int prog_format(struct prog *p, const char *word)
{
	for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
		if (!strcmp(formats[i].word, word)) {
			p->format = formats[i].format;
			return 0;
		}
	return prog_error(p, arena_printf(p->arena, "-O %s is not a format of profiles: text, html, json, lcov, "
					  "callgrind", word));
}

/* Options that dtr itself performs. */
static int prog_pass(struct prog *p, int opt)
{
	p->target |= opt == 'p' || opt == 'c';
	*VEC_ADD(p->arena, &p->rest) = arena_printf(p->arena, "-%c", opt);
	if (optarg)
		*VEC_ADD(p->arena, &p->rest) = optarg;
	return 0;
}

static int prog_long(struct prog *p, int opt)
{
	switch (opt) {
	case OPT_OBJECT:
		*VEC_ADD(p->arena, &p->want.objects) = optarg;
		return 0;
	case OPT_BLOCK:
		*VEC_ADD(p->arena, &p->want.blocks) = optarg;
		return 0;
	case OPT_FROM:
		p->want.from = optarg;
		return 0;
	case OPT_TO:
		p->want.to = optarg;
		return 0;
	case OPT_MODE:
		return p->in_mode ? prog_error(p, "--mode in a mode file") : prog_mode(p, optarg);
	case OPT_TIMES:
		p->want.times = true;
		return 0;
	case OPT_SUM:
		p->sum = true;
		return 0;
	case OPT_SCRIPT:
		p->script = true;
		return 0;
	case OPT_NET:
		p->want.net = true;
		return 0;
	case OPT_SOURCE:
		*VEC_ADD(p->arena, &p->sources) = "-x";
		*VEC_ADD(p->arena, &p->sources) = arena_printf(p->arena, "sourcedir=%s", optarg);
		return 0;
	case OPT_COST:
		prog_cost_run();
		return 1;
	default:
		return prog_kind(p, (enum prog_kind)(opt - LONG));
	}
}

/* The comment of the script, as of every tool. */
static int prog_help(const struct prog *p)
{
	struct buf text = { 0 };
	struct tool t;

	if (tool_find(&t, p->arena, p->share, "prog") < 0)
		return prog_error(p, "its script cannot be read");
	fill_text(&text, t.text);
	fputs(buf_str(&text), stdout);
	buf_free(&text);
	return 1;
}

static int prog_option(struct prog *p, int opt, char **argv)
{
	char word[80];

	switch (opt) {
	case 'h':
		return prog_help(p);
	case 'o':
		p->save = optarg;
		return 0;
	case 'O':
		return prog_format(p, optarg);
	case ':':
		return prog_error(p, arena_printf(p->arena, "option %s needs a value", argv[optind - 1]));
	case '?':
		return prog_error(p, arena_printf(p->arena, "unknown option %s",
						args_refused(argv, word, sizeof word)));
	default:
		return opt < LONG ? prog_pass(p, opt) : prog_long(p, opt);
	}
}

static int prog_parse(struct prog *p, int argc, char **argv)
{
	int r = 0;

	opterr = 0;
	optind = 0;		/* glibc: restart */
	for (int opt; !r && (!optind || optind < argc);) {
		opt = getopt_long(argc, argv, "+:hp:c:o:O:x:qvZ", longs, NULL);
		if (opt != -1)
			r = prog_option(p, opt, argv);
		else if (optind < argc)
			*VEC_ADD(p->arena, &p->files) = argv[optind++];
	}
	return r;
}

static int check(const struct prog *p)
{
	if (p->sources.n && (!p->format || strcmp(p->format, "annotated")))
		return prog_error(p, "--source needs -O html");
	if (p->sum)
		return p->files.n ? 0 : prog_error(p, "--sum needs files");
	if (p->files.n)
		return prog_error(p, arena_printf(p->arena, "unexpected argument '%s'", p->files.v[0]));
	if (!p->target && !p->script)
		return prog_error(p, "-p PID or -c COMMAND is missing");
	if (p->want.blocks.n && p->want.kind != PROG_LINES)
		return prog_error(p, "--block needs --lines");
	if (p->want.times && p->want.kind != PROG_LINES)
		return prog_error(p, "--times needs --lines; procedures always have times");
	if (p->format && !strcmp(p->format, "lcov") && p->want.kind != PROG_LINES)
		return prog_error(p, "-O lcov needs --lines");
	if (p->format && !strcmp(p->format, "callgrind") && p->want.kind == PROG_VARS)
		return prog_error(p, "-O callgrind has no variables");
	if (p->want.net && p->want.kind != PROG_PROCS)
		return prog_error(p, "--net needs --procs");
	if (p->want.kind == PROG_VARS && !p->want.objects.n)
		return prog_error(p, "--vars needs --object");
	return 0;
}

static void add(struct prog *p, struct prog_line *out, const char *word)
{
	*VEC_ADD(p->arena, &out->v) = (char *)word;
}

static int line_of_sum(struct prog *p, struct prog_line *out)
{
	add(p, out, "merge");
	add(p, out, "-O");
	add(p, out, p->format ? p->format : "tables");
	for (size_t i = 0; i < p->sources.n; i++)
		add(p, out, p->sources.v[i]);
	if (p->save) {
		add(p, out, "-o");
		add(p, out, p->save);
	}
	add(p, out, "--");
	for (size_t i = 0; i < p->files.n; i++)
		add(p, out, p->files.v[i]);
	return 0;
}

/* If the cost is only shown, the profile can do without it. */
static int measure_cost(struct prog *p)
{
	int r;

	if (p->want.kind != PROG_PROCS || p->script)
		return 0;
	r = prog_cost_measure(&p->want.cost, p->arena, p->name, p->share, !p->want.net);
	return p->want.net ? r : 0;
}

static void add_cost(struct prog *p, struct prog_line *out)
{
	const struct prog_cost *c = &p->want.cost;
	const int64_t ns[] = { prog_cost_call(c), c->entry, c->returns, c->replaced, c->copied };

	for (size_t i = 0; ns[0] && i < (p->want.net ? sizeof ns / sizeof *ns : 1); i++)
		add(p, out, arena_printf(p->arena, "%" PRId64, ns[i]));
}

static int line_of_run(struct prog *p, struct prog_line *out)
{
	const char *text, *file;

	if (measure_cost(p) < 0)
		return -1;
	text = prog_script(p->arena, p->name, p->share, &p->want);

	if (text && p->script)
		return fputs(text, stdout) < 0 ? -1 : 1;
	file = text ? made_script(p->arena, p->name, "prog", text) : NULL;
	if (!file)
		return -1;
	out->script = file;
	add(p, out, "-s");
	add(p, out, file);
	if (p->format) {
		add(p, out, "-O");
		add(p, out, p->format);
	}
	if (p->save) {
		add(p, out, "-x");
		add(p, out, arena_printf(p->arena, "aggsave=%s", p->save));
		add(p, out, "-x");
		add(p, out, "aggadd");
	}
	for (size_t i = 0; i < p->sources.n; i++)
		add(p, out, p->sources.v[i]);
	for (size_t i = 0; i < p->rest.n; i++)
		add(p, out, p->rest.v[i]);
	add_cost(p, out);
	return 0;
}

int prog_expand(struct prog_line *out, struct arena *a, const char *share, int argc, char **argv)
{
	const char *slash = strrchr(argv[0], '/');
	struct prog p = { .arena = a, .share = share, .name = slash ? slash + 1 : argv[0] };
	int r = prog_parse(&p, argc - 1, argv + 1);

	optind = 0;		/* the next parser restarts, too */
	*out = (struct prog_line){ 0 };
	if (!r)
		r = check(&p);
	if (r)
		return r;
	add(&p, out, argv[0]);
	return p.sum ? line_of_sum(&p, out) : line_of_run(&p, out);
}
