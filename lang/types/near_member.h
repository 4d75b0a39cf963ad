/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Suggestions for unknown members, as the end of a message: " (did you mean 'pid'?)", or "".
 * Ownership: the arena owns the text. Errors: none.
 */
#ifndef LANG_TYPES_NEAR_MEMBER_H
#define LANG_TYPES_NEAR_MEMBER_H

#include "lang/types/types.h"

/* Suggests a member of a structure or union, also one within anonymous members. */
const char *near_member(struct arena *a, struct types *t, struct type *composite, const char *name);

#endif
