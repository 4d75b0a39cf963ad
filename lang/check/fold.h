/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The checker's functions for operators on constants.
 *
 * Ownership: the compile arena owns everything. Errors: diagnostics.
 */
#ifndef LANG_CHECK_FOLD_H
#define LANG_CHECK_FOLD_H

#include "lang/check/checker.h"

/* Replaces a checked operation on constants by its value. Returns false after D_DIV_ZERO. */
bool check_fold(struct checker *ck, struct node **np);

/* True if the node is the integer constant 0. */
static inline bool node_is_zero(const struct node *n) { return n->kind == N_INT && !n->value; }

#endif
