/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Lowering of variables.
 *
 * Ownership and errors: see lang/lower/lower.h.
 */
#ifndef LANG_LOWER_VAR_H
#define LANG_LOWER_VAR_H

#include "lang/lower/lower.h"

struct ir_arg lower_var(struct lower *l, const struct node *n);

/* An assignment, and ++ or --. Without a use, the result may be anything. */
enum value_use { VALUE_UNUSED, VALUE_USED };

struct ir_arg lower_assign(struct lower *l, const struct node *n, enum value_use use);
struct ir_arg lower_step(struct lower *l, const struct node *n, enum value_use use);

/* The place of a variable's value. */
struct var_place {
	enum ir_objkind kind;
	uint32_t obj;
	uint32_t size;		/* bytes of the value */
	uint32_t key;		/* DYN: the object with the key */
	bool thread;		/* DYN: per thread; the key begins with the thread's number */
};

/* The place of the variable; evaluates an element's key. */
struct var_place lower_place(struct lower *l, const struct node *n);

/* What a lookup of a thread variable or of an element does if it is missing. */
enum cell_lookup { CELL_FIND, CELL_CREATE };

/* The memory of the value. For a thread variable or an element, this is a lookup; jumps to `absent` if it fails. */
struct ir_arg lower_cell(struct lower *l, const struct var_place *p, enum cell_lookup how, uint32_t absent);
/* The program that frees the elements of threads that end. NULL: none has elements. */
struct ir_func *lower_thread_end(struct lower *l);
/* Deletes an element; sets a thread variable to zero if it exists. */
void lower_forget(struct lower *l, const struct var_place *p, uint32_t size);

#endif
