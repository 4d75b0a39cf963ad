/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The checker's functions for translators.
 *
 * Ownership: the compile arena owns everything. Errors: diagnostics.
 */
#ifndef LANG_CHECK_XLATE_H
#define LANG_CHECK_XLATE_H

#include "lang/check/checker.h"

/* The type of an unchecked expression that is a translation: xlate, curpsinfo and the like, fds[], or an inline with
 * such a value. NULL: it is something else. */
struct type *check_translation_type(struct checker *ck, const struct node *n);
/* "x = xlate <struct t> (y)": one assignment per member. */
struct type *check_xlate_assign(struct checker *ck, struct node **np);
struct type *check_xlate(struct checker *ck, struct node **np);
/* Replaces a checked translation of which the script has a pointer (args[4], curpsinfo) by what it is translated from,
 * as a void *, for comparisons and conditions. Returns false for anything else. */
bool check_untranslate(struct checker *ck, struct node **np);
/* Checks the members of a translator, once for all its uses. */
void check_translator(struct checker *ck, struct translator *x);
/* Checks that the translation n exists. */
bool check_translation(struct checker *ck, struct node *n);
/* If the member belongs to a translator, replaces it by its expression, checks that and returns true. */
bool check_translated(struct checker *ck, struct node **np, struct type **type);

#endif
