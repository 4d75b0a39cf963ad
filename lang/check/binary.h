/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The checker's functions for binary operators and ?:.
 *
 * Ownership: the compile arena owns everything. Errors: diagnostics.
 */
#ifndef LANG_CHECK_BINARY_H
#define LANG_CHECK_BINARY_H

#include "lang/check/checker.h"

struct type *check_binary(struct checker *ck, struct node **np);
struct type *check_cond(struct checker *ck, struct node **np);
/* The type of a checked integer after C's integer promotion, of two after the usual arithmetic conversions. */
struct type *check_promoted(struct checker *ck, const struct node *n);
struct type *check_usual(struct checker *ck, const struct node *a, const struct node *b);
/* Scales a checked integer that is added to a pointer of this type to bytes. NULL: the elements have no size. */
struct node *check_scaled(struct checker *ck, struct node *n, const struct type *ptr);
/* "+", "==", "++", or "+=" for an assignment. */
const char *op_text(enum op op);

#endif
