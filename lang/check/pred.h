/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The checker's functions for predicates that declare variables.
 *
 * Ownership: the compile arena owns everything. Errors: diagnostics.
 */
#ifndef LANG_CHECK_PRED_H
#define LANG_CHECK_PRED_H

#include "lang/check/checker.h"

/* True if a clause's predicate must be checked before its actions, because it declares a variable that they use. */
bool check_predicate_first(struct checker *ck, const struct clause *c);
/* True if a clause's predicate uses an array that nothing has declared yet and only a later clause declares. */
bool check_waits(struct checker *ck, struct clause *c);

#endif
