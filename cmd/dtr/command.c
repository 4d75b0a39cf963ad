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
#include "cmd/dtr/tool.h"

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
	for (const struct command_option *o = c->options; o && (o->letter || o->name); o++)
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
/* "-F rate", "-o, --output FILE", "--arcs[=KIND]" */
static const char *option_head(struct arena *a, const struct command_option *o)
{
	const char *letter = o->letter ? arena_printf(a, "-%c", o->letter) : "";
	const char *name = o->name ? arena_printf(a, "%s--%s", o->letter ? ", " : "", o->name) : "";

	return arena_printf(a, !o->value ? "%s%s" : o->loose ? "%s%s[=%s]" : "%s%s %s", letter, name,
			    o->value ? o->value : "");
}

static const char *help_text(struct arena *a, const char *prog, const struct command *c)
{
	struct buf b = { 0 };
	const char *text;

	buf_printf(&b, "usage: %s %s %s\n\n%s\n", prog, c->name, c->usage, c->about);
	for (const struct command_option *o = c->options; o && (o->letter || o->name); o++)
		if (o->text)
			buf_printf(&b, "  %s\t%s\n", option_head(a, o), o->text);
	buf_puts(&b, c->more ? c->more : "");
	text = arena_strdup(a, buf_str(&b));
	buf_free(&b);
	return text;
}

int command_describe(struct buf *out, struct arena *a, const char *prog, const char *share, const struct command *c)
{
	struct tool t;

	if (c->usage) {
		fill_text(out, help_text(a, prog, c));
		return 0;
	}
	if (tool_find(&t, a, share, c->name) < 0) {
		say("%s %s: its script cannot be read\n", prog, c->name);
		return -1;
	}
	fill_text(out, t.text);
	return 0;
}

static int answer_help(struct command_line *l)
{
	struct buf b = { 0 };
	int r = command_describe(&b, l->arena, l->prog, l->share, l->command);

	if (!r)
		fputs(buf_str(&b), stdout);
	buf_free(&b);
	return r ? r : 1;
}

/* ---- parsing ---- */
enum { LETTERS_MOST = 160, LONGS_MOST = 32, LONG = 256, LONG_HELP = LONG + LONGS_MOST };

static bool option_valued(const struct command_line *l, const struct command_option *o)
{
	return o->value && (!o->valued || o->valued(l));
}

/* The letters for getopt: the command's own, then those that are passed on. */
static void option_letters(const struct command_line *l, char out[LETTERS_MOST])
{
	const struct command *c = l->command;
	char *at = stpcpy(out, "+:");

	for (const struct command_option *o = c->options; o && (o->letter || o->name); o++) {
		if (!o->letter)
			continue;
		*at++ = o->letter;
		if (option_valued(l, o))
			*at++ = ':';
	}
	if (!option_of_letter(c, 'h'))
		*at++ = 'h';
	for (const char *s = c->passes ? c->passes : ""; *s; s += 1 + strspn(s + 1, ":"))
		if (!option_of_letter(c, *s))
			at = mempcpy(at, s, 1 + strspn(s + 1, ":"));
	*at = '\0';
}

static void option_longs(const struct command *c, struct option out[LONGS_MOST + 2])
{
	const struct command_option *o = c->options;

	for (int i = 0; o && (o[i].letter || o[i].name); i++)
		if (o[i].name)
			*out++ = (struct option){ o[i].name, !o[i].value ? no_argument : o[i].loose ?
						  optional_argument : required_argument, NULL, LONG + i };
	*out++ = (struct option){ "help", no_argument, NULL, LONG_HELP };
	*out = (struct option){ 0 };
}

void command_pass(struct command_line *l, const char *word)
{
	*VEC_ADD(l->arena, &l->passed) = (char *)word;
}

static int pass_option(struct command_line *l, int letter)
{
	l->target |= letter == 'p' || letter == 'c';
	l->script |= strchr("snPmfi", letter) != NULL;
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

	if (opt == ':' && (optopt >= LONG || !optopt))
		return command_misused(l, "option %s needs a value", argv[optind - 1]);
	if (opt == ':')
		return command_misused(l, "option -%c needs a value", optopt);
	for (const struct command_option *o = l->command->options; o && (o->letter || o->name); o++)
		if (o->name && !strncmp(near.word, "--", 2))
			word_offer(&near, arena_printf(l->arena, "--%s", o->name));
	return command_misused(l, "unknown option %s%s", args_refused(argv, word, sizeof word),
			       word_suggestion(l->arena, &near));
}

int command_parse_more(struct command_line *l, int argc, char **argv)
{
	struct option longs[LONGS_MOST + 2];
	char letters[LETTERS_MOST];
	bool only = false;

	option_longs(l->command, longs);
	opterr = 0;
	optind = 0;		/* glibc: restart */
	for (int r = 0, opt;;) {
		option_letters(l, letters);
		opt = only ? -1 : getopt_long(argc, argv, letters, longs, NULL);
		if (opt == -1 && optind >= argc)
			return 0;
		if (opt == -1) {
			only |= l->command->words || (optind > 1 && !strcmp(argv[optind - 1], "--"));
			*VEC_ADD(l->arena, &l->operands) = argv[optind++];
			continue;
		}
		if (opt == ':' || opt == '?')
			r = option_refuse(l, opt, argv);
		else if (opt == LONG_HELP || (opt == 'h' && !option_of_letter(l->command, 'h')))
			r = answer_help(l);
		else if (opt >= LONG)
			r = option_perform(l, &l->command->options[opt - LONG]);
		else
			r = option_of_letter(l->command, opt) ? option_perform(l, option_of_letter(l->command, opt)) :
				pass_option(l, opt);
		if (r)
			return r;
	}
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
