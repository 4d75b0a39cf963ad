/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Lowering of speculations.
 *
 * Ownership and errors: see lang/lower/lower.h.
 */
#ifndef LANG_LOWER_SPECULATION_H
#define LANG_LOWER_SPECULATION_H

#include "lang/lower/lower.h"

/* speculation(): the ID of a new one; 0 if there is none. */
struct ir_arg lower_new_speculation(struct lower *l);
/* speculate(), commit(), discard(). rec: the object with the clause's record, if any. */
void lower_speculation(struct lower *l, const struct node *call, uint32_t rec);

#endif
