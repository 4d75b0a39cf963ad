/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Lowering of strings.
 *
 * Ownership and errors: see lang/lower/lower.h.
 */
#ifndef LANG_LOWER_STR_H
#define LANG_LOWER_STR_H

#include "lang/lower/lower.h"

struct strval {
	const char *text;	/* a constant of len bytes, or NULL */
	size_t len;
	struct ir_arg place;
	uint32_t cap;
};

uint32_t lower_cap(const struct lower *l, const struct type *t);

/* The size of a variable of any type. */
static inline uint32_t lower_bytes(const struct lower *l, const struct type *t)
{
	return type_is_string(t) ? lower_cap(l, t) : (uint32_t)t->size;
}

void lower_string(struct lower *l, const struct node *n, struct ir_arg dst, uint32_t cap);
struct strval lower_strval(struct lower *l, const struct node *n);
/* The place and capacity of a string in memory, and of an expression. */
struct ir_arg lower_in_place(struct lower *l, const struct strval *s, uint32_t *cap);
struct ir_arg lower_strplace(struct lower *l, const struct node *n, uint32_t *cap);
void lower_store_string(struct lower *l, const struct strval *s, struct ir_arg dst, uint32_t cap);
/* The name of the current process. */
void lower_execname(struct lower *l, const struct node *n, struct ir_arg dst, uint32_t cap);
/* Ends the block with a comparison of two strings. */
void lower_compare_strings(struct lower *l, const struct node *n, uint32_t yes, uint32_t no);

#endif
