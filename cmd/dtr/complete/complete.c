/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/dtr/complete/complete.h"

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <string.h>

#include "cmd/dtr/command.h"
#include "cmd/dtr/help/help.h"
#include "cmd/dtr/own.h"
#include "cmd/dtr/say.h"
#include "cmd/dtr/tool/tool.h"
#include "engine/dtr.h"

struct completion {
	struct arena *a;
	const char *share;
	struct buf out;
	const char *last;		/* the word to complete, without what is not to be completed */
	const char *before;		/* that part: "-x", or "" */
	const struct command_option *own;	/* options of dtr itself */
	const struct command *command;	/* a tool or another command; NULL: none */
	struct command of_tool;
};

void complete_offer(struct buf *out, const char *prefix, const char *candidate, const char *text)
{
	if (!strncmp(candidate, prefix, strlen(prefix)))
		buf_printf(out, "%s\t%s\n", candidate, text);
}

static void offer_word(struct completion *c, const char *candidate, const char *text)
{
	if (*c->before)
		candidate = arena_printf(c->a, "%s%s", c->before, candidate);
	complete_offer(&c->out, arena_printf(c->a, "%s%s", c->before, c->last), candidate, text);
}

static void ask_shell(struct completion *c, const char *what)
{
	buf_printf(&c->out, "\t%s\n", what);
}

/* ---- values of options ---- */

static void values_probe(struct completion *c)
{
	complete_probes(&c->out, c->a, c->last);
}

static void values_file(struct completion *c)
{
	ask_shell(c, "files");
}

static void values_command(struct completion *c)
{
	ask_shell(c, strchr(c->last, ' ') ? "files" : "commands");
}

static void values_format(struct completion *c)
{
	const char *const *words = dtr_option_words("oformat");

	for (; words && *words; words++)
		offer_word(c, *words, "");
}

/* Processes that this user can see. */
static void values_pid(struct completion *c)
{
	DIR *d = opendir("/proc");

	for (struct dirent *e; d && (e = readdir(d));) {
		struct buf name = { 0 };

		if (!isdigit((unsigned char)e->d_name[0]))
			continue;
		buf_read_file(&name, arena_printf(c->a, "/proc/%s/comm", e->d_name));
		offer_word(c, e->d_name, arena_strndup(c->a, buf_str(&name), strcspn(buf_str(&name), "\n\t")));
		buf_free(&name);
	}
	if (d)
		closedir(d);
	else
		c->out.failed = true;
}

enum { SETTING_COLUMN = 24 };		/* of the descriptions in the help */

/* name or name=value */
static void values_setting(struct completion *c)
{
	const char *eq = strchr(c->last, '=');
	const char *const *words = eq ? dtr_option_words(arena_strndup(c->a, c->last, (size_t)(eq - c->last))) : NULL;
	struct dtr_option_row row;

	for (; words && *words; words++)
		offer_word(c, arena_printf(c->a, "%.*s%s", (int)(eq + 1 - c->last), c->last, *words), "");
	for (unsigned i = 0; !eq && dtr_option_row(i, &row); i++)
		offer_word(c, row.is_switch ? row.name : arena_printf(c->a, "%s=", row.name),
			   option_first_line(c->a, SETTING_COLUMN, row.text));
}

static void values_stage(struct completion *c)
{
	offer_word(c, "P", "parse tree");
	offer_word(c, "T", "typed tree");
	offer_word(c, "I", "intermediate code");
	offer_word(c, "O", "optimised");
	offer_word(c, "B", "BPF");
}

/* The last of names that are separated by commas. */
static void values_events(struct completion *c)
{
	const char *comma = strrchr(c->last, ','), *name;
	int before = comma ? (int)(comma + 1 - c->last) : 0;

	for (unsigned i = 0; (name = dtr_count_name(i)); i++)
		offer_word(c, arena_printf(c->a, "%.*s%s", before, c->last, name), "");
}

struct list_offering {
	struct completion *c;
	const char *given;		/* what precedes the word: "!open," */
};

static void offer_listed(void *arg, const char *word)
{
	const struct list_offering *o = arg;

	offer_word(o->c, arena_printf(o->c->a, "%s%s", o->given, word), "");
}

/* The last word of the list that only this command has. */
static void values_listed(struct completion *c)
{
	const char *end = strrchr(c->last, ',');
	const size_t n = end ? (size_t)(end + 1 - c->last) : *c->last == '!';
	struct list_offering o = { c, arena_strndup(c->a, c->last, n) };

	c->command->list_words(offer_listed, &o);
}

/* "a|b|c" */
static void values_words(struct completion *c, const char *words)
{
	for (const char *s = words, *end; s; s = *end ? end + 1 : NULL) {
		end = s + strcspn(s, "|");
		offer_word(c, arena_strndup(c->a, s, (size_t)(end - s)), "");
	}
}

static void complete_value(struct completion *c, const struct command_option *o)
{
	static void (*const values[])(struct completion *c) = {
		[VALUE_FILE] = values_file, [VALUE_COMMAND] = values_command, [VALUE_PID] = values_pid,
		[VALUE_PROBE] = values_probe, [VALUE_FORMAT] = values_format, [VALUE_SETTING] = values_setting,
		[VALUE_STAGE] = values_stage, [VALUE_EVENTS] = values_events, [VALUE_LISTED] = values_listed,
	};

	if (o->kind == VALUE_WORDS)
		values_words(c, o->value);
	else if (values[o->kind])
		values[o->kind](c);
}

/* ---- options ---- */

static bool has_name(const struct command_option *o, const char *word)
{
	return word[1] == '-' ? o->name && !strcmp(o->name, word + 2) : o->letter == word[1];
}

static const struct command_option *table_find(const struct command_option *table, const char *word)
{
	for (const struct command_option *o = table; o && !option_is_last(o); o++)
		if (has_name(o, word))
			return o;
	return NULL;
}

/* An option of dtr: does the command pass it on? */
static bool is_passed(const struct command *command, const struct command_option *o)
{
	return command->passes && o->letter && strchr(command->passes, o->letter);
}

/* By its word: "-x", "--json". */
static const struct command_option *option_find(const struct completion *c, const char *word)
{
	const struct command_option *o = c->command ? table_find(c->command->options, word) : NULL;

	if (o)
		return o;
	o = table_find(c->own, word);
	return o && (!c->command || is_passed(c->command, o)) ? o : NULL;
}

static void offer_option(struct completion *c, const struct command_option *table, const struct command_option *o)
{
	offer_word(c, option_word(c->a, o), option_line(c->a, table, o));
}

/* Options of a command that its help does not describe are not offered. */
static void complete_option(struct completion *c)
{
	const struct command_option *options = c->command ? c->command->options : NULL;

	for (const struct command_option *o = options; o && !option_is_last(o); o++)
		if ((o->letter || o->name) && (o->text || o->joins))
			offer_option(c, options, o);
	for (const struct command_option *o = c->own; !option_is_last(o); o++)
		if ((o->letter || o->name) && (!c->command || is_passed(c->command, o)) &&
		    !table_find(options, option_word(c->a, o)))
			offer_option(c, c->own, o);
}

/* The option whose value follows the word: "-x", "-qn", "--hook"; NULL: none. */
static const struct command_option *option_before(const struct completion *c, const char *word)
{
	const struct command_option *o;

	if (word[0] != '-' || !word[1])
		return NULL;
	if (word[1] == '-') {
		o = option_find(c, word);
		return o && o->value ? o : NULL;
	}
	for (const char *s = word + 1; *s; s++) {
		o = option_find(c, arena_printf(c->a, "-%c", *s));
		if (o && o->value)
			return s[1] ? NULL : o;
	}
	return NULL;
}

/* "-xagg", "-Oj": an option together with the beginning of its value. */
static const struct command_option *option_joined(struct completion *c)
{
	const struct command_option *o = NULL;

	if (c->last[0] == '-' && isalpha((unsigned char)c->last[1]) && c->last[2])
		o = option_find(c, arena_strndup(c->a, c->last, 2));
	if (!o || !o->value)
		return NULL;
	c->before = option_word(c->a, o);
	c->last += 2;
	return o;
}

/* ---- words that are no options ---- */

/* A topic that is also a command is offered as that. */
static void offer_topic(void *arg, const char *name, const char *text)
{
	if (!command_find(name))
		offer_word(arg, name, text);
}

static void complete_commands(struct completion *c)
{
	const char **names = NULL;
	int n = tool_names(c->a, c->share, &names);

	for (int i = 0; i < n; i++) {
		struct tool t;

		if (!command_find(names[i]) && !command_is_left_out(names[i]) &&
		    tool_find(&t, c->a, c->share, names[i]) >= 0 && !t.malformed)
			offer_word(c, names[i], t.header.summary);
	}
	for (size_t i = 0; commands[i]; i++)
		offer_word(c, commands[i]->name, commands[i]->summary);
}

static void complete_topics(struct completion *c)
{
	help_topics(offer_topic, c);
	complete_commands(c);
}

static void complete_operand(struct completion *c, int nwords)
{
	if (nwords > 1)
		ask_shell(c, "files");
	else
		complete_commands(c);
}

static bool is_help(const char *word)
{
	return !strcmp(word, "help");
}

/* ---- the command line ---- */

/* The command that the first word names, or NULL. */
static const struct command *find_command(struct completion *c, const char *name)
{
	const struct command *command = command_find(name);
	struct tool t;

	if (is_help(name))
		return NULL;
	if (command || tool_find(&t, c->a, c->share, name) < 0 || t.malformed)
		return command;
	c->of_tool = tool_command(&t, c->a, "dtr");
	return &c->of_tool;
}

static void complete_words(struct completion *c, int nwords, char **words)
{
	const struct command_option *o = nwords > 1 ? option_before(c, words[nwords - 2]) : NULL;

	for (int i = 0; i < nwords - 1; i++)
		if (!strcmp(words[i], "--")) {
			ask_shell(c, "files");
			return;
		}
	if (nwords == 2 && is_help(words[0])) {
		complete_topics(c);
		return;
	}
	if (!o)
		o = option_joined(c);
	if (o)
		complete_value(c, o);
	else if (*c->last == '-')
		complete_option(c);
	else
		complete_operand(c, nwords);
}

int complete_main(struct arena *a, const char *share, const char *prog, int nwords, char **words)
{
	struct completion c = {
		.a = a, .share = share, .last = words[nwords - 1], .before = "", .own = own_options(a),
	};
	int r;

	c.command = nwords > 1 ? find_command(&c, words[0]) : NULL;
	complete_words(&c, nwords, words);
	r = c.out.failed ? -1 : 0;
	if (r)
		say("%s: failed to find what can be completed\n", prog);
	else
		fputs(buf_str(&c.out), stdout);
	buf_free(&c.out);
	return r;
}
