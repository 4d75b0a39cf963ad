/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the programs do before the clauses, and arguments. */
#include "providers/calls.h"
#include "providers/code/code.h"
#include "providers/fbt/fbt.h"

#define COOKIE "fbt.cookie"

void fbt_prologue(struct ir_builder *b, const struct probe *p, bool alt, uint32_t skip)
{
	(void)p, (void)alt, (void)skip;
	ir_emit(b, IR_ST64, ir_m(code_word(b, COOKIE), 0), ir_r(ir_emit0(b, IR_COOKIE)));
}

ir_reg fbt_select(struct ir_builder *b, const struct probe *p)
{
	(void)p;
	return ir_emit(b, IR_ZEXT32, ir_r(ir_emit(b, IR_LD64, ir_m(code_word(b, COOKIE), 0))));
}

/* An argument that the caller has put on the stack. */
static ir_reg stack_arg(struct ir_builder *b, unsigned i)
{
	uint32_t to = code_word(b, "fbt.word");
	ir_reg stack = ir_emit(b, IR_CTX, ir_i(CALL_STACK));
	ir_reg at = ir_emit(b, IR_ADD, ir_r(stack), ir_i(CALL_STACK_ARGS + 8 * (int64_t)i));

	ir_emit(b, IR_KREAD, ir_m(to, 0), ir_i(8), ir_r(at));
	return ir_emit(b, IR_LD64, ir_m(to, 0));
}

/* At the return, the offset of the instruction (arg0) is not known. */
ir_reg fbt_arg(struct ir_builder *b, const struct probe *p, unsigned n, bool alt)
{
	(void)alt;
	if (fbt_of(p)->gate->kind == FBT_ENTRY)
		return n < CALL_REGS ? ir_emit(b, IR_CTX, ir_i(call_reg[n])) : stack_arg(b, n - CALL_REGS);
	return n == 1 ? ir_emit(b, IR_CTX, ir_i(CALL_RESULT)) : 0;
}
