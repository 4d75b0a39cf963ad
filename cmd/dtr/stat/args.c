/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/dtr/stat/args.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "cmd/dtr/args.h"
#include "cmd/dtr/child.h"
#include "cmd/dtr/say.h"

static const char usage[] =
	"stat [-a] [-e EVENTS] [-I MS] [-O FORMAT] [-o FILE] [-r N] [-p PID | -c COMMAND | COMMAND ...]\n"
	"\n"
	"Counts events of the processor and of the kernel, and prints a table at the end.\n"
	"\n"
	"  -a             on all CPUs, whichever process runs\n"
	"  -c COMMAND     of this command and the processes that it creates; also without -c,\n"
	"                 as the last words\n"
	"  -e EVENTS      page-faults, cycles:u, ...: names, separated by commas; also several times\n"
	"  -I MS          print the counts every MS milliseconds\n"
	"  -o FILE        print to this file\n"
	"  -O FORMAT      text or json\n"
	"  -p PID         of this process and those that it creates, until it ends or Ctrl-C\n"
	"  -r N           run the command N times: means and standard deviations\n"
	"  --help\n"
	"\n"
	"dtr -l -P cpc lists events.\n";

void stat_help(const struct stat_args *s)
{
	printf("Usage: %s %s", s->prog, usage);
}

static int misused(const struct stat_args *s, const char *text, const char *what)
{
	say("%s stat: %s%s (see %s stat --help)\n", s->prog, text, what, s->prog);
	return -1;
}

/* Names are separated by commas. */
static int add_events(struct stat_args *s, struct arena *a, const char *text)
{
	const char *end;

	for (;; text = end + 1) {
		end = strchrnul(text, ',');
		if (end == text)
			return misused(s, "an event is missing in -e ", optarg);
		*VEC_ADD(a, &s->events) = arena_strndup(a, text, (size_t)(end - text));
		if (!*end)
			return 0;
	}
}

/* Stores a number from `least` to `most`. */
static int number(const struct stat_args *s, const char *what, long least, long most, unsigned *out)
{
	long n = args_number(optarg, most);

	if (n < least)
		return misused(s, what, optarg);
	*out = (unsigned)n;
	return 0;
}

static int set_format(struct stat_args *s)
{
	s->json = !strcmp(optarg, "json");
	return s->json || !strcmp(optarg, "text") ? 0 : misused(s, "the format must be text or json, not ", optarg);
}

static int set_command(struct stat_args *s, struct arena *a)
{
	s->words = child_words(a, optarg);
	return s->words ? 0 : misused(s, "invalid command: empty, or unterminated quote: ", optarg);
}

static int option(struct stat_args *s, struct arena *a, int opt, char **argv)
{
	unsigned pid = 0;

	switch (opt) {
	case 'a':
		s->all = true;
		return 0;
	case 'c':
		return set_command(s, a);
	case 'e':
		return add_events(s, a, optarg);
	case 'I':
		return number(s, "-I needs milliseconds from 10 to 86400000, not ", 10, 86400000, &s->interval);
	case 'o':
		s->output = optarg;
		return 0;
	case 'O':
		return set_format(s);
	case 'p':
		if (number(s, "-p needs a process ID, not ", 1, INT32_MAX, &pid))
			return -1;
		s->pid = (pid_t)pid;
		return 0;
	case 'r':
		return number(s, "-r needs a number from 1 to 1000000, not ", 1, 1000000, &s->repeat);
	case 'h':
		s->help = true;
		return 0;
	case ':':
		return misused(s, "a value is missing after ", argv[optind - 1]);
	default:
		return misused(s, "unknown option ", args_refused(argv, (char[64]){ 0 }, 64));
	}
}

static int check(const struct stat_args *s)
{
	if (s->pid && s->words)
		return misused(s, "-p and a command exclude each other", "");
	if (s->pid && s->all)
		return misused(s, "-p and -a exclude each other", "");
	if (!s->pid && !s->words && !s->all)
		return misused(s, "what to count is missing: a command, -p PID, or -a", "");
	if (s->repeat > 1 && !s->words)
		return misused(s, "-r needs a command", "");
	if (s->repeat > 1 && s->interval)
		return misused(s, "-r and -I exclude each other", "");
	return 0;
}

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

int stat_args_parse(struct stat_args *s, struct arena *a, int argc, char **argv)
{
	static const struct option longs[] = { { "help", no_argument, NULL, 'h' }, { 0 } };
	int opt, r = 0;

	opterr = 0;
	optind = 0;
	s->repeat = 1;
	argc--, argv++;
	while (!r && !s->help) {
		opt = getopt_long(argc, argv, "+:ac:e:I:o:O:p:r:h", longs, NULL);
		if (opt == -1)
			break;
		r = option(s, a, opt, argv);
	}
	if (r || s->help)
		return r;
	if (optind < argc && s->words)
		return misused(s, "there are two commands, that of -c and ", argv[optind]);
	if (optind < argc)
		s->words = argv + optind;
	if (!s->events.n)
		default_events(s, a);
	return check(s);
}
