/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/dtr/command.h"

#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/fill.h"
#include "cmd/dtr/args.h"
#include "cmd/dtr/cmd.h"
#include "cmd/dtr/say.h"

/* ---- the table ---- */
#define COMMAND(name) extern const struct command command_##name;
#include "cmd/commands.def"

const struct command *const commands[] = {
#define COMMAND(name) &command_##name,
#include "cmd/commands.def"
	NULL,
};

const struct command *command_find(const char *name)
{
	for (size_t i = 0; commands[i]; i++)
		if (!strcmp(commands[i]->name, name))
			return commands[i];
	return NULL;
}

bool command_is_left_out(const char *name)
{
	static const char *const names[] = {
#define COMMAND(name) #name,
#include "cmd/left_out.def"
		NULL,
	};

	for (size_t i = 0; names[i]; i++)
		if (!strcmp(names[i], name))
			return true;
	return false;
}

void command_offer(struct word_near *near)
{
	for (size_t i = 0; commands[i]; i++)
		word_offer(near, commands[i]->name);
}

/* ---- messages ---- */
static const struct command_option *option_of_letter(const struct command *c, int letter)
{
	for (const struct command_option *o = c->options; o && !option_is_last(o); o++)
		if (o->letter == letter)
			return o;
	return NULL;
}

int command_misused(const struct command_line *l, const char *fmt, ...)
{
	const char *help = option_of_letter(l->command, 'h') ? "--help" : "-h";
	va_list ap;

	va_start(ap, fmt);
	say("%s %s: %s (see %s %s %s)\n", l->prog, l->command->name, arena_vprintf(l->arena, fmt, ap), l->prog,
	    l->command->name, help);
	va_end(ap);
	return -1;
}

int command_failed(const struct command_line *l, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say("%s %s: %s\n", l->prog, l->command->name, arena_vprintf(l->arena, fmt, ap));
	va_end(ap);
	return 1;
}

/* ---- help ---- */
void command_describe(struct buf *out, struct arena *a, const char *prog, const struct command *c)
{
	struct buf text = { 0 };

	if (c->tool)
		buf_printf(&text, "%s - %s\n\n", c->name, c->summary);
	buf_printf(&text, "usage: %s %s %s\n\n", prog, c->name, c->usage);
	if (c->about && *c->about)
		buf_printf(&text, "%s\n", c->about);
	if (c->options)
		option_rows(&text, a, c->options);
	buf_puts(&text, c->more ? c->more : "");
	fill_text(out, buf_str(&text));
	out->failed |= text.failed;
	buf_free(&text);
}

static int answer_help(struct command_line *l)
{
	struct buf b = { 0 };

	command_describe(&b, l->arena, l->prog, l->command);
	fputs(buf_str(&b), stdout);
	buf_free(&b);
	return 1;
}

/* ---- parsing ---- */
/* What getopt_long returns for a long option: LONG and its number in the table, or LONG_HELP. */
enum { LONG_HELP = 256, LONG };

static bool option_valued(const struct command_line *l, const struct command_option *o)
{
	return o->value && (!o->valued || o->valued(l));
}

/* The letters for getopt: the command's own, then those that are passed on. */
static const char *option_letters(const struct command_line *l)
{
	const struct command *c = l->command;
	struct buf b = { 0 };
	const char *letters;

	buf_puts(&b, "+:");
	for (const struct command_option *o = c->options; o && !option_is_last(o); o++)
		if (o->letter)
			buf_printf(&b, "%c%s", o->letter, option_valued(l, o) ? ":" : "");
	if (!option_of_letter(c, 'h'))
		buf_putc(&b, 'h');
	for (const char *s = c->passes ? c->passes : ""; *s; s += 1 + strspn(s + 1, ":"))
		if (!option_of_letter(c, *s))
			buf_put(&b, s, 1 + strspn(s + 1, ":"));
	letters = arena_strdup(l->arena, buf_str(&b));
	buf_free(&b);
	return letters;
}

static const struct option *option_longs(const struct command_line *l)
{
	const struct command_option *o = l->command->options;
	struct option *longs, *at;
	int n = 0;

	while (o && !option_is_last(&o[n]))
		n++;
	longs = at = arena_calloc(l->arena, (size_t)n + 2, sizeof *longs);
	for (int i = 0; i < n; i++)
		if (o[i].name)
			*at++ = (struct option){ o[i].name, !o[i].value ? no_argument : o[i].loose ?
						 optional_argument : required_argument, NULL, LONG + i };
	*at = (struct option){ "help", no_argument, NULL, LONG_HELP };
	return longs;
}

void command_pass(struct command_line *l, const char *word)
{
	*VEC_ADD(l->arena, &l->passed) = (char *)word;
}

void command_pass_option(struct command_line *l, const char *option, const char *value)
{
	command_pass(l, option);
	command_pass(l, value);
}

const char *command_passed(const struct command_line *l, char letter)
{
	return l->given[(unsigned char)letter];
}

static int pass_option(struct command_line *l, int letter)
{
	l->target |= letter == 'p' || letter == 'c';
	l->script |= strchr("snPmfi", letter) != NULL;
	l->given[letter] = optarg ? optarg : "";
	command_pass(l, arena_printf(l->arena, "-%c", letter));
	if (optarg)
		command_pass(l, optarg);
	return 0;
}

static int option_perform(struct command_line *l, const struct command_option *o)
{
	void *at = (char *)l->self + o->at;

	l->option = o;
	switch (o->effect) {
	case OPTION_FLAG:
		*(bool *)at = true;
		return 0;
	case OPTION_TEXT:
		*(const char **)at = optarg;
		return 0;
	case OPTION_PASS:
		return pass_option(l, o->letter);
	default:
		return o->set(l, optarg);
	}
}

/* getopt has found an option that is unknown, or whose value is missing. */
static int option_refuse(struct command_line *l, int opt, char **argv)
{
	struct word_near near = { .word = argv[optind - 1] };
	char word[80];

	if (opt == ':' && (optopt >= LONG_HELP || !optopt))
		return command_misused(l, "option %s needs a value", argv[optind - 1]);
	if (opt == ':')
		return command_misused(l, "option -%c needs a value", optopt);
	for (const struct command_option *o = l->command->options; o && !option_is_last(o); o++)
		if (o->name && !strncmp(near.word, "--", 2))
			word_offer(&near, arena_printf(l->arena, "--%s", o->name));
	return command_misused(l, "unknown option %s%s", args_refused(argv, word, sizeof word),
			       word_suggestion(l->arena, &near));
}

static int option_take(struct command_line *l, int opt, char **argv)
{
	const struct command_option *own = opt >= LONG ? &l->command->options[opt - LONG] :
					   option_of_letter(l->command, opt);

	if (opt == ':' || opt == '?')
		return option_refuse(l, opt, argv);
	if (own)
		return option_perform(l, own);
	return opt == LONG_HELP || opt == 'h' ? answer_help(l) : pass_option(l, opt);
}

/* Takes the operand argv[optind], or more, and moves optind. */
static int operand_take(struct command_line *l, int argc, char **argv)
{
	int taken = 1;

	if (l->command->operand)
		taken = l->command->operand(l, argc - optind, argv + optind);
	else
		*VEC_ADD(l->arena, &l->operands) = argv[optind];
	if (taken < 0)
		return -1;
	optind += taken;
	return 0;
}

int command_parse_more(struct command_line *l, int argc, char **argv)
{
	const struct option *longs = option_longs(l);
	bool only_operands = false;
	int r = 0;

	opterr = 0;
	optind = 0;		/* glibc: restart */
	while (!r) {
		int opt = only_operands ? -1 : getopt_long(argc, argv, option_letters(l), longs, NULL);

		if (opt != -1) {
			r = option_take(l, opt, argv);
			continue;
		}
		if (optind >= argc)
			break;
		only_operands |= l->command->words || (optind > 1 && !strcmp(argv[optind - 1], "--"));
		r = operand_take(l, argc, argv);
	}
	return r;
}

int command_parse(struct command_line *l, struct cmd *c, const struct command *command, void *self, int argc,
		  char **argv)
{
	int r;

	*l = (struct command_line){
		.command = command, .cmd = c, .arena = &c->arena, .prog = c->args.prog, .share = c->share, .self = self,
	};
	command_pass(l, argv[0]);
	r = command_parse_more(l, argc - 1, argv + 1);	/* argv[1], the command's name, serves as the program's */
	optind = 0;		/* the next parser restarts, too */
	if (!r && !command->operands && l->operands.n)
		r = command_misused(l, "unexpected argument '%s'", l->operands.v[0]);
	l->status = r < 0 ? 2 : r > 0 ? cmd_answered(c) : 0;
	return r;
}
