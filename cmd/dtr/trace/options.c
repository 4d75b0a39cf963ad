/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/dtr/trace/options.h"

#include <fnmatch.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/fill.h"
#include "base/word.h"
#include "cmd/dtr/args.h"
#include "cmd/dtr/say.h"
#include "cmd/dtr/tool.h"

enum { OPT_SCRIPT = 256, STRSIZE = 32, STRSIZE_MOST = 1024 };

int trace_error(const struct trace_options *o, const char *text)
{
	say("%s trace: %s (see %s trace -h)\n", o->prog, text, o->prog);
	return -1;
}

static int trace_help(const struct trace_options *o)
{
	struct buf text = { 0 };
	struct tool t;

	if (tool_find(&t, o->arena, o->share, "trace") < 0)
		return trace_error(o, "its script cannot be read");
	fill_text(&text, t.text);
	fputs(buf_str(&text), stdout);
	buf_free(&text);
	return 1;
}

/* ---- -e ---- */

static int select_unknown(const struct trace_options *o, const char *word)
{
	struct word_near near = { .word = word };

	for (size_t i = 0; i < o->ncalls; i++)
		word_offer(&near, o->calls[i].name);
	return trace_error(o, *word == '%' ? arena_printf(o->arena, "-e: unknown class '%s': expected %%file, %%desc, "
							  "%%network, %%process, %%memory, %%signal, %%ipc or %%clock",
							  word) :
			   arena_printf(o->arena, "-e: unknown system call '%s'%s", word,
					word_suggestion(o->arena, &near)));
}

static int select_word(const struct trace_options *o, const char *word, bool *set)
{
	const unsigned class = *word == '%' ? call_class(word + 1) : 0;
	bool any = false;

	for (size_t i = 0; i < o->ncalls; i++) {
		bool matches = class ? o->calls[i].classes & class : !fnmatch(word, o->calls[i].name, 0);

		set[i] |= matches;
		any |= matches;
	}
	return any || !strcmp(word, "all") ? 0 : select_unknown(o, word);
}

int trace_select(struct trace_options *o, const char *expression)
{
	static const char prefix[] = "trace=";
	bool *set = arena_calloc(o->arena, o->ncalls, sizeof *set), others;
	char *words, *word;

	if (!strncmp(expression, prefix, sizeof prefix - 1))
		expression += sizeof prefix - 1;
	others = *expression == '!';
	words = arena_strdup(o->arena, expression + others);
	if (!*words)
		return trace_error(o, "-e: no system calls");
	while ((word = strsep(&words, ","))) {
		if (!strcmp(word, "all"))
			memset(set, true, o->ncalls);
		else if (select_word(o, word, set) < 0)
			return -1;
	}
	for (size_t i = 0; i < o->ncalls; i++)
		o->on[i] = set[i] != others;
	return 0;
}

/* ---- the others ---- */

static void word_add(struct trace_options *o, const char *word)
{
	*VEC_ADD(o->arena, &o->words) = (char *)word;
}

static int trace_strsize(struct trace_options *o, const char *text)
{
	long n = args_number(text, STRSIZE_MOST);

	if (n < 1)
		return trace_error(o, arena_printf(o->arena, "invalid size '%s': expected 1 to %d", text,
						   STRSIZE_MOST));
	o->strsize = (unsigned)n;
	return 0;
}

static int trace_flag(struct trace_options *o, int opt)
{
	switch (opt) {
	case 'f': o->follow = true; break;
	case 'T': o->durations = true; break;
	case 'C': o->summary = true; break;
	case 'y': o->paths = true; break;
	case 'z': o->successful = true; break;
	case 'Z': o->failed = true; break;
	case 'r': o->stamp = STAMP_RELATIVE; break;
	case 't': o->stamp += o->stamp < STAMP_EPOCH; break;
	case OPT_SCRIPT: o->script = true; break;
	default: return 0;
	}
	return 1;
}

static int trace_option(struct trace_options *o, int opt, char **argv)
{
	char word[80];

	switch (opt) {
	case 'h':
		return trace_help(o);
	case 'e':
		return trace_select(o, optarg);
	case 's':
		return trace_strsize(o, optarg);
	case ':':
		return trace_error(o, arena_printf(o->arena, "option -%c needs a value", optopt));
	case '?':
		return trace_error(o, arena_printf(o->arena, "unknown option %s",
						   args_refused(argv, word, sizeof word)));
	case 'O':
		o->json = !strcmp(optarg, "json");
		return o->json || !strcmp(optarg, "text") ? 0 :
		       trace_error(o, arena_printf(o->arena, "invalid format '%s': expected text or json", optarg));
	}
	if (trace_flag(o, opt))
		return 0;
	o->target |= opt == 'p' || opt == 'c';
	word_add(o, arena_printf(o->arena, "-%c", opt));
	word_add(o, optarg);
	return 0;
}

static int trace_check(struct trace_options *o, int n, char **operands)
{
	if (n && o->target)
		return trace_error(o, arena_printf(o->arena, "unexpected argument '%s'", operands[0]));
	if (o->successful && o->failed)
		return trace_error(o, "-z and -Z exclude each other");
	if (n) {
		word_add(o, "-c");
		word_add(o, args_quoted(o->arena, n, operands));
	} else if (!o->target && !o->script) {
		return trace_error(o, "a command or -p PID is missing");
	}
	return 0;
}

int trace_options_parse(struct trace_options *o, int argc, char **argv)
{
	static const struct option longs[] = {
		{ "script", no_argument, NULL, OPT_SCRIPT }, { "help", no_argument, NULL, 'h' }, { 0 },
	};
	const struct call *table = calls_table(&o->ncalls);
	int r = 0;

	o->calls = arena_alloc(o->arena, o->ncalls * sizeof *table);
	memcpy(o->calls, table, o->ncalls * sizeof *table);
	o->on = arena_alloc(o->arena, o->ncalls * sizeof *o->on);
	memset(o->on, true, o->ncalls * sizeof *o->on);
	o->strsize = STRSIZE;
	opterr = 0;
	optind = 0;		/* glibc: restart */
	for (int opt; !r && (opt = getopt_long(argc, argv, "+:hc:Ce:fo:O:p:rs:tTx:yzZ", longs, NULL)) != -1;)
		r = trace_option(o, opt, argv);
	if (!r)
		r = trace_check(o, argc - optind, argv + optind);
	optind = 0;		/* the next parser restarts, too */
	return r;
}
