/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Lowering of aggregations that share rows.
 *
 * Ownership and errors: see lang/lower/lower.h.
 */
#ifndef LANG_LOWER_SHARE_H
#define LANG_LOWER_SHARE_H

#include "lang/lower/lower.h"

/* Creates the object of every aggregation and marks the statements that share the previous one's row (stmt->shares). */
void lower_agg_objects(struct lower *l);

#endif
