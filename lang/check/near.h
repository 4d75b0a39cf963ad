/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Suggestions for unknown names, as the end of a message: " (did you mean 'pid'?)", or "".
 * Ownership: the compile arena. Errors: none.
 */
#ifndef LANG_CHECK_NEAR_H
#define LANG_CHECK_NEAR_H

#include "lang/check/checker.h"

/* Suggests a variable of the node's scope, or an aggregation. */
const char *near_variable(struct checker *ck, const struct node *n);
const char *near_aggregation(struct checker *ck, const char *name);
/* Suggests a function or an action. */
const char *near_function(struct checker *ck, const char *name);
/* Suggests a member that the translator defines. */
const char *near_translated(struct checker *ck, const struct translator *x, const char *name);

#endif
