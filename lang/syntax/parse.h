/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * State and functions that the scanner (lex.l, scan.c, macro.c, literal.c, pragma.c) and the grammar (gram.y, node.c,
 * decl.c, clause.c) share while a text is parsed. Private to the parser.
 *
 * Ownership: the compile arena owns the results; the parser is on lang_parse's stack.
 * Errors: diagnostics; the result is then a harmless placeholder, and parsing continues.
 */
#ifndef LANG_SYNTAX_PARSE_H
#define LANG_SYNTAX_PARSE_H

#include "lang/compile.h"

enum {
	PARSE_MAXNEST = 200,		/* nesting of brackets */
	PARSE_MAXTEXT = 64 << 20,	/* size of one text */
};

/* The item being scanned: it decides the meaning of '/', ';' and braces. */
enum item { ITEM_TOP, ITEM_CLAUSE, ITEM_PRED, ITEM_BODY, ITEM_DECL };

struct parser {
	struct compiler *c;
	const struct source *src;
	const struct source *from;	/* the text whose lines are counted: src or an included file */
	VEC(struct source *) included;
	struct arena *a;
	void *scanner;
	size_t pos;			/* after the current token */
	uint32_t line, col;		/* position of pos */
	struct loc loc;			/* start of the current token */
	size_t start;
	enum item item;
	int mode;			/* the scanner's start condition before a comment */
	struct loc comment;		/* start of the comment */
	int prev, prev2;		/* the two tokens before the current one */
	char open[PARSE_MAXNEST + 1];	/* open brackets of this item */
	unsigned nopen, braces;		/* number of open brackets; number of '{' among them, except a clause's own */
	unsigned dos;			/* `do`s of this item that still lack their `while` */
	bool looped;			/* a loop was reported in this item */
	bool init;			/* after the '=' of a declaration */
	bool used;			/* the text is not empty */
	const struct node *prelude;	/* the first use of a name that only the prelude defines, or NULL */
	bool muted;			/* do not report the next syntax error: it follows from a reported one */
	bool panic;			/* there was a syntax error in this item */
	size_t target;			/* of several ones, the index of that which $target means */
	bool stop;			/* a limit was reached: behave as at the end of the text */
	struct translator *xl;		/* the translator being defined */
	struct map probes;		/* names of probes of the provider being declared */
};

struct nodes {
	struct node **v;
	size_t n, cap;
};

struct stmts {
	struct stmt *first, *last;
};

int parse_error(struct parser *p, struct loc loc, enum diag_tag tag, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* Reports D_LIMIT once and ends the text here. */
void parse_limit(struct parser *p, struct loc loc, const char *what);

/* ---- scan.c: decisions of the scanner; each returns a token ---- */
union DPARSE_STYPE;
void scan_advance(struct parser *p, const char *text, size_t n);
/* Returns the last token, which is on one line, to the input. */
void scan_back(struct parser *p);
/* Called for every token before the parser gets it. */
void scan_note(struct parser *p, int token);
/* True if the first word of an item begins a declaration, not a probe description. */
bool scan_is_decl(struct parser *p, const char *text, size_t n);
/* "`x" or "mod`x": a kernel variable or, where a type is expected, a kernel type. */
int scan_kernel(struct parser *p, union DPARSE_STYPE *v, const char *text, size_t n);
/* True for a declared name without a type ("extern x;"), which is then int. */
bool scan_implicit(struct parser *p, const char *text, size_t n);
int scan_word(struct parser *p, union DPARSE_STYPE *v, const char *text, size_t n);
/* Handles brackets, ';' and '/'. */
int scan_punct(struct parser *p, int ch);
/* The text is a process's provider, a colon, and what may be a path: "pid1:/bin/sh:main:entry". Returns how much of it
 * is the description: all of it, or up to the colon. */
size_t scan_path(const struct parser *p, const char *text, size_t n);
int scan_spec(struct parser *p, union DPARSE_STYPE *v, const char *text, size_t n);
void scan_bad(struct parser *p, const char *text, size_t n);

/* ---- lex.l ---- */
int scan_open(struct parser *p, const char *text, size_t n);
void scan_close(struct parser *p);

/* ---- literal.c ---- */
struct node *literal_int(struct parser *p, const char *text, size_t n);
struct node *literal_char(struct parser *p, const char *text, size_t n);
struct node *literal_str(struct parser *p, const char *text, size_t n);
struct type *literal_type(struct types *t, uint64_t v, bool decimal, bool uns, unsigned longs);

/* ---- macro.c ---- */
/* "$1", "$$1", "$pid", "$$name": returns the token for its value. */
int scan_macro(struct parser *p, union DPARSE_STYPE *v, const char *text, size_t n);
/* The text of a macro variable, named without '$'. `missing` is used for an optional argument that is missing. NULL
 * after a diagnostic. */
const char *macro_text(struct parser *p, const char *name, size_t n, const char *missing);
/* A copy of a description with its macro variables replaced. */
const char *macro_expand(struct parser *p, const char *text, size_t n);

/* ---- pragma.c ---- */
void pragma_line(struct parser *p, const char *text, size_t n);

/* ---- clause.c ---- */
/* Between descriptions that are written as one: $target can be several processes. */
enum { SPEC_AND = '\n' };
struct clause *clause_new(struct parser *p, struct loc loc);
/* How many of the four parts of a probe description a text of this kind may have (-P: 1, -m: 2, -f: 3, -i: 0, else 4).
 * The last given part is the rightmost one. */
enum { SPEC_PARTS = 4 };
unsigned spec_parts(const struct source *src);
void clause_spec(struct parser *p, struct clause *c, const char *text, struct loc loc);
void clause_spec_id(struct parser *p, struct clause *c, const struct node *id, struct loc loc);
void clause_add(struct parser *p, struct clause *c, struct stmt *body, bool has_body);

/* ---- parse.c ---- */
/* Reports a syntax error at the current token; `expected` names the tokens that would be valid. */
void parse_syntax(struct parser *p, struct loc loc, const char *const *expected, int n);
/* Called after the parser has recovered from a syntax error. */
void parse_resume(struct parser *p);

#endif
