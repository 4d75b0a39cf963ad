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

/* Word n of the arguments at a function's entry. */
static ir_reg entry_arg(struct ir_builder *b, unsigned n)
{
	return n < CALL_REGS ? ir_emit(b, IR_CTX, ir_i(call_reg[n])) : stack_arg(b, n - CALL_REGS);
}

static ir_reg entry_arg_go(struct ir_builder *b, unsigned n)
{
	return n < CALL_GO_REGS ? ir_emit(b, IR_CTX, ir_i(call_go_reg[n])) : stack_arg(b, n - CALL_GO_REGS);
}

/* go, in a function of Go; else c. */
static ir_reg by_language(struct ir_builder *b, ir_reg c, ir_reg go)
{
	ir_reg differs = ir_emit(b, IR_AND, ir_r(ir_emit(b, IR_XOR, ir_r(c), ir_r(go))), ir_r(code_go(b)));

	return ir_emit(b, IR_XOR, ir_r(c), ir_r(differs));
}

ir_reg pid_arg(struct ir_builder *b, const struct probe *p, unsigned n, bool alt)
{
	ir_reg c;

	(void)alt;
	if (code_of(p)->gate->kind == PID_ENTRY) {
		c = entry_arg(b, n);
		return by_language(b, c, entry_arg_go(b, n));
	}
	if (n == 0)
		return code_at(b);
	if (n == 1)
		return ir_emit(b, IR_CTX, ir_i(CALL_RESULT));
	return n <= CALL_GO_REGS ? ir_emit(b, IR_AND, ir_r(ir_emit(b, IR_CTX, ir_i(call_go_reg[n - 1]))),
					   ir_r(code_go(b))) : 0;
}
