/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Functions with a value: rand(), strlen(s), ... A function is one row in lang/func.def and a few lines in the file of
 * its family, lang/func_FAMILY.c: the check of its arguments, and the IR that computes it.
 *
 * Ownership: the compile arena owns everything. Errors: checks, with diagnostics.
 */
#ifndef LANG_FUNC_H
#define LANG_FUNC_H

#include "lang/checker.h"
#include "lang/lower.h"

struct func {
	const char *name;
	unsigned min, max;	/* arguments */
	bool destructive;	/* needs -w */
	/* Checks and converts the arguments (their number is right); the type of the value, or NULL after a
	 * diagnostic. */
	struct type *(*check)(struct checker *ck, struct node *call);
	/* Lowers the value, like lower_expr. NULL: the result is a string. */
	struct ir_arg (*value)(struct lower *l, const struct node *call);
	/* Puts the string at dst: it ends in a NUL within cap (a multiple of 8) bytes and has zeros behind. NULL: no
	 * string. */
	void (*string)(struct lower *l, const struct node *call, struct ir_arg dst, uint32_t cap);
	/* Puts a symbolic value (T_SYMBOLIC, all of its bytes) at dst, which is aligned to 8. NULL: not symbolic. As
	 * a statement it is an action. */
	void (*record)(struct lower *l, const struct node *call, struct ir_arg dst);
};

/* Stores at dst the number of the stack from a call of a stack function (for ustack() after the owner). f: the field
 * with the number of frames that all uses need. Jumps to `lost` if there is no number. cleared: the aggregation is
 * cleared. */
void lower_stack_number(struct lower *l, const struct node *call, const struct val_field *f, bool cleared,
			struct ir_arg dst, uint32_t lost);

/* By name, or NULL. */
const struct func *func_find(const char *name);
/* By number from 0; NULL after the last. */
const struct func *func_number(size_t i);

/* ---- what families share (func_str.c) ---- */
/* Argument i as a string; func_int_arg: as an integer of type `to`. False after a diagnostic. */
bool func_string_arg(struct checker *ck, struct node *call, unsigned i);
bool func_int_arg(struct checker *ck, struct node *call, unsigned i, struct type *to);
/* The same for one that has been checked. */
bool func_to_string(struct checker *ck, struct node *call, unsigned i);
/* Argument i as a uintptr_t: an integer, or a userland pointer if the address is one of a process. */
bool func_address_arg(struct checker *ck, struct node *call, unsigned i, bool process);

/* The address of a copy of a string in scratch memory (func_mem.c). */
struct ir_arg func_string_copy(struct lower *l, const struct node *call);

/* Declares the functions named in lang/func.def. */
#define FUNC(name, min, max, destructive, check, value)           \
	struct type *check(struct checker *ck, struct node *call); \
	struct ir_arg value(struct lower *l, const struct node *call);
#define SFUNC(name, min, max, destructive, check, string)         \
	struct type *check(struct checker *ck, struct node *call); \
	void string(struct lower *l, const struct node *call, struct ir_arg dst, uint32_t cap);
#define RFUNC(name, min, max, destructive, check, record)         \
	struct type *check(struct checker *ck, struct node *call); \
	void record(struct lower *l, const struct node *call, struct ir_arg dst);
#include "lang/func.def"

#endif
