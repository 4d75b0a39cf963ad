/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Lowering of records: their layout, and what a clause needs.
 *
 * Ownership and errors: see lang/lower/lower.h.
 */
#ifndef LANG_LOWER_REC_H
#define LANG_LOWER_REC_H

#include "lang/lower/lower.h"

void lower_clause_info(struct lower *l, struct clause_info *ci);

#endif
