/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Accesses to an object at an offset that is known only at run time. Such an object is never on the stack. Bounds are
 * checked in R4, which is never spilled, so that the verifier knows the result.
 */
#include "engine/bpf/code/isel.h"

static uint32_t object_size(const struct bpf_gen *g, const struct ir_arg *o)
{
	return g->im->prog->objs.v[o->obj].size;
}

static bool is_word(int64_t n)
{
	return n == 1 || n == 2 || n == 4 || n == 8;
}

/* True if n bytes of a place can be moved as one word; on the stack, words must be aligned. */
static bool is_word_move(const struct ir_arg *m, int64_t n)
{
	return is_word(n) && m->imm % n == 0;
}

/* Result 1 if the helper failed (negative), else 0. */
static void put_failed(struct bpf_gen *g, const struct ir_ins *ins, uint32_t failed)
{
	uint32_t end = asm_label(g->a);

	if (!ins->dst) {
		asm_bind(g->a, failed);
		return;
	}
	asm_alui(g->a, BPF_RSH, R0, 63);
	asm_jmp(g->a, end);
	asm_bind(g->a, failed);
	asm_movi(g->a, R0, 1);
	asm_bind(g->a, end);
	gen_put(g, ins->dst, R0);
}

/* m, n, o, offset -> R1 = the place, R2 = n, R3 = the object, R4 = the offset */
static void window_args(struct bpf_gen *g, const struct ir_ins *ins)
{
	struct ir_arg obj = ir_m(ins->arg[2].obj, 0);

	GEN_ARGS(g, ga_addr(&ins->arg[0]), ga_imm(ins->arg[1].imm), ga_addr(&obj), ga_val(&ins->arg[3]));
}

/* Jumps to `outside` if the number in `reg` is above `max`. */
static void not_above(struct bpf_gen *g, int reg, uint32_t max, uint32_t outside)
{
	gen_hide(g, reg);
	asm_jcci(g->a, BPF_JGT, reg, (int32_t)max, outside);
	gen_bound(g, reg, max + 1);
}

/* Jumps to `outside` if the offset in R4 is above `max`; else adds it to `base`. */
static void add_offset(struct bpf_gen *g, int base, uint32_t max, uint32_t outside)
{
	not_above(g, R4, max, outside);
	asm_alu(g->a, BPF_ADD, base, R4);
}

static void zero_word(struct bpf_gen *g, int64_t n)
{
	asm_sti(g->a, bytes_size((unsigned)n), R1, 0, 0);
}

void emit_get(struct bpf_gen *g, const struct ir_ins *ins)
{
	int64_t n = ins->arg[1].imm;
	uint32_t outside = asm_label(g->a), end = asm_label(g->a);

	window_args(g, ins);
	add_offset(g, R3, object_size(g, &ins->arg[2]) - (uint32_t)n, outside);
	if (is_word_move(&ins->arg[0], n)) {
		asm_ld(g->a, bytes_size((unsigned)n), R0, R3, 0);
		asm_st(g->a, bytes_size((unsigned)n), R1, 0, R0);
	} else {
		asm_call(g->a, BPF_FUNC_probe_read_kernel);
	}
	asm_movi(g->a, R0, 0);
	asm_jmp(g->a, end);
	asm_bind(g->a, outside);
	if (is_word_move(&ins->arg[0], n)) {
		zero_word(g, n);
	} else {
		/* a failed read zeroes */
		asm_movi(g->a, R3, 0);
		asm_call(g->a, BPF_FUNC_probe_read_kernel);
	}
	asm_movi(g->a, R0, 1);
	asm_bind(g->a, end);
	gen_put(g, ins->dst, R0);
}

void emit_gets(struct bpf_gen *g, const struct ir_ins *ins)
{
	uint32_t outside = asm_label(g->a);

	gen_zero(g, &ins->arg[0], (uint32_t)ins->arg[1].imm);
	window_args(g, ins);
	add_offset(g, R3, object_size(g, &ins->arg[2]) / 2, outside);
	asm_call(g->a, BPF_FUNC_probe_read_kernel_str);
	put_failed(g, ins, outside);
}

void emit_put(struct bpf_gen *g, const struct ir_ins *ins)
{
	int64_t n = ins->arg[1].imm;
	uint32_t outside = asm_label(g->a), end = asm_label(g->a);

	window_args(g, ins);
	add_offset(g, R3, object_size(g, &ins->arg[2]) - (uint32_t)n, outside);
	if (is_word_move(&ins->arg[0], n)) {
		asm_ld(g->a, bytes_size((unsigned)n), R0, R1, 0);
		asm_st(g->a, bytes_size((unsigned)n), R3, 0, R0);
	} else {
		asm_mov(g->a, R0, R1);
		asm_mov(g->a, R1, R3);
		asm_mov(g->a, R3, R0);
		asm_call(g->a, BPF_FUNC_probe_read_kernel);
	}
	asm_movi(g->a, R0, 0);
	asm_jmp(g->a, end);
	asm_bind(g->a, outside);
	asm_movi(g->a, R0, 1);
	asm_bind(g->a, end);
	gen_put(g, ins->dst, R0);
}

/* R3 = address in the object, from an offset in R3. R4 is lost. */
static void self_source(struct bpf_gen *g, const struct ir_arg *obj, uint32_t half, uint32_t outside)
{
	struct addr base;

	not_above(g, R3, half, outside);
	base = gen_addr(g, obj, R5, 0);
	asm_mov(g->a, R4, base.base);
	if (base.off)
		asm_alui(g->a, BPF_ADD, R4, base.off);
	asm_alu(g->a, BPF_ADD, R4, R3);
	asm_mov(g->a, R3, R4);
}

/* Offset and length are each at most half of the object, so their sum is inside it. */
void emit_fill(struct bpf_gen *g, const struct ir_ins *ins)
{
	uint32_t half = object_size(g, &ins->arg[0]) / 2, outside = asm_label(g->a), call = asm_label(g->a);
	struct ir_arg obj = ir_m(ins->arg[0].obj, 0);
	bool zero = ins->arg[4].imm == IR_FILL_ZERO;
	bool known = ins->arg[2].kind == IR_IMM && ins->arg[2].imm > 0 && ins->arg[2].imm <= half;

	GEN_ARGS(g, ga_addr(&obj), ga_val(&ins->arg[2]), zero ? ga_imm(0) : ga_val(&ins->arg[3]),
		 ga_val(&ins->arg[1]));
	if (!known)
		not_above(g, R2, half, outside);
	add_offset(g, R1, half, outside);
	if (!known) {
		asm_movi(g->a, R0, 0);
		asm_jcci(g->a, BPF_JEQ, R2, 0, call);
	}
	if (ins->arg[4].imm == IR_FILL_SELF)
		self_source(g, &obj, half, outside);
	asm_call(g->a, ins->arg[4].imm == IR_FILL_USER ? BPF_FUNC_probe_read_user : BPF_FUNC_probe_read_kernel);
	if (zero && ins->dst)
		asm_movi(g->a, R0, 0);
	asm_bind(g->a, call);
	put_failed(g, ins, outside);
}

void emit_uwrite(struct bpf_gen *g, const struct ir_ins *ins)
{
	uint32_t half = object_size(g, &ins->arg[0]) / 2, outside = asm_label(g->a), done = asm_label(g->a);
	struct ir_arg obj = ir_m(ins->arg[0].obj, 0);

	GEN_ARGS(g, ga_val(&ins->arg[3]), ga_addr(&obj), ga_val(&ins->arg[2]), ga_val(&ins->arg[1]));
	not_above(g, R3, half, outside);
	add_offset(g, R2, half, outside);
	asm_movi(g->a, R0, 0);
	/* not "== 0": older verifiers learn nothing from that */
	asm_jcci(g->a, BPF_JLT, R3, 1, done);
	asm_call(g->a, BPF_FUNC_probe_write_user);
	asm_bind(g->a, done);
	put_failed(g, ins, outside);
}
