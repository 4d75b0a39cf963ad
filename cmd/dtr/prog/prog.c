/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* `dtr prog`: profiles of procedures, lines and variables. Makes the script (script.h) and the words for dtr. */
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "cmd/dtr/child.h"
#include "cmd/dtr/cmd.h"
#include "cmd/dtr/command.h"
#include "cmd/dtr/prog/cost.h"
#include "cmd/dtr/prog/script.h"

/* The formats of profiles; text: the script's own. */
static const struct {
	const char *word, *format;
} formats[] = {
	{ "text", "tables" }, { "html", "annotated" }, { "json", "json" }, { "lcov", "lcov" },
	{ "callgrind", "callgrind" },
};

struct prog {
	struct prog_want want;
	VEC(char *) sources;		/* of --source */
	const char *save, *format;
	bool chosen, sum, script, in_mode;
};

/* The words of a mode file. Lines that begin with # are comments. NULL after a message. */
static char **mode_words(struct command_line *l, const char *path)
{
	struct buf file = { 0 }, text = { 0 };
	int r = buf_read_file(&file, path);
	char **words = NULL;

	for (const char *s = buf_str(&file), *end; !r && *s; s = end + (*end != '\0')) {
		end = s + strcspn(s, "\n");
		if (*s != '#')
			buf_put(&text, s, (size_t)(end - s) + (*end != '\0'));
	}
	if (r < 0)
		command_failed(l, "failed to read %s: %s", path, strerror(-r));
	else
		words = child_words(l->arena, arena_printf(l->arena, "%s %s", path, buf_str(&text)));
	if (!r && !words)
		command_failed(l, "%s: unterminated quote", path);
	buf_free(&file);
	buf_free(&text);
	return words;
}

static int read_mode(struct command_line *l, const char *path)
{
	struct prog *p = l->self;
	const int at = optind;
	char **words;
	int n = 0, r;

	if (p->in_mode)
		return command_misused(l, "--mode in a mode file");
	words = mode_words(l, path);
	while (words && words[n])
		n++;
	p->in_mode = true;
	r = words ? command_parse_more(l, n, words) : -1;
	p->in_mode = false;
	optind = at;
	return r;
}

static int set_kind(struct command_line *l, const char *value)
{
	struct prog *p = l->self;

	(void)value;
	if (p->chosen && p->want.kind != (enum prog_kind)l->option->code)
		return command_misused(l, "only one of --procs, --lines, --vars can be measured at a time");
	p->chosen = true;
	p->want.kind = (enum prog_kind)l->option->code;
	return 0;
}

static int set_format(struct command_line *l, const char *word)
{
	struct prog *p = l->self;

	for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
		if (!strcmp(formats[i].word, word)) {
			p->format = formats[i].format;
			return 0;
		}
	return command_misused(l, "-O %s is not a format of profiles: text, html, json, lcov, callgrind", word);
}

static int add_object(struct command_line *l, const char *value)
{
	struct prog *p = l->self;

	*VEC_ADD(l->arena, &p->want.objects) = value;
	return 0;
}

static int add_block(struct command_line *l, const char *value)
{
	struct prog *p = l->self;

	*VEC_ADD(l->arena, &p->want.blocks) = value;
	return 0;
}

static int add_source(struct command_line *l, const char *value)
{
	struct prog *p = l->self;

	*VEC_ADD(l->arena, &p->sources) = arena_printf(l->arena, "sourcedir=%s", value);
	return 0;
}

/* For dtr's own use: what `dtr prog` measures the cost of. */
static int run_cost(struct command_line *l, const char *value)
{
	(void)l, (void)value;
	prog_cost_run();
	return 1;
}

static const struct command_option options[] = {
	{ 0, "procs", NULL, "procedures: calls, CPU time in total and without the procedures that they call (the "
	  "default)", .set = set_kind, .code = PROG_PROCS },
	{ 0, "lines", NULL, "source lines: executions", .set = set_kind, .code = PROG_LINES },
	{ 0, "times", NULL, "with --lines: CPU time, too; this takes longer", OPTION_IS_FLAG(struct prog, want.times) },
	{ 0, "vars", NULL, "variables: accesses, changes, smallest and largest value", .set = set_kind,
	  .code = PROG_VARS },
	{ 0, "object", "SPEC", "measure this; can be repeated: FUNCTION, MODULE:FUNCTION; lines: FILE, FILE:LINE",
	  .set = add_object },
	{ 0, "block", "FILE:FIRST-LAST", "a block of lines; can be repeated", .set = add_block },
	{ 0, "from", "WHERE", OPTION_IS_TEXT(struct prog, want.from), .joins = true },
	{ 0, "to", "WHERE", "measure only in between: FUNCTION, FILE:LINE or a probe, then /CONDITION/",
	  OPTION_IS_TEXT(struct prog, want.to) },
	{ 0, "mode", "FILE", "read options from a file, too", .set = read_mode, .kind = VALUE_FILE },
	{ 'o', NULL, "FILE", "save the profile; added to what the file has already", OPTION_IS_TEXT(struct prog, save),
	  .kind = VALUE_FILE },
	{ 0, "sum", NULL, "print the sum of saved profiles", OPTION_IS_FLAG(struct prog, sum) },
	{ 'O', NULL, "FORMAT", "text, html (with sources; --source DIR: where they are), json, lcov, callgrind",
	  .set = set_format, .kind = VALUE_FORMAT },
	{ 0, "source", "DIRECTORY", .set = add_source, .kind = VALUE_FILE },
	{ 0, "net", NULL, "procedures: subtract the cost of the probes from the times",
	  OPTION_IS_FLAG(struct prog, want.net) },
	{ 0, "script", NULL, "print the D script instead of running it", OPTION_IS_FLAG(struct prog, script) },
	{ 0, PROG_COST_OPTION, .set = run_cost },
	{ 0 },
};

static int prog_check(const struct command_line *l)
{
	const struct prog *p = l->self;

	if (p->sources.n && (!p->format || strcmp(p->format, "annotated")))
		return command_misused(l, "--source needs -O html");
	if (p->sum)
		return l->operands.n ? 0 : command_misused(l, "--sum needs files");
	if (l->operands.n)
		return command_misused(l, "unexpected argument '%s'", l->operands.v[0]);
	if (!l->target && !p->script)
		return command_misused(l, "-p PID or -c COMMAND is missing");
	if (p->want.blocks.n && p->want.kind != PROG_LINES)
		return command_misused(l, "--block needs --lines");
	if (p->want.times && p->want.kind != PROG_LINES)
		return command_misused(l, "--times needs --lines; procedures always have times");
	if (p->format && !strcmp(p->format, "lcov") && p->want.kind != PROG_LINES)
		return command_misused(l, "-O lcov needs --lines");
	if (p->format && !strcmp(p->format, "callgrind") && p->want.kind == PROG_VARS)
		return command_misused(l, "-O callgrind has no variables");
	if (p->want.net && p->want.kind != PROG_PROCS)
		return command_misused(l, "--net needs --procs");
	if (p->want.kind == PROG_VARS && !p->want.objects.n)
		return command_misused(l, "--vars needs --object");
	return 0;
}

/* If the cost is only shown, the profile can do without it. */
static int measure_cost(const struct command_line *l)
{
	struct prog *p = l->self;
	int r;

	if (p->want.kind != PROG_PROCS || p->script)
		return 0;
	r = prog_cost_measure(&p->want.cost, l->arena, l->prog, l->share, !p->want.net);
	return p->want.net ? r : 0;
}

static void pass_cost(struct command_line *l)
{
	const struct prog *p = l->self;
	const struct prog_cost *c = &p->want.cost;
	const int64_t ns[] = { prog_cost_call(c), c->entry, c->returns, c->replaced, c->copied };

	for (size_t i = 0; ns[0] && i < (p->want.net ? sizeof ns / sizeof *ns : 1); i++)
		command_pass(l, arena_printf(l->arena, "%" PRId64, ns[i]));
}

/* Adds up files, as `dtr merge` does. */
static int run_sum(struct command_line *l)
{
	const struct command *merge = command_find("merge");
	const struct prog *p = l->self;
	VEC(char *) v = { 0 };

	*VEC_ADD(l->arena, &v) = l->passed.v[0];
	*VEC_ADD(l->arena, &v) = (char *)merge->name;
	*VEC_ADD(l->arena, &v) = "-O";
	*VEC_ADD(l->arena, &v) = (char *)(p->format ? p->format : "tables");
	for (size_t i = 0; i < p->sources.n; i++) {
		*VEC_ADD(l->arena, &v) = "-x";
		*VEC_ADD(l->arena, &v) = p->sources.v[i];
	}
	if (p->save) {
		*VEC_ADD(l->arena, &v) = "-o";
		*VEC_ADD(l->arena, &v) = (char *)p->save;
	}
	*VEC_ADD(l->arena, &v) = "--";
	for (size_t i = 0; i < l->operands.n; i++)
		*VEC_ADD(l->arena, &v) = l->operands.v[i];
	*VEC_ADD(l->arena, &v) = NULL;
	return merge->run(l->cmd, merge, (int)v.n - 1, v.v);
}

static int run_script(struct command_line *l)
{
	const struct prog *p = l->self;
	const char *text;

	if (measure_cost(l) < 0)
		return 2;
	text = prog_script(l->arena, l->prog, l->share, &p->want);
	if (!text)
		return 2;
	if (p->script)
		return cmd_print(l->cmd, text);
	if (p->format)
		command_pass_option(l, "-x", arena_printf(l->arena, "oformat=%s", p->format));
	if (p->save) {
		command_pass_option(l, "-x", arena_printf(l->arena, "aggsave=%s", p->save));
		command_pass_option(l, "-x", "aggadd");
	}
	for (size_t i = 0; i < p->sources.n; i++)
		command_pass_option(l, "-x", p->sources.v[i]);
	pass_cost(l);
	return cmd_script(l->cmd, l, text);
}

static int prog_main(struct cmd *c, const struct command *self, int argc, char **argv)
{
	struct prog p = { .sum = false };
	struct command_line l;

	if (command_parse(&l, c, self, &p, argc, argv))
		return l.status;
	if (prog_check(&l))
		return 2;
	return p.sum ? run_sum(&l) : run_script(&l);
}

const struct command command_prog = {
	.name = "prog", .summary = "the profile of a program: procedures, lines or variables", .tool = true,
	.usage = "[--procs|--lines|--vars] [--object SPEC]... [-o FILE] {-p PID | -c COMMAND} | --sum FILE...",
	.options = options, .passes = "p:c:x:qvZ", .operands = true, .run = prog_main,
};
