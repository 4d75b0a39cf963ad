/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/dtr/tool.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/fill.h"
#include "base/json.h"
#include "base/word.h"
#include "cmd/dtr/args.h"
#include "cmd/dtr/picture_file.h"
#include "cmd/dtr/say.h"
#include "engine/dtr.h"

enum { LONG = 256, NARGS = 32 };

/* dtr's options that every tool takes. */
#define TOOL_LETTERS "p:c:o:O:x:n:s:b:d:elqSvVwZ"
/* Those with which no script runs. */
#define IDLE_LETTERS "delV"
/* Words of `means` besides words of dtr's command line. */
#define MEANS_ALL "all"
#define MEANS_SCRIPT "script "
#define PICTURE "PICTURE"
#define COMMAND "COMMAND"

/* ---- the comment ---- */

static const char *line_end(const char *s)
{
	return s + strcspn(s, "\n");
}

/* Returns the second comment of the file without its margin, or NULL. */
static const char *tool_comment(struct arena *a, const char *s)
{
	struct buf out = { 0 };
	const char *end, *text;

	s = strstr(s, "*/");
	s = s ? strstr(s, "/*") : NULL;
	end = s ? strstr(s, "*/") : NULL;
	if (!end)
		return NULL;
	for (s = line_end(s); s < end; s = line_end(s)) {
		s++;
		while (s < end && (*s == ' ' || *s == '\t'))
			s++;
		if (s >= end)
			break;
		s += *s == '*';
		s += *s == ' ';
		if (s < end) {
			buf_put(&out, s, line_end(s) - s);
			buf_putc(&out, '\n');
		}
	}
	text = out.failed ? NULL : arena_strdup(a, buf_str(&out));
	buf_free(&out);
	return text;
}

static bool means_something(const char *s)
{
	return *s == '$' || *s == '-' || !strncmp(s, MEANS_ALL, strlen(MEANS_ALL)) ||
	       !strncmp(s, MEANS_SCRIPT, strlen(MEANS_SCRIPT));
}

/* Parses a row "  -i PERIOD = $1	explanation", if the line is one. */
static void tool_row(struct tool *t, struct arena *a, const char *s, const char *end)
{
	struct tool_row r = { 0 };
	const char *eq = memmem(s, end - s, " = ", 3), *word, *means;
	size_t n;

	if (!isspace((unsigned char)*s) || !eq || !means_something(eq + 3))
		return;
	s += strspn(s, " \t");
	means = eq + 3;
	for (n = 0; means + n < end && means[n] != '\t' && strncmp(means + n, "  ", 2); n++)
		;
	r.means = arena_strndup(a, means, n);
	n = strcspn(s, " ");
	word = arena_strndup(a, s, n);
	if (*s == '-') {
		r.option = word;
		if (s + n < eq)
			r.value = arena_strndup(a, s + n + 1, eq - (s + n + 1));
	} else {
		r.optional = *s == '[';
		r.value = r.optional ? arena_strndup(a, s + 1, strcspn(s + 1, "]")) : word;
	}
	*VEC_ADD(a, &t->rows) = r;
}

static void tool_parse(struct tool *t, struct arena *a)
{
	const char *dash;

	for (const char *s = t->text; *s; s = line_end(s) + (*line_end(s) != '\0'))
		tool_row(t, a, s, line_end(s));
	dash = memmem(t->text, line_end(t->text) - t->text, " - ", 3);
	t->summary = dash ? arena_strndup(a, dash + 3, line_end(dash) - (dash + 3)) : "";
}

/* ---- finding ---- */

static bool tool_is_name(const char *s)
{
	return islower((unsigned char)*s) && s[strspn(s, "abcdefghijklmnopqrstuvwxyz0123456789_")] == '\0';
}

int tool_find(struct tool *t, struct arena *a, const char *share, const char *name)
{
	struct buf b = { 0 };
	int r;

	*t = (struct tool){ .name = name };
	if (!tool_is_name(name))
		return -ENOENT;
	t->path = arena_printf(a, "%s/tools/%s.d", share, name);
	r = buf_read_file(&b, t->path);
	if (r >= 0) {
		t->text = tool_comment(a, buf_str(&b));
		if (!t->text)
			t->text = "";
		tool_parse(t, a);
	}
	buf_free(&b);
	return r < 0 ? r : 0;
}

static int tool_is_script(const struct dirent *d)
{
	size_t n = strlen(d->d_name);

	return n > 2 && islower((unsigned char)*d->d_name) && !strcmp(d->d_name + n - 2, ".d");
}

int tool_names(struct arena *a, const char *share, const char ***names)
{
	struct dirent **found;
	int n = scandir(arena_printf(a, "%s/tools", share), &found, tool_is_script, alphasort);

	if (n < 0)
		return -errno;
	*names = arena_calloc(a, n + 1, sizeof **names);
	for (int i = 0; i < n; i++) {
		(*names)[i] = arena_strndup(a, found[i]->d_name, strlen(found[i]->d_name) - 2);
		free(found[i]);
	}
	free(found);
	return n;
}

static void tool_row_json(const char *name, const struct tool *t)
{
	struct buf b = { 0 };

	json_open(&b, '{');
	json_name(&b, "type");
	json_text(&b, "tool");
	json_name(&b, "name");
	json_text(&b, name);
	json_name(&b, "summary");
	json_text(&b, t->summary);
	json_close(&b, '}');
	puts(buf_str(&b));
	buf_free(&b);
}

int tool_list(struct arena *a, const char *share, bool json)
{
	const char **names = NULL;
	int n = tool_names(a, share, &names);

	for (int i = 0; i < n; i++) {
		struct tool t;

		if (tool_find(&t, a, share, names[i]) < 0)
			continue;
		if (json)
			tool_row_json(names[i], &t);
		else
			printf("%-12s %s\n", names[i], t.summary);
	}
	return n < 0 ? n : 0;
}

void tool_offer(struct arena *a, const char *share, struct word_near *near)
{
	const char **names = NULL;
	int n = tool_names(a, share, &names);

	for (int i = 0; i < n; i++)
		word_offer(near, names[i]);
}

void tool_unknown(struct arena *a, const char *share, const char *prog, const char *name)
{
	static const char *const own[] = { "record", "report", "merge", "diff", "serve", "stat", "kgmon", "help" };
	struct word_near near = { .word = name };

	tool_offer(a, share, &near);
	for (size_t i = 0; i < sizeof own / sizeof own[0]; i++)
		word_offer(&near, own[i]);
	say("%s: unknown tool '%s'", prog, name);
	if (access(name, R_OK) == 0 || (strlen(name) > 2 && !strcmp(name + strlen(name) - 2, ".d")))
		say("; to run a script: %s -s %s\n", prog, name);
	else if (near.best)
		say("%s\n", word_suggestion(a, &near));
	else
		say("; see %s -l --tools, or specify probes with -n, -s, -P, -m, -f or -i\n", prog);
}

/* ---- the command line ---- */

struct expansion {
	const struct tool *t;
	struct arena *a;
	const char *prog;
	const char *given[NARGS];	/* $1... by number */
	unsigned ngiven;
	unsigned operands;		/* seen so far */
	bool target;			/* -p or -c */
	bool all;			/* the option that means all processes */
	const char *script;		/* instead of the tool's own; or NULL */
	const char *chosen;		/* the option that chose it */
	const char *picture, *format;	/* the value of the row PICTURE, of -O; or NULL */
	bool idle;			/* an option with which nothing runs */
	bool quiet;			/* -q */
	struct tool_line *out;
};

static int expand_error(const struct expansion *x, const char *text)
{
	say("%s %s: %s (see %s %s -h)\n", x->prog, x->t->name, text, x->prog, x->t->name);
	return -1;
}

static void expand_add(struct expansion *x, const char *word)
{
	*VEC_ADD(x->a, &x->out->v) = (char *)word;
}

/* True if the value is one of "a|b|c". */
static bool expand_allowed(const char *words, const char *value)
{
	size_t n = strlen(value);

	if (!strchr(words, '|'))
		return true;
	for (const char *s = words; *s; s += s[strcspn(s, "|")] ? strcspn(s, "|") + 1 : strcspn(s, "|"))
		if (strcspn(s, "|") == n && !strncmp(s, value, n))
			return true;
	return false;
}

/* ---- values, by their names in the rows: return what the script gets for `text`, or NULL and the reason ---- */

/* As in vmstat(8), a number alone is seconds. */
static const char *value_period(struct arena *a, const char *text, char *reason, size_t n)
{
	const char *end = text + strspn(text, "0123456789");
	uint64_t ns;

	if (*text && !*end)
		text = arena_printf(a, "%ss", text);
	if (!strcasecmp(end, "hz")) {
		snprintf(reason, n, "expected a time such as 2 (seconds), 500ms, 1h");
		return NULL;
	}
	return dtr_interval(text, &ns, reason, n) < 0 ? NULL : text;
}

static const char *value_rate(struct arena *a, const char *text, char *reason, size_t n)
{
	uint64_t ns;

	(void)a;
	return dtr_interval(text, &ns, reason, n) < 0 ? NULL : text;
}

/* Scripts calculate with it. Times are unsigned, so a negative value would exceed them all. */
static const char *value_us(struct arena *a, const char *text, char *reason, size_t n)
{
	size_t digits = strspn(text, "0123456789");

	(void)a;
	snprintf(reason, n, "expected a number of microseconds");
	return digits && digits <= 15 && !text[digits] ? text : NULL;
}

static const char *value_pid(struct arena *a, const char *text, char *reason, size_t n)
{
	(void)a;
	snprintf(reason, n, "expected a process ID");
	return args_number(text, INT_MAX) > 0 ? text : NULL;
}

static const char *value_ns(struct arena *a, const char *text, char *reason, size_t n)
{
	const char *value = value_us(a, text, reason, n);

	snprintf(reason, n, "expected a number of nanoseconds");
	return value;
}

static const char *value_port(struct arena *a, const char *text, char *reason, size_t n)
{
	(void)a;
	snprintf(reason, n, "expected a number from 1 to 65535");
	return args_number(text, 65535) > 0 ? text : NULL;
}

/* Of rows, stacks, frames. trunc() takes 0 for all rows, and a negative number for the smallest ones. */
static const char *value_number(struct arena *a, const char *text, char *reason, size_t n)
{
	(void)a;
	snprintf(reason, n, "expected a number from 1 to %d", INT_MAX);
	return args_number(text, INT_MAX) > 0 ? text : NULL;
}

/* A number, or a name with or without SIG. */
static const char *value_signal(struct arena *a, const char *text, char *reason, size_t n)
{
	const char *name = strncasecmp(text, "SIG", 3) ? text : text + 3;

	for (int i = 1; i < NSIG; i++)
		if (sigabbrev_np(i) && !strcasecmp(name, sigabbrev_np(i)))
			return arena_printf(a, "%d", i);
	snprintf(reason, n, "expected a name such as TERM, or a number from 0 to %d", NSIG - 1);
	return args_number(text, NSIG - 1) >= 0 ? text : NULL;
}

static const struct {
	const char *name, *what;
	const char *(*check)(struct arena *a, const char *text, char *reason, size_t n);
} kinds[] = {
	{ "PERIOD", "period", value_period }, { "RATE", "rate", value_rate }, { "US", "time", value_us },
	{ "NS", "time", value_ns }, { "PID", "process", value_pid }, { "PORT", "port", value_port },
	{ "ROWS", "number of rows", value_number }, { "STACKS", "number of stacks", value_number },
	{ "DEPTH", "number of frames", value_number }, { "SIGNAL", "signal", value_signal },
};

/* NULL after a message. */
static const char *expand_value(const struct expansion *x, const char *name, const char *text)
{
	const char *value = text;
	char reason[160] = "";

	if (!expand_allowed(name, text)) {
		expand_error(x, arena_printf(x->a, "'%s' is not one of %s", text, name));
		return NULL;
	}
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		if (strcmp(name, kinds[i].name))
			continue;
		value = kinds[i].check(x->a, text, reason, sizeof reason);
		if (!value)
			expand_error(x, arena_printf(x->a, "invalid %s '%s': %s", kinds[i].what, text, reason));
	}
	return value;
}

/* Sets an argument of the script as "$1" or "$1=value" says; with `weak` only if it has none. */
static int expand_argument(struct expansion *x, const char *means, const char *value, bool weak)
{
	char *end;
	unsigned long i = strtoul(means + 1, &end, 10);

	if (!i || i > NARGS)
		return expand_error(x, arena_printf(x->a, "error in its script: %s", means));
	if (weak && x->given[i - 1])
		return 0;
	x->given[i - 1] = *end == '=' ? end + 1 : value;
	if (i > x->ngiven)
		x->ngiven = i;
	return 0;
}

/* The argument of a row "all $1=199", "" if it has none; NULL: it is another row. */
static const char *row_all(const struct tool_row *r)
{
	const size_t n = strlen(MEANS_ALL);

	return strncmp(r->means, MEANS_ALL, n) ? NULL : r->means + n + strspn(r->means + n, " ");
}

static int expand_script(struct expansion *x, const struct tool_row *r)
{
	if (x->script && strcmp(x->chosen, r->option))
		return expand_error(x, arena_printf(x->a, "%s cannot be combined with %s", x->chosen, r->option));
	x->script = r->means + strlen(MEANS_SCRIPT);
	x->chosen = r->option;
	return 0;
}

/* A word of a row: the name of its value, alone or after "=", is replaced by the value. */
static const char *expand_word(const struct expansion *x, const struct tool_row *r, const char *word, const char *value)
{
	const char *name = strchr(word, '=');

	name = name ? name + 1 : word;
	if (!r->value || strcmp(name, r->value))
		return word;
	return arena_printf(x->a, "%.*s%s", (int)(name - word), word, value);
}

/* Applies a row: sets an argument of the script, or adds words to the command line. */
static int expand_row(struct expansion *x, const struct tool_row *r, const char *value)
{
	char *words, *save;

	if (r->value) {
		value = expand_value(x, r->value, value);
		if (!value)
			return -1;
	}
	if (*r->means == '$')
		return expand_argument(x, r->means, value, false);
	if (row_all(r)) {
		x->all = true;
		return 0;
	}
	if (!strncmp(r->means, MEANS_SCRIPT, strlen(MEANS_SCRIPT))) {
		return expand_script(x, r);
	}
	if (r->value && !strcmp(r->value, PICTURE)) {
		x->picture = value;
		return 0;
	}
	words = arena_strdup(x->a, r->means);
	for (char *w = strtok_r(words, " ", &save); w; w = strtok_r(NULL, " ", &save))
		expand_add(x, expand_word(x, r, w, value));
	return 0;
}

/* The row of a command that may be written without -c, or NULL. */
static const struct tool_row *row_of_command(const struct tool *t)
{
	for (size_t i = 0; i < t->rows.n; i++)
		if (!t->rows.v[i].option && !strcmp(t->rows.v[i].value, COMMAND))
			return &t->rows.v[i];
	return NULL;
}

static bool is_target(const struct tool_row *r)
{
	return !strncmp(r->means, "-p ", 3);
}

/* Returns the number of words that it took, or -1 after a message. */
static int expand_operand(struct expansion *x, int count, char **words)
{
	const struct tool_row *command = row_of_command(x->t);
	unsigned n = 0;

	if (command && !x->target && words[0][strspn(words[0], "0123456789")]) {
		x->target = true;
		return expand_row(x, command, args_quoted(x->a, count, words)) < 0 ? -1 : count;
	}
	for (size_t i = 0; i < x->t->rows.n; i++) {
		const struct tool_row *r = &x->t->rows.v[i];

		if (r->option || r == command || n++ != x->operands)
			continue;
		if (x->target && is_target(r))
			break;
		x->operands++;
		return expand_row(x, r, words[0]) < 0 ? -1 : 1;
	}
	return expand_error(x, arena_printf(x->a, "unexpected argument '%s'", words[0]));
}

static int expand_lacks(const struct expansion *x, const char *what)
{
	const char *usage = strstr(x->t->text, "\nusage: ");

	say("%s %s: %s is missing\n", x->prog, x->t->name, what);
	if (usage)
		say("%.*s\n", (int)(line_end(usage + 1) - (usage + 1)), usage + 1);
	return -1;
}

static int expand_missing(struct expansion *x)
{
	unsigned n = 0;

	for (size_t i = 0; i < x->t->rows.n; i++) {
		const struct tool_row *r = &x->t->rows.v[i];
		bool target = is_target(r);

		if (r->option || n++ < x->operands || r->optional || (target && x->target))
			continue;
		return expand_lacks(x, target ? arena_printf(x->a, "%s or -c COMMAND", r->value) : r->value);
	}
	return 0;
}

static const struct tool_row *row_of_letter(const struct tool *t, int letter)
{
	for (size_t i = 0; i < t->rows.n; i++) {
		const char *o = t->rows.v[i].option;

		if (o && o[1] == letter && !o[2])
			return &t->rows.v[i];
	}
	return NULL;
}

/* The tool's own letters, and those of dtr that it does not use itself. All others are refused: their meaning in dtr
 * (another probe, a recording) is hardly what the user wants here. */
static const char *expand_letters(struct expansion *x)
{
	const char *own = TOOL_LETTERS;
	struct buf b = { 0 };
	const char *s;

	buf_puts(&b, "+:h");
	for (; *own; own += 1 + strspn(own + 1, ":"))
		if (!row_of_letter(x->t, *own))
			buf_put(&b, own, 1 + strspn(own + 1, ":"));
	for (size_t i = 0; i < x->t->rows.n; i++) {
		const struct tool_row *r = &x->t->rows.v[i];

		if (r->option && r->option[1] != '-')
			buf_printf(&b, "%c%s", r->option[1], r->value ? ":" : "");
	}
	s = arena_strdup(x->a, buf_str(&b));
	buf_free(&b);
	return s;
}

static const struct option *expand_longs(struct expansion *x)
{
	struct option *o = arena_calloc(x->a, x->t->rows.n + 2, sizeof *o), *at = o;

	*at++ = (struct option){ "help", no_argument, NULL, 'h' };
	for (size_t i = 0; i < x->t->rows.n; i++) {
		const struct tool_row *r = &x->t->rows.v[i];

		if (r->option && r->option[1] == '-')
			*at++ = (struct option){
				r->option + 2, r->value ? required_argument : no_argument, NULL, LONG + i,
			};
	}
	return o;
}

static int expand_help(const struct expansion *x)
{
	struct buf b = { 0 };

	fill_text(&b, x->t->text);
	buf_putc(&b, '\n');
	fill_text(&b, arena_printf(x->a, "These options of %s also work: -p -c -o -O -x -n -s -b -d -e -l -q -S -v -V "
				   "-w -Z. Rows with = $1 set that argument of the script. To change the tool, edit a "
				   "copy of %s and run it with %s -s.\n", x->prog, x->t->path, x->prog));
	fputs(buf_str(&b), stdout);
	buf_free(&b);
	return 1;
}

static int expand_option(struct expansion *x, int opt, char **argv)
{
	const struct tool_row *r = opt >= LONG ? &x->t->rows.v[opt - LONG] : row_of_letter(x->t, opt);
	char word[80];

	if (r)
		return expand_row(x, r, optarg);
	if (opt == 'h')
		return expand_help(x);
	if (opt == ':')
		return expand_error(x, optopt >= LONG || !optopt ?
				    arena_printf(x->a, "option %s needs a value", argv[optind - 1]) :
				    arena_printf(x->a, "option -%c needs a value", optopt));
	if (opt == '?')
		return expand_error(x, arena_printf(x->a, "unknown option %s", args_refused(argv, word, sizeof word)));
	x->target |= opt == 'p' || opt == 'c';
	x->idle |= strchr(IDLE_LETTERS, opt) != NULL;
	x->quiet |= opt == 'q';
	if (opt == 'O')
		x->format = optarg;
	expand_add(x, arena_printf(x->a, "-%c", opt));
	if (optarg)
		expand_add(x, optarg);
	return 0;
}

static int expand_all(struct expansion *x, int argc, char **argv)
{
	const char *letters = expand_letters(x);
	const struct option *longs = expand_longs(x);
	bool only = false;
	int r = 0;

	opterr = 0;
	optind = 0;		/* glibc: restart */
	for (int opt; !r;) {
		opt = only ? -1 : getopt_long(argc, argv, letters, longs, NULL);
		if (opt != -1) {
			r = expand_option(x, opt, argv);
			continue;
		}
		if (optind >= argc)
			break;
		only |= optind > 1 && !strcmp(argv[optind - 1], "--");
		r = expand_operand(x, argc - optind, argv + optind);
		optind += r;
		r = r < 0 ? r : 0;
	}
	optind = 0;
	return r ? r : expand_missing(x);
}

/* Applies the rows about all processes. */
static int expand_processes(struct expansion *x)
{
	int r = 0;

	for (size_t i = 0; !r && i < x->t->rows.n; i++) {
		const struct tool_row *row = &x->t->rows.v[i];
		const char *argument = row_all(row);

		if (!argument)
			continue;
		if (x->all && x->target)
			return expand_error(x, arena_printf(x->a, "%s cannot be combined with -p or -c", row->option));
		if (!x->target && !x->script && *argument == '$')
			r = expand_argument(x, argument, NULL, true);
	}
	return r;
}

static bool writes_picture(const struct tool *t)
{
	for (size_t i = 0; i < t->rows.n; i++)
		if (t->rows.v[i].value && !strcmp(t->rows.v[i].value, PICTURE))
			return true;
	return false;
}

/* Chooses the file and the format of the picture. */
static int expand_picture(struct expansion *x)
{
	const char *format = x->format ? x->format : x->picture ? picture_file_format(x->picture) : "html";

	if (!writes_picture(x->t) || x->idle)
		return 0;
	if (!format)
		return expand_error(x, arena_printf(x->a, "the ending of '%s' is not that of a picture: %s; or set -O",
						    x->picture, picture_file_endings(x->a)));
	if (!picture_file_name(x->a, "", format))
		return expand_error(x, arena_printf(x->a, "-O %s is not the format of a picture", format));
	expand_add(x, "-o");
	expand_add(x, x->picture ? x->picture : picture_file_name(x->a, x->t->name, format));
	expand_add(x, "-O");
	expand_add(x, format);
	x->out->picture = !x->quiet;
	return 0;
}

/* The path of a script that belongs to the tool: TOOLS/NAME/FILE. */
static const char *tool_other(struct arena *a, const struct tool *t, const char *file)
{
	return arena_printf(a, "%.*s/%s", (int)(strlen(t->path) - strlen(".d")), t->path, file);
}

int tool_expand(const struct tool *t, struct arena *a, int argc, char **argv, struct tool_line *out)
{
	const char *slash = strrchr(argv[0], '/');
	struct expansion x = { .t = t, .a = a, .prog = slash ? slash + 1 : argv[0], .out = out };
	int r;

	*out = (struct tool_line){ 0 };
	expand_add(&x, argv[0]);
	expand_add(&x, "-s");
	expand_add(&x, t->path);
	r = expand_all(&x, argc - 1, argv + 1);	/* argv[1], the tool's name, serves as the program's name */
	if (r || expand_processes(&x) < 0 || expand_picture(&x) < 0)
		return r ? r : -1;
	if (x.script)
		out->v.v[2] = (char *)tool_other(a, t, x.script);
	expand_add(&x, "--");
	for (unsigned i = 0; i < x.ngiven; i++)
		expand_add(&x, x.given[i] ? x.given[i] : "");
	return 0;
}
