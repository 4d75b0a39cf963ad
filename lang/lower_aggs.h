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
/* Stores the values of nodes as fields in the `size` bytes of object o from `off` on, padding included. */
void lower_fields(struct lower *l, uint32_t o, uint32_t off, uint32_t size, const struct val_field *f,
		  struct node **nodes, unsigned n);
void lower_zero(struct lower *l, uint32_t o, uint32_t from, uint32_t to);
/* Lowers a statement and the following ones that share its row. */
void lower_agg(struct lower *l, const struct stmt *s);

/* ---- share.c ---- */
/* Creates the object of every aggregation and marks the statements that share the previous one's row (stmt->shares). */
void lower_agg_objects(struct lower *l);

#endif
