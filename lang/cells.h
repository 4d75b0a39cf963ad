/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Aggregations whose keys are known beforehand, and few: their cells have numbers.
 *
 * Ownership: the compile arena owns everything. Errors: none; others are looked up by their keys.
 */
#ifndef LANG_CELLS_H
#define LANG_CELLS_H

#include "lang/lower.h"

/* Looks at the keys of all aggregations. Once, before the others. */
void cells_note(struct lower *l);
/* The cells of an aggregation whose rows take `size` bytes, or NULL. */
const struct agg_cells *cells_find(struct lower *l, const struct agg_desc *d, uint32_t size);
/* Evaluates the keys of agg[...], which has cells: the number of its cell. */
struct ir_arg cells_number(struct lower *l, const struct node *agg);

#endif
