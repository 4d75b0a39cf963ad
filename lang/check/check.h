/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The checker's functions for statements and whole scripts.
 *
 * Ownership: the compile arena owns everything. Errors: diagnostics.
 */
#ifndef LANG_CHECK_CHECK_H
#define LANG_CHECK_CHECK_H

#include "lang/check/checker.h"

/* True if evaluating an unchecked tree has side effects. */
bool node_has_effect(const struct node *n);
/* True if an unchecked tree may be evaluated several times: then it has the same value and no other effect. */
bool node_is_repeatable(const struct node *n);
/* Initialises the maps. */
void check_init(struct checker *ck);

#endif
