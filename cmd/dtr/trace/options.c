/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/dtr/trace/options.h"

#include <fnmatch.h>
#include <string.h>

#include "base/word.h"
#include "cmd/dtr/args.h"

enum { STRSIZE = 32, STRSIZE_MOST = 1024 };

/* ---- -e ---- */

static int select_unknown(const struct trace_options *o, const char *word)
{
	struct word_near near = { .word = word };

	for (size_t i = 0; i < o->ncalls; i++)
		word_offer(&near, o->calls[i].name);
	if (*word == '%')
		return command_misused(o->line, "-e: unknown class '%s': expected %%file, %%desc, %%network, "
				       "%%process, %%memory, %%signal, %%ipc or %%clock", word);
	return command_misused(o->line, "-e: unknown system call '%s'%s", word, word_suggestion(o->arena, &near));
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
		return command_misused(o->line, "-e: no system calls");
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
static int set_calls(struct command_line *l, const char *expression)
{
	return trace_select(l->self, expression);
}

static int set_strsize(struct command_line *l, const char *text)
{
	struct trace_options *o = l->self;
	long n = args_number(text, STRSIZE_MOST);

	if (n < 1)
		return command_misused(l, "invalid size '%s': expected 1 to %d", text, STRSIZE_MOST);
	o->strsize = (unsigned)n;
	return 0;
}

static int set_format(struct command_line *l, const char *text)
{
	struct trace_options *o = l->self;

	o->json = !strcmp(text, "json");
	return o->json || !strcmp(text, "text") ? 0 :
	       command_misused(l, "invalid format '%s': expected text or json", text);
}

/* -t, -tt, -ttt */
static int add_stamp(struct command_line *l, const char *value)
{
	struct trace_options *o = l->self;

	(void)value;
	o->stamp += o->stamp < STAMP_EPOCH;
	return 0;
}

static int set_relative(struct command_line *l, const char *value)
{
	struct trace_options *o = l->self;

	(void)value;
	o->stamp = STAMP_RELATIVE;
	return 0;
}

const struct command_option trace_flags[] = {
	{ 'c', NULL, "COMMAND", "trace a command; or its words as operands", OPTION_IS_PASSED, .kind = VALUE_COMMAND },
	{ 'p', NULL, "PID", "trace a process that runs; Ctrl-C ends tracing", OPTION_IS_PASSED, .kind = VALUE_PID },
	{ 'f', NULL, NULL, "also the processes that it creates", OPTION_IS_FLAG(struct trace_options, follow) },
	{ 'e', NULL, "CALLS", "only these: names and patterns, separated by commas; %file, %desc, %network, %process, "
	  "%memory, %signal, %ipc, %clock; !CALLS: all others", .set = set_calls, .kind = VALUE_LISTED },
	{ 'o', NULL, "FILE", "write to this file", OPTION_IS_PASSED, .kind = VALUE_FILE },
	{ 'O', NULL, "FORMAT", "text; json: an object for each line", .set = set_format, .kind = VALUE_FORMAT },
	{ 's', NULL, "N", "show at most N bytes of a buffer (default: 32)", .set = set_strsize },
	{ 't', NULL, NULL, "the time of day; -tt: with microseconds; -ttt: seconds since 1970", .set = add_stamp },
	{ 'r', NULL, NULL, "the time since the previous line", .set = set_relative },
	{ 'T', NULL, NULL, "the time that each call takes", OPTION_IS_FLAG(struct trace_options, durations) },
	{ 'y', NULL, NULL, "paths of descriptors", OPTION_IS_FLAG(struct trace_options, paths) },
	{ 'z', NULL, NULL, "only calls that succeed", OPTION_IS_FLAG(struct trace_options, successful) },
	{ 'Z', NULL, NULL, "only calls that fail", OPTION_IS_FLAG(struct trace_options, failed) },
	{ 'C', NULL, NULL, "counts, errors and times of the calls at the end instead of lines",
	  OPTION_IS_FLAG(struct trace_options, summary) },
	{ 'x', NULL, "NAME=VALUE", "an option of dtr", OPTION_IS_PASSED, .kind = VALUE_SETTING },
	{ 0, "script", NULL, "print the D script instead of running it", OPTION_IS_FLAG(struct trace_options, script) },
	{ 0 },
};

void trace_options_init(struct trace_options *o, struct command_line *l)
{
	const struct call *table = calls_table(&o->ncalls);

	o->line = l;
	o->calls = arena_alloc(o->arena, o->ncalls * sizeof *table);
	memcpy(o->calls, table, o->ncalls * sizeof *table);
	o->on = arena_alloc(o->arena, o->ncalls * sizeof *o->on);
	memset(o->on, true, o->ncalls * sizeof *o->on);
	o->strsize = STRSIZE;
}

int trace_options_check(struct command_line *l)
{
	const struct trace_options *o = l->self;

	if (l->operands.n && l->target)
		return command_misused(l, "unexpected argument '%s'", l->operands.v[0]);
	if (o->successful && o->failed)
		return command_misused(l, "-z and -Z exclude each other");
	if (l->operands.n) {
		command_pass(l, "-c");
		command_pass(l, args_quoted(l->arena, (int)l->operands.n, l->operands.v));
	} else if (!l->target && !o->script) {
		return command_misused(l, "a command or -p PID is missing");
	}
	return 0;
}
