/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The checker's functions for places in memory: members, pointers, elements.
 *
 * Ownership: the compile arena owns everything. Errors: diagnostics.
 */
#ifndef LANG_CHECK_MEM_H
#define LANG_CHECK_MEM_H

#include "lang/check/checker.h"

/* Marks the variables that hold a pointer after this expression, unless it is dereferenced at once. */
void check_escape(const struct node *n);
struct type *check_member(struct checker *ck, struct node **np);
/* Report a.m if a is not a structure (D_OP_SOU), a->m if it is not a pointer (D_OP_PTR). Return NULL. */
struct type *check_not_composite(struct checker *ck, const struct node *n, const struct type *t);
struct type *check_not_pointer(struct checker *ck, const struct node *n, const struct type *t);
struct type *check_deref(struct checker *ck, struct node **np);
struct type *check_addr(struct checker *ck, struct node **np);
/* a[i] on a pointer or array in memory; a was already checked. */
struct type *check_element(struct checker *ck, struct node **np, struct node *a, struct node *i);

#endif
