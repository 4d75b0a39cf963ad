/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The checker's functions for variables of the kernel.
 *
 * Ownership: the compile arena owns everything. Errors: diagnostics.
 */
#ifndef LANG_CHECK_KSYM_H
#define LANG_CHECK_KSYM_H

#include "lang/check/checker.h"

/* `x */
struct type *check_kernel(struct checker *ck, struct node **np);
/* Replaces the name of another system's kernel variable by that of the inline that substitutes it on Linux. */
bool check_kernel_inline(struct checker *ck, struct node *name);

#endif
