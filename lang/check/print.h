/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The checker's functions for printf() and printa().
 *
 * Ownership: the compile arena owns everything. Errors: diagnostics.
 */
#ifndef LANG_CHECK_PRINT_H
#define LANG_CHECK_PRINT_H

#include "lang/check/checker.h"

void check_printf(struct checker *ck, struct node *call);
void check_printa(struct checker *ck, struct node *call);

#endif
