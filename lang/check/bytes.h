/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The checker's functions for parts of strings: bytes, the rest from an index, pointers.
 *
 * Ownership: the compile arena owns everything. Errors: diagnostics.
 */
#ifndef LANG_CHECK_BYTES_H
#define LANG_CHECK_BYTES_H

#include "lang/check/checker.h"

/* *np becomes a byte of the checked string s: the first, or the one at the checked integer i. */
struct type *check_byte(struct checker *ck, struct node **np, struct node *s, struct node *i);
/* True for such a byte. */
bool check_is_byte(const struct node *n);
/* *np, the assignment of a checked value to such a byte, becomes an assignment to the string, without a value. NULL,
 * without a diagnostic, if it is not a byte of a variable, or the value is not an integer. */
struct type *check_set_byte(struct checker *ck, struct node **np);
/* *np becomes the rest of the checked string s from index i, a checked integer (minus: from -i); empty if out of
 * bounds. */
struct type *check_rest(struct checker *ck, struct node **np, struct node *s, struct node *i, bool minus);
/* A pointer to the checked string: to the global variable itself, else to a copy in scratch memory. */
struct node *check_string_pointer(struct checker *ck, struct node *s);
/* Replaces a checked pointer into such a copy by the string. Returns false for any other expression. */
bool check_scratch_text(struct checker *ck, struct node **np);

#endif
