/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Macro variables.
 *
 * Ownership and errors: see lang/syntax/parse.h.
 */
#ifndef LANG_SYNTAX_MACRO_H
#define LANG_SYNTAX_MACRO_H

#include "lang/syntax/parse.h"

union DPARSE_STYPE;
/* "$1", "$$1", "$pid", "$$name": returns the token for its value. */
int scan_macro(struct parser *p, union DPARSE_STYPE *v, const char *text, size_t n);
/* The text of a macro variable, named without '$'. `missing` is used for an optional argument that is missing. NULL
 * after a diagnostic. */
const char *macro_text(struct parser *p, const char *name, size_t n, const char *missing);
/* A copy of a description with its macro variables replaced. */
const char *macro_expand(struct parser *p, const char *text, size_t n);

#endif
