/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Lowering of expressions.
 *
 * Ownership and errors: see lang/lower/lower.h.
 */
#ifndef LANG_LOWER_EXPR_H
#define LANG_LOWER_EXPR_H

#include "lang/lower/lower.h"

struct ir_arg lower_expr(struct lower *l, const struct node *n);
/* Evaluates n only for its side effects. */
void lower_effect(struct lower *l, const struct node *n);
/* Ends the block with a jump to `yes` if n is not 0, else to `no`. */
void lower_branch(struct lower *l, const struct node *n, uint32_t yes, uint32_t no);
/* Emits one operation; folds it if both operands are immediates. */
struct ir_arg lower_op(struct lower *l, enum ir_op op, struct ir_arg a, struct ir_arg b);
/* Computes a op b as C does in type t. */
struct ir_arg lower_arith(struct lower *l, enum op op, const struct type *t, struct ir_arg a, struct ir_arg b);
/* Faults if index v, the value of n, exceeds RANGE_MEMORY for elements of `size` bytes. */
void lower_check_index(struct lower *l, const struct node *n, struct ir_arg v, uint64_t size);
/* Converts v from type `from` (NULL: any 64 bits) to the width of `to`; for a bool, to 0 or 1. */
struct ir_arg lower_fit(struct lower *l, struct ir_arg v, const struct type *from, const struct type *to);

#endif
