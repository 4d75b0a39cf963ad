/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Integer constant expressions in declarations.
 *
 * Ownership: the compile arena. Errors: const_want, with diagnostics.
 */
#ifndef LANG_SYNTAX_CONST_H
#define LANG_SYNTAX_CONST_H

#include "lang/syntax/parse.h"

/* The value of an integer constant expression, extended from its type. */
struct constant {
	struct type *type;
	int64_t value;
};

/* Evaluates an expression of constants, inlines, casts, sizeof and operators. Returns false for any other expression,
 * without a diagnostic. */
bool const_eval(struct parser *p, const struct node *n, struct constant *c);
/* Like const_eval, but reports an error and then returns an int of 0. */
struct constant const_want(struct parser *p, const struct node *n, enum diag_tag tag, const char *what);
/* True if it is below 0. */
static inline bool const_negative(const struct constant *c) { return c->type->is_signed && c->value < 0; }

#endif
