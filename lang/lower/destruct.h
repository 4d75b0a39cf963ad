/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Lowering of destructive actions.
 *
 * Ownership and errors: see lang/lower/lower.h.
 */
#ifndef LANG_LOWER_DESTRUCT_H
#define LANG_LOWER_DESTRUCT_H

#include "lang/lower/lower.h"

void lower_stop(struct lower *l, const struct node *call, uint32_t rec);
void lower_raise(struct lower *l, const struct node *call, uint32_t rec);
void lower_chill(struct lower *l, const struct node *call, uint32_t rec);

#endif
