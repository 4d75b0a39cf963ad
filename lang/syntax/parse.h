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
/* Reports a syntax error at the current token; `expected` names the tokens that would be valid. */
void parse_syntax(struct parser *p, struct loc loc, const char *const *expected, int n);
/* Called after the parser has recovered from a syntax error. */
void parse_resume(struct parser *p);

#endif
