/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Recognises expressions whose values are durations: differences of times, also through variables.
 * Ownership: none. Errors: none.
 */
#ifndef ENGINE_OUTPUT_PICTURE_DURATION_H
#define ENGINE_OUTPUT_PICTURE_DURATION_H

#include "lang/syntax/ast.h"

/*
 * Returns the unit of the expression's value in ns: 1 for `timestamp - self->since`, 1000 for that divided by 1000, the
 * same for a variable to which the script assigns only such values (and 0). 0: the expression is no duration, or that
 * is not certain.
 */
uint64_t duration_unit(const struct script *s, const struct node *n);

#endif
