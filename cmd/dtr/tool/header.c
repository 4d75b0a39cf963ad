/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/dtr/tool/header.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

struct header_parser {
	struct arena *a;
	struct tool_header *out;
	const struct source *script;
	struct diag *fault;
	uint32_t number;		/* of the line */
	const char *line, *at, *end;	/* at: what is not parsed yet */
	const char *word;		/* where the last word began */
	const char **text;		/* that a line "more" continues; NULL: none */
};

static int header_fault(struct header_parser *p, const char *at, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	*p->fault = (struct diag){
		.tag = D_PRAGMA_MALFORM, .text = arena_vprintf(p->a, fmt, ap),
		.loc = { p->script, p->number, (uint32_t)(at - p->line) + 1 },
	};
	va_end(ap);
	return -1;
}

/* ---- words and texts ---- */
static void skip_blanks(struct header_parser *p)
{
	while (p->at < p->end && isspace((unsigned char)*p->at))
		p->at++;
}

/* The next word, "" at the end of the line and before a text in quotes. */
static const char *next_word(struct header_parser *p)
{
	skip_blanks(p);
	p->word = p->at;
	while (p->at < p->end && *p->at != '"' && !isspace((unsigned char)*p->at))
		p->at++;
	return arena_strndup(p->a, p->word, (size_t)(p->at - p->word));
}

static bool has_text(struct header_parser *p)
{
	skip_blanks(p);
	return p->at < p->end && *p->at == '"';
}

/* NULL after an error. */
static const char *next_text(struct header_parser *p)
{
	const char *from, *text;
	struct buf b = { 0 };

	if (!has_text(p)) {
		header_fault(p, p->at, "expected a text in double quotes");
		return NULL;
	}
	from = p->at++;
	while (p->at < p->end && *p->at != '"') {
		p->at += *p->at == '\\' && p->at + 1 < p->end;
		buf_putc(&b, *p->at++);
	}
	text = arena_strdup(p->a, buf_str(&b));
	buf_free(&b);
	if (p->at == p->end) {
		header_fault(p, from, "unterminated text");
		return NULL;
	}
	p->at++;
	return text;
}

/* ---- options and operands ---- */
static int parse_name(struct header_parser *p, struct tool_row *r)
{
	const char *word = next_word(p);
	const bool is_long = !strncmp(word, "--", 2);
	const char *name = word + (is_long ? 2 : *word == '-');

	if (name == word || !isalnum((unsigned char)*name) || (!is_long && name[1]))
		return header_fault(p, p->word, "expected the name of an option, -L or --WORD");
	if (!strcmp(word, "-h") || !strcmp(word, "--help"))
		return header_fault(p, p->word, "%s prints the help", word);
	for (size_t i = 0; i < p->out->rows.n; i++) {
		const struct tool_row *other = &p->out->rows.v[i];

		if (is_long ? other->name && !strcmp(other->name, name) : other->letter == *name)
			return header_fault(p, p->word, "option %s is there twice", word);
	}
	if (is_long)
		r->name = name;
	else
		r->letter = *name;
	return 0;
}

/* "$2", "$2=1" */
static int parse_argument(struct header_parser *p, struct tool_row *r, const char *word)
{
	char *end;
	unsigned long number = *word == '$' ? strtoul(word + 1, &end, 10) : 0;

	if (!number || number > TOOL_ARGUMENTS || (*end && *end != '='))
		return header_fault(p, p->word, "expected an argument of the script, $1 to $%d", TOOL_ARGUMENTS);
	r->argument = (unsigned)number;
	r->text = *end ? end + 1 : NULL;
	return 0;
}

static int parse_effect_argument(struct header_parser *p, struct tool_row *r)
{
	const char *word = arena_strndup(p->a, p->word, (size_t)(p->at - p->word));

	if (parse_argument(p, r, word) < 0)
		return -1;
	if (!r->kind && !r->text)
		return header_fault(p, p->word, "an option without a value needs that of the argument: %s=1", word);
	return 0;
}

static int parse_effect_pass(struct header_parser *p, struct tool_row *r)
{
	r->text = next_text(p);
	return r->text ? 0 : -1;
}

static int parse_effect_target(struct header_parser *p, struct tool_row *r)
{
	if (!r->kind || (r->kind->completed != VALUE_PID && r->kind->completed != VALUE_COMMAND))
		return header_fault(p, p->word, "target needs a value of kind pid or command");
	return 0;
}

static int parse_effect_all(struct header_parser *p, struct tool_row *r)
{
	const char *word = next_word(p);

	return *word ? parse_argument(p, r, word) : 0;
}

static int parse_effect_script(struct header_parser *p, struct tool_row *r)
{
	r->text = next_word(p);
	return *r->text ? 0 : header_fault(p, p->word, "expected the file of a script");
}

static int parse_effect_variant(struct header_parser *p, struct tool_row *r)
{
	r->text = next_word(p);
	return *r->text ? 0 : header_fault(p, p->word, "expected the name of a variant");
}

static int parse_effect_picture(struct header_parser *p, struct tool_row *r)
{
	return r->kind ? 0 : header_fault(p, p->word, "picture needs a value");
}

static const struct {
	const char *word;		/* "$": whatever follows */
	enum tool_effect effect;
	int (*parse)(struct header_parser *p, struct tool_row *r);
} effects[] = {
	{ "$", TOOL_ARGUMENT, parse_effect_argument }, { "pass", TOOL_PASS, parse_effect_pass },
	{ "target", TOOL_TARGET, parse_effect_target }, { "all", TOOL_ALL, parse_effect_all },
	{ "script", TOOL_SCRIPT, parse_effect_script }, { "variant", TOOL_VARIANT, parse_effect_variant },
	{ "picture", TOOL_PICTURE, parse_effect_picture },
};
enum { NEFFECTS = sizeof effects / sizeof *effects };

/* The number of the effect that the word names; NEFFECTS: it is none. */
static size_t effect_find(const char *word)
{
	size_t i = 0;

	while (i < NEFFECTS && (*word == '$' ? *effects[i].word != '$' : strcmp(effects[i].word, word) != 0))
		i++;
	return i;
}

/* "period", "text:NAME", "one|two", "[command]" */
static int parse_value(struct header_parser *p, struct tool_row *r, const char *word)
{
	struct word_near near = { .word = word };
	const char *kind;
	size_t n = strlen(word);

	r->optional = tool_row_is_operand(r) && n > 2 && word[0] == '[' && word[n - 1] == ']';
	if (r->optional)
		word = arena_strndup(p->a, word + 1, n - 2);
	kind = near.word = arena_strndup(p->a, word, strcspn(word, ":"));
	r->kind = tool_kind_find(kind);
	if (!r->kind) {
		tool_kind_offer(&near);
		for (size_t i = 0; i < NEFFECTS; i++)
			word_offer(&near, effects[i].word);
		return header_fault(p, p->word, "'%s' is neither a kind of value nor an effect%s", kind,
				    word_suggestion(p->a, &near));
	}
	r->shown = word[strlen(kind)] ? word + strlen(kind) + 1 : r->kind->shown ? r->kind->shown : kind;
	return 0;
}

/* The value, the effect and the help. */
static int parse_row(struct header_parser *p, struct tool_row *r)
{
	const char *word = next_word(p);
	size_t effect = effect_find(word);

	if (effect == NEFFECTS && *word) {
		if (parse_value(p, r, word) < 0)
			return -1;
		word = next_word(p);
		effect = effect_find(word);
	}
	if (effect == NEFFECTS)
		return header_fault(p, p->word,
				    "expected an effect: $1, pass, target, all, script, variant or picture");
	if (tool_row_is_operand(r) && !r->kind)
		return header_fault(p, p->word, "an operand needs a kind of value");
	r->effect = effects[effect].effect;
	if (effects[effect].parse(p, r) < 0)
		return -1;
	r->help = has_text(p) ? next_text(p) : "";
	if (!r->help)
		return -1;
	*VEC_ADD(p->a, &p->out->rows) = *r;
	p->text = &p->out->rows.v[p->out->rows.n - 1].help;
	return 0;
}

static int parse_option(struct header_parser *p)
{
	struct tool_row r = { .argument = 0 };

	return parse_name(p, &r) < 0 ? -1 : parse_row(p, &r);
}

static int parse_operand(struct header_parser *p)
{
	struct tool_row r = { .argument = 0 };

	return parse_row(p, &r);
}

/* ---- texts of the help ---- */
static int parse_text(struct header_parser *p, const char **text)
{
	*text = next_text(p);
	p->text = text;
	return *text ? 0 : -1;
}

static int parse_tool(struct header_parser *p)
{
	return parse_text(p, &p->out->summary);
}

static int parse_usage(struct header_parser *p)
{
	return parse_text(p, &p->out->usage);
}

static int parse_about(struct header_parser *p)
{
	return parse_text(p, VEC_ADD(p->a, &p->out->about));
}

static int parse_more(struct header_parser *p)
{
	const char *text;

	if (!p->text)
		return header_fault(p, p->word, "there is no text before it");
	text = next_text(p);
	if (!text)
		return -1;
	*p->text = arena_printf(p->a, "%s %s", *p->text, text);
	return 0;
}

/* ---- lines ---- */
static int parse_line(struct header_parser *p)
{
	static const struct {
		const char *word;
		int (*parse)(struct header_parser *p);
	} rows[] = {
		{ "tool", parse_tool }, { "usage", parse_usage }, { "about", parse_about }, { "option", parse_option },
		{ "operand", parse_operand }, { "more", parse_more },
	};
	const char *word = next_word(p);

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		if (strcmp(rows[i].word, word))
			continue;
		if (rows[i].parse(p) < 0)
			return -1;
		skip_blanks(p);
		return p->at == p->end ? 0 : header_fault(p, p->at, "unexpected text at the end of the line");
	}
	return header_fault(p, p->word, "expected tool, usage, about, option, operand or more");
}

bool tool_row_is_operand(const struct tool_row *r)
{
	return !r->letter && !r->name;
}

int tool_header_parse(struct tool_header *h, struct arena *a, const struct source *script, struct diag *fault)
{
	static const char begins[] = "#pragma dtr";
	struct header_parser p = { .a = a, .out = h, .script = script, .fault = fault };

	*h = (struct tool_header){ .summary = "", .usage = "" };
	for (p.line = script->text; *p.line; p.line = p.end + (*p.end != '\0')) {
		p.end = p.line + strcspn(p.line, "\n");
		p.number++;
		p.at = p.line + sizeof begins - 1;
		if (strncmp(p.line, begins, sizeof begins - 1) || !isspace((unsigned char)*p.at))
			continue;
		if (parse_line(&p) < 0)
			return -1;
	}
	return 0;
}
