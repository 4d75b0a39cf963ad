/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Arguments. */
#include "providers/calls.h"
#include "providers/pid/pid.h"

#define WORD "pid.word"

/* An argument that the caller has put on the stack. */
static ir_reg stack_arg(struct ir_builder *b, unsigned i)
{
	uint32_t word = code_word(b, WORD);
	ir_reg stack = ir_emit(b, IR_CTX, ir_i(CALL_STACK));
	ir_reg at = ir_emit(b, IR_ADD, ir_r(stack), ir_i(CALL_STACK_ARGS + 8 * (int64_t)i));

	ir_emit(b, IR_UREAD, ir_m(word, 0), ir_i(8), ir_r(at));
	return ir_emit(b, IR_LD64, ir_m(word, 0));
}

ir_reg pid_arg(struct ir_builder *b, const struct probe *p, unsigned n, bool alt)
{
	(void)alt;
	if (code_of(p)->gate->kind == PID_ENTRY)
		return n < CALL_REGS ? ir_emit(b, IR_CTX, ir_i(call_reg[n])) : stack_arg(b, n - CALL_REGS);
	if (n == 0)
		return code_at(b);
	return n == 1 ? ir_emit(b, IR_CTX, ir_i(CALL_RESULT)) : 0;
}
