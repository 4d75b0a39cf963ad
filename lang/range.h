/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Which integers an expression can give: bounds, as far as its operators and types tell. After the checker.
 *
 * Who owns what: plain data. What can fail: nothing; where nothing is known, that is said.
 */
#ifndef LANG_RANGE_H
#define LANG_RANGE_H

#include "lang/ast.h"

struct range {
	bool known;
	int64_t lo, hi;		/* bounds included */
};

struct range range_of(const struct node *n);
/* Does a value of the range stay what it is in type t? */
bool range_fits(const struct range *r, const struct type *t);
/* What is in either one; unknown if one of them is. */
struct range range_join(struct range a, struct range b);

#endif
