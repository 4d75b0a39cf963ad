/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* From an IR function to a program: prologue, operations, epilogue, and the subprograms that handle faults. */
#include <stddef.h>
#include <string.h>

#include "engine/bpf/isel.h"
#include "lang/prog.h"

enum { FIRST_SPILLS = 64 };	/* bytes kept for spills before it is known how many there are */

static unsigned env_flags(void *arg, const struct ir_ins *ins)
{
	return isel_flags(arg, ins);
}

static bool env_scratch(void *arg, const struct ir_ins *ins)
{
	return gen_in_scratch(arg, ins);
}

static uint32_t depth(const struct gen *g)
{
	return HOME_SIZE + g->fr.objects + 8 * g->ra.nslots;
}

/* Places for objects and registers. More spills leave less stack for objects, which may need one register more. */
static bool place(struct gen *g, uint32_t limit)
{
	uint32_t spills = FIRST_SPILLS;

	for (int tries = 0; tries < 8; tries++) {
		uint32_t room = HOME_SIZE + spills < limit ? limit - HOME_SIZE - spills : 0;
		struct live_env env = { .flags = env_flags, .scratch = env_scratch, .arg = g };

		layout_frame(&g->fr, g->im, g->f, g->reached, room, g->outer);
		env.claims = g->fr.claims;
		live_scan(&g->ra, g->im->tmp, g->f, g->reached, &env);
		regalloc_run(&g->ra, g->im->tmp);
		if (depth(g) <= limit)
			return true;
		spills = 8 * g->ra.nslots + (tries > 3 ? 64 : 0);
	}
	return false;
}

static void park(struct gen *g, unsigned xr, int from)
{
	if (g->ra.v[gen_xr(g, xr)].end)
		gen_put(g, gen_xr(g, xr), from);
}

/*
 * Claims one of this CPU's scratch slots: the first whose owner word goes from 0 to 1. The number of the slot is read
 * back from its header, so that the verifier sees one unknown number instead of four different pointers, and looks at
 * the rest of the function once.
 */
static void claim(struct gen *g, uint32_t none)
{
	uint32_t got = asm_label(g->a), data = g->im->map_of[BPF_MAP_DATA];

	asm_call(g->a, BPF_FUNC_get_smp_processor_id);
	asm_alui(g->a, BPF_AND, R0, (int32_t)g->im->cpuslots - 1);
	asm_slot(g->a, BPF_MUL, R0, SCRATCH_SLOTS);
	asm_mov(g->a, R4, R0);
	asm_mapval(g->a, R2, data, g->im->off_scratch);
	asm_alu(g->a, BPF_ADD, R2, R0);
	asm_movi(g->a, R1, 1);
	for (int i = 0; i < SCRATCH_SLOTS; i++) {
		uint32_t next = i + 1 < SCRATCH_SLOTS ? asm_label(g->a) : none;

		asm_movi(g->a, R0, 0);
		asm_atomic(g->a, BPF_DW, R2, 0, R1, BPF_CMPXCHG);
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
	park(g, XR_SCRATCH, R2);
}

/* Clause-local variables begin as zero; the error function sees those of who called it. */
static void zero_locals(struct gen *g)
{
	for (uint32_t i = 0; i < g->im->prog->objs.n; i++) {
		const struct frame_place *p = &g->fr.obj[i];
		struct ir_arg m = ir_m(i, 0);

		if (g->im->prog->objs.v[i].kind == IR_O_LOCAL && (p->at == AT_STACK || p->at == AT_SCRATCH))
			gen_zero(g, &m, g->im->prog->objs.v[i].size);
	}
}

static void prologue(struct gen *g, uint32_t none)
{
	bool called = g->im->error && g->im->faults && g->f->ctx != IR_C_ERROR;

	if (called)
		asm_st(g->a, BPF_DW, FP, HOME_CTX, R1);
	park(g, XR_CTX, R1);
	for (int i = 0; i < 4; i++)
		park(g, XR_PARAM + (unsigned)i, R2 + i);
	if (g->fr.claims)
		claim(g, none);
	if (called && g->fr.claims)
		asm_st(g->a, BPF_DW, FP, HOME_SCRATCH, gen_reg(g, gen_xr(g, XR_SCRATCH), R0));
	zero_locals(g);
}

static void epilogue(struct gen *g, uint32_t none)
{
	asm_bind(g->a, g->leave);
	if (g->fr.claims)
		asm_sti(g->a, BPF_DW, gen_reg(g, gen_xr(g, XR_SCRATCH), R1), 0, 0);
	asm_movi(g->a, R0, 0);
	asm_exit(g->a);
	if (!g->fr.claims)
		return;
	asm_bind(g->a, none);
	gen_drop(g, IR_DROP_SCRATCH);
	asm_movi(g->a, R0, 0);
	asm_exit(g->a);
}

static uint32_t next_block(const struct gen *g, size_t b)
{
	for (b++; b < g->f->blocks.n; b++) {
		if (g->reached[b])
			return (uint32_t)b;
	}
	return UINT32_MAX;
}

static void body(struct gen *g)
{
	g->pos = POS_FIRST;
	for (size_t b = 0; b < g->f->blocks.n; b++) {
		const struct ir_block *k = &g->f->blocks.v[b];

		if (!g->reached[b])
			continue;
		g->next = next_block(g, b);
		asm_bind(g->a, g->label[b]);
		for (size_t i = 0; i < k->ins.n; i++, g->pos++) {
			g->a->cur = &k->ins.v[i];
			isel_row(k->ins.v[i].op)->emit(g, &k->ins.v[i]);
		}
	}
	g->a->cur = NULL;
}

static void emit_function(struct gen *g)
{
	uint32_t none = asm_label(g->a);

	g->label = arena_calloc(g->im->tmp, g->f->blocks.n, sizeof *g->label);
	for (size_t b = 0; b < g->f->blocks.n; b++)
		g->label[b] = asm_label(g->a);
	g->leave = asm_label(g->a);
	prologue(g, none);
	body(g);
	epilogue(g, none);
	if (g->im->slot_size < SCRATCH_HEADER + g->fr.scratch && g->fr.claims)
		g->im->slot_size = SCRATCH_HEADER + g->fr.scratch;
}

/* fault(frame of the caller, epid, action, kind, value): the consumer's record, then the error function. */
static void emit_reporter(struct gen *g, uint32_t error)
{
	/* over the homes, which this frame does not use, and beside the helpers' arguments, of which it uses 8 bytes */
	enum { REC = -(int)sizeof(struct error_rec) };

	asm_bind(g->a, g->fault);
	asm_mov(g->a, R6, R1);
	asm_mov(g->a, R7, R2);
	asm_mov(g->a, R8, R3);
	asm_mov(g->a, R9, R4);
	asm_st(g->a, BPF_DW, FP, REC + (int)offsetof(struct error_rec, value), R5);
	asm_sti(g->a, BPF_DW, FP, REC + (int)offsetof(struct error_rec, hdr.epid), 0);
	asm_st(g->a, BPF_W, FP, REC + (int)offsetof(struct error_rec, epid), R2);
	asm_st(g->a, BPF_W, FP, REC + (int)offsetof(struct error_rec, action), R3);
	asm_st(g->a, BPF_W, FP, REC + (int)offsetof(struct error_rec, kind), R4);
	asm_sti(g->a, BPF_W, FP, REC + (int)offsetof(struct error_rec, pad), 0);
	asm_call(g->a, BPF_FUNC_ktime_get_ns);
	asm_st(g->a, BPF_DW, FP, REC + (int)offsetof(struct error_rec, hdr.ts), R0);
	gen_ring(g, NULL, REC, sizeof(struct error_rec), BPF_RB_NO_WAKEUP);
	if (g->im->error) {
		asm_mov(g->a, R1, R6);
		asm_mov(g->a, R2, R7);
		asm_mov(g->a, R3, R8);
		asm_mov(g->a, R4, R9);
		asm_ld(g->a, BPF_DW, R5, FP, REC + (int)offsetof(struct error_rec, value));
		asm_callsub(g->a, error);
	}
	asm_movi(g->a, R0, 0);
	asm_exit(g->a);
}

static bool has_fault(const struct ir_func *f, const bool *reached)
{
	for (size_t b = 0; b < f->blocks.n; b++) {
		const struct ir_block *k = &f->blocks.v[b];

		if (reached[b] && k->ins.n && k->ins.v[k->ins.n - 1].op == IR_FAULT)
			return true;
	}
	return false;
}

static int too_large(struct diags *d, const struct ir_func *f, const char *what)
{
	struct loc loc = { 0 };

	for (size_t b = 0; b < f->blocks.n && !loc.line; b++) {
		for (size_t i = 0; i < f->blocks.v[b].ins.n && !loc.line; i++)
			loc = f->blocks.v[b].ins.v[i].loc;
	}
	return diag(d, loc, D_LIMIT, "the program of probe %s is too large: %s", f->name, what);
}

/* The error function behind its caller, with places for that caller. */
static int emit_error(struct gen *outer, uint32_t label, struct diags *d)
{
	struct gen g = { .im = outer->im, .a = outer->a, .f = outer->im->error, .outer = &outer->fr };

	g.reached = live_reach(g.im->tmp, g.f);
	if (!place(&g, STACK_ERROR))
		return too_large(d, g.f, "too many values at once");
	asm_bind(g.a, label);
	emit_function(&g);
	return 0;
}

static void keep(struct bpf_image *im, const struct ir_func *f, const struct asm_buf *a)
{
	struct bpf_code *c = VEC_ADD(im->arena, &im->codes);

	*c = (struct bpf_code){
		.func = f,
		.n = (uint32_t)a->code.n,
		.insns = arena_memdup(im->arena, a->code.v, a->code.n * sizeof *a->code.v),
		.src = arena_memdup(im->arena, a->src.v, a->src.n * sizeof *a->src.v),
		.nrelocs = a->relocs.n,
	};
	if (a->relocs.n)
		c->relocs = arena_memdup(im->arena, a->relocs.v, a->relocs.n * sizeof *a->relocs.v);
}

static int generate_one(struct bpf_image *im, const struct ir_func *f, struct diags *d)
{
	struct asm_buf a;
	struct gen g = { .im = im, .a = &a, .f = f };
	bool faults;
	uint32_t error;

	asm_init(&a, im->tmp);
	g.reached = live_reach(im->tmp, f);
	faults = has_fault(f, g.reached);
	g.fault = asm_label(&a);
	error = asm_label(&a);
	if (!place(&g, STACK_MAX - (faults ? STACK_FAULT : 0) - (faults && im->error ? STACK_ERROR : 0)))
		return too_large(d, f, "too many values at once");
	emit_function(&g);
	if (faults) {
		emit_reporter(&g, error);
		if (im->error && emit_error(&g, error, d))
			return -1;
	}
	if (!asm_finish(&a))
		return too_large(d, f, "a jump does not reach its target");
	keep(im, f, &a);
	return 0;
}

static void fill_slots(struct bpf_image *im)
{
	for (size_t i = 0; i < im->codes.n; i++) {
		struct bpf_code *c = &im->codes.v[i];

		for (size_t r = 0; r < c->nrelocs; r++) {
			if (c->relocs[r].kind == RELOC_SLOT)
				c->insns[c->relocs[r].insn].imm = (int32_t)(c->relocs[r].arg * im->slot_size);
		}
	}
}

int bpf_generate(struct bpf_image *im, struct arena *a, const struct ir_prog *p, const struct bpf_params *par,
		 struct diags *d)
{
	struct arena tmp;
	int err = 0;

	memset(im, 0, sizeof *im);
	im->arena = a;
	im->prog = p;
	im->par = *par;
	if (layout_image(im, d))
		return -1;
	arena_init(&tmp, a->oom, a->oom_arg);
	im->tmp = &tmp;
	for (size_t i = 0; i < p->funcs.n; i++) {
		if (p->funcs.v[i]->ctx != IR_C_ERROR)
			err |= generate_one(im, p->funcs.v[i], d);
		arena_free(&tmp);
	}
	im->tmp = NULL;
	if (err || layout_finish(im, d))
		return -1;
	fill_slots(im);
	return 0;
}

const struct bpf_code *bpf_code_find(const struct bpf_image *im, const struct ir_func *f)
{
	for (size_t i = 0; i < im->codes.n; i++) {
		if (im->codes.v[i].func == f)
			return &im->codes.v[i];
	}
	return NULL;
}
