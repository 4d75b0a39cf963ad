/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The command line of a tool. Its options are a table for the parser of commands (cmd/dtr/command.h). */
#include <stdio.h>
#include <string.h>

#include "cmd/dtr/cmd.h"
#include "cmd/dtr/command.h"
#include "cmd/dtr/picture_file.h"
#include "cmd/dtr/say.h"
#include "cmd/dtr/tool/tool.h"

/* dtr's options that every tool takes. All others are refused: their meaning in dtr (another probe, a recording) is
 * hardly what the user wants here. */
static const char tool_letters[] = "p:c:o:O:x:n:s:b:d:elqSvVwZ";
/* Those with which no script runs. */
static const char idle_letters[] = "delV";

/* What the options and operands say. */
struct expansion {
	const struct tool *t;
	const char *given[TOOL_ARGUMENTS];	/* $1... by number */
	unsigned ngiven;
	unsigned operands;		/* seen so far */
	bool all;			/* the option that means all processes */
	const struct tool_row *chosen;	/* the row of the script that runs instead of the tool's own; or NULL */
	const char *variant;		/* of that script; or NULL */
	const char *picture;		/* the file of the picture; or NULL */
};

/* ---- words ---- */

/* "--json"; an operand has none: "" */
static const char *row_word(struct arena *a, const struct tool_row *r)
{
	if (tool_row_is_operand(r))
		return "";
	return r->letter ? arena_printf(a, "-%c", r->letter) : arena_printf(a, "--%s", r->name);
}

/* The text with the value instead of its first %s. */
static const char *with_value(struct arena *a, const char *text, const char *value)
{
	const char *place = strstr(text, "%s");

	return place && value ? arena_printf(a, "%.*s%s%s", (int)(place - text), text, value, place + 2) : text;
}

/* ---- options ---- */

/* Returns what the script gets for the value; NULL after a message. */
static const char *row_value(const struct command_line *l, const struct tool_row *r, const char *text)
{
	char reason[240] = "";
	const char *value;

	if (r->kind->completed == VALUE_WORDS && !tool_word_listed(r->shown, text)) {
		command_misused(l, "'%s' is not one of %s", text, r->shown);
		return NULL;
	}
	if (!r->kind->check)
		return text;
	value = r->kind->check(l->arena, text, reason, sizeof reason);
	if (!value)
		command_misused(l, "invalid %s '%s': %s", r->kind->what, text, reason);
	return value;
}

static void give_argument(struct expansion *x, const struct tool_row *r, const char *value)
{
	x->given[r->argument - 1] = r->text ? r->text : value;
	if (r->argument > x->ngiven)
		x->ngiven = r->argument;
}

static int choose_script(struct command_line *l, const struct tool_row *r)
{
	struct expansion *x = l->self;

	if (x->chosen && x->chosen != r)
		return command_misused(l, "%s cannot be combined with %s", row_word(l->arena, x->chosen),
				       row_word(l->arena, r));
	x->chosen = r;
	return 0;
}

/* The value is not divided at its blanks. */
static void pass_words(struct command_line *l, const struct tool_row *r, const char *value)
{
	char *words = arena_strdup(l->arena, r->text), *save;

	for (char *w = strtok_r(words, " ", &save); w; w = strtok_r(NULL, " ", &save))
		command_pass(l, with_value(l->arena, w, value));
}

static int row_apply(struct command_line *l, const struct tool_row *r, const char *value)
{
	struct expansion *x = l->self;

	if (r->kind) {
		value = row_value(l, r, value);
		if (!value)
			return -1;
	}
	switch (r->effect) {
	case TOOL_ARGUMENT:
		give_argument(x, r, value);
		return 0;
	case TOOL_ALL:
		x->all = true;
		return 0;
	case TOOL_SCRIPT:
		return choose_script(l, r);
	case TOOL_VARIANT:
		x->variant = r->text;
		return 0;
	case TOOL_PICTURE:
		x->picture = value;
		return 0;
	case TOOL_TARGET:
		command_pass_option(l, r->kind->completed == VALUE_PID ? "-p" : "-c", value);
		return 0;
	default:
		pass_words(l, r, value);
		return 0;
	}
}

static int set_row(struct command_line *l, const char *value)
{
	const struct expansion *x = l->self;

	return row_apply(l, &x->t->header.rows.v[l->option->code], value);
}

/* ---- operands ---- */

static bool is_command(const struct tool_row *r)
{
	return tool_row_is_operand(r) && r->kind->completed == VALUE_COMMAND;
}

/* A command may be written without -c, as the last words. */
static int take_command(struct command_line *l, int count, char **words)
{
	const struct expansion *x = l->self;

	for (size_t i = 0; i < x->t->header.rows.n; i++) {
		const struct tool_row *r = &x->t->header.rows.v[i];

		if (!is_command(r) || l->target || !words[0][strspn(words[0], "0123456789")])
			continue;
		l->target = true;
		return row_apply(l, r, args_quoted(l->arena, count, words)) < 0 ? -1 : count;
	}
	return 0;
}

static int take_operand(struct command_line *l, int count, char **words)
{
	struct expansion *x = l->self;
	int taken = take_command(l, count, words);
	unsigned n = 0;

	for (size_t i = 0; !taken && i < x->t->header.rows.n; i++) {
		const struct tool_row *r = &x->t->header.rows.v[i];

		if (!tool_row_is_operand(r) || is_command(r) || n++ != x->operands)
			continue;
		if (l->target && r->effect == TOOL_TARGET)
			break;
		x->operands++;
		taken = row_apply(l, r, words[0]) < 0 ? -1 : 1;
	}
	return taken ? taken : command_misused(l, "unexpected argument '%s'", words[0]);
}

static int check_operands(const struct command_line *l)
{
	const struct expansion *x = l->self;
	unsigned n = 0;

	for (size_t i = 0; i < x->t->header.rows.n; i++) {
		const struct tool_row *r = &x->t->header.rows.v[i];
		bool target = r->effect == TOOL_TARGET;

		if (!tool_row_is_operand(r) || n++ < x->operands || r->optional || (target && l->target))
			continue;
		say("%s %s: %s%s is missing\n", l->prog, x->t->name, r->shown, target ? " or -c COMMAND" : "");
		if (*x->t->header.usage)
			say("usage: %s %s %s\n", l->prog, x->t->name, x->t->header.usage);
		return -1;
	}
	return 0;
}

/* ---- the rows as a table ---- */

/* What an option does, as the help shows it: "$1", "-x profilcells=CELLS". */
static const char *row_effect(struct arena *a, const struct tool_row *r)
{
	const char *argument = arena_printf(a, r->text ? "$%u=%s" : "$%u", r->argument, r->text);

	switch (r->effect) {
	case TOOL_ARGUMENT:
		return argument;
	case TOOL_ALL:
		return r->argument ? arena_printf(a, "all %s", argument) : "all";
	case TOOL_TARGET:
		return arena_printf(a, "-%c %s", r->kind->completed == VALUE_PID ? 'p' : 'c', r->shown);
	case TOOL_SCRIPT:
		return arena_printf(a, "script %s", r->text);
	case TOOL_VARIANT:
		return arena_printf(a, "variant %s", r->text);
	case TOOL_PICTURE:
		return arena_printf(a, "-o %s", r->shown);
	default:
		return with_value(a, r->text, r->shown);
	}
}

/* "-i PERIOD = $1", "[COMMAND] = -c COMMAND" */
static const char *row_head(struct arena *a, const struct tool_row *r)
{
	const char *word = row_word(a, r);
	const char *value = r->kind ? arena_printf(a, r->optional ? "[%s]" : "%s", r->shown) : "";

	return arena_printf(a, "%s%s%s = %s", word, *word && *value ? " " : "", value, row_effect(a, r));
}

static const struct command_option *tool_options(const struct tool *t, struct arena *a)
{
	struct command_option *options = arena_calloc(a, t->header.rows.n + 1, sizeof *options);

	for (size_t i = 0; i < t->header.rows.n; i++) {
		const struct tool_row *r = &t->header.rows.v[i];

		options[i] = (struct command_option){
			.letter = r->letter, .name = r->name, .value = r->shown, .head = row_head(a, r),
			.text = r->help, .kind = r->kind ? r->kind->completed : VALUE_OTHER,
			.set = set_row, .code = (int)i,
		};
	}
	return options;
}

static const char *tool_paragraphs(const struct tool *t, struct arena *a)
{
	const char *text = "";

	for (size_t i = 0; i < t->header.about.n; i++)
		text = arena_printf(a, "%s%s%s\n", text, i ? "\n" : "", t->header.about.v[i]);
	return text;
}

/* What follows the rows in the help. */
static const char *tool_closing(const struct tool *t, struct arena *a, const char *prog)
{
	const char *letters = "";

	for (const char *s = tool_letters; *s; s++)
		if (*s != ':')
			letters = arena_printf(a, "%s -%c", letters, *s);
	return arena_printf(a, "\nThese options of %s also work:%s. Rows with = $1 set that argument of the script. To "
			       "change the tool, edit a copy of %s and run it with %s -s.\n", prog, letters, t->path,
			    prog);
}

struct command tool_command(const struct tool *t, struct arena *a, const char *prog)
{
	return (struct command){
		.name = t->name, .summary = t->header.summary, .tool = true, .usage = t->header.usage,
		.about = tool_paragraphs(t, a), .more = tool_closing(t, a, prog), .options = tool_options(t, a),
		.passes = tool_letters, .operands = true, .operand = take_operand,
	};
}

/* ---- the command line ---- */

/* Applies the rows about all processes. */
static int expand_processes(const struct command_line *l)
{
	struct expansion *x = l->self;

	for (size_t i = 0; i < x->t->header.rows.n; i++) {
		const struct tool_row *r = &x->t->header.rows.v[i];

		if (r->effect != TOOL_ALL)
			continue;
		if (x->all && l->target)
			return command_misused(l, "%s cannot be combined with -p or -c", row_word(l->arena, r));
		if (r->argument && !l->target && !x->chosen && !x->given[r->argument - 1])
			give_argument(x, r, NULL);
	}
	return 0;
}

static bool is_idle(const struct command_line *l)
{
	for (const char *s = idle_letters; *s; s++)
		if (command_passed(l, *s))
			return true;
	return false;
}

static bool writes_picture(const struct tool *t)
{
	for (size_t i = 0; i < t->header.rows.n; i++)
		if (t->header.rows.v[i].effect == TOOL_PICTURE)
			return true;
	return false;
}

/* Chooses the file and the format of the picture. */
static int expand_picture(struct command_line *l, struct tool_line *out)
{
	const struct expansion *x = l->self;
	const char *format = command_passed(l, 'O');

	if (!writes_picture(x->t) || is_idle(l))
		return 0;
	if (!format)
		format = x->picture ? picture_file_format(x->picture) : "html";
	if (!format)
		return command_misused(l, "the ending of '%s' is not that of a picture: %s; or set -O", x->picture,
				       picture_file_endings(l->arena));
	if (!picture_file_name(l->arena, "", format))
		return command_misused(l, "-O %s is not the format of a picture", format);
	command_pass_option(l, "-o", x->picture ? x->picture : picture_file_name(l->arena, x->t->name, format));
	command_pass_option(l, "-O", format);
	out->picture = !command_passed(l, 'q');
	return 0;
}

/* The script that runs: that of the tool, TOOLS/NAME.d, or one of its folder: TOOLS/NAME/FILE.d; of a variant
 * TOOLS/NAME/VARIANT.d, TOOLS/NAME/FILE-VARIANT.d. */
static const char *expand_script(const struct expansion *x, struct arena *a)
{
	const char *path = x->t->path, *file = x->chosen ? x->chosen->text : "";
	const int stem = (int)strlen(file) - (int)strlen(".d");

	if (x->variant)
		file = stem > 0 ? arena_printf(a, "%.*s-%s.d", stem, file, x->variant) :
				  arena_printf(a, "%s.d", x->variant);
	return *file ? arena_printf(a, "%.*s/%s", (int)(strlen(path) - strlen(".d")), path, file) : path;
}

/* "dtr -s SCRIPT", what is passed on, and the script's arguments. */
static void expand_line(const struct command_line *l, struct tool_line *out)
{
	const struct expansion *x = l->self;

	*VEC_ADD(l->arena, &out->v) = l->passed.v[0];
	*VEC_ADD(l->arena, &out->v) = "-s";
	*VEC_ADD(l->arena, &out->v) = (char *)expand_script(x, l->arena);
	for (size_t i = 1; i < l->passed.n; i++)
		*VEC_ADD(l->arena, &out->v) = l->passed.v[i];
	*VEC_ADD(l->arena, &out->v) = "--";
	for (unsigned i = 0; i < x->ngiven; i++)
		*VEC_ADD(l->arena, &out->v) = (char *)(x->given[i] ? x->given[i] : "");
}

int tool_expand(const struct tool *t, struct cmd *c, int argc, char **argv, struct tool_line *out)
{
	const struct command command = tool_command(t, &c->arena, c->args.prog);
	struct expansion x = { .t = t };
	struct command_line l;

	*out = (struct tool_line){ .status = 2 };
	if (tool_check(t, c->args.prog) < 0)
		return -1;
	if (command_parse(&l, c, &command, &x, argc, argv)) {
		out->status = l.status;
		return -1;
	}
	if (check_operands(&l) < 0 || expand_processes(&l) < 0 || expand_picture(&l, out) < 0)
		return -1;
	expand_line(&l, out);
	return 0;
}
