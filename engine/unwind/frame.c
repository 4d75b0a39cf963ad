/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/unwind/frame.h"

#include <elf.h>
#include <string.h>

/* ---- machines ---- */
#if defined(__x86_64__)
#include <asm/perf_regs.h>

static const uint8_t amd64[] = {
	PERF_REG_X86_AX, PERF_REG_X86_DX, PERF_REG_X86_CX, PERF_REG_X86_BX, PERF_REG_X86_SI, PERF_REG_X86_DI,
	PERF_REG_X86_BP, PERF_REG_X86_SP, PERF_REG_X86_R8, PERF_REG_X86_R9, PERF_REG_X86_R10, PERF_REG_X86_R11,
	PERF_REG_X86_R12, PERF_REG_X86_R13, PERF_REG_X86_R14, PERF_REG_X86_R15, PERF_REG_X86_IP,
};
static const uint8_t i386[] = {
	PERF_REG_X86_AX, PERF_REG_X86_CX, PERF_REG_X86_DX, PERF_REG_X86_BX, PERF_REG_X86_SP, PERF_REG_X86_BP,
	PERF_REG_X86_SI, PERF_REG_X86_DI, PERF_REG_X86_IP,
};
static const uint8_t amd64_context[] = { 13, 12, 14, 11, 9, 8, 10, 15, 0, 1, 2, 3, 4, 5, 6, 7, 16 };
static const uint8_t i386_context[] = { 11, 10, 9, 8, 7, 6, 5, 4, 14 };
static const struct unwind_machine machines[] = {
	{ EM_X86_64, 64, sizeof amd64, 7, 6, 16, 1u << 3 | 1u << 6 | 0x1f000 /* rbx, rbp, r12-r15, rip */, amd64,
	  amd64_context },
	{ EM_386, 32, sizeof i386, 4, 5, 8, 1u << 3 | 1u << 5 | 1u << 6 | 1u << 7 /* ebx, ebp, esi, edi */, i386,
	  i386_context },
	{ .bits = 0 },
};
#else
static const struct unwind_machine machines[] = { { .bits = 0 } };
#endif

const struct unwind_machine *machine_of(unsigned bits)
{
	for (const struct unwind_machine *m = machines; m->bits; m++)
		if (m->bits == bits)
			return m;
	return NULL;
}

uint64_t machine_mask(void)
{
	uint64_t mask = 0;

	for (const struct unwind_machine *m = machines; m->bits; m++)
		for (unsigned k = 0; k < m->nregs; k++)
			mask |= 1ull << m->perf[k];
	return mask;
}

/* ---- one step ---- */
enum { LOWEST = 4096, OLD_SP = 12 };	/* LOWEST: no code is mapped below this address */

bool frame_word(struct unwind_frame *f, uint64_t addr, uint64_t *out)
{
	unsigned bytes = f->m->bits / 8;

	*out = 0;
	if (addr < f->low || addr > f->high || f->high - addr < bytes) {
		if (f->more && f->more(f->more_arg, addr, out, bytes))
			return true;
		f->missed = addr;
		return false;
	}
	memcpy(out, f->stack + (addr - f->low), bytes);
	return true;
}

static uint64_t machine_word(const struct unwind_frame *f, uint64_t v)
{
	return f->m->bits == 32 ? (uint32_t)v : v;
}

static bool cfa_find(struct unwind_frame *f, const struct unwind_rule *r, const Dwarf_Op *ops, uint64_t *out)
{
	if (r->how == RULE_EXPR)
		return expr_eval(f, ops + r->val, r->nops, NULL, out);
	if (r->how != RULE_REG || r->reg >= f->m->nregs || !(f->known >> r->reg & 1))
		return false;
	*out = machine_word(f, f->reg[r->reg] + (uint64_t)(int64_t)r->val);
	return true;
}

/* Computes the caller's value of a register that differs from the callee's. */
static bool rule_apply(struct unwind_frame *f, const struct unwind_rule *r, const Dwarf_Op *ops, uint64_t cfa,
		       uint64_t *out)
{
	unsigned from = (unsigned)r->val;

	switch ((enum rule_how)r->how) {
	case RULE_REG:
		*out = from < f->m->nregs ? f->reg[from] : 0;
		return from < f->m->nregs && f->known >> from & 1;
	case RULE_AT:
		return frame_word(f, machine_word(f, cfa + (uint64_t)(int64_t)r->val), out);
	case RULE_CFA:
		*out = machine_word(f, cfa + (uint64_t)(int64_t)r->val);
		return true;
	case RULE_EXPR_AT:
		return expr_eval(f, ops + r->val, r->nops, &cfa, out) && frame_word(f, *out, out);
	case RULE_EXPR:
		return expr_eval(f, ops + r->val, r->nops, &cfa, out);
	default:
		return false;
	}
}

/* Whether the callee may be on another stack than the caller: signal handlers, and assembler code of Go that keeps the
 * old stack pointer in r12. */
enum frame_stack { SAME_STACK, OTHER_STACK };

/* Replaces the frame by its caller, if that is one. Stacks grow down, so the caller's frame on the same stack has a
 * higher address. */
static enum frame_end caller_take(struct unwind_frame *f, const struct unwind_frame *up, enum frame_stack stack)
{
	const struct unwind_machine *m = f->m;

	if (!(up->known >> m->pc & 1))
		return f->missed ? FRAME_CUT : FRAME_BROKEN;
	if (up->reg[m->pc] < LOWEST)
		return up->reg[m->pc] ? FRAME_BROKEN : FRAME_LAST;
	if (!(up->known >> m->sp & 1) || (stack == SAME_STACK && up->reg[m->sp] <= f->reg[m->sp]))
		return FRAME_BROKEN;
	*f = *up;
	return FRAME_GOES_ON;
}

void row_sort(struct unwind_row *r)
{
	r->same = r->other = 0;
	for (unsigned i = 0; i < FRAME_REGS; i++) {
		r->same |= (uint32_t)(r->reg[i].how == RULE_SAME) << i;
		r->other |= (uint32_t)(r->reg[i].how != RULE_SAME && r->reg[i].how != RULE_UNKNOWN) << i;
	}
}

void row_sigreturn(struct unwind_row *r)
{
	const struct unwind_machine *m = machine_of(64);
	enum { CONTEXT = 40 };			/* offset of uc_mcontext */

	*r = (struct unwind_row){ .known = m, .signal = true };
	if (!m)
		return;
	r->cfa = (struct unwind_rule){ .how = RULE_REG, .reg = m->sp, .val = CONTEXT };
	for (unsigned i = 0; i < m->nregs; i++)
		r->reg[i] = (struct unwind_rule){ .how = RULE_AT, .val = 8 * m->context[i] };
	row_sort(r);
}

enum frame_end frame_up(struct unwind_frame *f, const struct unwind_row *r, const Dwarf_Op *ops)
{
	const struct unwind_machine *m = f->m;
	struct unwind_frame up = *f;
	uint64_t cfa;

	if (r->reg[m->pc].how == RULE_UNKNOWN)
		return FRAME_LAST;
	f->missed = 0;
	if (!cfa_find(f, &r->cfa, ops, &cfa))
		return f->missed ? FRAME_CUT : FRAME_BROKEN;
	up.known = f->known & r->same;
	for (uint32_t left = r->other & ((1u << m->nregs) - 1); left; left &= left - 1) {
		unsigned i = (unsigned)__builtin_ctz(left);

		up.known |= (uint32_t)rule_apply(f, &r->reg[i], ops, cfa, &up.reg[i]) << i;
	}
	/* only the program counter sets `missed`: another register outside the copy may never be needed */
	if (!(up.known >> m->pc & 1) && r->other >> m->pc & 1)
		rule_apply(f, &r->reg[m->pc], ops, cfa, &up.reg[m->pc]);
	up.missed = 0;
	if (r->signal || (r->cfa.how == RULE_REG && r->cfa.reg == OLD_SP && m->bits == 64))
		return caller_take(f, &up, OTHER_STACK);
	return caller_take(f, &up, SAME_STACK);
}

enum frame_end frame_up_pointer(struct unwind_frame *f, bool interrupted)
{
	const struct unwind_machine *m = f->m;
	unsigned bytes = m->bits / 8;
	struct unwind_frame up = *f;
	uint64_t fp = f->reg[m->fp];

	f->missed = 0;
	if (f->known >> m->fp & 1 && !fp)	/* the ABI marks the outermost frame this way */
		return interrupted ? FRAME_BROKEN : FRAME_LAST;
	if (!(f->known >> m->fp & 1) || fp % bytes || fp < f->reg[m->sp])
		return FRAME_BROKEN;
	if (!frame_word(f, fp, &up.reg[m->fp]) || !frame_word(f, fp + bytes, &up.reg[m->pc]))
		return FRAME_CUT;
	up.reg[m->sp] = fp + 2 * (uint64_t)bytes;
	up.known = 1u << m->fp | 1u << m->pc | 1u << m->sp;
	return caller_take(f, &up, SAME_STACK);
}
