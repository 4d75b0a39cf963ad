/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What programs read of the current thread. The address of its structure comes from a helper that costs as much as one
 * that returns an ID; loads from it cost next to nothing. So a function calls the helper once on each path and keeps the
 * address on the stack.
 */
#include <stddef.h>

#include "engine/bpf/isel.h"

/* ---- the address ---- */
/* True if the operation needs it in any case. */
static bool needs_task(const struct bpf_gen *g, enum ir_op op)
{
	const struct task_layout *t = &g->im->par.task;

	return op == IR_TREAD || (op == IR_COMM && t->comm) || (op == IR_UIDGID && t->cred && t->uid && t->gid);
}

static bool block_needs(const struct bpf_gen *g, const struct ir_block *k)
{
	for (size_t i = 0; i < k->ins.n; i++)
		if (needs_task(g, (enum ir_op)k->ins.v[i].op))
			return true;
	return false;
}

/* All branches go forward, so the blocks before one are complete when it is visited. A part of a chain begins in the
 * middle of the function. */
void gen_task_init(struct bpf_gen *g)
{
	size_t n = g->f->blocks.n;

	g->tasked = arena_calloc(g->im->tmp, n + 1, sizeof *g->tasked);
	g->tasks = false;
	for (size_t b = 1; b < n; b++)
		g->tasked[b] = !g->chain;
	for (size_t b = 0; b < n; b++) {
		const struct ir_block *k = &g->f->blocks.v[b];
		bool needs = g->reached[b] && block_needs(g, k), out = g->tasked[b] || (needs && !g->chain);

		g->tasks |= needs;
		for (size_t i = 0; g->reached[b] && i < k->ins.n; i++)
			for (unsigned a = 0; a < k->ins.v[i].nargs; a++)
				if (k->ins.v[i].arg[a].kind == IR_BLOCK)
					g->tasked[k->ins.v[i].arg[a].imm] &= out;
	}
}

void gen_task_block(struct bpf_gen *g)
{
	g->task = g->tasked[g->block];
}

/* R0 = the address. */
static void gen_task(struct bpf_gen *g)
{
	if (g->task) {
		asm_ld(g->a, BPF_DW, R0, FP, HOME_TASK);
		return;
	}
	asm_call(g->a, BPF_FUNC_get_current_task_btf);
	asm_st(g->a, BPF_DW, FP, HOME_TASK, R0);
	g->task = true;
}

/* ---- members ---- */
/* R0 = the number, or 0; R1 = 0, or the complement of an address that cannot be read: the pointer before it is 0. */
static void follow(struct bpf_gen *g, const struct ir_arg *off, int size)
{
	uint32_t none = asm_label(g->a), done = asm_label(g->a);
	unsigned i = 0;

	for (; i + 1 < IR_TREAD_OFFS && off[i + 1].imm >= 0; i++) {
		asm_ld(g->a, BPF_DW, R0, R0, (int16_t)off[i].imm);
		asm_movi(g->a, R1, ~off[i + 1].imm);
		asm_jcci(g->a, BPF_JEQ, R0, 0, none);
	}
	asm_ld(g->a, size, R0, R0, (int16_t)off[i].imm);
	asm_movi(g->a, R1, 0);
	if (i > 0)
		asm_jmp(g->a, done);
	asm_bind(g->a, none);
	if (i > 0)
		asm_movi(g->a, R0, 0);	/* to the kernel, it is still a pointer */
	asm_bind(g->a, done);
}

void emit_tread(struct bpf_gen *g, const struct ir_ins *ins)
{
	static const int sizes[9] = { [1] = BPF_B, [2] = BPF_H, [4] = BPF_W, [8] = BPF_DW };
	uint32_t n = (uint32_t)ins->arg[1].imm;
	struct addr to;

	gen_task(g);
	follow(g, &ins->arg[2], sizes[n]);
	to = gen_addr(g, &ins->arg[0], R5, n);
	asm_st(g->a, sizes[n], to.base, (int16_t)to.off, R0);
	gen_put(g, ins->dst, R1);
}

/* R0 = tgid << 32 | pid. */
static void load_ids(struct bpf_gen *g)
{
	const struct task_layout *t = &g->im->par.task;

	gen_task(g);
	asm_ld(g->a, BPF_W, R1, R0, (int16_t)t->pid);
	asm_ld(g->a, BPF_W, R0, R0, (int16_t)t->tgid);
	asm_alui(g->a, BPF_LSH, R0, 32);
	asm_alu(g->a, BPF_OR, R0, R1);
}

/* In a PID namespace other than the initial one: the IDs of that namespace; 0 for a thread outside it. */
void emit_pidtgid(struct bpf_gen *g, const struct ir_ins *ins)
{
	const struct bpf_params *par = &g->im->par;

	if (!par->pidns_ino) {
		if (g->tasks && par->task.tgid && par->task.pid)
			load_ids(g);
		else
			asm_call(g->a, BPF_FUNC_get_current_pid_tgid);
		gen_put(g, ins->dst, R0);
		return;
	}
	GEN_ARGS(g, ga_imm((int64_t)par->pidns_dev), ga_imm((int64_t)par->pidns_ino), ga_fp(HOME_TMP),
		 ga_imm(sizeof(struct bpf_pidns_info)));
	asm_call(g->a, BPF_FUNC_get_ns_current_pid_tgid);
	asm_ld(g->a, BPF_W, R0, FP, HOME_TMP + (int)offsetof(struct bpf_pidns_info, tgid));
	asm_alui(g->a, BPF_LSH, R0, 32);
	asm_ld(g->a, BPF_W, R1, FP, HOME_TMP + (int)offsetof(struct bpf_pidns_info, pid));
	asm_alu(g->a, BPF_OR, R0, R1);
	gen_put(g, ins->dst, R0);
}

/* A running thread always has credentials. */
void emit_uidgid(struct bpf_gen *g, const struct ir_ins *ins)
{
	const struct task_layout *t = &g->im->par.task;
	uint32_t none = asm_label(g->a), done = asm_label(g->a);

	if (!needs_task(g, IR_UIDGID)) {
		asm_call(g->a, BPF_FUNC_get_current_uid_gid);
		gen_put(g, ins->dst, R0);
		return;
	}
	gen_task(g);
	asm_ld(g->a, BPF_DW, R0, R0, (int16_t)t->cred);
	asm_jcci(g->a, BPF_JEQ, R0, 0, none);
	asm_ld(g->a, BPF_W, R1, R0, (int16_t)t->uid);
	asm_ld(g->a, BPF_W, R0, R0, (int16_t)t->gid);
	asm_alui(g->a, BPF_LSH, R0, 32);
	asm_alu(g->a, BPF_OR, R0, R1);
	asm_jmp(g->a, done);
	asm_bind(g->a, none);
	asm_movi(g->a, R0, 0);
	asm_bind(g->a, done);
	gen_put(g, ins->dst, R0);
}

/* Clears the bytes of the string in `word` from its NUL on; jumps to `ended` if it has one. Clobbers R3, R4. */
static void clear_tail(struct bpf_gen *g, int word, uint32_t ended)
{
	uint32_t whole = asm_label(g->a);

	/* the lowest bit of ((w - 0x0101...) & ~w & 0x8080...) is in the first zero byte */
	asm_movi(g->a, R3, -0x0101010101010101);
	asm_alu(g->a, BPF_ADD, R3, word);
	asm_mov(g->a, R4, word);
	asm_alui(g->a, BPF_XOR, R4, -1);
	asm_alu(g->a, BPF_AND, R3, R4);
	asm_movi(g->a, R4, (int64_t)0x8080808080808080);
	asm_alu(g->a, BPF_AND, R3, R4);
	asm_jcci(g->a, BPF_JEQ, R3, 0, whole);
	/* ones in all bytes before it */
	asm_mov(g->a, R4, R3);
	asm_alui(g->a, BPF_NEG, R4, 0);
	asm_alu(g->a, BPF_AND, R3, R4);
	asm_alui(g->a, BPF_RSH, R3, 7);
	asm_alui(g->a, BPF_ADD, R3, -1);
	asm_alu(g->a, BPF_AND, word, R3);
	asm_jmp(g->a, ended);
	asm_bind(g->a, whole);
}

/* Loads the name from the task. Another thread may be changing it: it still ends with a NUL and zeros. */
static void load_comm(struct bpf_gen *g, const struct ir_arg *dst)
{
	uint32_t first = asm_label(g->a), store = asm_label(g->a);
	struct addr to;

	gen_task(g);
	asm_ld(g->a, BPF_DW, R1, R0, (int16_t)g->im->par.task.comm);
	asm_ld(g->a, BPF_DW, R2, R0, (int16_t)(g->im->par.task.comm + 8));
	to = gen_addr(g, dst, R5, 16);
	clear_tail(g, R1, first);
	clear_tail(g, R2, store);
	asm_movi(g->a, R3, 0x00ffffffffffffff);
	asm_alu(g->a, BPF_AND, R2, R3);
	asm_jmp(g->a, store);
	asm_bind(g->a, first);
	asm_movi(g->a, R2, 0);
	asm_bind(g->a, store);
	asm_st(g->a, BPF_DW, to.base, (int16_t)to.off, R1);
	asm_st(g->a, BPF_DW, to.base, (int16_t)(to.off + 8), R2);
}

/* The helper of older kernels (6.1) does not clear the bytes after the NUL. */
void emit_comm(struct bpf_gen *g, const struct ir_ins *ins)
{
	if (g->im->par.task.comm) {
		load_comm(g, &ins->arg[0]);
		return;
	}
	gen_zero(g, &ins->arg[0], 16);
	GEN_ARGS(g, ga_addr(&ins->arg[0]), ga_imm(16));
	asm_call(g->a, BPF_FUNC_get_current_comm);
}
