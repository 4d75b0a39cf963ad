/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The checker's functions for keys of arrays and aggregations, combined from all their uses.
 *
 * Ownership: the compile arena owns everything. Errors: diagnostics.
 */
#ifndef LANG_CHECK_KEY_H
#define LANG_CHECK_KEY_H

#include "lang/check/checker.h"

/* The constants among the values of a key or a variable. */
struct key_constants {
	bool only;			/* no variable so far: the first one decides the type */
	int64_t lo;			/* the smallest negative constant; 0: none */
	uint64_t hi;			/* the largest other constant */
};

/* Adds a constant, an N_INT. */
void check_note_constant(struct key_constants *c, const struct node *n);
/* The integer type that holds all values of both; if no type does, one that holds negative values. */
struct type *check_wider(struct checker *ck, struct type *a, struct type *b);
/* An integer type, widened to hold the constants. */
struct type *check_hold(struct checker *ck, struct type *t, const struct key_constants *c);

/* The key of an array or an aggregation, combined from all its uses. */
struct key_shape {
	const char *name;		/* "a", "@a", for messages */
	struct type *key[AGG_MAXKEYS];
	struct key_constants constants[AGG_MAXKEYS];
	unsigned nkeys;
	bool known;
	bool fixed;			/* declared: the types are fixed */
	VEC(struct node *) uses;
};

struct key_shape *check_shape(struct checker *ck, const void *owner, const char *name);
/* Adds the checked keys of one use, at most `max`. Returns false after a diagnostic. */
bool check_keys(struct checker *ck, struct key_shape *sh, struct node *use, unsigned max);
/* At the end: writes the keys' types into variables and aggregations, and casts into their uses. */
void check_shapes(struct checker *ck);

#endif
