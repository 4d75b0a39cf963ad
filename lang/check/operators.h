/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The checker's functions for operators: their types, constants, dubious uses.
 *
 * Ownership: the compile arena owns everything. Errors: diagnostics.
 */
#ifndef LANG_CHECK_OPERATORS_H
#define LANG_CHECK_OPERATORS_H

#include "lang/check/checker.h"

/* ---- check/binary.c ---- */
struct type *check_binary(struct checker *ck, struct node **np);
struct type *check_cond(struct checker *ck, struct node **np);
/* The type of a checked integer after C's integer promotion, of two after the usual arithmetic conversions. */
struct type *check_promoted(struct checker *ck, const struct node *n);
struct type *check_usual(struct checker *ck, const struct node *a, const struct node *b);
/* Scales a checked integer that is added to a pointer of this type to bytes. NULL: the elements have no size. */
struct node *check_scaled(struct checker *ck, struct node *n, const struct type *ptr);

/* ---- check/assign.c ---- */
struct type *check_assign(struct checker *ck, struct node **np);
struct type *check_step(struct checker *ck, struct node **np);

/* ---- check/fold.c ---- */
/* Replaces a checked operation on constants by its value. Returns false after D_DIV_ZERO. */
bool check_fold(struct checker *ck, struct node **np);
/* True if the node is the integer constant 0. */
static inline bool node_is_zero(const struct node *n) { return n->kind == N_INT && !n->value; }

/* ---- check/doubt.c ---- */
/* Warns about a checked comparison with only one possible result (D_CMP_FIXED), and about '=' in a condition
 * (D_PRED_ASSIGN). */
void check_comparison(struct checker *ck, const struct node *n);
void check_condition(struct checker *ck, const struct node *n);

#endif
