/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The checker's functions for destructive actions, and actions with simple arguments.
 *
 * Ownership: the compile arena owns everything. Errors: diagnostics.
 */
#ifndef LANG_CHECK_DESTRUCT_H
#define LANG_CHECK_DESTRUCT_H

#include "lang/check/checker.h"

void check_freopen(struct checker *ck, struct node *call);
void check_setopt(struct checker *ck, struct node *call);
void check_nothing(struct checker *ck, struct node *call);
void check_number(struct checker *ck, struct node *call);
void check_refused(struct checker *ck, struct node *call);

#endif
