/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The checker's functions for calls of functions and actions.
 *
 * Ownership: the compile arena owns everything. Errors: diagnostics.
 */
#ifndef LANG_CHECK_CALL_H
#define LANG_CHECK_CALL_H

#include "lang/check/checker.h"

struct type *check_call(struct checker *ck, struct node **np);
/* True for a call of an action. Actions have no value and must be statements. */
bool call_is_action(const struct node *n);
/* True for an action whose call is not a symbolic value either. */
bool call_is_void(const struct node *n);
/* True for a call that can be a key: stack(), sym(). */
bool call_is_symbolic(const struct node *n);
/* True for an action or function of any kind. */
bool call_is_known(const struct node *n);
void check_action(struct checker *ck, struct node *call);
/* Checks that the number of arguments is between min and max. */
bool check_arity(struct checker *ck, const struct node *call, unsigned min, unsigned max, enum diag_tag tag);

#endif
