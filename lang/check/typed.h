/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The typed tree: the invariants that lang_check guarantees to lowering. Every conversion is an explicit N_CAST, so
 * that lowering can process one node at a time.
 *
 * Remaining kinds
 *	N_INT N_STR N_VAR N_INDEX N_UNARY N_BINARY N_ASSIGN N_COND N_COMMA N_CALL N_CAST N_MEMBER N_DEREF N_ADDR;
 *	N_AGG only as S_AGG's target and as an argument of the actions on aggregations. These are gone: N_IDENT,
 *	N_SIZEOF, N_XLATE, N_PTRINDEX (now N_DEREF of an addition), inlines, translators, `curpsinfo`, `curlwpsinfo`,
 *	`curcpu` before '->', BI_ipl.
 *	Each expression has a type: T_INT, T_ENUM, T_PTR or T_STRING. Only places (N_VAR N_INDEX N_DEREF N_MEMBER) have
 *	type T_STRUCT, T_UNION or T_ARRAY, only keys and arguments of actions T_SYMBOLIC, and only casts whose value is
 *	unused T_VOID.
 *
 * Integers and pointers
 *	"One type" below means one size and one sign: an int and a pid_t need no cast.
 *	Values are extended to 64 bits by the sign of their type (pointers have 64 bits). Arithmetic is done in 64 bits
 *	and then converted to node->type; N_INT's `value` is already extended.
 *	N_CAST to an integer or pointer: the operand is an integer or pointer; converts the value to the type's width.
 *	N_UNARY NEG NOT PLUS: a has the node's type. LNOT: a is any integer or pointer; the type is int.
 *	  ++ --: a is a place of the node's type; node->value is the step: 1, or the size of what a points to.
 *	N_BINARY ADD SUB MUL DIV MOD AND OR XOR: a, b and the node have one type, which decides the sign.
 *	  ADD, SUB with a pointer: a has the node's (pointer) type; b is a `long`, already scaled to bytes.
 *	  Pointer - pointer is now (long)a - (long)b divided by the size.
 *	SHL SHR: a has the node's type; b is any integer. SHR is arithmetic if the node's type is signed.
 *	EQ NE LT LE GT GE: a and b have one integer or pointer type (pointers compare unsigned), or both are strings;
 *	  the type is int. LAND LOR LXOR: a and b are any integers or pointers, compared with 0; the type is int.
 *	N_COND: a is any integer or pointer. b and c have the node's type; for strings see below.
 *	N_ASSIGN: a is a place of the node's type. op OP_NONE: b has a's type (for strings see below).
 *	  Any other op: c is an N_TYPE with the type C of the computation: load a, convert it to C, C op b, convert to
 *	  a's type, store. b has type C (shifts: any integer; pointers: C is the pointer type, b is already scaled).
 *
 * Strings
 *	Type T_STRING; type->size is the capacity, including the NUL; 0 = strsize. Strings of different capacities need
 *	no cast: a store truncates to the capacity of the place. N_COND: b and c are strings, neither longer than the
 *	node's type. N_CAST to T_STRING: the operand is a pointer, from which a string of at most type->size bytes
 *	(0 = strsize), including the NUL, is read.
 *
 * Memory
 *	Places in memory are N_DEREF (address: value of a), N_MEMBER with arrow (value of a + bitoff) and N_MEMBER
 *	without (place of a + bitoff); bits != 0 is a bit-field.
 *	An array used as a value is N_ADDR of its place, with type pointer to element. Whole arrays are never assigned.
 *
 * Variables
 *	var->type is final (strings: the capacity of an implicitly typed variable is strsize). N_INDEX: var and args;
 *	args[i] has type var->key[i] (strings: any capacity; var->key[i] can hold the longest of all uses).
 *	var_key_layout returns the packed key.
 *
 * Statements
 *	stmt->action is set in all statements, in source order, from 1.
 *	S_EXPR: an N_CALL with `act`, or an expression with an effect.
 *	Conditions and predicates are integers or pointers.
 *	printf: args[0] is the format (node->fmt), followed by the values in the order of the conversions, including
 *	  '*' (int).
 *	printa: if node->fmt is not NULL, args[0] is the format; all others are N_AGG.
 *	trace: one value. exit: args[0] is an int. clear, denormalize: N_AGG. trunc: args[0] is N_AGG; args[1] (a long)
 *	  is optional. normalize: args[0] is N_AGG, args[1] a long or unsigned long. N_AGG in an action has no args.
 *	S_AGG: expr->args are the keys: args[i] has an integer or pointer type with the size and sign of agg->key[i], or
 *	  is a string of any capacity. call->args: [0] is the value, [1] the optional weight, both long; count() has
 *	  none.
 *
 * Ownership: the compile arena owns everything. Errors: none here.
 */
#ifndef LANG_CHECK_TYPED_H
#define LANG_CHECK_TYPED_H

#include "ir/value.h"
#include "lang/syntax/ast.h"

/* Returns the layout of a value of this type in a record or key at *off (aligned to its size; strings and pointers
 * to 8), and moves *off past it. Strings take their capacity (0: strsize) rounded up to 8. */
struct val_field type_field(const struct type *t, uint32_t strsize, uint32_t *off);

/* True if the pointer can only point into the kernel. Computed or stored pointers may point anywhere. */
bool node_points_to_kernel(const struct node *ptr);

/* True if this is a place in a variable of the script: x.a, x.a.b[i]. */
bool node_in_variable(const struct node *n);
/* True if this is an address in a variable of the script. */
bool node_points_to_variable(const struct node *ptr);

/* The value of probefunc and the like at a probe; NULL for other variables. */
const char *probe_text(const struct probe *p, enum builtin bi);

/* Packs the types of a key: fills one field for each, returns the size (a multiple of 8). */
uint32_t key_layout(struct type *const *key, unsigned n, uint32_t strsize, struct val_field *out);
/* Fills in d->raw, d->rawsize and d->has_stacks from d->key: the key as stored in the kernel's table, where a stack is
 * represented by a number. */
void key_layout_raw(struct agg_desc *d);
/* The packed key of an associative array: fills v->nkeys fields, returns the size (a multiple of 8). */
uint32_t var_key_layout(const struct var *v, uint32_t strsize, struct val_field *out);

#endif
