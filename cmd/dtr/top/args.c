/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/dtr/top/args.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/fill.h"
#include "cmd/dtr/args.h"
#include "cmd/dtr/say.h"
#include "cmd/dtr/tool.h"
#include "engine/dtr.h"

/* Those of dtr (ARGS_LETTERS), but -F and -i mean something else, and nothing that lists, compiles only, or writes
 * another kind of output. */
#define TOP_LETTERS "+:hF:i:b:c:CD:f:HI:L:m:n:o:p:P:qs:SU:vwx:X:Z"
#define SCRIPT_LETTERS "nsPmf"

static const uint64_t period_least = 100000000ull, period_usual = 1000000000ull;
static const char rate_usual[] = "199";

struct top_options {
	struct arena *arena;
	const char *prog, *share;
	const char *rate;		/* -F, or NULL */
	bool script, waits;		/* a script was given; -x switchrate */
	VEC(char *) operands;
	struct top_line *out;
};

bool top_is(const char *name)
{
	return !strcmp(name, "top");
}

static int top_error(const struct top_options *o, const char *text)
{
	say("%s top: %s (see %s top -h)\n", o->prog, text, o->prog);
	return -1;
}

static void top_word(const struct top_options *o, const char *word)
{
	*VEC_ADD(o->arena, &o->out->v) = (char *)word;
}

static int top_help(const struct top_options *o)
{
	struct buf text = { 0 };
	struct tool t;

	if (tool_find(&t, o->arena, o->share, "top") < 0)
		return top_error(o, "its script cannot be read");
	fill_text(&text, t.text);
	fputs(buf_str(&text), stdout);
	buf_free(&text);
	return 1;
}

static int top_period(struct top_options *o, const char *text)
{
	const char *end = text + strspn(text, "0123456789");
	char reason[160] = "expected a time such as 2 (seconds), 500ms, 1m";

	/* a number alone is seconds, as in other tools */
	if (!strcasecmp(end, "hz") ||
	    dtr_interval(*text && !*end ? arena_printf(o->arena, "%ss", text) : text, &o->out->period, reason,
			 sizeof reason) < 0)
		return top_error(o, arena_printf(o->arena, "invalid period '%s': %s", text, reason));
	if (o->out->period < period_least)
		return top_error(o, arena_printf(o->arena, "invalid period '%s': at least 100ms", text));
	return 0;
}

static int top_rate(struct top_options *o, const char *text)
{
	char reason[160];

	o->rate = text;
	if (dtr_interval(text, &o->out->sampling, reason, sizeof reason) == 0)
		return 0;
	return top_error(o, arena_printf(o->arena, "invalid rate '%s': %s", text, reason));
}

static int top_option(struct top_options *o, int opt, char **argv)
{
	char word[80];

	switch (opt) {
	case 'h':
		return top_help(o);
	case 'F':
		return top_rate(o, optarg);
	case 'i':
		return top_period(o, optarg);
	case ':':
		return top_error(o, arena_printf(o->arena, "option -%c needs a value", optopt));
	case '?':
		return top_error(o, arena_printf(o->arena, "unknown option %s", args_refused(argv, word, sizeof word)));
	}
	o->script |= strchr(SCRIPT_LETTERS, opt) != NULL;
	o->waits |= opt == 'x' && !strncmp(optarg, "switchrate", strlen("switchrate"));
	top_word(o, arena_printf(o->arena, "-%c", opt));
	if (optarg)
		top_word(o, optarg);
	return 0;
}

static int top_parse(struct top_options *o, int argc, char **argv)
{
	static const struct option longs[] = { { "help", no_argument, NULL, 'h' }, { 0 } };
	bool only = false;
	int r = 0;

	opterr = 0;
	optind = 0;		/* glibc: restart */
	while (!r) {
		int opt = only ? -1 : getopt_long(argc, argv, TOP_LETTERS, longs, NULL);

		if (opt != -1) {
			r = top_option(o, opt, argv);
			continue;
		}
		if (optind >= argc)
			break;
		only |= optind > 1 && !strcmp(argv[optind - 1], "--");
		*VEC_ADD(o->arena, &o->operands) = argv[optind++];
	}
	optind = 0;
	return r;
}

/* Chooses the script. */
static int top_choose(struct top_options *o)
{
	bool exact = !o->script && o->operands.n && !strcmp(o->operands.v[0], "exact");

	o->out->subject = o->script ? TOP_SCRIPT : exact ? TOP_EXACT : TOP_CPU;
	if (o->rate && o->out->subject != TOP_CPU)
		return top_error(o, exact ? "-F: exact does not sample" : "-F: the script has its own rates");
	if (!o->script && o->operands.n > exact)
		return top_error(o, arena_printf(o->arena, "unexpected argument '%s'", o->operands.v[exact]));
	if (o->script)
		return 0;
	top_word(o, "-s");
	top_word(o, arena_printf(o->arena, "%s/tools/top%s.d", o->share, exact ? "/exact" : ""));
	return 0;
}

int top_expand(struct top_line *out, struct arena *a, const char *share, int argc, char **argv)
{
	const char *slash = strrchr(argv[0], '/');
	struct top_options o = {
		.arena = a, .prog = slash ? slash + 1 : argv[0], .share = share, .out = out,
	};
	int r;

	*out = (struct top_line){ .period = period_usual };
	top_word(&o, argv[0]);
	top_word(&o, "-q");
	r = top_parse(&o, argc - 1, argv + 1);		/* argv[1], "top", serves as the program's name */
	if (r || top_choose(&o) < 0)
		return r ? r : -1;
	if (!o.waits) {		/* keys are read after each pass of the session */
		top_word(&o, "-x");
		top_word(&o, "switchrate=50ms");
	}
	top_word(&o, "--");
	for (size_t i = 0; o.script && i < o.operands.n; i++)
		top_word(&o, o.operands.v[i]);
	if (out->subject == TOP_CPU)
		top_word(&o, o.rate ? o.rate : rate_usual);
	return out->subject == TOP_CPU && !o.rate ? top_rate(&o, rate_usual) : 0;
}
