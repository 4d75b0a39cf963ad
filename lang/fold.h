/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Operators on integer constants, for expressions of clauses and of declarations. They compute in 64 bits what C computes in
 * the type, once the caller has brought the result to its type (type_extend). Plain values; nothing can fail.
 */
#ifndef LANG_FOLD_H
#define LANG_FOLD_H

#include "lang/ast.h"

/* a op b for operands of the type t (NULL: signed). Not for &&, ||, ^^; a division by 0 gives 0. */
uint64_t fold_operator(enum op op, const struct type *t, uint64_t a, uint64_t b);
/* - + ~ ! */
uint64_t fold_sign(enum op op, uint64_t a);

#endif
