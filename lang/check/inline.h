/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The checker's functions for inlines, and copies of unchecked trees.
 *
 * Ownership: the compile arena owns everything. Errors: diagnostics.
 */
#ifndef LANG_CHECK_INLINE_H
#define LANG_CHECK_INLINE_H

#include "lang/check/checker.h"

/* Parameters and what replaces them. */
struct bindings {
	unsigned n;
	const char *const *params;
	struct node *const *values;
};

/* Copies an unchecked tree, with parameters replaced (NULL: none). NULL after D_LIMIT. */
struct node *check_clone(struct checker *ck, const struct node *n, const struct bindings *b);
struct type *check_inline(struct checker *ck, struct node **np, const struct inline_def *def);
/* Checks a definition once for all its uses. Returns false after a diagnostic. */
bool check_inline_def(struct checker *ck, const struct inline_def *def);
/* The inline that a name, or a name with arguments, refers to; NULL: none. */
const struct inline_def *check_inline_named(struct checker *ck, const struct node *n);
/* Its expression, unchecked, with the arguments substituted. */
struct node *check_inline_copy(struct checker *ck, const struct node *n, const struct inline_def *def);
struct type *check_inline_index(struct checker *ck, struct node **np, const struct inline_def *def);

#endif
