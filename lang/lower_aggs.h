/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Lowering of aggregations.
 *
 * Ownership and errors: see lang/lower.h.
 */
#ifndef LANG_LOWER_AGGS_H
#define LANG_LOWER_AGGS_H

#include "lang/lower.h"

/* ---- lower_key.c ---- */
/* Fills `size` bytes of object o from `off` on with the values of nodes as fields, padding included. */
void lower_fields(struct lower *l, uint32_t o, uint32_t off, uint32_t size, const struct val_field *f,
		  struct node **nodes, unsigned n);
void lower_zero(struct lower *l, uint32_t o, uint32_t from, uint32_t to);
/* Lowers a statement and the following ones that share its row. */
void lower_agg(struct lower *l, const struct stmt *s);

/* ---- share.c ---- */
/* Gives every aggregation its object; marks the statements that share the row of the one before (stmt->shares). */
void lower_agg_objects(struct lower *l);

#endif
