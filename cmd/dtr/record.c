/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/dtr/record.h"

#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/fill.h"
#include "cmd/dtr/say.h"

#define RECORD_FILE "dtr.rec"

enum { OPT_DURATION = 256 };

static const char usage_text[] =
	"Usage: dtr record [-agqz] [-F rate] [-p pid | -c command] [--duration time]\n"
	"           [-x name[=value]] [-o file]\n";
static const char help_text[] =
	"\nRecords everything a profile script can read. To query the recording: dtr -r FILE -n SCRIPT\n\n"
	"  -F rate\tsamples per second on each CPU, or an interval such as 10ms (default: 997)\n"
	"  -g\talso record stacks of the kernel and of the process\n"
	"  -p pid\trecord this process and its children until it ends\n"
	"  -c command\trun a command and record it and its children until it ends\n"
	"  -a\trecord all processes until interrupted (default without -p and -c); with -c until the command ends\n"
	"  --duration time\tend after that time: 30 (seconds), 500ms, 2m\n"
	"  -o file\tthe recording (default: " RECORD_FILE "); - is standard output "
	"(the command's output then goes to standard error)\n"
	"  -z\tcompress the recording\n"
	"  -q\tdo not report the number of samples\n"
	"  -x opt[=val]\tset an option of dtr\n";

bool record_is(int argc, char **argv)
{
	return argc > 1 && !strcmp(argv[1], "record");
}

static int record_usage(const struct cmd_args *a, const char *reason)
{
	say("%s: record: %s\n%s", a->prog, reason, usage_text);
	return -1;
}

static int record_target(struct cmd_args *a, struct arena *arena, int opt, const char *text)
{
	long pid = args_number(text, INT_MAX);

	if (a->pid || a->command)
		return record_usage(a, "only one process can be the target (-p, -c)");
	if (opt == 'c') {
		a->command = text;
		return 0;
	}
	if (pid <= 0)
		return record_usage(a, arena_printf(arena, "invalid process ID '%s'", text));
	a->pid = (pid_t)pid;
	return 0;
}

/* A wrong rate is a usage error, although the session would report it too. */
static int record_rate(struct cmd_args *a, const char *rate)
{
	char reason[256];
	uint64_t ns;

	if (dtr_interval(rate, &ns, reason, sizeof reason) < 0) {
		say("%s: invalid rate %s: %s\n", a->prog, rate, reason);
		return -1;
	}
	a->record->rate = rate;
	return 0;
}

/* As in other tools, a number alone is one of seconds. */
static int record_duration(struct cmd_args *a, struct arena *arena, const char *text)
{
	bool seconds = *text && !text[strspn(text, "0123456789")];
	char reason[256];
	uint64_t ns;

	a->record->duration = seconds ? arena_printf(arena, "%ss", text) : text;
	if (dtr_interval(a->record->duration, &ns, reason, sizeof reason) == 0)
		return 0;
	say("%s: invalid duration %s: %s\n", a->prog, text, reason);
	return -1;
}

static void record_option(struct cmd_args *a, struct arena *arena, const char *text)
{
	const char *eq = strchr(text, '=');

	*VEC_ADD(arena, &a->options) = (struct arg_option){
		eq ? arena_strndup(arena, text, (size_t)(eq - text)) : text, eq ? eq + 1 : NULL,
	};
}

static int record_one(struct cmd_args *a, struct arena *arena, int opt, char **argv)
{
	struct buf help = { 0 };
	char word[80];

	switch (opt) {
	case 'F':
		return record_rate(a, optarg);
	case 'g':
		a->record->stacks = true;
		return 0;
	case 'z':
		a->record->compress = true;
		return 0;
	case 'q':
		a->record->quiet = true;
		return 0;
	case 'a':
		a->record->all = true;
		return 0;
	case OPT_DURATION:
		return record_duration(a, arena, optarg);
	case 'o':
		a->output = optarg;
		return 0;
	case 'x':
		record_option(a, arena, optarg);
		return 0;
	case 'p': case 'c':
		return record_target(a, arena, opt, optarg);
	case 'h':
		fill_text(&help, help_text);
		printf("%s%s", usage_text, buf_str(&help));
		buf_free(&help);
		return 1;
	case ':':
		return record_usage(a, optopt == OPT_DURATION ? "option --duration needs a value" :
				    arena_printf(arena, "option -%c needs a value", optopt));
	default:
		return record_usage(a, arena_printf(arena, "unknown option %s",
						    args_refused(argv, word, sizeof word)));
	}
}

int record_parse(struct cmd_args *a, struct arena *arena, int argc, char **argv)
{
	static const struct option longs[] = {
		{ "help", no_argument, NULL, 'h' }, { "duration", required_argument, NULL, OPT_DURATION }, { 0 },
	};
	const char *slash = strrchr(argv[0], '/');
	int opt, r = 0;

	*a = (struct cmd_args){ .prog = slash ? slash + 1 : argv[0] };
	a->argv0 = a->prog;
	a->record = arena_alloc(arena, sizeof *a->record);
	*a->record = (struct dtr_recording){ .rate = "997" };
	opterr = 0;
	optind = 2;
	while (!r && (opt = getopt_long(argc, argv, "+:F:ghzqap:c:o:x:", longs, NULL)) != -1)
		r = record_one(a, arena, opt, argv);
	if (r)
		return r;
	if (optind < argc)
		return record_usage(a, arena_printf(arena, "unexpected argument '%s' (did you mean -c?)",
						    argv[optind]));
	if (a->record->all && a->pid)
		return record_usage(a, "-a cannot be combined with -p");
	if (!a->output)
		a->output = RECORD_FILE;
	if (!strcmp(a->output, "-")) {
		a->output = NULL;
		a->record->stream = true;
	}
	return 0;
}
