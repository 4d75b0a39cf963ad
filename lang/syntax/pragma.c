/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Lines that begin with '#'. */
#include "lang/syntax/pragma.h"

#include <ctype.h>
#include <string.h>

#include "base/setting.h"
#include "lang/prelude.h"
#include "lang/syntax/declare.h"
#include "lang/syntax/depend.h"
#include "lang/syntax/parse.h"
#include "lang/syntax/pragma.h"

/* The words of a line. A word in double quotes may contain blanks. */
enum { PRAGMA_MAXWORDS = 8 };

struct pragma_words {
	const char *v[PRAGMA_MAXWORDS];
	unsigned n;
};

static void words_split(struct parser *p, struct pragma_words *w, const char *s, const char *end)
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

static bool is_fixed(const struct compiler *c, const char *name)
{
	for (const char *const *f = c->env.fixed; f && *f; f++)
		if (!strcmp(*f, name))
			return true;
	return false;
}

/* Applies an option immediately if it affects the text after it. Invalid values are reported later, with those of all
 * other options. */
static void option_apply(const struct parser *p, const char *name, const char *value)
{
	struct d_options *o = &p->c->opts;
	uint64_t v;

	if (is_fixed(p->c, name))
		return;
	if (!strcmp(name, "argdefaults") && value)
		o->argdefaults = value;
	else if (!strcmp(name, "defaultargs") && setting_bool(value ? value : "on", &v))
		o->defaultargs = v;
	else if (!strcmp(name, "strsize") && value && setting_size(value, &v) && v && v <= D_STRSIZE_MOST)
		o->strsize = d_strsize(v);
}

static void pragma_option(struct parser *p, const struct pragma_words *w)
{
	const char *name = w->v[3], *eq;
	struct pragma_option *o;

	if (w->n != 4) {
		parse_error(p, p->loc, D_PRAGMA_MALFORM, "#pragma D option takes one option, name or name=value");
		return;
	}
	eq = strchr(name, '=');
	o = VEC_ADD(p->a, &p->c->script->options);
	o->name = eq ? arena_strndup(p->a, name, eq - name) : name;
	o->value = eq ? eq + 1 : NULL;
	o->loc = p->loc;
	option_apply(p, o->name, o->value);
}

/* The source that a line marker names: the script's own, or an included file. */
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

/* # 12 "file" from the preprocessor, or #line 12 "file": the number of the next line. */
static void pragma_marker(struct parser *p, const struct pragma_words *w, unsigned first)
{
	const char *line = w->n > first ? w->v[first] : "";
	uint64_t n = 0;

	for (const char *s = line; isdigit((unsigned char)*s) && n < UINT32_MAX; s++)
		n = n * 10 + (unsigned)(*s - '0');
	if (!*line || line[strspn(line, "0123456789")] || n >= INT32_MAX) {
		parse_error(p, p->loc, D_PRAGMA_MALFORM, "malformed #line: a number is expected");
		return;
	}
	if (w->n > first + 1)
		p->from = marker_source(p, w->v[first + 1]);
	/* The newline was not read yet. Preprocessors use line 0 for text from no file; nothing of that text
	 * remains. */
	p->line = n ? (uint32_t)n - 1 : 0;
}

static void pragma_malformed(struct parser *p, const char *usage)
{
	parse_error(p, p->loc, D_PRAGMA_MALFORM, "malformed pragma; usage: #pragma D %s", usage);
}

static void pragma_depends(struct parser *p, const struct pragma_words *w)
{
	int met = w->n == 5 ? depend_met(p->c, w->v[3], w->v[4]) : -1;

	if (w->n != 5)
		pragma_malformed(p, "depends_on kind name");
	else if (met < 0)
		parse_error(p, p->loc, D_PRAGMA_INVAL,
			    "invalid class %s specified by #pragma: not library, module or provider",
			    w->v[3]);
	else if (!met && !p->c->opts.zdefs)
		parse_error(p, p->loc, D_PRAGMA_DEPEND, "program requires %s %s", w->v[3], w->v[4]);
}

/* Notes the identifier of attributes or of a binding. It must be the program's own, defined before or after this
 * line. */
static void pragma_names(struct parser *p, const char *pragma, const char *name)
{
	struct script *s = p->c->script;

	if (!strcmp(name, "translator"))
		return;
	if (builtin_named(name)) {
		parse_error(p, p->loc, D_PRAGMA_SCOPE,
			    "#pragma %s cannot modify entity defined outside program scope: %s", pragma,
			    name);
		return;
	}
	VEC_ADD(p->a, &s->named);
	s->named.v[s->named.n - 1].name = name;
	s->named.v[s->named.n - 1].pragma = pragma;
	s->named.v[s->named.n - 1].loc = p->loc;
}

void pragma_check_named(struct compiler *c)
{
	const struct script *s = c->script;

	for (size_t i = 0; i < s->named.n; i++) {
		const char *name = s->named.v[i].name;

		if (!map_gets(&s->vars, name) && !inline_find(c, name) && !type_lookup_script(&c->types, name))
			diag(c->diags, s->named.v[i].loc, D_PRAGMA_UNUSED, "unused #pragma %s: %s is not defined",
			     s->named.v[i].pragma, name);
	}
}

/* True if the text is one of these names, up to `last`. */
static bool is_stability(const char *s, size_t n, const char *(*name)(uint8_t), uint8_t last)
{
	for (uint8_t i = 0; i <= last; i++)
		if (strlen(name(i)) == n && !strncmp(name(i), s, n))
			return true;
	return false;
}

/* Name/Data/Class, for example Stable/Stable/Common. */
static bool is_attributes(const char *s)
{
	size_t a = strcspn(s, "/"), b = s[a] ? strcspn(s + a + 1, "/") : 0;

	if (!s[a] || !s[a + 1 + b])
		return false;
	return is_stability(s, a, stability_name, ST_STANDARD) && is_stability(s + a + 1, b, stability_name,
									       ST_STANDARD) &&
	       is_stability(s + a + b + 2, strlen(s + a + b + 2), stability_class_name, SC_COMMON);
}

static void pragma_attributes(struct parser *p, const struct pragma_words *w)
{
	static const char usage[] = "attributes name/data/class identifier, or provider name part";
	static const char *const parts[] = { "provider", "module", "function", "name", "args" };
	bool of_provider = w->n > 4 && !strcmp(w->v[4], "provider"), found = false;

	if (w->n != (of_provider ? 7 : 5)) {
		pragma_malformed(p, usage);
		return;
	}
	for (size_t i = 0; of_provider && i < sizeof parts / sizeof *parts; i++)
		found |= !strcmp(w->v[6], parts[i]);
	if (!is_attributes(w->v[3]))
		parse_error(p, p->loc, D_PRAGMA_INVAL, "invalid attributes %s specified by #pragma", w->v[3]);
	else if (of_provider && !found)
		parse_error(p, p->loc, D_PRAGMA_INVAL, "invalid component %s specified by #pragma", w->v[6]);
	else if (!of_provider)
		pragma_names(p, "attributes", w->v[4]);
}

static void pragma_binding(struct parser *p, const struct pragma_words *w)
{
	const char *v = w->n > 3 ? w->v[3] : "";
	size_t n = strspn(v, "0123456789");

	if (w->n != 5)
		pragma_malformed(p, "binding \"version\" identifier");
	else if (!n || v[n] != '.' || v[strspn(v, "0123456789.")] || !isdigit((unsigned char)v[n + 1]))
		parse_error(p, p->loc, D_PRAGMA_INVAL, "invalid version %s specified by #pragma", v);
	else
		pragma_names(p, "binding", w->v[4]);
}

static void pragma_error(struct parser *p, const struct pragma_words *w)
{
	struct buf b = { 0 };

	for (unsigned i = w->n > 1 && !strcmp(w->v[1], "D") ? 3 : 1; i < w->n; i++)
		buf_printf(&b, " %s", w->v[i]);
	parse_error(p, p->loc, D_PRAGERR, "#error:%s", buf_str(&b));
	buf_free(&b);
}

static void pragma_ignore(struct parser *p, const struct pragma_words *w)
{
	(void)p, (void)w;
}

static void pragma_line_d(struct parser *p, const struct pragma_words *w)
{
	pragma_marker(p, w, 3);
}

static void pragma_d(struct parser *p, const struct pragma_words *w)
{
	static const struct {
		const char *name;
		void (*fn)(struct parser *p, const struct pragma_words *w);
	} rows[] = {
		{ "attributes", pragma_attributes }, { "binding", pragma_binding }, { "depends_on", pragma_depends },
		{ "error", pragma_error }, { "ident", pragma_ignore }, { "line", pragma_line_d },
		{ "option", pragma_option },
	};
	const char *what = w->n > 2 ? w->v[2] : "";

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		if (!strcmp(what, rows[i].name)) {
			rows[i].fn(p, w);
			return;
		}
	}
	parse_error(p, p->loc, D_PRAGMA_INVAL, "invalid #pragma D: %s", *what ? what : "nothing follows");
}

static bool is_preprocessor(const char *word)
{
	static const char *const words[] = {
		"define", "undef", "include", "include_next", "import", "if", "ifdef", "ifndef", "elif", "else",
			"endif",
		"warning",
	};

	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (!strcmp(word, words[i]))
			return true;
	return false;
}

void pragma_line(struct parser *p, const char *text, size_t n)
{
	const char *hash = memchr(text, '#', n);
	struct pragma_words w = { .n = 0 };

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
	else if (!strcmp(w.v[0], "error"))
		pragma_error(p, &w);
	else if (is_preprocessor(w.v[0]))
		parse_error(p, p->loc, D_PRAGCTL_INVAL, "#%s is for the C preprocessor: use -C", w.v[0]);
	else if (strcmp(w.v[0], "pragma"))
		parse_error(p, p->loc, D_PRAGCTL_INVAL, "invalid control directive: #%s", w.v[0]);
	else if (w.n > 1 && !strcmp(w.v[1], "D"))
		pragma_d(p, &w);
	/* ignore other compilers' pragmas */
}
