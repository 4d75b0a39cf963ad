/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The checker's functions for print().
 *
 * Ownership: the compile arena owns everything. Errors: diagnostics.
 */
#ifndef LANG_CHECK_PRINT_TYPED_H
#define LANG_CHECK_PRINT_TYPED_H

#include "lang/check/checker.h"

void check_typed(struct checker *ck, struct node *call);

#endif
