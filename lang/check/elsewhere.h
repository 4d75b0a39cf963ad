/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The checker's functions for members of other systems' structures.
 *
 * Ownership: the compile arena owns everything. Errors: diagnostics.
 */
#ifndef LANG_CHECK_ELSEWHERE_H
#define LANG_CHECK_ELSEWHERE_H

#include "lang/check/checker.h"

/* The system of whose kernel structures this is a member; NULL: of none that dtr knows. */
const char *elsewhere_system(const char *name);
/* If the member belongs to another system's structure and is translated, replaces it by its expression, checks that and
 * returns true. a: the unchecked tree of n->a; NULL: no translation is wanted. */
bool check_elsewhere(struct checker *ck, struct node **np, struct node *a, const struct type *composite,
		     struct type **type);

#endif
