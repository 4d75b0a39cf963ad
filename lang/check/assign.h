/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The checker's functions for assignments, ++ and --.
 *
 * Ownership: the compile arena owns everything. Errors: diagnostics.
 */
#ifndef LANG_CHECK_ASSIGN_H
#define LANG_CHECK_ASSIGN_H

#include "lang/check/checker.h"

struct type *check_assign(struct checker *ck, struct node **np);
struct type *check_step(struct checker *ck, struct node **np);

#endif
