/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Lowering of places in memory.
 *
 * Ownership and errors: see lang/lower/lower.h.
 */
#ifndef LANG_LOWER_MEM_H
#define LANG_LOWER_MEM_H

#include "lang/lower/lower.h"
#include "lang/lower/var.h"

/* The address space of a pointer. */
enum mem_space {
	SPACE_KERNEL,
	SPACE_USER,		/* memory of the current process */
	SPACE_VAR,		/* a variable of the script; addresses are offsets in it */
	SPACE_ANY,		/* kernel or scratch memory, depending on the address */
};

/* A place in memory. */
struct mem {
	struct ir_arg base;
	uint64_t bitoff;	/* offset from the base, in bits */
	enum mem_space space;
	struct var_place var;	/* SPACE_VAR */
};

/* Evaluates a pointer. */
struct mem lower_pointee(struct lower *l, const struct node *ptr);
struct ir_arg lower_byte_addr(struct lower *l, const struct mem *m);
/* Reads `size` bytes into a place, or an integer (1, 2, 4, 8 bytes), zero-extended. Faults if the read fails. */
void lower_read_mem(struct lower *l, const struct mem *m, struct ir_arg to, uint32_t size);
struct ir_arg lower_read_int(struct lower *l, const struct mem *m, uint32_t size);
struct ir_arg lower_load(struct lower *l, const struct node *n);
struct ir_arg lower_addr(struct lower *l, const struct node *n);
/* Reads the string that a pointer points to, at most `size` bytes. */
void lower_string_at(struct lower *l, const struct node *ptr, struct ir_arg to, uint32_t size);
/* Copies `size` bytes of a member that is a string to a place, or from one. */
void lower_string_member(struct lower *l, const struct node *n, struct ir_arg to, uint32_t size);
void lower_assign_string(struct lower *l, const struct node *n, struct ir_arg from, uint32_t size);
/* Copies a whole structure to a place. */
void lower_structure(struct lower *l, const struct node *n, struct ir_arg to);
/* Like lower_structure, for a record; and the assignment of a structure. */
void lower_record_bytes(struct lower *l, const struct node *n, struct ir_arg to);
void lower_assign_structure(struct lower *l, const struct node *n);
/* Assignment operators, ++ and -- for places in memory or in a structure. */
struct ir_arg lower_assign_memory(struct lower *l, const struct node *n);
struct ir_arg lower_step_memory(struct lower *l, const struct node *n);
/* Reads `size` bytes (1, 2, 4, 8) of kernel memory at addr, zero-extended. Faults if the read fails. */
struct ir_arg lower_kread(struct lower *l, struct ir_arg addr, uint32_t size);

#endif
