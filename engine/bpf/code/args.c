/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Arguments of helpers: moves several values to R1-R5 at once, some of which are in each other's registers. */
#include "engine/bpf/code/isel.h"

enum { MAXARGS = 5 };

struct move {
	int from;	/* register, or -1: computed after the moves */
	int32_t add;
	bool done;
};

static int home_of(const struct bpf_gen *g, ir_reg r)
{
	return g->ra.v[r].reg;
}

/* The register that an argument is copied from, if any. */
static struct move move_of(const struct bpf_gen *g, const struct garg *a)
{
	struct move m = { .from = -1 };
	const struct frame_place *p;

	switch (a->kind) {
	case GA_VAL:
		if (a->arg->kind == IR_REG)
			m.from = home_of(g, a->arg->reg);
		break;
	case GA_ADDR:
		p = &g->fr.obj[a->arg->obj];
		m.add = (int32_t)a->arg->imm;
		if (a->arg->reg) {
			m.from = home_of(g, a->arg->reg);
			if (g->im->prog->objs.v[a->arg->obj].kind == IR_O_THREAD)
				m.add += (int32_t)g->im->place[a->arg->obj].off;
		} else if (p->at == AT_SCRATCH) {
			m.from = home_of(g, gen_xr(g, XR_SCRATCH));
			m.add += p->off;
		}
		break;
	case GA_PHYS:
		m.from = (int)a->imm;
		break;
	case GA_CTX:
		if (g->f->ctx != IR_C_ERROR)
			m.from = home_of(g, gen_xr(g, XR_CTX));
		break;
	default:
		break;
	}
	return m;
}

static bool is_source(const struct move *m, unsigned n, int reg, unsigned but)
{
	for (unsigned i = 0; i < n; i++) {
		if (i != but && !m[i].done && m[i].from == reg)
			return true;
	}
	return false;
}

/* Moves between registers. A move is done once no other move reads its target. R0 breaks cycles. */
static void move_all(struct bpf_gen *g, struct move *m, unsigned n)
{
	for (;;) {
		int stuck = -1;
		bool moved = false;

		for (unsigned i = 0; i < n; i++) {
			if (m[i].done)
				continue;
			if (is_source(m, n, R1 + (int)i, i)) {
				stuck = (int)i;
				continue;
			}
			asm_mov(g->a, R1 + (int)i, m[i].from);
			m[i].done = moved = true;
		}
		if (stuck < 0)
			return;
		if (!moved) {
			asm_mov(g->a, R0, m[stuck].from);
			m[stuck].from = R0;
		}
	}
}

static void make_arg(struct bpf_gen *g, int to, const struct garg *a)
{
	struct addr at;

	switch (a->kind) {
	case GA_VAL:
		asm_mov(g->a, to, gen_val(g, a->arg, to));
		break;
	case GA_ADDR:
		at = gen_addr(g, a->arg, to, 0);
		asm_mov(g->a, to, at.base);
		if (at.off)
			asm_alui(g->a, BPF_ADD, to, at.off);
		break;
	case GA_IMM:
		asm_movi(g->a, to, a->imm);
		break;
	case GA_MAP:
		asm_map(g->a, to, (uint32_t)a->imm);
		break;
	case GA_DATA:
		asm_mapval(g->a, to, g->im->map_of[BPF_MAP_DATA], (uint32_t)a->imm);
		break;
	case GA_FP:
		asm_mov(g->a, to, FP);
		if (a->imm)
			asm_alui(g->a, BPF_ADD, to, (int32_t)a->imm);
		break;
	case GA_CTX:
		asm_mov(g->a, to, gen_reg(g, gen_xr(g, XR_CTX), to));
		if (g->f->ctx == IR_C_ERROR)
			asm_ld(g->a, BPF_DW, to, to, HOME_CTX);
		break;
	case GA_PHYS:
		break;
	}
}

void gen_args(struct bpf_gen *g, unsigned n, const struct garg *args)
{
	struct move m[MAXARGS], copies[MAXARGS];

	for (unsigned i = 0; i < n; i++) {
		m[i] = copies[i] = move_of(g, &args[i]);
		copies[i].done = m[i].from < 0;
	}
	move_all(g, copies, n);
	for (unsigned i = 0; i < n; i++) {
		if (m[i].from < 0)
			make_arg(g, R1 + (int)i, &args[i]);
		else if (m[i].add)
			asm_alui(g->a, BPF_ADD, R1 + (int)i, m[i].add);
	}
}
