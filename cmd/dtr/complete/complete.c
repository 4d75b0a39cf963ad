/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/dtr/complete/complete.h"

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "cmd/dtr/command.h"
#include "cmd/dtr/complete/help.h"
#include "cmd/dtr/help/help.h"
#include "cmd/dtr/say.h"
#include "cmd/dtr/tool.h"
#include "engine/dtr.h"

struct completion {
	struct arena *a;
	const char *share;
	struct buf out;
	const char *last;		/* the word to complete, without what is not to be completed */
	const char *before;		/* that part: "-x", or "" */
	const char *command;		/* a tool or another command; NULL: none */
	struct help_options dtr, own;	/* options of dtr, of the command */
};

void complete_offer(struct buf *out, const char *prefix, const char *candidate, const char *text)
{
	if (!strncmp(candidate, prefix, strlen(prefix)))
		buf_printf(out, "%s\t%s\n", candidate, text);
}

static void offer(struct completion *c, const char *candidate, const char *text)
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
		offer(c, *words, "");
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
		offer(c, e->d_name, arena_strndup(c->a, buf_str(&name), strcspn(buf_str(&name), "\n\t")));
		buf_free(&name);
	}
	if (d)
		closedir(d);
	else
		c->out.failed = true;
}

/* name or name=value */
static void values_setting(struct completion *c)
{
	const char *eq = strchr(c->last, '=');
	const char *const *words = eq ? dtr_option_words(arena_strndup(c->a, c->last, (size_t)(eq - c->last))) : NULL;

	for (; words && *words; words++)
		offer(c, arena_printf(c->a, "%.*s%s", (int)(eq + 1 - c->last), c->last, *words), "");
	for (size_t i = 0; !eq && i < c->dtr.settings.n; i++) {
		const struct help_option *x = &c->dtr.settings.v[i];
		bool flag = !strcmp(x->value, "off") && !dtr_option_words(x->name);

		offer(c, arena_printf(c->a, "%s%s", x->name, flag ? "" : "="), x->text);
	}
}

static void values_stage(struct completion *c)
{
	offer(c, "P", "parse tree");
	offer(c, "T", "typed tree");
	offer(c, "I", "intermediate code");
	offer(c, "O", "optimised");
	offer(c, "B", "BPF");
}

/* The last of names that are separated by commas. */
static void values_events(struct completion *c)
{
	const char *comma = strrchr(c->last, ','), *name;
	int before = comma ? (int)(comma + 1 - c->last) : 0;

	for (unsigned i = 0; (name = dtr_count_name(i)); i++)
		offer(c, arena_printf(c->a, "%.*s%s", before, c->last, name), "");
}

struct word_offering {
	struct completion *c;
	const char *given;		/* what precedes the word: "!open," */
};

static void offer_word(void *arg, const char *word)
{
	const struct word_offering *o = arg;

	offer(o->c, arena_printf(o->c->a, "%s%s", o->given, word), "");
}

/* The last word of the list that only this command has. */
static void values_list(struct completion *c, const struct command *command)
{
	const char *end = strrchr(c->last, ',');
	const size_t n = end ? (size_t)(end + 1 - c->last) : *c->last == '!';
	struct word_offering o = { c, arena_strndup(c->a, c->last, n) };

	command->list_words(offer_word, &o);
}

/* By the name of the value in the help, case ignored. */
static const struct {
	const char *name;
	void (*values)(struct completion *c);
} kinds[] = {
	{ "probe", values_probe }, { "provider", values_probe }, { "script", values_file }, { "file", values_file },
	{ "recording", values_file }, { "directory", values_file }, { "dir", values_file }, { "picture", values_file },
	{ "command", values_command }, { "pid", values_pid }, { "format", values_format }, { "stage", values_stage },
	{ "name", values_setting }, { "name=val", values_setting }, { "opt", values_setting },
	{ "opt[=val]", values_setting }, { "events", values_events },
};

/* Also "a|b|c". */
static void complete_value(struct completion *c, const struct help_option *x)
{
	const struct command *command = c->command ? command_find(c->command) : NULL;

	if (command && command->list && !strcmp(command->list, x->value)) {
		values_list(c, command);
		return;
	}
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		if (!strcasecmp(kinds[i].name, x->value)) {
			kinds[i].values(c);
			return;
		}
	}
	for (const char *s = x->value; strchr(x->value, '|') && *s; s += s[strcspn(s, "|")] ? strcspn(s, "|") + 1 :
									  strcspn(s, "|"))
		offer(c, arena_strndup(c->a, s, strcspn(s, "|")), "");
}

/* ---- options ---- */

/* Options of dtr that tools take, too. */
static bool shared(const struct completion *c, const char *name)
{
	struct tool t;

	return !c->command || (!strncmp(name, "-", 1) && !name[2] && strchr("pcoOxnsbdelqSvVwZ", name[1]) &&
			       tool_find(&t, c->a, c->share, c->command) >= 0);
}

static const struct help_option *option_find(const struct completion *c, const char *name)
{
	const struct help_option *x = help_options_find(&c->own, name);

	return x ? x : shared(c, name) ? help_options_find(&c->dtr, name) : NULL;
}

static void complete_option(struct completion *c)
{
	for (size_t i = 0; i < c->own.v.n; i++)
		offer(c, c->own.v.v[i].name, c->own.v.v[i].text);
	for (size_t i = 0; i < c->dtr.v.n; i++)
		if (shared(c, c->dtr.v.v[i].name) && !help_options_find(&c->own, c->dtr.v.v[i].name))
			offer(c, c->dtr.v.v[i].name, c->dtr.v.v[i].text);
}

/* The option whose value follows the word: "-x", "-qn", "--hook"; NULL: none. */
static const struct help_option *option_before(const struct completion *c, const char *word)
{
	const struct help_option *x;

	if (word[0] != '-' || !word[1])
		return NULL;
	if (word[1] == '-') {
		x = option_find(c, word);
		return x && x->value ? x : NULL;
	}
	for (const char *s = word + 1; *s; s++) {
		x = option_find(c, arena_printf(c->a, "-%c", *s));
		if (x && x->value)
			return s[1] ? NULL : x;
	}
	return NULL;
}

/* "-xagg", "-Oj": an option together with the beginning of its value. */
static const struct help_option *option_joined(struct completion *c)
{
	const struct help_option *x = NULL;

	if (c->last[0] == '-' && isalpha((unsigned char)c->last[1]) && c->last[2])
		x = option_find(c, arena_strndup(c->a, c->last, 2));
	if (!x || !x->value)
		return NULL;
	c->before = x->name;
	c->last += 2;
	return x;
}

/* ---- words that are no options ---- */

/* A topic that is also a command is offered as that. */
static void offer_topic(void *arg, const char *name, const char *text)
{
	if (!command_find(name))
		offer(arg, name, text);
}

static void complete_commands(struct completion *c)
{
	const char **names = NULL;
	int n = tool_names(c->a, c->share, &names);

	for (int i = 0; i < n; i++) {
		struct tool t;

		if (tool_find(&t, c->a, c->share, names[i]) >= 0)
			offer(c, names[i], t.summary);
	}
	for (size_t i = 0; commands[i]; i++)
		if (commands[i]->summary)
			offer(c, commands[i]->name, commands[i]->summary);
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

static void read_options(struct completion *c, int nwords, char **words)
{
	const char *first = nwords > 1 && !is_help(words[0]) ? words[0] : NULL;
	struct buf help = { 0 };
	struct tool t;

	complete_run(&help, (const char *[]){ "dtr", "--help", NULL });
	help_options_read(&c->dtr, c->a, buf_str(&help));
	c->out.failed |= help.failed;
	buf_reset(&help);
	c->command = first && (command_find(first) || tool_find(&t, c->a, c->share, first) >= 0) ? first : NULL;
	if (c->command)
		complete_run(&help, (const char *[]){ "dtr", c->command, "--help", NULL });
	help_options_read(&c->own, c->a, buf_str(&help));
	c->out.failed |= help.failed;
	buf_free(&help);
}

static void complete(struct completion *c, int nwords, char **words)
{
	const struct help_option *x = nwords > 1 ? option_before(c, words[nwords - 2]) : NULL;

	for (int i = 0; i < nwords - 1; i++)
		if (!strcmp(words[i], "--")) {
			ask_shell(c, "files");
			return;
		}
	if (nwords == 2 && is_help(words[0])) {
		complete_topics(c);
		return;
	}
	if (!x)
		x = option_joined(c);
	if (x)
		complete_value(c, x);
	else if (*c->last == '-')
		complete_option(c);
	else
		complete_operand(c, nwords);
}

int complete_main(struct arena *a, const char *share, const char *prog, int nwords, char **words)
{
	struct completion c = { .a = a, .share = share, .last = words[nwords - 1], .before = "" };
	int r;

	read_options(&c, nwords, words);
	complete(&c, nwords, words);
	r = c.out.failed ? -1 : 0;
	if (r)
		say("%s: failed to find what can be completed\n", prog);
	else
		fputs(buf_str(&c.out), stdout);
	buf_free(&c.out);
	return r;
}
