/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What programs read of the current thread. The address of its structure comes from a helper that costs as much as one
 * that returns an ID; loads from it cost next to nothing. So a function calls the helper once on each path and keeps
 * the address on the stack, and also that of the structure at the end of the last path that follows pointers.
 */
#include <stddef.h>
#include <string.h>

#include "engine/bpf/code/isel.h"

/* ---- paths ---- */
static bool loads_uidgid(const struct bpf_gen *g)
{
	const struct task_layout *t = &g->im->par.task;

	return t->cred && t->uid && t->gid;
}

/* The path of an operation that follows pointers. Returns how many; 0 for other operations. */
static unsigned hops_of(const struct bpf_gen *g, const struct ir_ins *ins, int64_t off[IR_TREAD_OFFS])
{
	unsigned n = 0;

	if (ins->op == IR_UIDGID && loads_uidgid(g)) {
		off[0] = g->im->par.task.cred;
		off[1] = g->im->par.task.uid;
		return 1;
	}
	while (ins->op == IR_TREAD && n < IR_TREAD_OFFS && ins->arg[2 + n].imm >= 0) {
		off[n] = ins->arg[2 + n].imm;
		n++;
	}
	return n ? n - 1 : 0;
}

/* True if the pointer in HOME_HOP is on the path. */
static bool on_path(const struct task_hops *h, const int64_t *off, unsigned hops)
{
	for (unsigned i = 0; i < h->n; i++)
		if (i >= hops || h->off[i] != off[i])
			return false;
	return h->n > 0;
}

/* What is known after the operation. Returns false if it must use helpers: following a pointer from the thread's
 * structure takes a kernel up to 1 ms to verify, because it looks for names among all its types. */
static bool hops_after(struct task_hops *h, unsigned *left, const int64_t *off, unsigned hops)
{
	if (!hops || on_path(h, off, hops))
		return true;
	if (!*left)
		return false;
	--*left;
	h->n = hops;
	memcpy(h->off, off, hops * sizeof *off);
	return true;
}

/* True if each pointer is loaded as a number, which costs a kernel nothing to verify (engine/bpf/code/direct.h). */
static bool uses_casts(const struct bpf_gen *g, const struct ir_ins *ins, unsigned hops)
{
	return hops && ins->op == IR_TREAD && g->im->par.loads.cast;
}

static bool same_hops(const struct task_hops *a, const struct task_hops *b)
{
	return a->n == b->n && !memcmp(a->off, b->off, a->n * sizeof *a->off);
}

/* ---- what is on the stack where ---- */
/* True if the operation needs the thread's address in any case. */
static bool needs_task(const struct bpf_gen *g, enum ir_op op)
{
	if (g->f->ctx == IR_C_CGROUP && op == IR_PIDTGID)	/* before 6.10 it has no helper for them */
		return g->im->par.task.tgid && g->im->par.task.pid && !g->im->par.pidns_ino;
	return op == IR_TREAD || (op == IR_COMM && g->im->par.task.comm) || (op == IR_UIDGID && loads_uidgid(g));
}

/* The state after a block. */
static struct task_state block_end(struct bpf_gen *g, size_t b, unsigned *left)
{
	const struct ir_block *k = &g->f->blocks.v[b];
	struct task_state s = g->tasked[b];
	int64_t off[IR_TREAD_OFFS];

	for (size_t i = 0; i < k->ins.n; i++) {
		bool needs = needs_task(g, (enum ir_op)k->ins.v[i].op);
		unsigned hops = hops_of(g, &k->ins.v[i], off);
		bool direct = needs && (uses_casts(g, &k->ins.v[i], hops) || hops_after(&s.hops, left, off, hops));

		s.task |= direct;
		g->tasks |= direct;
	}
	return s;
}

static void join_state(struct task_state *to, const struct task_state *from)
{
	if (!to->seen) {
		*to = *from;
		to->seen = true;
		return;
	}
	to->task &= from->task;
	if (!same_hops(&to->hops, &from->hops))
		to->hops.n = 0;
}

/* All branches go forward, so the blocks before one are complete when it is visited. A part of a chain begins in the
 * middle of the function. */
void gen_task_init(struct bpf_gen *g)
{
	unsigned left = g->im->hops;

	g->tasked = arena_calloc(g->im->tmp, g->f->blocks.n + 1, sizeof *g->tasked);
	g->tasks = false;
	for (size_t b = 0; b < g->f->blocks.n; b++) {
		const struct ir_block *k = &g->f->blocks.v[b];
		struct task_state end;

		if (!g->reached[b])
			continue;
		if (g->chain)
			g->tasked[b] = (struct task_state){ 0 };
		end = block_end(g, b, &left);
		for (size_t i = 0; i < k->ins.n; i++)
			for (unsigned a = 0; a < k->ins.v[i].nargs; a++)
				if (k->ins.v[i].arg[a].kind == IR_BLOCK)
					join_state(&g->tasked[k->ins.v[i].arg[a].imm], &end);
	}
}

void gen_task_block(struct bpf_gen *g)
{
	g->task = g->tasked[g->block];
}

/* R0 = the address. */
static void task_address(struct bpf_gen *g)
{
	if (g->task.task) {
		asm_ld(g->a, BPF_DW, R0, FP, HOME_TASK);
		return;
	}
	asm_call(g->a, BPF_FUNC_get_current_task_btf);
	asm_st(g->a, BPF_DW, FP, HOME_TASK, R0);
	g->task.task = true;
}

/* ---- members ---- */
/* R0 = the pointer at the end of a path that is not on the stack yet. If one on the way is 0, R0 = 0. */
static void walk_hops(struct bpf_gen *g, const int64_t *off, unsigned hops)
{
	uint32_t null = asm_label(g->a), found = asm_label(g->a);

	task_address(g);
	for (unsigned i = 0; i < hops; i++) {
		asm_ld(g->a, BPF_DW, R0, R0, (int16_t)off[i]);
		asm_movi(g->a, R1, ~off[i + 1]);
		if (i + 1 < hops)
			asm_jcci(g->a, BPF_JEQ, R0, 0, null);
	}
	if (hops > 1)
		asm_jmp(g->a, found);
	asm_bind(g->a, null);
	if (hops > 1)
		asm_movi(g->a, R0, 0);	/* to the kernel, it is still a pointer */
	asm_bind(g->a, found);
	asm_st(g->a, BPF_DW, FP, HOME_HOP, R0);
}

/* R0 = the structure with the last offset of a path. If a pointer on the way is 0, jumps to `none`, with R1 = the
 * complement of the address that cannot be read. */
static void follow_hops(struct bpf_gen *g, const int64_t *off, unsigned hops, uint32_t none)
{
	unsigned i = g->task.hops.n;

	if (!hops) {
		task_address(g);
		return;
	}
	if (on_path(&g->task.hops, off, hops)) {
		asm_ld(g->a, BPF_DW, R0, FP, HOME_HOP);
		asm_movi(g->a, R1, ~off[i]);
	} else {
		walk_hops(g, off, hops);
		i = hops;
	}
	asm_jcci(g->a, BPF_JEQ, R0, 0, none);
	for (; i < hops; i++) {
		asm_ld(g->a, BPF_DW, R0, R0, (int16_t)off[i]);
		asm_movi(g->a, R1, ~off[i + 1]);
		asm_jcci(g->a, BPF_JEQ, R0, 0, none);
	}
}

/* The same with helpers, and the number: R0, and R1 as above or 0. After a failure the next pointer is 0, so the last
 * read fails, too. */
static void read_slowly(struct bpf_gen *g, const int64_t *off, unsigned hops, uint32_t n)
{
	uint32_t done = asm_label(g->a);

	asm_call(g->a, BPF_FUNC_get_current_task);
	for (unsigned i = 0; i <= hops; i++) {
		if (i)
			asm_ld(g->a, BPF_DW, R0, FP, HOME_TMP);
		asm_alui(g->a, BPF_ADD, R0, (int32_t)off[i]);
		if (i == hops) {
			asm_st(g->a, BPF_DW, FP, HOME_TMP + 8, R0);
			asm_sti(g->a, BPF_DW, FP, HOME_TMP, 0);
		}
		GEN_ARGS(g, ga_fp(HOME_TMP), ga_imm(i < hops ? 8 : n), ga_phys(R0));
		asm_call(g->a, BPF_FUNC_probe_read_kernel);
	}
	asm_mov(g->a, R1, R0);
	asm_jcci(g->a, BPF_JEQ, R1, 0, done);
	asm_ld(g->a, BPF_DW, R1, FP, HOME_TMP + 8);
	asm_alui(g->a, BPF_XOR, R1, -1);
	asm_bind(g->a, done);
	asm_ld(g->a, BPF_DW, R0, FP, HOME_TMP);
}

static void read_directly(struct bpf_gen *g, const int64_t *off, unsigned hops, int size)
{
	uint32_t none = asm_label(g->a), done = asm_label(g->a);

	follow_hops(g, off, hops, none);
	asm_ld(g->a, size, R0, R0, (int16_t)off[hops]);
	asm_movi(g->a, R1, 0);
	if (hops)
		asm_jmp(g->a, done);
	asm_bind(g->a, none);
	if (hops)
		asm_movi(g->a, R0, 0);
	asm_bind(g->a, done);
}

/* The same by casts. */
static void read_numbers(struct bpf_gen *g, const int64_t *off, unsigned hops, int size)
{
	uint32_t none = asm_label(g->a), done = asm_label(g->a);

	task_address(g);
	for (unsigned i = 0; i <= hops; i++) {
		asm_mov(g->a, R1, R0);
		asm_alui(g->a, BPF_ADD, R1, (int32_t)off[i]);
		asm_movi(g->a, R2, g->im->par.loads.number);
		asm_callkernel(g->a, g->im->par.loads.cast);
		asm_ld(g->a, i < hops ? BPF_DW : (uint8_t)size, R0, R0, 0);
		asm_movi(g->a, R1, i < hops ? ~off[i + 1] : 0);
		if (i < hops)
			asm_jcci(g->a, BPF_JEQ, R0, 0, none);
	}
	asm_jmp(g->a, done);
	asm_bind(g->a, none);
	asm_movi(g->a, R0, 0);
	asm_bind(g->a, done);
}

void emit_tread(struct bpf_gen *g, const struct ir_ins *ins)
{
	static const int sizes[9] = { [1] = BPF_B, [2] = BPF_H, [4] = BPF_W, [8] = BPF_DW };
	uint32_t n = (uint32_t)ins->arg[1].imm;
	int64_t off[IR_TREAD_OFFS];
	unsigned hops = hops_of(g, ins, off);
	struct task_hops h = g->task.hops;
	struct addr to;

	if (uses_casts(g, ins, hops))
		read_numbers(g, off, hops, sizes[n]);
	else if (hops_after(&h, &g->im->hops, off, hops))
		read_directly(g, off, hops, sizes[n]);
	else
		read_slowly(g, off, hops, n);
	g->task.hops = h;
	to = gen_addr(g, &ins->arg[0], R5, n);
	asm_st(g->a, sizes[n], to.base, (int16_t)to.off, R0);
	gen_put(g, ins->dst, R1);
}

/* R0 = tgid << 32 | pid. */
static void load_ids(struct bpf_gen *g)
{
	const struct task_layout *t = &g->im->par.task;

	task_address(g);
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
	struct task_hops h = g->task.hops;
	int64_t off[IR_TREAD_OFFS];
	unsigned hops = hops_of(g, ins, off);

	if (!hops || !hops_after(&h, &g->im->hops, off, hops)) {
		asm_call(g->a, BPF_FUNC_get_current_uid_gid);
		gen_put(g, ins->dst, R0);
		return;
	}
	follow_hops(g, off, hops, none);
	g->task.hops = h;
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

	task_address(g);
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
