/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Lowering of parts of variables: structures, arrays, strings at an offset.
 *
 * Ownership and errors: see lang/lower/lower.h.
 */
#ifndef LANG_LOWER_COMPOSITE_H
#define LANG_LOWER_COMPOSITE_H

#include "lang/lower/lower.h"
#include "lang/lower/var.h"

/* Read and write `size` bytes at an offset in a variable. Out of bounds is a fault. */
void lower_var_read(struct lower *l, const struct var_place *p, struct ir_arg off, struct ir_arg to, uint32_t size);
void lower_var_write(struct lower *l, const struct var_place *p, struct ir_arg off, struct ir_arg from, uint32_t size);
/* Reads a string at an offset. It ends at the end of the variable at the latest. */
void lower_var_string(struct lower *l, const struct var_place *p, struct ir_arg off, struct ir_arg to, uint32_t size);
/* The same if the value's object has lower_reach_size(p->size) bytes; those after the value are zero. Always faults if
 * the object is smaller because the variable is too large for that. */
void lower_gets(struct lower *l, const struct var_place *p, struct ir_arg off, struct ir_arg to, uint32_t size);

#endif
