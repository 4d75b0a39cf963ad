/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Decisions of the scanner that need more than a pattern: the kind of a word, the end of an item, which '/' ends a
 * predicate. They look ahead in the source text.
 */
#include "lang/syntax/scan.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "lang/prelude.h"
#include "lang/syntax/clause.h"
#include "lang/syntax/decl.h"
#include "lang/syntax/declare.h"
#include "lang/syntax/gram.h"
#include "lang/syntax/literal.h"
#include "lang/syntax/macro.h"
#include "lang/syntax/parse.h"

void scan_advance(struct parser *p, const char *text, size_t n)
{
	p->start = p->pos;
	p->loc = (struct loc){ p->from, p->line, p->col };
	p->pos += n;
	for (size_t i = 0; i < n; i++) {
		p->col++;
		if (text[i] == '\n') {
			p->line++;
			p->col = 1;
		}
	}
}

void scan_back(struct parser *p)
{
	p->pos = p->start;
	p->col = p->loc.col;
}

void scan_note(struct parser *p, int token)
{
	if (compile_full(p->c, p->loc))
		p->stop = true;
	if (token == '=')
		p->init = true;
	else if (token == ';' || token == '{' || token == '}' || token == TOK_ITEM_SEMI || token == TOK_BODY_CLOSE)
		p->init = false;
	p->prev2 = p->prev;
	p->prev = token;
}

/* ---- lookahead ---- */

static int text_at(const struct parser *p, size_t pos)
{
	return pos < p->src->len ? (unsigned char)p->src->text[pos] : 0;
}

static bool is_word_start(int c)
{
	return isalpha(c) || c == '_';
}

/* The first position, from `pos` on, that is neither blank nor comment. */
static size_t text_skip(const struct parser *p, size_t pos)
{
	const char *text = p->src->text, *end = text + p->src->len;

	for (;;) {
		int c = text_at(p, pos), next = text_at(p, pos + 1);
		const char *to;

		if (c && strchr(" \t\r\n\v\f", c)) {
			pos++;
			continue;
		}
		if (c != '/' || (next != '/' && next != '*'))
			return pos;
		if (next == '/')
			to = memchr(text + pos, '\n', end - text - pos);
		else
			to = memmem(text + pos + 2, end - text - pos - 2, "*/", 2);
		if (!to)
			return p->src->len;
		pos = to - text + (next == '*' ? 2 : 0);
	}
}

static size_t skip_word(const struct parser *p, size_t pos)
{
	while (is_word_start(text_at(p, pos)) || isdigit(text_at(p, pos)))
		pos++;
	return pos;
}

/* ---- words ---- */

/* Properties of a word: it starts a declaration, needs loops or switches, or is reserved in D. */
enum { K_DECL = 1, K_NOLOOP = 2, K_RESERVED = 4 };

static const struct keyword {
	const char *name;
	int token;
	int value;
	unsigned flags;
} keywords[] = {	/* in alphabetical order */
	{ "auto", TOK_STORAGE, STORE_AUTO, K_DECL },
	{ "break", TOK_RESERVED, 0, K_NOLOOP },
	{ "case", TOK_RESERVED, 0, K_NOLOOP },
	{ "char", TOK_WORD, W_CHAR, K_DECL },
	{ "const", TOK_QUALIFIER, W_QUALIFIER, K_DECL },
	{ "continue", TOK_RESERVED, 0, K_NOLOOP },
	{ "counter", TOK_RESERVED, 0, K_RESERVED },
	{ "default", TOK_RESERVED, 0, K_NOLOOP },
	{ "do", TOK_DO, 0, K_NOLOOP },
	{ "double", TOK_WORD, W_DOUBLE, K_DECL },
	{ "else", TOK_ELSE, 0, 0 },
	{ "enum", TOK_ENUM, 0, K_DECL },
	{ "extern", TOK_STORAGE, STORE_EXTERN, K_DECL },
	{ "float", TOK_WORD, W_FLOAT, K_DECL },
	{ "for", TOK_LOOP, 0, K_NOLOOP },
	{ "goto", TOK_RESERVED, 0, K_NOLOOP },
	{ "if", TOK_IF, 0, 0 },
	{ "import", TOK_RESERVED, 0, K_RESERVED },
	{ "inline", TOK_INLINE, 0, K_DECL },
	{ "int", TOK_WORD, W_INT, K_DECL },
	{ "long", TOK_WORD, W_LONG, K_DECL },
	{ "offsetof", TOK_OFFSETOF, 0, 0 },
	{ "probe", TOK_PROBE, 0, 0 },
	{ "provider", TOK_PROVIDER, 0, K_DECL },
	{ "register", TOK_STORAGE, STORE_REGISTER, K_DECL },
	{ "restrict", TOK_QUALIFIER, W_QUALIFIER, K_DECL },
	{ "return", TOK_RESERVED, 0, K_NOLOOP },
	{ "self", TOK_SCOPE, STORE_SELF, K_DECL },
	{ "short", TOK_WORD, W_SHORT, K_DECL },
	{ "signed", TOK_WORD, W_SIGNED, K_DECL },
	{ "sizeof", TOK_SIZEOF, 0, 0 },
	{ "static", TOK_STORAGE, STORE_STATIC, K_DECL },
	{ "string", TOK_WORD, W_STRING, K_DECL },
	{ "stringof", TOK_STRINGOF, 0, 0 },
	{ "struct", TOK_SOU, T_STRUCT, K_DECL },
	{ "switch", TOK_LOOP, 0, K_NOLOOP },
	{ "this", TOK_SCOPE, STORE_THIS, K_DECL },
	{ "translator", TOK_TRANSLATOR, 0, K_DECL },
	{ "typedef", TOK_STORAGE, STORE_TYPEDEF, K_DECL },
	{ "union", TOK_SOU, T_UNION, K_DECL },
	{ "unsigned", TOK_WORD, W_UNSIGNED, K_DECL },
	{ "userland", TOK_QUALIFIER, W_USERLAND, K_DECL },
	{ "void", TOK_WORD, W_VOID, K_DECL },
	{ "volatile", TOK_QUALIFIER, W_QUALIFIER, K_DECL },
	{ "while", TOK_LOOP, 0, K_NOLOOP },
	{ "xlate", TOK_XLATE, 0, 0 },
};

struct word_key {
	const char *text;
	size_t n;
};

static int keyword_cmp(const void *key, const void *row)
{
	const struct word_key *k = key;
	const char *name = ((const struct keyword *)row)->name;
	int d = strncmp(k->text, name, k->n);

	return d ? d : -(name[k->n] != 0);
}

static const struct keyword *keyword_find(const char *text, size_t n)
{
	struct word_key key = { text, n };

	return bsearch(&key, keywords, sizeof keywords / sizeof *keywords, sizeof *keywords, keyword_cmp);
}

/* Two words in a row, or a word and '*', cannot begin a clause: "pid_t x;", "foo_t *x;". */
static bool two_words(struct parser *p, const char *word)
{
	size_t pos = text_skip(p, p->pos);
	int c = text_at(p, pos);

	/* no type has such a name: a clause without its brace */
	if (!strcmp(word, "BEGIN") || !strcmp(word, "END") || !strcmp(word, "ERROR"))
		return false;
	if (c == '*')
		return true;
	if (c == '(')
		return type_lookup_script(&p->c->types, word);
	if (!is_word_start(c))
		return false;
	c = text_at(p, text_skip(p, skip_word(p, pos)));
	return c == ';' || c == ',' || c == '[' || c == '=' || c == '*' || c == '(';
}

bool scan_is_decl(struct parser *p, const char *text, size_t n)
{
	size_t len = skip_word(p, p->start) - p->start;
	const struct keyword *k = keyword_find(text, len);

	if (!len || !is_word_start((unsigned char)*text) || (len < n && text[len] != '*'))
		return false;
	if (k && k->flags & K_DECL)
		return true;
	if (len == n)
		return two_words(p, arena_strndup(p->a, text, len));
	return !memchr(text, ':', n) && type_lookup_script(&p->c->types, arena_strndup(p->a, text, len));
}

/* ---- is a word a type? Only where both are valid ---- */

static bool is_variable(struct parser *p, const char *name)
{
	return builtin_named(name) || map_gets(&p->c->script->vars, name) || map_gets(&p->c->script->inlines, name);
}

static bool looks_like_type(struct parser *p, const char *name)
{
	size_t n = strlen(name);

	return !is_variable(p, name) &&
	       (type_lookup_script(&p->c->types, name) || (n > 2 && !strcmp(name + n - 2, "_t")));
}

/* "(x", then stars up to ')' or '[': can only be a type. */
static bool stars_close(const struct parser *p, size_t pos)
{
	while (text_at(p, pos) == '*')
		pos = text_skip(p, pos + 1);
	return text_at(p, pos) == ')' || text_at(p, pos) == '[';
}

/* "(x)" before an operand is a cast; before "- + * &" it depends on x. */
static bool cast_follows(struct parser *p, const char *name, size_t pos)
{
	int c = text_at(p, pos), next = text_at(p, pos + 1);

	if (c && (is_word_start(c) || isdigit(c) || strchr("\"'(~@$`", c)))
		return true;
	if (c == '!')
		return next != '=';
	if (!c || !strchr("-+*&", c) || next == '=' || (c == '-' && next == '>') || (c == '&' && next == '&'))
		return false;
	return looks_like_type(p, name);
}

/* sizeof (x): a type if a type of that name exists, also in the kernel. */
static bool sizeof_type(struct parser *p, const char *name)
{
	return looks_like_type(p, name) || (!is_variable(p, name) && prelude_type(p->c, name));
}

static bool in_key_list(const struct parser *p)
{
	return p->item == ITEM_DECL && !p->init && p->nopen && p->open[p->nopen - 1] == '[' &&
	       (p->prev == '[' || p->prev == ',');
}

static bool is_type_here(struct parser *p, const char *name)
{
	size_t pos = text_skip(p, p->pos);
	int c = text_at(p, pos);

	if (in_key_list(p))
		return (c == ']' || c == ',' || c == '*' || is_word_start(c)) && !is_variable(p, name);
	if (p->prev != '(' || (c != ')' && c != '*'))
		return false;
	if (p->prev2 == TOK_IDENT || p->prev2 == TOK_IF || p->prev2 == TOK_STRINGOF || p->prev2 == ']')
		return false;
	if (c == '*')
		return stars_close(p, pos);
	if (p->prev2 == TOK_SIZEOF)
		return sizeof_type(p, name);
	return cast_follows(p, name, text_skip(p, pos + 1));
}

/* True for the `while` of a `do`, and for keywords of loops and switches: errors of these were already reported. */
static bool is_reported(struct parser *p, const struct keyword *k)
{
	if (!strcmp(k->name, "while") && p->dos) {
		p->dos--;
		return true;
	}
	return p->looped && k->token == TOK_RESERVED && strcmp(k->name, "goto") && strcmp(k->name, "return");
}

static int scan_reserved(struct parser *p, const struct keyword *k)
{
	if (p->panic)
		return k->token;
	if (k->flags & K_NOLOOP && !is_reported(p, k))
		parse_error(p, p->loc, D_SYNTAX, "syntax error near \"%s\": D has no loops and no jumps", k->name);
	else if (k->flags & K_RESERVED)
		parse_error(p, p->loc, D_SYNTAX, "syntax error near \"%s\": a reserved word", k->name);
	p->looped |= k->token != TOK_RESERVED;
	p->dos += k->token == TOK_DO;
	p->muted = true;
	return k->token;
}

bool scan_implicit(struct parser *p, const char *text, size_t n)
{
	int c = text_at(p, text_skip(p, p->pos));

	return (p->prev == TOK_STORAGE || p->prev == TOK_SCOPE) && p->item == ITEM_DECL && !p->nopen && c &&
		strchr(";,=[(", c) &&
	       !keyword_find(text, n) && !type_lookup_script(&p->c->types, arena_strndup(p->a, text, n));
}

int scan_word(struct parser *p, DPARSE_STYPE *v, const char *text, size_t n)
{
	bool member = p->prev == TOK_ARROW || p->prev == '.';
	const struct keyword *k = member ? NULL : keyword_find(text, n);

	if (!k) {
		v->str = arena_strndup(p->a, text, n);
		return !member && is_type_here(p, v->str) ? TOK_TNAME : TOK_IDENT;
	}
	if (k->token == TOK_WORD || k->token == TOK_QUALIFIER)
		v->word = k->value;
	else if (k->token == TOK_SCOPE || k->token == TOK_STORAGE)
		v->storage = k->value;
	else if (k->token == TOK_SOU)
		v->kind = k->value;
	return k->flags & (K_NOLOOP | K_RESERVED) ? scan_reserved(p, k) : k->token;
}

int scan_kernel(struct parser *p, DPARSE_STYPE *v, const char *text, size_t n)
{
	bool composite = p->prev == TOK_SOU || p->prev == TOK_ENUM;
	bool bare = text[0] == '`';
	const struct keyword *k = bare ? keyword_find(text + 1, n - 1) : NULL;

	/* `struct x: the kernel's, the same as struct x */
	if (k && (k->token == TOK_SOU || k->token == TOK_ENUM))
		return scan_word(p, v, text + 1, n - 1);
	v->str = arena_strndup(p->a, text + bare, n - bare);
	/* D`x, C`x: a type of the script, which is searched first anyway */
	if (!bare && (text[0] == 'C' || text[0] == 'D') && text[1] == '`' && (composite || is_type_here(p, v->str + 2)))
		v->str += 2;
	if (composite)
		return TOK_IDENT;
	return !bare && is_type_here(p, v->str) ? TOK_TNAME : TOK_BTICK;
}

/* ---- brackets and the ends of items ---- */

static int bracket_open(struct parser *p, int ch)
{
	if (p->nopen >= PARSE_MAXNEST) {
		parse_limit(p, p->loc, "brackets are nested too deeply");
		return ch;
	}
	p->open[p->nopen++] = ch;
	return ch;
}

static int bracket_close(struct parser *p, int ch)
{
	if (p->nopen && p->open[p->nopen - 1] == (ch == ')' ? '(' : '['))
		p->nopen--;
	return ch;
}

/* Parentheses do not extend beyond a statement: discards those that an error left open. */
static void bracket_forget(struct parser *p)
{
	while (p->nopen && p->open[p->nopen - 1] != '{')
		p->nopen--;
}

static void item_enter(struct parser *p, enum item item)
{
	p->item = item;
	p->nopen = p->braces = p->dos = 0;
	p->init = p->looped = false;
}

static int brace_open(struct parser *p, int ch)
{
	if (p->item == ITEM_BODY || p->item == ITEM_DECL) {
		p->braces++;
		return bracket_open(p, ch);
	}
	item_enter(p, ITEM_BODY);
	return TOK_BODY_OPEN;
}

static int brace_close(struct parser *p, int ch)
{
	if ((p->item != ITEM_BODY && p->item != ITEM_DECL) || !p->braces) {
		item_enter(p, ITEM_TOP);
		return TOK_BODY_CLOSE;
	}
	bracket_forget(p);
	if (p->nopen)
		p->nopen--;
	p->braces--;
	/* end a declaration with an error here, so that it does not swallow the clauses after it */
	if (p->item == ITEM_DECL && !p->braces && p->panic) {
		item_enter(p, ITEM_TOP);
		return TOK_BODY_CLOSE;
	}
	return ch;
}

static int scan_semicolon(struct parser *p, int ch)
{
	bracket_forget(p);
	if (p->item == ITEM_BODY || (p->item == ITEM_DECL && p->braces))
		return ch;
	item_enter(p, ITEM_TOP);
	return TOK_ITEM_SEMI;
}

/* In a predicate '/' divides, unless the next character can only follow a predicate. */
static int scan_slash(struct parser *p, int ch)
{
	int c;

	if (p->item == ITEM_TOP || p->item == ITEM_CLAUSE) {
		item_enter(p, ITEM_PRED);
		return ch;
	}
	if (p->item != ITEM_PRED)
		return ch;
	c = text_at(p, text_skip(p, p->pos));
	if (c && c != '{' && c != ';')
		return ch;
	item_enter(p, ITEM_CLAUSE);
	return TOK_EPRED;
}

int scan_punct(struct parser *p, int ch)
{
	static const struct {
		char ch;
		int (*fn)(struct parser *p, int ch);
	} rows[] = {
		{ '(', bracket_open }, { '[', bracket_open }, { ')', bracket_close }, { ']', bracket_close },
		{ '{', brace_open }, { '}', brace_close }, { ';', scan_semicolon }, { '/', scan_slash },
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (rows[i].ch == ch)
			return rows[i].fn(p, ch);
	return ch;
}

/* ---- probe descriptions, and invalid characters ---- */

/* A number is a probe's ID, except for -P, -m and -f: a module can be named 8021q. */
static bool spec_is_id(const struct parser *p, const char *spec)
{
	unsigned parts = spec_parts(p->src);

	if ((parts && parts < SPEC_PARTS) || !isdigit((unsigned char)*spec))
		return false;
	while (isalnum((unsigned char)*spec) || *spec == '_')
		spec++;
	return !*spec;
}

/* A '/' that follows a description divides: it begins the predicate. It begins a path only where no predicate can be
 * meant: a predicate has no colon without '?'. */
size_t scan_path(const struct parser *p, const char *text, size_t n)
{
	const char *path = memchr(text, ':', n) + 1;
	size_t end = (size_t)(path - text);
	bool process = path[-2] == '*' || path[-2] == ']' || isdigit((unsigned char)path[-2]) ||
		       memchr(text, '$', end);

	if (!process || (spec_parts(p->src) != 2 && !memchr(path, ':', n - end)))
		return end;
	return n;
}

int scan_spec(struct parser *p, DPARSE_STYPE *v, const char *text, size_t n)
{
	const char *spec = macro_expand(p, text, n);
	size_t before = p->c->diags->nerrors;

	if (memmem(text, n, "$target", strlen("$target")))
		for (p->target = 1; p->target < p->c->env.ntargets; p->target++)
			spec = arena_printf(p->a, "%s%c%s", spec, SPEC_AND, macro_expand(p, text, n));
	p->target = 0;

	p->item = ITEM_CLAUSE;
	if (spec_is_id(p, spec)) {
		v->node = literal_int(p, spec, strlen(spec));
		if (p->c->diags->nerrors != before)
			v->node->value = UINT32_MAX;	/* not a valid ID; one error is enough */
		return TOK_SPECID;
	}
	v->str = spec;
	return TOK_PSPEC;
}

void scan_bad(struct parser *p, const char *text, size_t n)
{
	parse_error(p, p->loc, D_SYNTAX, "invalid character 0x%02x%s", (unsigned char)*text,
		    n > 1 ? " and more such characters" : "");
}
