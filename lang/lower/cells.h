/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Numbers the cells of aggregations that have few keys, all known at compile time (struct agg_cells).
 *
 * Ownership: the compile arena owns everything. Errors: none; other aggregations use lookups by key.
 */
#ifndef LANG_LOWER_CELLS_H
#define LANG_LOWER_CELLS_H

#include "lang/lower/lower.h"

/* Analyses the keys of all aggregations. Call it once, before the others. */
void cells_note(struct lower *l);
/* The numbered cells of an aggregation with rows of `size` bytes, or NULL. */
const struct agg_cells *cells_find(struct lower *l, const struct agg_desc *d, uint32_t size);
/* Evaluates the keys of agg[...] with numbered cells. Returns the number of the cell. */
struct ir_arg cells_number(struct lower *l, const struct node *agg);

#endif
