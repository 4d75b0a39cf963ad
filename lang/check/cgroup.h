/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The checker's functions for variables that name control groups.
 *
 * Ownership: the compile arena owns everything. Errors: diagnostics.
 */
#ifndef LANG_CHECK_CGROUP_H
#define LANG_CHECK_CGROUP_H

#include "lang/check/checker.h"

/* The type of a variable that stands for the name of a control group (cgroup, container, pod, image); NULL: it does
 * not. */
struct type *check_cgroup_type(struct checker *ck, enum builtin bi);
/* Reports that such a variable was used where a value is needed. Returns NULL. */
void *check_cgroup_value(struct checker *ck, const struct node *n);
/* True if an expression is such a variable, before or after it was checked. */
bool check_names_cgroup(struct checker *ck, const struct node *n);
/* If *np compares such a variable with a constant string by == or !=, replaces it by a test. Returns true if it is such
 * a comparison; after a diagnostic the node has no type. */
bool check_cgroup_comparison(struct checker *ck, struct node **np);

#endif
