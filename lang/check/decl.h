/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The checker's functions for declarations that may be unused.
 *
 * Ownership: the compile arena owns everything. Errors: diagnostics.
 */
#ifndef LANG_CHECK_DECL_H
#define LANG_CHECK_DECL_H

#include "lang/check/checker.h"

/* Checks everything that the script declares, used or not: variables, inlines, translators. */
void check_declared(struct checker *ck);
/* A value of this type that stands for a parameter or a member while a declaration is checked. */
struct node *check_placeholder(struct checker *ck, const char *name, struct type *t, struct loc loc);

#endif
