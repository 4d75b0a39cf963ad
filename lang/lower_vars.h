/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Lowering of variables.
 *
 * Ownership and errors: see lang/lower.h.
 */
#ifndef LANG_LOWER_VARS_H
#define LANG_LOWER_VARS_H

#include "lang/lower.h"

struct ir_arg lower_var(struct lower *l, const struct node *n);
struct ir_arg lower_assign(struct lower *l, const struct node *n, bool want);
struct ir_arg lower_step(struct lower *l, const struct node *n, bool want);
/* The place of a variable's value. */
struct var_place {
	enum ir_objkind kind;
	uint32_t obj;
	uint32_t key;		/* DYN: the object that holds the key */
	bool thread;		/* DYN: of a thread, whose number the key begins with */
};
/* Evaluates the key of an element. */
struct var_place lower_place(struct lower *l, const struct node *n);
/* The memory of the value. That of a thread variable or an element is looked up first (make: made if it is not there);
 * if there is none, goes to the block `absent`. */
struct ir_arg lower_cell(struct lower *l, const struct var_place *p, bool make, uint32_t absent);
/* Deletes an element; makes a thread variable zero if there is one. */
void lower_forget(struct lower *l, const struct var_place *p, uint32_t size);

/* `size` bytes at an offset in a variable of `all` bytes; outside of it is a fault. */
void lower_var_read(struct lower *l, const struct var_place *p, uint32_t all, struct ir_arg off, struct ir_arg to,
		    uint32_t size);
void lower_var_write(struct lower *l, const struct var_place *p, uint32_t all, struct ir_arg off, struct ir_arg from,
		     uint32_t size);
/* A string that begins there and ends at the end of the variable at the latest. */
void lower_var_string(struct lower *l, const struct var_place *p, uint32_t all, struct ir_arg off, struct ir_arg to,
		      uint32_t size);
/* The same from the object obj, which has lower_reach_size(all) bytes; those after the variable are zero. A smaller
 * object (the variable is too large for that size) always faults. */
void lower_gets(struct lower *l, uint32_t obj, uint32_t all, struct ir_arg off, struct ir_arg to, uint32_t size);

#endif
