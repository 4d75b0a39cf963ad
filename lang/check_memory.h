/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The checker's functions for places in memory: members, pointers, elements, bytes of strings.
 *
 * Ownership: the compile arena owns everything. Errors: diagnostics.
 */
#ifndef LANG_CHECK_MEMORY_H
#define LANG_CHECK_MEMORY_H

#include "lang/checker.h"

struct type *check_member(struct checker *ck, struct node **np);
/* a.m where a is no structure (D_OP_SOU), a->m where it is no pointer (D_OP_PTR). NULL. */
struct type *check_not_sou(struct checker *ck, const struct node *n, const struct type *t);
struct type *check_not_pointer(struct checker *ck, const struct node *n, const struct type *t);
struct type *check_deref(struct checker *ck, struct node **np);
struct type *check_addr(struct checker *ck, struct node **np);
/* a[i] on a pointer or array in memory; a is checked already. */
struct type *check_element(struct checker *ck, struct node **np, struct node *a, struct node *i);
/* *np becomes a byte of the checked string s: the first, or that at the checked integer i. */
struct type *check_byte(struct checker *ck, struct node **np, struct node *s, struct node *i);
/* *np becomes the rest of the checked string s from the checked integer i on (minus: from -i); outside of it the empty
 * string. */
struct type *check_rest(struct checker *ck, struct node **np, struct node *s, struct node *i, bool minus);
/* A pointer to the checked string: into a global variable, else to a copy in scratch memory. */
struct node *check_string_pointer(struct checker *ck, struct node *s);

#endif
