/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Conversions of the checker: from any expression to a value, an operand, a condition, a type.
 *
 * Ownership: the compile arena owns everything. Errors: diagnostics.
 */
#ifndef LANG_CHECK_CONVERSIONS_H
#define LANG_CHECK_CONVERSIONS_H

#include "lang/checker.h"

struct node *check_node(struct checker *ck, enum node_kind kind, struct loc loc, struct type *type);
struct node *check_int(struct checker *ck, struct loc loc, struct type *type, uint64_t value);
/* Any expression but a function's name. An array of characters becomes a string, another one a pointer. The type may
 * have no values (structures, void, T_SYMBOLIC, T_DYN): the caller reports what is wrong with it. */
struct type *check_value(struct checker *ck, struct node **np);
/* The same, but every array becomes a pointer. */
struct type *check_operand(struct checker *ck, struct node **np);
/* Checks an expression whose value is unused: void is allowed. */
struct type *check_discarded(struct checker *ck, struct node **np);
/* Checks a key: a value or a structure. */
struct type *check_key(struct checker *ck, struct node **np);
/* The type of an aggregation, of a call of an aggregating function, or of a translation. */
struct type *check_dynamic(struct checker *ck, enum check_dyn what);
/* Reports D_OP_DYN or D_OP_ACT for an invalid operand of ',' or '?:'. Returns true if there is none. */
bool check_branches(struct checker *ck, const struct node *a, const struct node *b, const char *op);
/* Why a checked expression has no value, for the end of a message; "" if it has one. */
const char *check_why(struct checker *ck, const struct node *n);
/* Reports D_CG_DYN or D_CG_EXPR if there is nothing to compute. Returns true if there is. */
bool check_computes(struct checker *ck, const struct node *n);
/* An integer or pointer to test against 0; else `tag` with this text. */
struct type *check_scalar(struct checker *ck, struct node **np, enum diag_tag tag, const char *what);
struct node *check_cast(struct checker *ck, struct node *n, struct type *to);
void check_decay(struct checker *ck, struct node **np);
/* Converts characters in memory to a string. Returns false if it is not a string. */
bool check_string(struct checker *ck, struct node **np);
/* A pointer to this place: into the memory of a process if the place is there. */
struct type *check_pointer_to(struct checker *ck, const struct node *place, struct type *to);
/* The type of two checked values of which at least one is a pointer, as == and ?: need it. NULL: they do not fit
 * together, as an integer and a pointer do not, unless the integer is the constant 0. */
struct type *check_common_pointer(const struct node *a, const struct node *b);
/* Converts a checked value to a type as an assignment does. Returns false if the types are incompatible. */
bool check_convert(struct checker *ck, struct node **np, struct type *to);
/* True if a variable, a key or a field may have this type. */
bool type_is_value(const struct type *t);
/* A built-in variable that is only made of its members. */
bool check_is_dynamic(const char *name);

#endif
