/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Decisions of the scanner; each returns a token.
 *
 * Ownership and errors: see lang/syntax/parse.h.
 */
#ifndef LANG_SYNTAX_SCAN_H
#define LANG_SYNTAX_SCAN_H

#include "lang/syntax/parse.h"

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

#endif
