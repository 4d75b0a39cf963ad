/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The checker's functions for types of variables without a declaration.
 *
 * Ownership: the compile arena owns everything. Errors: diagnostics.
 */
#ifndef LANG_CHECK_WIDEN_H
#define LANG_CHECK_WIDEN_H

#include "lang/check/checker.h"

/* Looks ahead: determines the types of variables without a declaration from all their assignments. */
void check_widen(struct checker *ck);
/* While it looks ahead: notes a value that the checked place `to` gets by =, op=, ++ or --. value: the checked node
 * (NULL: ++ and --), type: its type in a variable. */
void check_note_value(struct checker *ck, const struct node *to, enum op op, const struct node *value,
		      struct type *type);
/* The type of a variable whose first assignment alone would give it the type `first`. */
struct type *check_first_type(struct checker *ck, const struct var *v, struct type *first);

#endif
