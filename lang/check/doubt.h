/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The checker's functions for dubious conditions.
 *
 * Ownership: the compile arena owns everything. Errors: diagnostics.
 */
#ifndef LANG_CHECK_DOUBT_H
#define LANG_CHECK_DOUBT_H

#include "lang/check/checker.h"

/* Warns about a checked comparison with only one possible result (D_CMP_FIXED), and about '=' in a condition
 * (D_PRED_ASSIGN). */
void check_comparison(struct checker *ck, const struct node *n);
void check_condition(struct checker *ck, const struct node *n);

#endif
