/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/dtr/args.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/word.h"
#include "cmd/dtr/own.h"
#include "cmd/dtr/say.h"
#include "engine/dtr.h"

/* Options of DTrace that this version does not have. */
static const struct { char opt; const char *reason; } refused[] = {
	{ 'a', "anonymous tracing is not available in this version" },
	{ 'A', "anonymous tracing is not available in this version" },
};

static int args_usage(const struct cmd_args *a)
{
	say("Usage: %s %s", a->prog, own_usage);
	return -1;
}

static int args_refuse(const struct cmd_args *a, int opt)
{
	for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
		if (refused[i].opt == opt) {
			say("%s: option -%c: %s\n", a->prog, opt, refused[i].reason);
			return -1;
		}
	}
	return args_usage(a);
}

static void args_option(struct cmd_args *a, struct arena *arena, const char *name, const char *value)
{
	*VEC_ADD(arena, &a->options) = (struct arg_option){ name, value };
}

struct arg_option args_setting(struct arena *arena, const char *text)
{
	const char *eq = strchr(text, '=');

	return (struct arg_option){
		eq ? arena_strndup(arena, text, (size_t)(eq - text)) : text, eq ? eq + 1 : NULL,
	};
}

long args_number(const char *text, long most)
{
	char *end;
	long n;

	errno = 0;
	n = strtol(text, &end, 10);
	return !isdigit((unsigned char)*text) || *end || errno || n > most ? -1 : n;
}

/* A process, or several, separated by commas. Wrappers of scripts pass '-p 123' as one argument. */
static int args_pid(struct cmd_args *a, struct arena *arena, const char *text)
{
	if (a->command) {
		say("%s: -p cannot be combined with -c\n", a->prog);
		return -1;
	}
	for (const char *s = text + strspn(text, " "), *end;; s = end + 1) {
		long pid;

		end = s + strcspn(s, ",");
		pid = args_number(arena_strndup(arena, s, (size_t)(end - s)), INT_MAX);
		if (pid <= 0) {
			say("%s: invalid process ID '%s'\n", a->prog, text);
			return -1;
		}
		if (a->pids.n == DTR_TARGETS) {
			say("%s: more than %d processes (-p)\n", a->prog, DTR_TARGETS);
			return -1;
		}
		*VEC_ADD(arena, &a->pids) = (pid_t)pid;
		a->pid = a->pids.v[0];
		if (!*end)
			return 0;
	}
}

static int args_command(struct cmd_args *a, const char *text)
{
	if (a->pid || a->command) {
		say(a->pid ? "%s: -p cannot be combined with -c\n" : "%s: only one command can be the target (-c)\n",
		    a->prog);
		return -1;
	}
	a->command = text;
	return 0;
}

static int args_query(struct cmd_args *a, const char *path)
{
	if (a->query) {
		say("%s: only one recording can be queried at a time (-r %s, -r %s)\n", a->prog, a->query, path);
		return -1;
	}
	a->query = path;
	return 0;
}

static int args_dump(struct cmd_args *a, const char *text)
{
	if (!*text || text[1] || !strchr("PTIOB", *text)) {
		say("%s: unknown stage '%s' for -d: P (parse tree), T (typed tree), I (intermediate code), "
			"O (optimised), B (BPF)\n", a->prog, text);
		return -1;
	}
	a->dump = *text;
	return 0;
}

static void args_text(struct cmd_args *a, struct arena *arena, int opt, const char *text)
{
	*VEC_ADD(arena, &a->texts) = (struct arg_text){ opt, text };
	if (opt == 's')
		a->argv0 = text;
}

/* -32, -64: letters with a value. */
static int args_model(struct cmd_args *a, int opt, const char *value)
{
	if (strcmp(value, opt == '3' ? "2" : "4")) {
		say("%s: unknown option -%c%s\n", a->prog, opt, value);
		return -1;
	}
	a->narrow = opt == '3';
	return 0;
}

char *args_refused(char *const *argv, char *out, size_t n)
{
	const char *word = argv[optind - 1];

	if (optopt <= ' ' || optopt > '~' || (!strncmp(word, "--", 2) && strchr(word, '=')))
		snprintf(out, n, "%s", word);
	else
		snprintf(out, n, "-%c", optopt);
	return out;
}

static const struct option longs[] = {
	{ "help", no_argument, NULL, 1 }, { "version", no_argument, NULL, 'V' }, { "tools", no_argument, NULL, 2 },
	{ 0 },
};

/* " (did you mean '--tools'?)" for a long option, or "". */
static const char *args_meant(struct arena *arena, const char *word)
{
	struct word_near near = { .word = word };

	for (const struct option *o = longs; !strncmp(word, "--", 2) && o->name; o++)
		word_offer(&near, arena_printf(arena, "--%s", o->name));
	return word_suggestion(arena, &near);
}

static int args_bad(const struct cmd_args *a, struct arena *arena, int opt, char **argv)
{
	char word[80];

	if (opt == ':') {
		say("%s: option -%c needs a value\n", a->prog, optopt);
	} else {
		args_refused(argv, word, sizeof word);
		say("%s: unknown option %s%s\n", a->prog, word, args_meant(arena, word));
	}
	return args_usage(a);
}

/* Letters that set an option. */
static const struct { char opt; const char *name; } letters[] = {
	{ 'b', "bufsize" }, { 'C', "cpp" }, { 'D', "define" }, { 'F', "flowindent" }, { 'H', "cpphdrs" },
	{ 'I', "incdir" }, { 'L', "libdir" }, { 'q', "quiet" }, { 'U', "undef" }, { 'w', "destructive" },
	{ 'X', "stdc" }, { 'Z', "zdefs" },
};

static bool args_letter(struct cmd_args *a, struct arena *arena, int opt)
{
	for (size_t i = 0; i < sizeof letters / sizeof letters[0]; i++) {
		if (letters[i].opt == opt) {
			args_option(a, arena, letters[i].name, optarg);
			return true;
		}
	}
	return false;
}

static int args_one(struct cmd_args *a, struct arena *arena, int opt, char **argv)
{
	if (args_letter(a, arena, opt))
		return 0;
	switch (opt) {
	case 's': case 'n': case 'P': case 'm': case 'f': case 'i':
		args_text(a, arena, opt, optarg);
		return 0;
	case 'x':
		*VEC_ADD(arena, &a->options) = args_setting(arena, optarg);
		return 0;
	case 'e':
		a->compile_only = true;
		return 0;
	case 'l':
		a->list = true;
		return 0;
	case 'h': case 'G':
		a->declare = (char)opt;
		return 0;
	case '3': case '6':
		return args_model(a, opt, optarg);
	case 'S':
		a->show = true;
		return 0;
	case 'v':
		a->verbose = true;
		return 0;
	case 'V':
		a->version = true;
		return 0;
	case 1:
		a->help = true;
		return 0;
	case 2:
		a->tools = true;
		return 0;
	case 'O':
		args_option(a, arena, "oformat", optarg);
		return 0;
	case 'o':
		a->output = optarg;
		return 0;
	case 'r':
		return args_query(a, optarg);
	case 'c':
		return args_command(a, optarg);
	case 'p':
		return args_pid(a, arena, optarg);
	case 'd':
		return args_dump(a, optarg);
	case '?': case ':':
		return args_bad(a, arena, opt, argv);
	default:
		return args_refuse(a, opt);
	}
}

const char *args_quoted(struct arena *arena, int n, char *const *words)
{
	struct buf b = { 0 };
	const char *text;

	for (int i = 0; i < n; i++) {
		buf_puts(&b, i ? " '" : "'");
		for (const char *s = words[i]; *s; s++)
			if (*s == '\'')
				buf_puts(&b, "'\\''");
			else
				buf_putc(&b, *s);
		buf_putc(&b, '\'');
	}
	text = arena_strdup(arena, buf_str(&b));
	buf_free(&b);
	return text;
}

bool args_asks_for_sources(const struct cmd_args *a)
{
	for (size_t i = 0; i < a->options.n; i++) {
		const struct arg_option *o = &a->options.v[i];

		if (!strcmp(o->name, "profsrc") && o->value && !strcmp(o->value, "help"))
			return true;
	}
	return false;
}

/* Returns -1 if there is nothing to do. */
static int args_check(struct cmd_args *a, const char *first)
{
	bool any = a->options.n || a->operands.n || a->command || a->pid || a->compile_only || a->show || a->verbose ||
		   a->dump;

	if (a->narrow && !a->declare) {
		say("%s: -32 is only available with -h and -G\n", a->prog);
		return -1;
	}
	if (a->query && a->command) {
		say("%s: -c cannot be combined with -r\n", a->prog);
		return -1;
	}
	if (a->help || a->version || a->tools || a->list || a->texts.n || a->made || a->record)
		return 0;
	if (args_asks_for_sources(a))
		return 0;
	if (a->query && !a->pid && !a->compile_only && !a->show && !a->dump && !a->declare && !a->operands.n) {
		a->report = true;
		return 0;
	}
	if (first && islower((unsigned char)*first)) {
		a->unknown = first;
		return -1;
	}
	if (any)
		say("%s: no probes specified: use -n, -s, -P, -m, -f or -i\n", a->prog);
	return args_usage(a);
}

int args_parse(struct cmd_args *a, struct arena *arena, int argc, char **argv)
{
	*a = (struct cmd_args){ .prog = a->prog, .made = a->made, .maker = a->maker, .record = a->record };
	a->argv0 = a->made ? a->maker : a->prog;
	opterr = 0;
	/* help on an unknown tool: its name was misspelt */
	if (argc == 3 && isalpha((unsigned char)*argv[1]) && (!strcmp(argv[2], "-h") || !strcmp(argv[2], "--help"))) {
		a->unknown = argv[1];
		return -1;
	}
	while (optind < argc) {
		int before = optind, opt = getopt_long(argc, argv, "+:" ARGS_LETTERS, longs, NULL);

		if (opt != -1) {
			if (args_one(a, arena, opt, argv) < 0)
				return -1;
			continue;
		}
		/* An operand; options may follow it, but not after "--". */
		if (optind > before && !strcmp(argv[optind - 1], "--"))
			while (optind < argc)
				*VEC_ADD(arena, &a->operands) = argv[optind++];
		else if (optind < argc)
			*VEC_ADD(arena, &a->operands) = argv[optind++];
	}
	return args_check(a, argc > 1 ? argv[1] : NULL);
}
