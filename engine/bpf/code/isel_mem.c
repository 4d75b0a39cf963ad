/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Loads, stores, atomics, and copies of bytes. */
#include "engine/bpf/code/isel.h"

enum { MAX_TRIES = 4 };	/* attempts of xmax under contention */

static uint8_t access_size(enum ir_op op)
{
	switch (op) {
	case IR_LD8:
	case IR_ST8:
		return BPF_B;
	case IR_LD16:
	case IR_ST16:
		return BPF_H;
	case IR_LD32:
	case IR_ST32:
		return BPF_W;
	default:
		return BPF_DW;
	}
}

void emit_ld(struct bpf_gen *g, const struct ir_ins *ins)
{
	uint32_t outside, end;
	struct addr m;
	int d;

	if (!ins->arg[0].idx) {
		m = gen_addr(g, &ins->arg[0], R5, 8);
		d = gen_dst(g, ins->dst, R0);
		asm_ld(g->a, access_size(ins->op), d, m.base, (int16_t)m.off);
		gen_put(g, ins->dst, d);
		return;
	}
	outside = asm_label(g->a);
	end = asm_label(g->a);
	m = gen_index(g, &ins->arg[0], outside);
	asm_ld(g->a, access_size(ins->op), R0, m.base, (int16_t)m.off);
	asm_jmp(g->a, end);
	asm_bind(g->a, outside);
	asm_movi(g->a, R0, 0);
	asm_bind(g->a, end);
	gen_put(g, ins->dst, R0);
}

void emit_st(struct bpf_gen *g, const struct ir_ins *ins)
{
	const struct ir_arg *v = &ins->arg[1];
	uint32_t outside = 0;
	uint8_t size = access_size(ins->op);
	struct addr m;

	if (ins->arg[0].idx) {
		outside = asm_label(g->a);
		m = gen_index(g, &ins->arg[0], outside);
	} else {
		m = gen_addr(g, &ins->arg[0], R5, 8);
	}
	if (v->kind == IR_IMM && (size != BPF_DW || v->imm == (int32_t)v->imm))
		asm_sti(g->a, size, m.base, (int16_t)m.off, (int32_t)v->imm);
	else
		asm_st(g->a, size, m.base, (int16_t)m.off, gen_val(g, v, m.base == R5 ? R0 : R5));
	if (ins->arg[0].idx)
		asm_bind(g->a, outside);
}

/* Cells that only one context per CPU updates, or only the thread that is running, need no atomics. */
static bool is_plain(const struct bpf_gen *g, const struct ir_arg *m)
{
	enum ir_objkind kind = g->im->prog->objs.v[m->obj].kind;

	return (kind == IR_O_AGG || kind == IR_O_THREAD) && g->im->place[m->obj].plain;
}

/*
 * On the stack, atomics are not needed and must not be used: when the verifier (up to 6.18) tracks back what a branch
 * depends on, it forgets that a fetching atomic has read its stack slot. It may then prune a live branch.
 */
static bool on_some_stack(const struct bpf_gen *g, const struct ir_arg *m)
{
	uint8_t at = m->reg ? AT_NOWHERE : g->fr.obj[m->obj].at;

	return at == AT_STACK || at == AT_OUTER_STACK;
}

unsigned isel_atomic_flags(const struct bpf_gen *g, const struct ir_ins *ins)
{
	return on_some_stack(g, &ins->arg[0]) ? OPF_CALL : 0;
}

static void add_plain(struct bpf_gen *g, struct addr m, const struct ir_arg *v, int tmp)
{
	int other = tmp == R0 ? R5 : R0;

	asm_ld(g->a, BPF_DW, tmp, m.base, (int16_t)m.off);
	if (v->kind == IR_IMM && v->imm == (int32_t)v->imm)
		asm_alui(g->a, BPF_ADD, tmp, (int32_t)v->imm);
	else
		asm_alu(g->a, BPF_ADD, tmp, gen_val(g, v, other));
	asm_st(g->a, BPF_DW, m.base, (int16_t)m.off, tmp);
}

/* True if the value is available without the register that holds the base. */
static bool needs_no_base(const struct bpf_gen *g, const struct ir_arg *v, int base)
{
	if (v->kind == IR_IMM)
		return v->imm == (int32_t)v->imm || (base != R0 && base != R5);
	return g->ra.v[v->reg].reg >= 0 || (base != R0 && base != R5);
}

static void add_on_stack(struct bpf_gen *g, const struct ir_ins *ins)
{
	GEN_ARGS(g, ga_addr(&ins->arg[0]), ga_val(&ins->arg[1]));
	asm_ld(g->a, BPF_DW, R0, R1, 0);
	asm_alu(g->a, BPF_ADD, R2, R0);
	asm_st(g->a, BPF_DW, R1, 0, R2);
	gen_put(g, ins->dst, R0);
}

/* For places that are not on the stack. */
static void add_in_map(struct bpf_gen *g, const struct ir_ins *ins)
{
	const struct ir_arg *v = &ins->arg[1];
	bool indexed = ins->arg[0].idx, dead = gen_dead(g, ins->dst);
	uint32_t outside = indexed ? asm_label(g->a) : 0, end = asm_label(g->a);
	struct addr m = indexed ? gen_index(g, &ins->arg[0], outside) : gen_addr(g, &ins->arg[0], R5, 8);
	int tmp = m.base == R0 ? R5 : R0, src;

	if (dead && is_plain(g, &ins->arg[0]) && needs_no_base(g, v, m.base)) {
		add_plain(g, m, v, tmp);
	} else {
		src = gen_val(g, v, tmp);
		if (!dead) {
			asm_mov(g->a, tmp, src);
			src = tmp;
		}
		asm_atomic(g->a, m.base, (int16_t)m.off, src, BPF_ADD | (dead ? 0 : BPF_FETCH));
	}
	if (indexed && !dead) {
		asm_mov(g->a, R0, tmp);
		asm_jmp(g->a, end);
		asm_bind(g->a, outside);
		asm_movi(g->a, R0, 0);
		tmp = R0;
	} else if (indexed) {
		asm_bind(g->a, outside);
	}
	asm_bind(g->a, end);
	if (!dead)
		gen_put(g, ins->dst, tmp);
}

void emit_xadd(struct bpf_gen *g, const struct ir_ins *ins)
{
	if (on_some_stack(g, &ins->arg[0]))
		add_on_stack(g, ins);
	else
		add_in_map(g, ins);
}

/* R1 = the place; R2, R3 = the values. R0 is lost. */
static void place_and_values(struct bpf_gen *g, const struct ir_ins *ins, unsigned nvals, uint32_t outside)
{
	struct garg args[3] = { ga_addr(&ins->arg[0]), ga_val(&ins->arg[1]), { GA_IMM, NULL, 0 } };

	if (nvals > 1)
		args[2] = ga_val(&ins->arg[2]);
	if (ins->arg[0].idx) {
		struct addr m = gen_index(g, &ins->arg[0], outside);

		asm_mov(g->a, R5, R0);
		if (m.off)
			asm_alui(g->a, BPF_ADD, R5, m.off);
		args[0] = ga_phys(R5);
	}
	gen_args(g, 1 + nvals, args);
}

void emit_xcas(struct bpf_gen *g, const struct ir_ins *ins)
{
	uint32_t outside = asm_label(g->a), end = asm_label(g->a);
	bool indexed = ins->arg[0].idx;

	place_and_values(g, ins, 2, outside);
	if (on_some_stack(g, &ins->arg[0])) {
		asm_ld(g->a, BPF_DW, R0, R1, 0);
		asm_jcc(g->a, BPF_JNE, R0, R2, end);
		asm_st(g->a, BPF_DW, R1, 0, R3);
	} else {
		asm_mov(g->a, R0, R2);
		asm_atomic(g->a, R1, 0, R3, BPF_CMPXCHG);
	}
	if (indexed)
		asm_jmp(g->a, end);
	asm_bind(g->a, outside);
	if (indexed)
		asm_movi(g->a, R0, 0);
	asm_bind(g->a, end);
	gen_put(g, ins->dst, R0);
}

void emit_xmax(struct bpf_gen *g, const struct ir_ins *ins)
{
	uint32_t outside = asm_label(g->a), done = asm_label(g->a);

	place_and_values(g, ins, 1, outside);
	asm_movi(g->a, R3, 0);
	if (is_plain(g, &ins->arg[0]) || on_some_stack(g, &ins->arg[0])) {
		asm_ld(g->a, BPF_DW, R0, R1, 0);
		asm_jcc(g->a, BPF_JGE, R0, R2, done);
		asm_st(g->a, BPF_DW, R1, 0, R2);
	} else {
		for (int i = 0; i < MAX_TRIES; i++) {
			asm_ld(g->a, BPF_DW, R0, R1, 0);
			asm_jcc(g->a, BPF_JGE, R0, R2, done);
			asm_mov(g->a, R4, R0);
			asm_atomic(g->a, R1, 0, R2, BPF_CMPXCHG);
			asm_jcc(g->a, BPF_JEQ, R0, R4, done);
		}
		asm_movi(g->a, R3, 1);
	}
	if (ins->arg[0].idx) {
		asm_jmp(g->a, done);
		asm_bind(g->a, outside);
		asm_movi(g->a, R3, 0);
	}
	asm_bind(g->a, done);
	gen_put(g, ins->dst, R3);
}

/* The widest access that is aligned at these offsets (or-ed; every base is aligned to 8) and not wider than `left`. */
static unsigned widest_access(int64_t off, uint32_t left)
{
	unsigned n = 8;

	while (n > 1 && ((uint64_t)off % n || left < n))
		n /= 2;
	return n;
}

uint32_t gen_inline_zero(const struct bpf_gen *g)
{
	return layout_is_long(g->f) ? 32 : 256;
}

void gen_zero(struct bpf_gen *g, const struct ir_arg *m, uint32_t bytes)
{
	struct addr a;

	if (bytes > gen_inline_zero(g)) {
		/* a failed read zeroes its buffer; shorter than a thousand stores */
		GEN_ARGS(g, ga_addr(m), ga_imm(bytes), ga_imm(0));
		asm_call(g->a, BPF_FUNC_probe_read_kernel);
		return;
	}
	a = gen_addr(g, m, R5, bytes);
	for (uint32_t i = 0, n; i < bytes; i += n) {
		n = widest_access(m->imm + i, bytes - i);
		asm_sti(g->a, bytes_size(n), a.base, (int16_t)(a.off + (int32_t)i), 0);
	}
}

unsigned isel_copy_flags(const struct bpf_gen *g, const struct ir_ins *ins)
{
	if (ins->op == IR_ZERO)
		return ins->arg[1].imm > gen_inline_zero(g) ? OPF_CALL : 0;
	if (ins->arg[2].imm <= GEN_INLINE_COPY && (gen_on_stack(g, &ins->arg[0]) || gen_on_stack(g, &ins->arg[1])))
		return 0;
	return OPF_CALL;
}

/* If one of the places is on the stack, R0 holds the bytes, and the other base may be loaded into R5. If neither is,
 * the register allocator sees this as a call (OPF_CALL), and R1-R3 are free. */
void gen_copy(struct bpf_gen *g, const struct ir_arg *dst, const struct ir_arg *src, uint32_t bytes)
{
	bool stack = gen_on_stack(g, dst) || gen_on_stack(g, src);
	struct addr d = { R1, 0 }, s = { R2, 0 };
	int tmp = stack ? R0 : R3;

	if (bytes > GEN_INLINE_COPY) {
		GEN_ARGS(g, ga_addr(dst), ga_imm(bytes), ga_addr(src));
		asm_call(g->a, BPF_FUNC_probe_read_kernel);
		return;
	}
	if (stack) {
		d = gen_addr(g, dst, R5, bytes);
		s = gen_addr(g, src, R5, bytes);
	} else {
		GEN_ARGS(g, ga_addr(dst), ga_addr(src));
	}
	for (uint32_t i = 0, n; i < bytes; i += n) {
		n = widest_access(dst->imm | src->imm | i, bytes - i);
		asm_ld(g->a, bytes_size(n), tmp, s.base, (int16_t)(s.off + (int32_t)i));
		asm_st(g->a, bytes_size(n), d.base, (int16_t)(d.off + (int32_t)i), tmp);
	}
}

void emit_copy(struct bpf_gen *g, const struct ir_ins *ins)
{
	gen_copy(g, &ins->arg[0], &ins->arg[1], (uint32_t)ins->arg[2].imm);
}

void emit_zero(struct bpf_gen *g, const struct ir_ins *ins)
{
	gen_zero(g, &ins->arg[0], (uint32_t)ins->arg[1].imm);
}
