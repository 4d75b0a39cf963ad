/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Operators on integer constants, for expressions in clauses and declarations. They compute in 64 bits; the caller
 * converts the result to its type (type_extend), which is equivalent to C. Plain values. Errors: none.
 */
#ifndef LANG_SYNTAX_FOLD_H
#define LANG_SYNTAX_FOLD_H

#include "lang/syntax/ast.h"

/* a op b for operands of type t (NULL: signed). Not for &&, ||, ^^. Division by 0 returns 0. */
uint64_t fold_operator(enum op op, const struct type *t, uint64_t a, uint64_t b);
/* - + ~ ! */
uint64_t fold_sign(enum op op, uint64_t a);

#endif
