/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Functions with a value: rand(), strlen(s), ... A function is one row in lang/func/func.def and a few lines in the
 * file of its family, lang/func/FAMILY.c: the check of its arguments, and the IR that computes it.
 *
 * Ownership: the compile arena owns everything. Errors: checks, with diagnostics.
 */
#ifndef LANG_FUNC_FUNC_H
#define LANG_FUNC_FUNC_H

#include "lang/check/checker.h"
#include "lang/lower/lower.h"

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

/* Stores at dst the number of the stack for a call of a stack function (for ustack(), after the owner). Jumps to `lost`
 * if no number is available. cleared: the aggregation is cleared. */
void lower_stack_number(struct lower *l, const struct node *call, bool cleared, struct ir_arg dst, uint32_t lost);

/* Finds a function by name; NULL if unknown. */
const struct func *func_find(const char *name);
/* Finds a function by number, from 0; NULL after the last. */
const struct func *func_number(size_t i);

/* ---- shared by the families (func/str.c) ---- */
/* Check argument i and convert it to a string, or to an integer of type `to`. Return false after a diagnostic. */
bool func_string_arg(struct checker *ck, struct node *call, unsigned i);
bool func_int_arg(struct checker *ck, struct node *call, unsigned i, struct type *to);
/* Like func_string_arg, for an argument that was already checked. */
bool func_to_string(struct checker *ck, struct node *call, unsigned i);
/* Converts argument i to uintptr_t: from an integer or, if it is an address in a process, from a userland pointer. */
enum mem_owner { MEM_KERNEL, MEM_PROCESS };
bool func_address_arg(struct checker *ck, struct node *call, unsigned i, enum mem_owner owner);

/* The address of a copy of the string in scratch memory (func/mem.c). */
struct ir_arg func_string_copy(struct lower *l, const struct node *call);

/* Declares the functions named in lang/func/func.def. */
#define FUNC(name, min, max, effect, check, value)           \
	struct type *check(struct checker *ck, struct node *call); \
	struct ir_arg value(struct lower *l, const struct node *call);
#define SFUNC(name, min, max, effect, check, string)         \
	struct type *check(struct checker *ck, struct node *call); \
	void string(struct lower *l, const struct node *call, struct ir_arg dst, uint32_t cap);
#define RFUNC(name, min, max, effect, check, record)         \
	struct type *check(struct checker *ck, struct node *call); \
	void record(struct lower *l, const struct node *call, struct ir_arg dst);
#include "lang/func/func.def"

#endif
