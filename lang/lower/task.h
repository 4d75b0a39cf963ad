/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Direct reads from the current thread's structure (IR_TREAD). All functions that return bool return false if the path
 * is not one that can be read directly; the caller then reads it as any other memory.
 *
 * Ownership and errors: see lang/lower/lower.h.
 */
#ifndef LANG_LOWER_TASK_H
#define LANG_LOWER_TASK_H

#include "lang/lower/lower.h"

/* Offsets in bytes: in the thread's structure, then in what the pointer there points to, and so on. */
struct task_path {
	unsigned n;
	int16_t off[IR_TREAD_OFFS];
};

/* Adds an offset. The previous one must be that of a pointer to a structure. */
bool task_path_add(struct task_path *p, uint64_t off);
/* The path to what a pointer of the script points to; no offsets for the thread's structure itself. */
bool task_path_pointer(const struct lower *l, const struct node *ptr, struct task_path *p);
/* The path of a member. */
bool task_path_member(const struct lower *l, const struct node *n, struct task_path *p);
/* Reads `size` bytes (1, 2, 4, 8) that are not a pointer, zero-extended. *failed: 0, or the complement of the address
 * that cannot be read; then the result is 0. */
ir_reg task_path_read(struct lower *l, const struct task_path *p, uint32_t size, ir_reg *failed);
/* The same, but faults if that fails. */
struct ir_arg lower_task_read(struct lower *l, const struct task_path *p, uint32_t size);

/* Fills l->prog->task. Not for pid and tid: finding the offsets takes 0.1 ms, and their helper is as cheap. */
void lower_task_layout(struct lower *l);
/* Fills in d_prog.families. */
void lower_family_layout(struct lower *l);
/* Finds what programs need to load from kernel addresses. */
void lower_kernel_loads(struct lower *l);

#endif
