/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the families of functions (lang/func.h) share: arguments, and the declarations of all functions in func.def.
 *
 * Ownership: the compile arena owns everything. Errors: checks, with diagnostics.
 */
#ifndef LANG_FUNC_FAMILY_H
#define LANG_FUNC_FAMILY_H

#include "lang/check/checker.h"
#include "lang/func.h"
#include "lang/lower/lower.h"

/* ---- func/str.c ---- */
/* Check argument i and convert it to a string, or to an integer of type `to`. Return false after a diagnostic. */
bool func_string_arg(struct checker *ck, struct node *call, unsigned i);
bool func_int_arg(struct checker *ck, struct node *call, unsigned i, struct type *to);
/* Like func_string_arg, for an argument that was already checked. */
bool func_to_string(struct checker *ck, struct node *call, unsigned i);
/* Converts argument i to uintptr_t: from an integer or, if it is an address in a process, from a userland pointer. */
enum mem_owner { MEM_KERNEL, MEM_PROCESS };
bool func_address_arg(struct checker *ck, struct node *call, unsigned i, enum mem_owner owner);

/* ---- func/mem.c ---- */
/* The address of a copy of the string in scratch memory. */
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
