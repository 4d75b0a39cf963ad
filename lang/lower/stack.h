/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Lowering of stacks. The functions stack(), ustack(), jstack() and those that save a stack's number are told apart by
 * the name in the call.
 *
 * Ownership and errors: see lang/lower/lower.h.
 */
#ifndef LANG_LOWER_STACK_H
#define LANG_LOWER_STACK_H

#include "lang/lower/lower.h"

/* Bytes of a frame, and of the owner before the frames of a process's stack. */
enum { STACK_OWNER_BYTES = 8, STACK_PC_BYTES = 8 };

/* True for jstack() and its relatives. */
static inline bool stack_is_interpreted(const char *name) { return *name == 'j'; }
/* True for stacks of processes. */
static inline bool stack_is_users(const char *name) { return *name == 'u' || stack_is_interpreted(name); }

/* Store the frames of stack(), and the owner and the frames of ustack() or jstack(), at dst. */
void lower_stack(struct lower *l, const struct node *call, struct ir_arg dst);
void lower_ustack(struct lower *l, const struct node *call, struct ir_arg dst);
/* stackid() and its relatives: the number of the stack; for a process, with its ID in the upper half. 0: no space for
 * the stack. */
struct ir_arg lower_stack_id(struct lower *l, const struct node *call);
/* stackof() and its relatives: stores such a number. */
void lower_stack_of(struct lower *l, const struct node *call, struct ir_arg dst);
/* Stores at dst the number of the stack for a call of a stack function (for ustack(), after the owner). Jumps to `lost`
 * if no number is available. cleared: the aggregation is cleared. */
void lower_stack_number(struct lower *l, const struct node *call, bool cleared, struct ir_arg dst, uint32_t lost);

#endif
