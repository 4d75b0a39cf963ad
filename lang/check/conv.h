/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The checker's functions for conversions: from any expression to a value, an operand, a condition, a type.
 *
 * Ownership: the compile arena owns everything. Errors: diagnostics.
 */
#ifndef LANG_CHECK_CONV_H
#define LANG_CHECK_CONV_H

#include "lang/check/checker.h"

struct node *check_node(struct checker *ck, enum node_kind kind, struct loc loc, struct type *type);
/* A node of this kind, such as a cast, around another one. */
struct node *check_wrap(struct checker *ck, enum node_kind kind, struct node *n, struct type *type);
struct node *check_int(struct checker *ck, struct loc loc, struct type *type, uint64_t value);
/* Checks any expression except a function's name. An array of characters becomes a string, any other array a pointer.
 * The type may have no values (structures, void, T_SYMBOLIC, T_DYN): the caller reports that. */
struct type *check_value(struct checker *ck, struct node **np);
/* Like check_value, but every array becomes a pointer. */
struct type *check_operand(struct checker *ck, struct node **np);
/* Checks an expression whose value is unused: void is allowed. */
struct type *check_discarded(struct checker *ck, struct node **np);
/* Checks a key: a value or a structure. */
struct type *check_key(struct checker *ck, struct node **np);
/* The type of an aggregation, of a call of an aggregating function, or of a translation. */
struct type *check_dynamic(struct checker *ck, enum check_dyn what);
/* Reports D_OP_DYN or D_OP_ACT for an invalid operand of ',' or '?:'. Returns true if both are valid. */
bool check_branches(struct checker *ck, const struct node *a, const struct node *b, const char *op);
/* The reason why a checked expression has no value, for the end of a message; "" if it has one. */
const char *check_no_value(struct checker *ck, const struct node *n);
/* Reports D_CG_DYN or D_CG_EXPR if the expression cannot be computed. Returns true if it can. */
bool check_computes(struct checker *ck, const struct node *n);
/* Checks an integer or pointer that is tested against 0; else reports `tag` with this text. */
struct type *check_scalar(struct checker *ck, struct node **np, enum diag_tag tag, const char *what);
/* A checked operand of !, && and the like, or of a cast to an integer: a string that was assigned as a pointer becomes
 * a test. Returns its type. */
struct type *check_truth(struct checker *ck, struct node **np);
struct node *check_cast(struct checker *ck, struct node *n, struct type *to);
void check_decay(struct checker *ck, struct node **np);
/* Converts characters in memory to a string. Returns false if it cannot become one. */
bool check_string(struct checker *ck, struct node **np);
/* A pointer type for this place: into the memory of a process if the place is there. */
struct type *check_pointer_to(struct checker *ck, const struct node *place, struct type *to);
/* The common type, for == and ?:, of two checked values of which at least one is a pointer. NULL if they are
 * incompatible, as an integer other than the constant 0 is with a pointer. */
struct type *check_common_pointer(const struct node *a, const struct node *b);
/* Converts a checked value to a type as an assignment does. Returns false if the types are incompatible. */
bool check_convert(struct checker *ck, struct node **np, struct type *to);
/* True if a variable, a key or a field may have this type. */
bool type_is_value(const struct type *t);

#endif
