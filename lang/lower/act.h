/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Lowering of statements and the record of a clause.
 *
 * Ownership and errors: see lang/lower/lower.h.
 */
#ifndef LANG_LOWER_ACT_H
#define LANG_LOWER_ACT_H

#include "lang/lower/lower.h"

void lower_statements(struct lower *l, const struct stmt *s);
/* The record of the clause, if it has one: before its statements, and after them. */
void lower_record_begin(struct lower *l);
void lower_record_end(struct lower *l);

#endif
