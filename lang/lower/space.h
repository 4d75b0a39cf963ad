/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Lowering of address spaces and scratch memory.
 *
 * Ownership and errors: see lang/lower/lower.h.
 */
#ifndef LANG_LOWER_SPACE_H
#define LANG_LOWER_SPACE_H

#include "lang/lower/lower.h"
#include "lang/lower/mem.h"

enum mem_space lower_space(const struct lower *l, const struct node *ptr);
/* Reads `size` bytes at addr into a place. Faults if the read fails. */
void lower_read(struct lower *l, enum mem_space space, struct ir_arg addr, struct ir_arg to, uint32_t size);
/* Like lower_read, but bytes after the end of scratch memory read as zeros. */
void lower_read_loose(struct lower *l, enum mem_space space, struct ir_arg addr, struct ir_arg to, uint32_t size);
/* Like lower_read, for a string of at most `size` bytes. */
void lower_read_string(struct lower *l, enum mem_space space, struct ir_arg addr, struct ir_arg to, uint32_t size);
/* Writes `size` bytes of a place to addr. Faults unless that is in the clause's scratch memory. */
void lower_write(struct lower *l, struct ir_arg addr, struct ir_arg from, uint32_t size);
/* At the first clause of a probe: is scratch memory shared by its clauses? It is if one of them allocates, and several
 * clauses use a clause-local pointer. */
void lower_scratch_share(struct lower *l, const struct probe_info *pi);
/* At the beginning of a clause. */
void lower_scratch_begin(struct lower *l, bool allocates);
/* After l->top or l->limit have changed. */
void lower_scratch_keep(struct lower *l);

/* Allocates `size` bytes of scratch memory and returns their offset. Faults if there is not enough memory. */
enum alloc_bytes { ALLOC_ANY, ALLOC_ZEROED };

struct ir_arg lower_alloc(struct lower *l, struct ir_arg size, enum alloc_bytes bytes);
/* The address of an offset in scratch memory. */
struct ir_arg lower_scratch_addr(struct lower *l, struct ir_arg off);
/* The offset of `size` bytes (known only at run time) at addr. Faults unless they are in scratch memory. */
struct ir_arg lower_scratch_offset(struct lower *l, struct ir_arg addr, struct ir_arg size);
/* The address that represents an offset in a variable. */
struct ir_arg lower_var_address(struct lower *l, struct var *v, struct ir_arg off);

/* The size of such a variable's object: strings are read at offsets that are only known at run time (docs/ir.md). */
static inline uint32_t lower_reach_size(uint32_t size) { return 2 * size + 16; }

/* Finds the variables that pointers may refer to. */
void lower_find_reached(struct lower *l);

/* A part of scratch memory; the size may be known only at run time. */
struct scratch_part {
	struct ir_arg off, size;
};

/* Copies as many bytes of memory, or of a string, there. addr: the value of a fault. */
void lower_fill(struct lower *l, const struct mem *from, const struct scratch_part *to);
void lower_fill_string(struct lower *l, const struct node *n, const struct scratch_part *to, struct ir_arg addr);

#endif
