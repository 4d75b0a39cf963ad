/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the programs do before the clauses, and arguments. */
#include "providers/fbt/fbt.h"

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

static uint32_t word(struct ir_builder *b, const char *name)
{
	int64_t found = ir_obj_find(b->prog, name);

	return found >= 0 ? (uint32_t)found :
	       ir_obj_add(b->prog, &(struct ir_obj){ .name = name, .kind = IR_O_TEMP, .size = 8 });
}

void fbt_prologue(struct ir_builder *b, const struct probe *p, bool alt, uint32_t skip)
{
	(void)p, (void)alt, (void)skip;
	ir_emit(b, IR_ST64, ir_m(word(b, "fbt.cookie"), 0), ir_r(ir_emit0(b, IR_COOKIE)));
}

ir_reg fbt_select(struct ir_builder *b, const struct probe *p)
{
	(void)p;
	return ir_emit(b, IR_ZEXT32, ir_r(ir_emit(b, IR_LD64, ir_m(word(b, "fbt.cookie"), 0))));
}

/* An argument that the caller has put on the stack. */
static ir_reg stack_arg(struct ir_builder *b, unsigned i)
{
	uint32_t to = word(b, "fbt.word");
	ir_reg at = ir_emit(b, IR_ADD, ir_r(ir_emit(b, IR_CTX, ir_i(REG_STACK))), ir_i(STACK_ARGS + 8 * (int64_t)i));

	ir_emit(b, IR_KREAD, ir_m(to, 0), ir_i(8), ir_r(at));
	return ir_emit(b, IR_LD64, ir_m(to, 0));
}

/* At the return, the offset of the instruction (arg0) is not known. */
ir_reg fbt_arg(struct ir_builder *b, const struct probe *p, unsigned n, bool alt)
{
	(void)alt;
	if (fbt_of(p)->gate->kind == FBT_ENTRY)
		return n < NREGS ? ir_emit(b, IR_CTX, ir_i(reg_arg[n])) : stack_arg(b, n - NREGS);
	return n == 1 ? ir_emit(b, IR_CTX, ir_i(REG_RESULT)) : 0;
}
