/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Declarations that the aggregating functions share. Private to aggregation/. Plain data. Errors: none.
 */
#ifndef AGGREGATION_FUNC_H
#define AGGREGATION_FUNC_H

#include "aggregation/agg.h"

/* Largest value cell in bytes: the limit of the kernel's per-CPU maps. */
enum { AGG_MAXVALUE = 32768 };

/* A row's key as the table has it, up to the frames of its last stack, and the number of that stack in t->stacks. */
uint8_t *agg_row_packed(const struct agg_table *t, const struct agg_row *row);
uint32_t agg_row_stack(const struct agg_table *t, const struct agg_row *row);

/* agg_count and the others, from the list of local.mk. */
#define AGG(name) extern const struct agg_func agg_##name;
#include "aggregation/functions.def"

/* Compares two numbers: -1, 0, 1. */
static inline int agg_order_of(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

/* v divided by the divisor of normalize(), which is not 0. */
static inline int64_t agg_normal(int64_t v, __int128 normal)
{
	return (int64_t)(v / normal);
}

/* Word i of a value cell. */
static inline struct ir_arg agg_word(struct ir_arg cell, unsigned i)
{
	cell.imm += 8 * (int64_t)i;
	return cell;
}

/* Emits IR for value * incr; none if incr is 1. */
static inline struct ir_arg agg_emit_times(struct ir_builder *b, struct ir_arg value, struct ir_arg incr)
{
	if (incr.kind == IR_IMM && incr.imm == 1)
		return value;
	return ir_r(ir_emit(b, IR_MUL, value, incr));
}

/* Emits IR that sets a cell to the maximum of it and `value`. Counts an aggregation drop if other contexts prevent
 * it. */
void agg_emit_max(struct ir_builder *b, struct ir_arg cell, ir_reg value);

/* dst += src, word by word; wraps like the kernel's additions. */
static inline void agg_add_words(int64_t *dst, const int64_t *src, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		dst[i] = (int64_t)((uint64_t)dst[i] + (uint64_t)src[i]);
}

#endif
