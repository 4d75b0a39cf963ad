/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Lines that begin with '#'. */
#include <ctype.h>
#include <string.h>

#include "lang/depend.h"
#include "lang/parse.h"

/* The words of a line; one in double quotes may hold blanks. */
enum { PRAGMA_MAXWORDS = 8 };

struct words {
	const char *v[PRAGMA_MAXWORDS];
	unsigned n;
};

static void words_split(struct parser *p, struct words *w, const char *s, const char *end)
{
	while (w->n < PRAGMA_MAXWORDS) {
		const char *from;
		bool quoted;

		while (s < end && isspace((unsigned char)*s))
			s++;
		if (s == end)
			return;
		quoted = *s == '"';
		from = s += quoted;
		while (s < end && (quoted ? *s != '"' : !isspace((unsigned char)*s)))
			s++;
		w->v[w->n++] = arena_strndup(p->a, from, s - from);
		s += quoted && s < end;
	}
}

static void pragma_option(struct parser *p, const struct words *w)
{
	struct script *script = p->c->script;
	const char *name = w->v[3], *eq;

	if (w->n != 4) {
		parse_error(p, p->loc, D_PRAGMA_INVAL, "#pragma D option wants one option, name or name=value");
		return;
	}
	eq = strchr(name, '=');
	VEC_ADD(p->a, &script->options);
	script->options.v[script->options.n - 1].name = eq ? arena_strndup(p->a, name, eq - name) : name;
	script->options.v[script->options.n - 1].value = eq ? eq + 1 : NULL;
	script->options.v[script->options.n - 1].loc = p->loc;
	/* The one option that decides about the text behind it. Values are the engine's business: any that could mean
	 * "on" will do here. */
	if (!strncmp(name, "defaultargs", 11) && (!eq || (eq - name == 11 && !strchr("0nfdu", eq[1]) && strcmp(eq, "=off"))))
		p->c->opts.defaultargs = true;
}

/* Pragmas that change nothing here: their arguments are only counted. */
static const struct {
	const char *name;
	unsigned min, max;	/* words, "pragma D NAME" included */
	const char *usage;
} ignored[] = {
	{ "attributes", 5, 5, "#pragma D attributes class identifier" },
	{ "binding", 5, 5, "#pragma D binding \"version\" identifier" },
	{ "error", 3, PRAGMA_MAXWORDS, "#pragma D error text" },
	{ "ident", 3, PRAGMA_MAXWORDS, "#pragma D ident text" },
};

static void pragma_depends(struct parser *p, const struct words *w)
{
	int met = w->n == 5 ? depend_met(p->c, w->v[3], w->v[4]) : -1;

	if (w->n != 5)
		parse_error(p, p->loc, D_PRAGMA_INVAL, "malformed pragma; it is written: #pragma D depends_on kind name");
	else if (met < 0)
		parse_error(p, p->loc, D_PRAGMA_INVAL, "#pragma D depends_on: %s is not library, module or provider", w->v[3]);
	else if (!met && !p->c->opts.zdefs)
		parse_error(p, p->loc, D_PRAGMA_DEPEND, "program requires %s %s", w->v[3], w->v[4]);
}

static void pragma_d(struct parser *p, const struct words *w)
{
	const char *what = w->n > 2 ? w->v[2] : "";

	if (!strcmp(what, "option")) {
		pragma_option(p, w);
		return;
	}
	if (!strcmp(what, "depends_on")) {
		pragma_depends(p, w);
		return;
	}
	for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++) {
		if (strcmp(what, ignored[i].name))
			continue;
		if (w->n < ignored[i].min || w->n > ignored[i].max)
			parse_error(p, p->loc, D_PRAGMA_INVAL, "malformed pragma; it is written: %s", ignored[i].usage);
		else if (!strcmp(what, "error"))
			parse_error(p, p->loc, D_PRAGMA_INVAL, "#pragma D error: %s", w->n > 3 ? w->v[3] : "");
		return;
	}
	parse_error(p, p->loc, D_PRAGMA_INVAL, "invalid #pragma D: %s", *what ? what : "nothing follows");
}

/* Whose lines the marker's file is: the script's own, or a file's that it includes. */
static const struct source *marker_source(struct parser *p, const char *name)
{
	struct source *s;

	if (!strcmp(name, "<stdin>") || (p->src->name && !strcmp(name, p->src->name)))
		return p->src->shown ? p->src->shown : p->src;
	for (size_t i = 0; i < p->included.n; i++)
		if (!strcmp(p->included.v[i]->name, name))
			return p->included.v[i];
	s = arena_alloc(p->a, sizeof *s);
	s->name = name;
	s->text = "";
	s->of = p->src;
	*VEC_ADD(p->a, &p->included) = s;
	return s;
}

/* # 12 "file", as the preprocessor leaves it, or #line 12 "file": the next line is that one. */
static void pragma_marker(struct parser *p, const struct words *w, unsigned first)
{
	const char *line = w->n > first ? w->v[first] : "";
	uint64_t n = 0;

	for (const char *s = line; isdigit((unsigned char)*s) && n < UINT32_MAX; s++)
		n = n * 10 + (unsigned)(*s - '0');
	if (!*line || line[strspn(line, "0123456789")] || n >= INT32_MAX) {
		parse_error(p, p->loc, D_PRAGCTL_INVAL, "malformed #line: a number belongs there");
		return;
	}
	if (w->n > first + 1)
		p->from = marker_source(p, w->v[first + 1]);
	p->line = (uint32_t)n - 1;	/* the newline is still to come */
}

static bool is_preprocessor(const char *word)
{
	static const char *const words[] = {
		"define", "undef", "include", "include_next", "import", "if", "ifdef", "ifndef", "elif", "else", "endif",
		"error", "warning",
	};

	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (!strcmp(word, words[i]))
			return true;
	return false;
}

void pragma_line(struct parser *p, const char *text, size_t n)
{
	const char *hash = memchr(text, '#', n);
	struct words w = { .n = 0 };

	p->used = true;
	if (p->loc.line == 1 && n > 1 && text[0] == '#' && text[1] == '!')
		return;
	words_split(p, &w, hash + 1, text + n);
	if (!w.n || !strcmp(w.v[0], "ident"))
		return;
	if (isdigit((unsigned char)*w.v[0]))
		pragma_marker(p, &w, 0);
	else if (!strcmp(w.v[0], "line"))
		pragma_marker(p, &w, 1);
	else if (is_preprocessor(w.v[0]))
		parse_error(p, p->loc, D_PRAGCTL_INVAL, "#%s is for the C preprocessor: use -C", w.v[0]);
	else if (strcmp(w.v[0], "pragma"))
		parse_error(p, p->loc, D_PRAGCTL_INVAL, "invalid control directive: #%s", w.v[0]);
	else if (w.n > 1 && !strcmp(w.v[1], "D"))
		pragma_d(p, &w);
	/* what other compilers' pragmas say is theirs */
}
