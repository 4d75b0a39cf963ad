/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Strings. Ours end in a NUL and have zeros behind it up to their capacity, so they are compared eight bytes at a
 * time, and no farther than the smaller capacity: the shorter string has its NUL there.
 */
#include "engine/bpf/isel.h"

enum { SEQ_GROUP = 8 };	/* words compared between two branches */

static struct ir_arg moved(const struct ir_arg *m, uint32_t by)
{
	struct ir_arg r = *m;

	r.imm += by;
	return r;
}

void emit_scopy(struct gen *g, const struct ir_ins *ins)
{
	uint32_t dcap = (uint32_t)ins->arg[1].imm, scap = (uint32_t)ins->arg[3].imm;
	struct ir_arg tail;

	if (scap >= dcap) {
		gen_copy(g, &ins->arg[0], &ins->arg[2], dcap);
		tail = moved(&ins->arg[0], dcap - 1);
		gen_zero(g, &tail, 1);
		return;
	}
	gen_copy(g, &ins->arg[0], &ins->arg[2], scap);
	tail = moved(&ins->arg[0], scap);
	gen_zero(g, &tail, dcap - scap);
}

/* Loads word i of both strings (R1, R2) into R0 and R5. The last one may be short. */
static uint32_t load_both(struct gen *g, const struct ir_ins *ins, uint32_t at, uint32_t cap)
{
	uint32_t n = 8;

	while (n > cap - at || ((ins->arg[0].imm | ins->arg[2].imm) + at) % n)
		n /= 2;
	asm_ld(g->a, bytes_size(n), R0, R1, (int16_t)at);
	asm_ld(g->a, bytes_size(n), R5, R2, (int16_t)at);
	return n;
}

static uint32_t common(const struct ir_ins *ins)
{
	int64_t a = ins->arg[1].imm, b = ins->arg[3].imm;

	return (uint32_t)(a < b ? a : b);
}

/* The first word decides most comparisons; the others are folded together so that a long string does not cost the
 * verifier a branch a word. */
void emit_seq(struct gen *g, const struct ir_ins *ins)
{
	uint32_t differ = asm_label(g->a), end = asm_label(g->a), cap = common(ins), words = 0;

	GEN_ARGS(g, ga_addr(&ins->arg[0]), ga_addr(&ins->arg[2]));
	for (uint32_t at = 0, n; at < cap; at += n, words++) {
		n = load_both(g, ins, at, cap);
		if (at == 0) {
			asm_jcc(g->a, BPF_JNE, R0, R5, differ);
			asm_movi(g->a, R3, 0);
			continue;
		}
		asm_alu(g->a, BPF_XOR, R0, R5);
		asm_alu(g->a, BPF_OR, R3, R0);
		if (words % SEQ_GROUP == 0 || at + n == cap)
			asm_jcci(g->a, BPF_JNE, R3, 0, differ);
	}
	asm_movi(g->a, R0, 1);
	asm_jmp(g->a, end);
	asm_bind(g->a, differ);
	asm_movi(g->a, R0, 0);
	asm_bind(g->a, end);
	gen_put(g, ins->dst, R0);
}

static void to_big_endian(struct gen *g, int reg)
{
	asm_emit(g->a, insn(BPF_ALU | BPF_END | BPF_TO_BE, reg, 0, 0, 64));
}

/* Words in big-endian order compare like their bytes. Short loads are zero-extended, which keeps that true as both
 * are equally short. */
void emit_scmp(struct gen *g, const struct ir_ins *ins)
{
	uint32_t differ = asm_label(g->a), end = asm_label(g->a), cap = common(ins);

	GEN_ARGS(g, ga_addr(&ins->arg[0]), ga_addr(&ins->arg[2]));
	for (uint32_t at = 0, n; at < cap; at += n) {
		n = load_both(g, ins, at, cap);
		asm_jcc(g->a, BPF_JNE, R0, R5, differ);
	}
	asm_movi(g->a, R3, 0);
	asm_jmp(g->a, end);
	asm_bind(g->a, differ);
	to_big_endian(g, R0);
	to_big_endian(g, R5);
	asm_movi(g->a, R3, 1);
	asm_jcc(g->a, BPF_JGT, R0, R5, end);
	asm_movi(g->a, R3, -1);
	asm_bind(g->a, end);
	gen_put(g, ins->dst, R3);
}
