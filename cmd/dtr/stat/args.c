/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/dtr/stat/args.h"

#include <string.h>

#include "cmd/dtr/args.h"
#include "cmd/dtr/child.h"

/* Names are separated by commas. */
static int add_events(struct command_line *l, const char *text)
{
	struct stat_args *s = l->self;

	for (const char *at = text, *end;; at = end + 1) {
		end = strchrnul(at, ',');
		if (end == at)
			return command_misused(l, "an event is missing in -e %s", text);
		*VEC_ADD(l->arena, &s->events) = arena_strndup(l->arena, at, (size_t)(end - at));
		if (!*end)
			return 0;
	}
}

/* Stores a number from `least` to `most`. needs: "-r needs a number". */
static int set_number(const struct command_line *l, const char *value, long least, long most, const char *needs,
		      unsigned *out)
{
	long n = args_number(value, most);

	if (n < least)
		return command_misused(l, "%s from %ld to %ld, not %s", needs, least, most, value);
	*out = (unsigned)n;
	return 0;
}

static int set_interval(struct command_line *l, const char *value)
{
	struct stat_args *s = l->self;

	return set_number(l, value, 10, 86400000, "-I needs milliseconds", &s->interval);
}

static int set_pid(struct command_line *l, const char *value)
{
	struct stat_args *s = l->self;
	unsigned pid = 0;
	int r = set_number(l, value, 1, INT32_MAX, "-p needs a process ID", &pid);

	s->pid = (pid_t)pid;
	return r;
}

static int set_repeat(struct command_line *l, const char *value)
{
	struct stat_args *s = l->self;

	return set_number(l, value, 1, 1000000, "-r needs a number", &s->repeat);
}

static int set_format(struct command_line *l, const char *value)
{
	struct stat_args *s = l->self;

	s->json = !strcmp(value, "json");
	return s->json || !strcmp(value, "text") ? 0 :
	       command_misused(l, "the format must be text or json, not %s", value);
}

static int set_command(struct command_line *l, const char *value)
{
	struct stat_args *s = l->self;

	s->words = child_words(l->arena, value);
	return s->words ? 0 : command_misused(l, "invalid command: empty, or unterminated quote: %s", value);
}

const struct command_option stat_options[] = {
	{ 'a', NULL, NULL, "on all CPUs, whichever process runs", OPTION_IS_FLAG(struct stat_args, all) },
	{ 'c', NULL, "COMMAND", "of this command and the processes that it creates; also without -c, as the last words",
	  .set = set_command, .kind = VALUE_COMMAND },
	{ 'e', NULL, "EVENTS", "page-faults, cycles:u, ...: names, separated by commas; also several times",
	  .set = add_events, .kind = VALUE_EVENTS },
	{ 'I', NULL, "MS", "print the counts every MS milliseconds", .set = set_interval },
	{ 'o', NULL, "FILE", "print to this file", OPTION_IS_TEXT(struct stat_args, output), .kind = VALUE_FILE },
	{ 'O', NULL, "FORMAT", "text or json", .set = set_format, .kind = VALUE_FORMAT },
	{ 'p', NULL, "PID", "of this process and those that it creates, until it ends or Ctrl-C", .set = set_pid,
	  .kind = VALUE_PID },
	{ 'r', NULL, "N", "run the command N times: means and standard deviations", .set = set_repeat },
	{ 0 },
};

static void default_events(struct stat_args *s, struct arena *a)
{
	static const char *const names[] = {
		"context-switches", "cpu-migrations", "page-faults", "cycles", "instructions", "branches",
		"branch-misses",
	};

	*VEC_ADD(a, &s->events) = s->all ? "cpu-clock" : "task-clock";
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		*VEC_ADD(a, &s->events) = names[i];
}

int stat_args_check(struct command_line *l)
{
	struct stat_args *s = l->self;

	if (l->operands.n && s->words)
		return command_misused(l, "there are two commands, that of -c and %s", l->operands.v[0]);
	if (l->operands.n) {
		*VEC_ADD(l->arena, &l->operands) = NULL;
		s->words = l->operands.v;
	}
	if (!s->events.n)
		default_events(s, l->arena);
	if (s->pid && s->words)
		return command_misused(l, "-p and a command exclude each other");
	if (s->pid && s->all)
		return command_misused(l, "-p and -a exclude each other");
	if (!s->pid && !s->words && !s->all)
		return command_misused(l, "what to count is missing: a command, -p PID, or -a");
	if (s->repeat > 1 && !s->words)
		return command_misused(l, "-r needs a command");
	if (s->repeat > 1 && s->interval)
		return command_misused(l, "-r and -I exclude each other");
	return 0;
}
