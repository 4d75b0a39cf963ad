/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Operands: how BPF instructions access virtual registers, immediates and places. */
#include "engine/bpf/code/isel.h"

#include <limits.h>

static int16_t spill_off(const struct bpf_gen *g, const struct interval *v)
{
	return (int16_t)-(int32_t)(HOME_SIZE + g->fr.objects + 8 * (v->slot + 1));
}

ir_reg gen_xr(const struct bpf_gen *g, unsigned xr)
{
	return g->f->nregs + xr;
}

int gen_reg(struct bpf_gen *g, ir_reg r, int scratch)
{
	const struct interval *v = &g->ra.v[r];

	if (v->reg >= 0)
		return v->reg;
	asm_ld(g->a, BPF_DW, scratch, FP, spill_off(g, v));
	return scratch;
}

/* Negates twice: the verifier of such kernels does not track a negation. */
void gen_hide(struct bpf_gen *g, int reg)
{
	if (!g->hide)
		return;
	asm_alui(g->a, BPF_NEG, reg, 0);
	asm_alui(g->a, BPF_NEG, reg, 0);
}

int gen_val(struct bpf_gen *g, const struct ir_arg *v, int scratch)
{
	if (v->kind == IR_REG)
		return gen_reg(g, v->reg, scratch);
	asm_movi(g->a, scratch, v->imm);
	return scratch;
}

int gen_dst(struct bpf_gen *g, ir_reg r, int scratch)
{
	return r && g->ra.v[r].reg >= 0 ? g->ra.v[r].reg : scratch;
}

void gen_put(struct bpf_gen *g, ir_reg r, int from)
{
	const struct interval *v = &g->ra.v[r];

	if (!r)
		return;
	if (v->reg >= 0)
		asm_mov(g->a, v->reg, from);
	else
		asm_st(g->a, BPF_DW, FP, spill_off(g, v), from);
}

bool gen_dead(const struct bpf_gen *g, ir_reg r)
{
	return !r || g->ra.v[r].read <= g->pos;
}

static const struct frame_place *firing_place(const struct bpf_gen *g, const struct ir_arg *m)
{
	const struct frame_place *p = &g->fr.obj[m->obj];

	return p->at == AT_NOWHERE ? NULL : p;
}

bool gen_on_stack(const struct bpf_gen *g, const struct ir_arg *m)
{
	const struct frame_place *p = m->reg ? NULL : firing_place(g, m);

	return p && p->at == AT_STACK && !m->idx;
}

bool gen_in_scratch(const struct bpf_gen *g, const struct ir_ins *ins)
{
	uint32_t x = (uint32_t)g->im->prog->objs.n;

	for (unsigned i = 0; i < ins->nargs; i++) {
		const struct ir_arg *a = &ins->arg[i];

		if (((a->kind == IR_MEM && !a->reg) || a->kind == IR_OBJ) && g->fr.obj[a->obj].at == AT_SCRATCH)
			return true;
	}
	if (ins->op == IR_STACKDEPTH || ins->op == IR_USTACKDEPTH)
		return g->fr.obj[x + XO_STACKBUF].at == AT_SCRATCH;
	return ins->op == IR_CELL && g->fr.obj[x + XO_KEYBUF].at == AT_SCRATCH;
}

/* The base register of a place in this firing, or in the firing whose fault is being handled. */
static int frame_base(struct bpf_gen *g, const struct frame_place *p, int scratch)
{
	int outer;

	switch (p->at) {
	case AT_STACK:
		return FP;
	case AT_SCRATCH:
		return gen_reg(g, gen_xr(g, XR_SCRATCH), scratch);
	case AT_OUTER_STACK:
		return gen_reg(g, gen_xr(g, XR_CTX), scratch);
	default:
		outer = gen_reg(g, gen_xr(g, XR_CTX), scratch);
		asm_ld(g->a, BPF_DW, scratch, outer, HOME_SCRATCH);
		return scratch;
	}
}

static struct addr place_base(struct bpf_gen *g, const struct ir_arg *m, int scratch)
{
	const struct frame_place *p;

	if (m->reg) {
		bool thread = g->im->prog->objs.v[m->obj].kind == IR_O_THREAD;

		return (struct addr){ gen_reg(g, m->reg, scratch), thread ? (int32_t)g->im->place[m->obj].off : 0 };
	}
	p = firing_place(g, m);
	if (p)
		return (struct addr){ frame_base(g, p, scratch), p->off };
	asm_mapval(g->a, scratch, g->im->map_of[BPF_MAP_DATA], g->im->place[m->obj].off + (uint32_t)m->imm);
	return (struct addr){ scratch, (int32_t)-m->imm };
}

struct addr gen_addr(struct bpf_gen *g, const struct ir_arg *m, int scratch, uint32_t span)
{
	struct addr a = place_base(g, m, scratch);

	a.off += (int32_t)m->imm;
	if (a.off >= INT16_MIN && a.off + (int64_t)span <= INT16_MAX)
		return a;
	asm_mov(g->a, scratch, a.base);
	asm_alui(g->a, BPF_ADD, scratch, a.off);
	return (struct addr){ scratch, 0 };
}

/* A mask of all bits that a number below n can have. */
static int32_t bits_below(uint32_t n)
{
	return n > 1 ? (int32_t)(UINT32_MAX >> __builtin_clz(n - 1)) : 0;
}

void gen_bound(struct bpf_gen *g, int reg, uint32_t below)
{
	asm_alui(g->a, BPF_AND, reg, bits_below(below));
}

struct addr gen_index(struct bpf_gen *g, const struct ir_arg *m, uint32_t outside)
{
	struct ir_arg flat = *m;
	struct addr a;

	asm_mov(g->a, R0, gen_reg(g, m->idx, R0));
	gen_hide(g, R0);
	asm_jcci(g->a, BPF_JGE, R0, (int32_t)m->lim, outside);
	gen_bound(g, R0, m->lim);
	asm_alui(g->a, BPF_LSH, R0, 3);
	flat.idx = 0;
	a = gen_addr(g, &flat, R5, 8);
	asm_alu(g->a, BPF_ADD, R0, a.base);
	return (struct addr){ R0, a.off };
}
