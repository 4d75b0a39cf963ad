/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the language does with parts of strings, as functions. The checker calls them: lang/check/bytes.c. */
#include "lang/func/family.h"
#include "lang/lower/expr.h"
#include "lang/lower/lower.h"
#include "lang/lower/str.h"

static struct ir_arg first_byte(struct lower *l, const struct node *call)
{
	uint32_t cap;
	struct ir_arg place = lower_strplace(l, call->args[0], &cap), byte;

	byte = ir_r(ir_emit(&l->b, IR_LD8, place));
	return lower_op(l, IR_ASHR, lower_op(l, IR_SHL, byte, ir_i(56)), ir_i(56));
}

const struct func func_string_byte = { .name = "string[ ]", .value = first_byte };

/* No string has that many bytes. */
enum { NO_BYTE = 0xffff };

/* An index, or NO_BYTE if it is negative or greater: substr() takes an int and counts a negative one from the end. */
static struct ir_arg byte_index(struct lower *l, const struct node *call)
{
	struct ir_arg i = lower_expr(l, call->args[0]), beyond = lower_op(l, IR_UGT, i, ir_i(NO_BYTE));

	return lower_op(l, IR_AND, lower_op(l, IR_OR, i, lower_op(l, IR_SUB, ir_i(0), beyond)), ir_i(NO_BYTE));
}

const struct func func_string_index = { .name = "[ ]", .value = byte_index };

/* ---- s[i] = c ---- */
/* The string with that byte. A NUL ends it; a byte after its NUL changes nothing. */
static void with_byte(struct lower *l, const struct node *call, struct ir_arg dst, uint32_t cap)
{
	uint32_t size;
	struct ir_arg s = lower_strplace(l, call->args[0], &size), c, i, inside, after;
	struct ir_arg head = ir_m(lower_temp(l, size), 0), both = ir_m(lower_temp(l, size), 0);
	struct ir_arg tail = ir_m(lower_temp(l, size), 0), byte = ir_m(lower_temp(l, 8), 0);

	i = lower_expr(l, call->args[1]);
	c = lower_op(l, IR_AND, lower_expr(l, call->args[2]), ir_i(0xff));
	inside = lower_op(l, IR_ULE, i, ir_r(ir_emit(&l->b, IR_STRLEN, s, ir_i(size))));
	ir_emit(&l->b, IR_ST64, byte, lower_op(l, IR_MUL, c, inside));
	ir_emit(&l->b, IR_SUBSTR, head, ir_i(size), s, ir_i(size), ir_i(0), i);
	ir_emit(&l->b, IR_STRJOIN, both, ir_i(size), head, ir_i(size), byte, ir_i(8));
	after = lower_op(l, IR_MUL, lower_op(l, IR_EQ, c, ir_i(0)), ir_i(NO_BYTE));
	after = lower_op(l, IR_ADD, lower_op(l, IR_ADD, i, ir_i(1)), after);
	ir_emit(&l->b, IR_SUBSTR, tail, ir_i(size), s, ir_i(size), after, ir_i(INT32_MAX));
	ir_emit(&l->b, IR_STRJOIN, dst, ir_i(cap), both, ir_i(size), tail, ir_i(size));
}

const struct func func_string_with = { .name = "string[ ] =", .string = with_byte };

static struct ir_arg set_byte(struct lower *l, const struct node *call)
{
	lower_effect(l, call->args[0]);
	return ir_i(0);
}

const struct func func_string_set = { .name = "string[ ] =", .value = set_byte };

const struct func func_string_pointer = { .name = "string *", .value = func_string_copy };
