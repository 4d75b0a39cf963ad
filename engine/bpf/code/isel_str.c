/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Strings. Strings in objects end with a NUL or at their capacity, and have zeros after the NUL; scopy, kstr and comm
 * ensure this. They are compared eight bytes at a time up to the smaller capacity. If they are equal so far, one more
 * byte decides.
 */
#include <string.h>

#include "engine/bpf/code/isel.h"

enum {
	SEQ_GROUP = 8,		/* words compared between two branches */
	SCOPY_INLINE = 32,	/* up to this many bytes, words are cheaper than a helper */
};

static struct ir_arg moved_by(const struct ir_arg *m, uint32_t by)
{
	struct ir_arg r = *m;

	r.imm += by;
	return r;
}

static const uint8_t *constant_text(const struct bpf_gen *g, const struct ir_arg *m)
{
	const struct ir_obj *o = &g->im->prog->objs.v[m->obj];

	return o->kind == IR_O_CONST && o->init ? (const uint8_t *)o->init + m->imm : NULL;
}

static bool same_place(const struct ir_arg *a, const struct ir_arg *b)
{
	return a->obj == b->obj && a->reg == b->reg && a->imm == b->imm;
}

/* Stores a string constant as immediates instead of reading it. */
static void store_constant(struct bpf_gen *g, const struct ir_arg *dst, const uint8_t *text, uint32_t dcap,
			   uint32_t scap)
{
	uint32_t len = (uint32_t)strnlen((const char *)text, scap < dcap ? scap : dcap - 1), i, n;
	struct addr a = gen_addr(g, dst, R5, dcap);
	struct ir_arg tail;

	for (i = 0; i < len; i += n) {
		uint64_t word = 0;

		for (n = 8; (dst->imm + i) % n || n > dcap - i; n /= 2)
			;
		memcpy(&word, text + i, len - i < n ? len - i : n);
		if (n < 8 || (int64_t)word == (int32_t)word) {
			asm_sti(g->a, bytes_size(n), a.base, (int16_t)(a.off + (int32_t)i), (int32_t)word);
		} else {
			asm_movi(g->a, R0, (int64_t)word);
			asm_st(g->a, BPF_DW, a.base, (int16_t)(a.off + (int32_t)i), R0);
		}
	}
	tail = moved_by(dst, i);
	if (i < dcap)
		gen_zero(g, &tail, dcap - i);
}

static void to_little_endian(struct bpf_gen *g, int reg)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	asm_emit(g->a, insn(BPF_ALU | BPF_END | BPF_TO_LE, reg, 0, 0, 64));
#else
	(void)g;
	(void)reg;
#endif
}

/* Copies one word from R2 to R1, cut at its first NUL. R3 = all ones until a NUL was found, then 0. */
static void copy_word(struct bpf_gen *g, uint32_t at, bool last)
{
	asm_ld(g->a, BPF_DW, R0, R2, (int16_t)at);
	to_little_endian(g, R0);
	asm_alu(g->a, BPF_AND, R0, R3);
	/* R4 = (w - 0x01..) & ~w & 0x80..: its lowest set bit is the top bit of the first zero byte */
	asm_mov(g->a, R4, R0);
	asm_movi(g->a, R5, 0x0101010101010101);
	asm_alu(g->a, BPF_SUB, R4, R5);
	asm_mov(g->a, R5, R0);
	asm_alui(g->a, BPF_XOR, R5, -1);
	asm_alu(g->a, BPF_AND, R4, R5);
	asm_movi(g->a, R5, (int64_t)0x8080808080808080);
	asm_alu(g->a, BPF_AND, R4, R5);
	/* R5 = ones in the bytes before it; all ones if there is none */
	asm_mov(g->a, R5, R4);
	asm_alui(g->a, BPF_NEG, R5, 0);
	asm_alu(g->a, BPF_AND, R5, R4);
	asm_alui(g->a, BPF_RSH, R5, 7);
	asm_alui(g->a, BPF_SUB, R5, 1);
	asm_alu(g->a, BPF_AND, R0, R5);
	asm_alui(g->a, BPF_ARSH, R5, 63);
	asm_mov(g->a, R3, R5);
	if (last) {
		asm_alui(g->a, BPF_LSH, R0, 8);
		asm_alui(g->a, BPF_RSH, R0, 8);
	}
	to_little_endian(g, R0);
	asm_st(g->a, BPF_DW, R1, (int16_t)at, R0);
}

static bool in_words(const struct ir_ins *ins, uint32_t bytes)
{
	return bytes <= SCOPY_INLINE && (bytes | (uint32_t)ins->arg[0].imm | (uint32_t)ins->arg[2].imm) % 8 == 0;
}

void emit_scopy(struct bpf_gen *g, const struct ir_ins *ins)
{
	uint32_t dcap = (uint32_t)ins->arg[1].imm, scap = (uint32_t)ins->arg[3].imm, n = dcap < scap ? dcap : scap;
	struct ir_arg tail = moved_by(&ins->arg[0], n);

	if (same_place(&ins->arg[0], &ins->arg[2]) && dcap == scap)
		return;
	if (constant_text(g, &ins->arg[2])) {
		store_constant(g, &ins->arg[0], constant_text(g, &ins->arg[2]), dcap, scap);
		return;
	}
	if (in_words(ins, n)) {
		GEN_ARGS(g, ga_addr(&ins->arg[0]), ga_addr(&ins->arg[2]));
		asm_movi(g->a, R3, -1);
		for (uint32_t at = 0; at < n; at += 8)
			copy_word(g, at, at + 8 == dcap);
		if (n < dcap)
			gen_zero(g, &tail, dcap - n);
		return;
	}
	gen_zero(g, &ins->arg[0], dcap);
	/* one byte more than the source, so that the helper's NUL does not overwrite the last byte */
	GEN_ARGS(g, ga_addr(&ins->arg[0]), ga_imm(dcap <= scap ? dcap : scap + 1), ga_addr(&ins->arg[2]));
	asm_call(g->a, BPF_FUNC_probe_read_kernel_str);
}

unsigned isel_scopy_flags(const struct bpf_gen *g, const struct ir_ins *ins)
{
	if (constant_text(g, &ins->arg[2]) && ins->arg[1].imm <= gen_inline_zero(g))
		return 0;
	return OPF_CALL | OPF_LATE;
}

/* Loads word i of both strings (R1, R2) into R0 and R5. The last word may be short. */
static uint32_t load_both(struct bpf_gen *g, const struct ir_ins *ins, uint32_t at, uint32_t cap)
{
	uint32_t n = 8;

	while (n > cap - at || ((ins->arg[0].imm | ins->arg[2].imm) + at) % n)
		n /= 2;
	asm_ld(g->a, bytes_size(n), R0, R1, (int16_t)at);
	asm_ld(g->a, bytes_size(n), R5, R2, (int16_t)at);
	return n;
}

static uint32_t common_bytes(const struct ir_ins *ins)
{
	int64_t a = ins->arg[1].imm, b = ins->arg[3].imm;

	return (uint32_t)(a < b ? a : b);
}

/* R0, R5 = the byte after the smaller capacity: that byte of the longer string, and 0 for the shorter one. Returns
 * false if the capacities are equal. */
static bool load_after(struct bpf_gen *g, const struct ir_ins *ins, uint32_t cap)
{
	if (ins->arg[1].imm == ins->arg[3].imm)
		return false;
	if (ins->arg[1].imm > (int64_t)cap) {
		asm_ld(g->a, BPF_B, R0, R1, (int16_t)cap);
		asm_movi(g->a, R5, 0);
	} else {
		asm_ld(g->a, BPF_B, R5, R2, (int16_t)cap);
		asm_movi(g->a, R0, 0);
	}
	return true;
}

/* The first word decides most comparisons. The other words are combined, so that a long string does not cost the
 * verifier a branch per word. */
void emit_seq(struct bpf_gen *g, const struct ir_ins *ins)
{
	uint32_t differ = asm_label(g->a), end = asm_label(g->a), cap = common_bytes(ins), words = 0;

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
	if (load_after(g, ins, cap))
		asm_jcc(g->a, BPF_JNE, R0, R5, differ);
	asm_movi(g->a, R0, 1);
	asm_jmp(g->a, end);
	asm_bind(g->a, differ);
	asm_movi(g->a, R0, 0);
	asm_bind(g->a, end);
	gen_put(g, ins->dst, R0);
}

static void to_big_endian(struct bpf_gen *g, int reg)
{
	asm_emit(g->a, insn(BPF_ALU | BPF_END | BPF_TO_BE, reg, 0, 0, 64));
}

/* Words in big-endian order compare like their bytes. Short loads are zero-extended, which changes nothing because both
 * are equally short. */
void emit_scmp(struct bpf_gen *g, const struct ir_ins *ins)
{
	uint32_t differ = asm_label(g->a), end = asm_label(g->a), cap = common_bytes(ins);

	GEN_ARGS(g, ga_addr(&ins->arg[0]), ga_addr(&ins->arg[2]));
	for (uint32_t at = 0, n; at < cap; at += n) {
		n = load_both(g, ins, at, cap);
		asm_jcc(g->a, BPF_JNE, R0, R5, differ);
	}
	if (load_after(g, ins, cap))
		asm_jcc(g->a, BPF_JNE, R0, R5, differ);
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
