/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The checker's functions for tracemem().
 *
 * Ownership: the compile arena owns everything. Errors: diagnostics.
 */
#ifndef LANG_CHECK_TRACEMEM_H
#define LANG_CHECK_TRACEMEM_H

#include "lang/check/checker.h"

void check_tracemem(struct checker *ck, struct node *call);

#endif
