/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Functions with a value: rand(), strlen(s), ... A function is one row in lang/func/func.def and a few lines in the
 * file of its family, lang/func/FAMILY.c: the check of its arguments, and the IR that computes it. The checker and
 * lowering call it by this table.
 *
 * Ownership: the compile arena owns everything. Errors: checks, with diagnostics.
 */
#ifndef LANG_FUNC_H
#define LANG_FUNC_H

#include "ir/ir.h"
#include "lang/syntax/ast.h"

struct checker;
struct lower;

enum func_effect {
	FUNC_PURE,		/* may be evaluated any number of times */
	FUNC_EFFECT,		/* each call has a value or an effect of its own */
	FUNC_DESTRUCTIVE,	/* likewise; needs -w */
};

struct func {
	const char *name;
	unsigned min, max;	/* number of arguments */
	enum func_effect effect;
	/* Checks and converts the arguments (their number is already valid). The type of the value, or NULL after a
	 * diagnostic. */
	struct type *(*check)(struct checker *ck, struct node *call);
	/* Lowers the value, like lower_expr. NULL: the result is a string. */
	struct ir_arg (*value)(struct lower *l, const struct node *call);
	/* Stores the string at dst, with a NUL within cap (a multiple of 8) bytes and padded with zeros. NULL: the
	 * result is not a string. */
	void (*string)(struct lower *l, const struct node *call, struct ir_arg dst, uint32_t cap);
	/* Stores a symbolic value (all bytes of its T_SYMBOLIC) at dst, which is aligned to 8. NULL: the result is not
	 * symbolic. Used as a statement, the function is an action. */
	void (*record)(struct lower *l, const struct node *call, struct ir_arg dst);
};

/* Finds a function by name; NULL if unknown. */
const struct func *func_find(const char *name);
/* True if f, which may be NULL, is the function with this name. */
bool func_is(const struct func *f, const char *name);
/* Finds a function by number, from 0; NULL after the last. */
const struct func *func_number(size_t i);

/* Functions that the language itself calls; their names are not identifiers, so no script can call them. */
/* A byte of a string: the first one; a valid index of one. A string with one byte replaced; the statement that assigns
 * it. The address of a copy of a string (lang/func/char.c). */
extern const struct func func_string_byte, func_string_index, func_string_with, func_string_set, func_string_pointer;
/* `jiffies (lang/func/kernel.c) */
extern const struct func func_jiffies;

#endif
