/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Lowering of keys and updates of aggregations.
 *
 * Ownership and errors: see lang/lower/lower.h.
 */
#ifndef LANG_LOWER_KEY_H
#define LANG_LOWER_KEY_H

#include "lang/lower/lower.h"

/* Fields and the expressions whose values they hold. */
struct field_values {
	const struct val_field *field;
	struct node **node;
	unsigned n;
};

/* Stores the values in object o, and zeros in all other bytes between `from` and `to`. */
void lower_fields(struct lower *l, uint32_t o, uint32_t from, uint32_t to, const struct field_values *v);
void lower_zero(struct lower *l, uint32_t o, uint32_t from, uint32_t to);
/* Lowers a statement and the following ones that share its row. */
void lower_agg(struct lower *l, const struct stmt *s);

#endif
