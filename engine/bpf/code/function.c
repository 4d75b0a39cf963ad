/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Emits one function as BPF (prologue, operations, epilogue) and the subprogram that reports a fault. */
#include "engine/bpf/code/function.h"

#include <stddef.h>

#include "engine/bpf/code/turns.h"
#include "lang/prog.h"

static void park_value(struct bpf_gen *g, unsigned xr, int from)
{
	if (g->ra.v[gen_xr(g, xr)].end)
		gen_put(g, gen_xr(g, xr), from);
}

/* R0 = offset of this CPU's slots from the first slot, in bytes. */
static void slots_of_cpu(struct bpf_gen *g)
{
	asm_call(g->a, BPF_FUNC_get_smp_processor_id);
	asm_alui(g->a, BPF_AND, R0, (int32_t)g->im->cpuslots - 1);
	asm_slot(g->a, BPF_MUL, R0, SCRATCH_ALL);
}

/* The kernel runs only one perf event program at a time on a CPU (bpf_prog_active). */
static void take_slot(struct bpf_gen *g)
{
	slots_of_cpu(g);
	asm_mapval(g->a, R2, g->im->map_of[BPF_MAP_DATA], g->im->off_scratch);
	asm_alu(g->a, BPF_ADD, R2, R0);
	asm_slot(g->a, BPF_ADD, R2, SCRATCH_PERF);
	park_value(g, XR_SCRATCH, R2);
}

/*
 * Claims one of this CPU's scratch slots: the first whose owner word changes from 0 to 1. The number of the slot is
 * read back from its header, so that the verifier sees one unknown number instead of four different pointers, and
 * checks the rest of the function once.
 */
static void claim_slot(struct bpf_gen *g, uint32_t none)
{
	uint32_t got = asm_label(g->a), data = g->im->map_of[BPF_MAP_DATA];

	slots_of_cpu(g);
	asm_mov(g->a, R4, R0);
	asm_mapval(g->a, R2, data, g->im->off_scratch);
	asm_alu(g->a, BPF_ADD, R2, R0);
	asm_movi(g->a, R1, 1);
	for (int i = 0; i < SCRATCH_SLOTS; i++) {
		uint32_t next = i + 1 < SCRATCH_SLOTS ? asm_label(g->a) : none;

		asm_movi(g->a, R0, 0);
		asm_atomic(g->a, R2, 0, R1, BPF_CMPXCHG);
		asm_jcci(g->a, BPF_JNE, R0, 0, next);
		asm_ld(g->a, BPF_DW, R3, R2, 8);
		if (next == none)
			break;
		asm_jmp(g->a, got);
		asm_bind(g->a, next);
		asm_slot(g->a, BPF_ADD, R2, 1);
	}
	asm_bind(g->a, got);
	asm_alui(g->a, BPF_AND, R3, SCRATCH_SLOTS - 1);
	asm_slot(g->a, BPF_MUL, R3, 1);
	asm_alu(g->a, BPF_ADD, R4, R3);
	asm_mapval(g->a, R2, data, g->im->off_scratch);
	asm_alu(g->a, BPF_ADD, R2, R4);
	park_value(g, XR_SCRATCH, R2);
}

/* In a chain, uses the chain's own memory instead: the first part claims it, the other parts find it again. */
static void claim_own(struct bpf_gen *g, uint32_t none)
{
	gen_cpu(g);
	asm_alui(g->a, BPF_AND, R0, (int32_t)g->im->cpuslots - 1);
	asm_alui(g->a, BPF_MUL, R0, (int32_t)g->own_stride);
	asm_own(g->a, R2, g->im->map_of[BPF_MAP_DATA], g->own);
	asm_alu(g->a, BPF_ADD, R2, R0);
	if (g->part == 0) {
		asm_movi(g->a, R1, 1);
		asm_movi(g->a, R0, 0);
		asm_atomic(g->a, R2, 0, R1, BPF_CMPXCHG);
		asm_jcci(g->a, BPF_JNE, R0, 0, none);
	}
	park_value(g, XR_SCRATCH, R2);
}

/* Clause-local variables start as zero; the error function sees those of its caller. */
static void zero_locals(struct bpf_gen *g)
{
	for (uint32_t i = 0; i < g->im->prog->objs.n; i++) {
		const struct frame_place *p = &g->fr.obj[i];
		struct ir_arg m = ir_m(i, 0);

		if (g->im->prog->objs.v[i].kind == IR_O_LOCAL && (p->at == AT_STACK || p->at == AT_SCRATCH))
			gen_zero(g, &m, g->im->prog->objs.v[i].size);
	}
}

static bool claims_slot(const struct bpf_gen *g)
{
	return g->fr.claims && (g->chain || g->f->ctx != IR_C_PERF);
}

static void emit_prologue(struct bpf_gen *g, uint32_t none)
{
	bool called = g->im->error && g->im->faults && g->f->ctx != IR_C_ERROR;

	if (g->turns)
		turns_enter(g);
	if (called)
		asm_st(g->a, BPF_DW, FP, HOME_CTX, R1);
	park_value(g, XR_CTX, R1);
	for (int i = 0; i < 4; i++)
		park_value(g, XR_PARAM + (unsigned)i, R2 + i);
	if (g->chain) {
		asm_call(g->a, BPF_FUNC_get_smp_processor_id);
		park_value(g, XR_CPU, R0);
		g->cpu = true;
	}
	if (g->fr.claims && g->chain)
		claim_own(g, none);
	else if (claims_slot(g))
		claim_slot(g, none);
	else if (g->fr.claims)
		take_slot(g);
	if (called && g->fr.claims)
		asm_st(g->a, BPF_DW, FP, HOME_SCRATCH, gen_reg(g, gen_xr(g, XR_SCRATCH), R0));
	if (g->part == 0)
		zero_locals(g);
}

static void emit_epilogue(struct bpf_gen *g, uint32_t none)
{
	int result = g->f->ctx == IR_C_CGROUP;	/* the packet passes */

	asm_bind(g->a, g->leave);
	if (claims_slot(g))
		asm_sti(g->a, BPF_DW, gen_reg(g, gen_xr(g, XR_SCRATCH), R1), 0, 0);
	asm_movi(g->a, R0, result);
	asm_exit(g->a);
	if (!claims_slot(g) || g->part > 0)
		return;
	asm_bind(g->a, none);
	gen_drop(g, IR_DROP_SCRATCH);
	asm_movi(g->a, R0, result);
	asm_exit(g->a);
}

static uint32_t next_block(const struct bpf_gen *g, size_t b)
{
	for (b++; b < g->f->blocks.n; b++) {
		if (g->reached[b])
			return (uint32_t)b;
	}
	return UINT32_MAX;
}

void function_emit(struct bpf_gen *g)
{
	uint32_t none = asm_label(g->a);

	g->start = arena_calloc(g->im->tmp, g->f->blocks.n + 1, sizeof *g->start);
	g->label = arena_calloc(g->im->tmp, g->f->blocks.n, sizeof *g->label);
	for (size_t b = 0; b < g->f->blocks.n; b++)
		g->label[b] = asm_label(g->a);
	g->leave = asm_label(g->a);
	gen_task_init(g);
	emit_prologue(g, none);
	g->pos = POS_FIRST;
	for (size_t b = 0; b < g->f->blocks.n; b++) {
		const struct ir_block *block = &g->f->blocks.v[b];

		if (!g->reached[b])
			continue;
		g->block = (uint32_t)b;
		g->next = next_block(g, b);
		g->start[b] = (uint32_t)g->a->code.n;
		asm_bind(g->a, g->label[b]);
		gen_task_block(g);
		for (size_t i = 0; i < block->ins.n; i++, g->pos++) {
			g->a->cur = &block->ins.v[i];
			isel_row(block->ins.v[i].op)->emit(g, &block->ins.v[i]);
		}
	}
	g->a->cur = NULL;
	g->start[g->f->blocks.n] = (uint32_t)g->a->code.n;
	emit_epilogue(g, none);
	g->cpu = false;
	if (!g->chain && g->fr.claims && g->im->slot_size < SCRATCH_HEADER + g->fr.scratch)
		g->im->slot_size = SCRATCH_HEADER + g->fr.scratch;
}

/* Sends the error record, then calls the error function. */
void function_emit_reporter(struct bpf_gen *g, uint32_t error)
{
	/* occupies the homes, which this frame does not use, except the 8 bytes of HOME_TMP that gen_ring uses */
	enum { REC = -(int)sizeof(struct error_rec) };

	asm_bind(g->a, g->fault);
	asm_mov(g->a, R6, R1);
	asm_mov(g->a, R7, R2);
	asm_mov(g->a, R8, R3);
	asm_mov(g->a, R9, R4);
	asm_st(g->a, BPF_DW, FP, REC + (int)offsetof(struct error_rec, value), R4);
	asm_st(g->a, BPF_DW, FP, REC + (int)offsetof(struct error_rec, hdr.ts), R5);
	asm_sti(g->a, BPF_DW, FP, REC + (int)offsetof(struct error_rec, hdr.epid), 0);
	asm_st(g->a, BPF_W, FP, REC + (int)offsetof(struct error_rec, epid), R2);
	asm_alui(g->a, BPF_RSH, R3, 8);
	asm_st(g->a, BPF_W, FP, REC + (int)offsetof(struct error_rec, action), R3);
	asm_mov(g->a, R3, R8);
	asm_alui(g->a, BPF_AND, R3, 0xff);
	asm_st(g->a, BPF_W, FP, REC + (int)offsetof(struct error_rec, kind), R3);
	asm_sti(g->a, BPF_W, FP, REC + (int)offsetof(struct error_rec, pad), 0);
	gen_ring(g, &(struct ring_data){ .fp_off = REC, .size = sizeof(struct error_rec) }, BPF_RB_NO_WAKEUP);
	if (g->im->error) {
		asm_mov(g->a, R1, R6);
		asm_mov(g->a, R2, R7);
		asm_mov(g->a, R3, R8);
		asm_mov(g->a, R4, R9);
		asm_ld(g->a, BPF_DW, R5, FP, REC + (int)offsetof(struct error_rec, hdr.ts));
		asm_callsub(g->a, error);
	}
	asm_movi(g->a, R0, 0);
	asm_exit(g->a);
}
