/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/dtr/top/args.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "engine/dtr.h"

/* -F and -i mean something else than in dtr; nothing that lists, compiles only, or writes another kind of output. */
const char top_passes[] = "b:c:CD:f:HI:L:m:n:o:p:P:qs:SU:vwx:X:Z";

static const uint64_t period_least = 100000000ull;
static const char rate_usual[] = "199";

/* A number alone is seconds, as in other tools. */
static int set_period(struct command_line *l, const char *text)
{
	const char *end = text + strspn(text, "0123456789");
	char reason[160] = "expected a time such as 2 (seconds), 500ms, 1m";
	struct top_line *t = l->self;

	if (!strcasecmp(end, "hz") ||
	    dtr_interval(*text && !*end ? arena_printf(l->arena, "%ss", text) : text, &t->period, reason,
			 sizeof reason) < 0)
		return command_misused(l, "invalid period '%s': %s", text, reason);
	if (t->period < period_least)
		return command_misused(l, "invalid period '%s': at least 100ms", text);
	return 0;
}

static int set_rate(struct command_line *l, const char *text)
{
	struct top_line *t = l->self;
	char reason[160];

	t->rate = text;
	return dtr_interval(text, &t->sampling, reason, sizeof reason) == 0 ? 0 :
	       command_misused(l, "invalid rate '%s': %s", text, reason);
}

/* With a script, -C is that of dtr. */
static int set_containers(struct command_line *l, const char *text)
{
	struct top_line *t = l->self;

	(void)text;
	t->containers = true;
	return 0;
}

const struct command_option top_options[] = {
	{ 'C', NULL, NULL, "a row for each container instead of each process", .set = set_containers },
	{ 'F', NULL, "RATE", "samples per second on each CPU (default: 199)", .set = set_rate },
	{ 'i', NULL, "PERIOD", "time between two tables: 2 (seconds), 500ms (default: 1s)", .set = set_period },
	{ 'p', NULL, "PID", OPTION_IS_PASSED, .kind = VALUE_PID, .joins = true },
	{ 'c', NULL, "COMMAND", "this process and its descendants; all others are one row", OPTION_IS_PASSED,
	  .kind = VALUE_COMMAND },
	{ .head = "exact", .text = "measure at context switches instead of sampling: see dtr exact" },
	{ 0 },
};

static void script_pass(struct command_line *l, const char *path)
{
	command_pass(l, "-s");
	command_pass(l, path);
}

/* Two sessions cannot both trace the target by ptrace(2), which the rootless engine may have to. */
static bool stacks_join(const struct command_line *l)
{
	char reason[256];

	return (command_passed(l, 'c') || command_passed(l, 'p')) && dtr_refused(reason, sizeof reason);
}

/* Chooses the scripts. */
static int top_choose(struct command_line *l)
{
	struct top_line *t = l->self;
	bool exact = !l->script && l->operands.n && !strcmp(l->operands.v[0], "exact");

	t->subject = l->script ? TOP_SCRIPT : exact ? TOP_EXACT : TOP_CPU;
	if (t->rate && t->subject != TOP_CPU)
		return command_misused(l, exact ? "-F: exact does not sample" : "-F: the script has its own rates");
	if (!l->script && l->operands.n > exact)
		return command_misused(l, "unexpected argument '%s'", l->operands.v[exact]);
	if (t->containers && exact)
		return command_misused(l, "-C: exact has processes, threads and CPUs");
	if (t->containers && l->script)
		command_pass(l, "-C");
	if (l->script)
		return 0;
	script_pass(l, arena_printf(l->arena, "%s/tools/top%s.d", l->share,
				    exact ? "/exact" : t->containers ? "/containers" : ""));
	if (exact)
		return 0;
	t->stacks = arena_printf(l->arena, "%s/tools/top/%s.d", l->share,
				 t->containers ? "container-stacks" : "stacks");
	t->joined = stacks_join(l);
	if (t->joined)
		script_pass(l, t->stacks);
	return 0;
}

/* True if the option was given. Keys are read after each pass of the session, so it has a value of its own here. */
static bool has_switchrate(const struct command_line *l)
{
	for (size_t i = 1; i < l->passed.n; i++)
		if (!strcmp(l->passed.v[i - 1], "-x") && !strncmp(l->passed.v[i], "switchrate", strlen("switchrate")))
			return true;
	return false;
}

int top_expand(struct command_line *l)
{
	struct top_line *t = l->self;

	if (top_choose(l) < 0)
		return -1;
	command_pass(l, "-q");
	if (!has_switchrate(l)) {
		command_pass(l, "-x");
		command_pass(l, "switchrate=20ms");
	}
	command_pass(l, "--");
	for (size_t i = 0; t->subject == TOP_SCRIPT && i < l->operands.n; i++)
		command_pass(l, l->operands.v[i]);
	if (t->subject != TOP_CPU)
		return 0;
	command_pass(l, t->rate ? t->rate : rate_usual);
	return t->rate ? 0 : set_rate(l, rate_usual);
}
