/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Arguments. */
#include "providers/pid/pid.h"

/* Registers in struct pt_regs, the context. */
#if defined(__x86_64__)
static const uint16_t reg_arg[] = { 112, 104, 96, 88, 72, 64 };	/* rdi rsi rdx rcx r8 r9 */
enum { REG_RESULT = 80, REG_STACK = 152, STACK_ARGS = 8 /* after the return address */ };
#elif defined(__aarch64__)
static const uint16_t reg_arg[] = { 0, 8, 16, 24, 32, 40, 48, 56 };
enum { REG_RESULT = 0, REG_STACK = 248, STACK_ARGS = 0 };
#else
#error "which registers hold the arguments of a function?"
#endif

enum { NREGS = sizeof reg_arg / sizeof *reg_arg };

#define WORD "pid.word"

/* An argument that the caller has put on the stack. */
static ir_reg stack_arg(struct ir_builder *b, unsigned i)
{
	uint32_t word = code_word(b, WORD);
	ir_reg at = ir_emit(b, IR_ADD, ir_r(ir_emit(b, IR_CTX, ir_i(REG_STACK))), ir_i(STACK_ARGS + 8 * (int64_t)i));

	ir_emit(b, IR_UREAD, ir_m(word, 0), ir_i(8), ir_r(at));
	return ir_emit(b, IR_LD64, ir_m(word, 0));
}

ir_reg pid_arg(struct ir_builder *b, const struct probe *p, unsigned n, bool alt)
{
	(void)alt;
	if (code_of(p)->gate->kind == PID_ENTRY)
		return n < NREGS ? ir_emit(b, IR_CTX, ir_i(reg_arg[n])) : stack_arg(b, n - NREGS);
	if (n == 0)
		return code_at(b);
	return n == 1 ? ir_emit(b, IR_CTX, ir_i(REG_RESULT)) : 0;
}
