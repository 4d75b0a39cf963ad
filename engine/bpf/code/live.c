/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Live intervals: from the first to the last mention. That is exact enough because no branch goes backwards. */
#include "engine/bpf/code/regalloc.h"
#include "ir/flow.h"

bool *live_reach(struct arena *a, const struct ir_func *f)
{
	bool *reached = arena_calloc(a, f->blocks.n + 1, sizeof *reached);

	reached[0] = true;
	for (size_t b = 0; b < f->blocks.n; b++) {
		const struct ir_block *k = &f->blocks.v[b];
		uint32_t succ[2];

		if (!reached[b] || !k->ins.n)
			continue;
		for (unsigned i = ir_succ(&k->ins.v[k->ins.n - 1], succ); i-- > 0;)
			reached[succ[i]] = true;
	}
	return reached;
}

static void mention_reg(struct regalloc *ra, ir_reg r, uint32_t pos)
{
	struct interval *v = &ra->v[r];

	if (!v->end && !v->read)
		v->start = pos;
	v->end = pos;
}

static void read_reg(struct regalloc *ra, ir_reg r, uint32_t pos)
{
	if (!r)
		return;
	mention_reg(ra, r, pos);
	ra->v[r].read = pos;
}

static void scan_ins(struct regalloc *ra, const struct ir_func *f, const struct ir_ins *ins, uint32_t pos,
		     const struct live_env *env)
{
	unsigned flags = env->flags(env->arg, ins);
	ir_reg use[8];

	for (unsigned n = ir_uses(ins, use); n-- > 0;) {
		read_reg(ra, use[n], pos);
		if (flags & OPF_LATE)
			ra->v[use[n]].crosses = true;
	}
	if (flags & OPF_CTX) {
		read_reg(ra, f->nregs + XR_CTX, pos);
		if (flags & OPF_LATE)
			ra->v[f->nregs + XR_CTX].crosses = true;
	}
	if (env->scratch(env->arg, ins)) {
		read_reg(ra, f->nregs + XR_SCRATCH, pos);
		if (flags & OPF_LATE)
			ra->v[f->nregs + XR_SCRATCH].crosses = true;
	}
	if (ins->op == IR_PARAM && f->ctx == IR_C_ERROR)
		read_reg(ra, f->nregs + XR_PARAM + param_reg(ins->arg[0].imm), pos);
	if (ins->op == IR_TURN && env->turns)
		read_reg(ra, f->nregs + XR_TURN, pos);
	if (ins->op == IR_RET && env->claims)
		read_reg(ra, f->nregs + XR_SCRATCH, pos);
	if (ins->dst) {
		mention_reg(ra, ins->dst, pos);
		if (ir_gives_cell(ins->op))
			ra->v[ins->dst].pointer = true;
		if (ins->op == IR_MOV && ins->arg[0].kind == IR_REG && ra->v[ins->arg[0].reg].pointer)
			ra->v[ins->dst].pointer = true;
		if (ins->nargs && ins->arg[0].kind == IR_REG && !ra->v[ins->dst].hint)
			ra->v[ins->dst].hint = ins->arg[0].reg;
	}
}

/* Marks the intervals that contain calls; calls[p] = number of calls at positions below p. */
static void mark_crossing(struct regalloc *ra, const uint32_t *calls)
{
	for (uint32_t r = 1; r <= ra->n; r++) {
		struct interval *v = &ra->v[r];

		if (v->end > v->start && calls[v->end] > calls[v->start + 1])
			v->crosses = true;
	}
}

void live_scan(struct regalloc *ra, struct arena *a, const struct ir_func *f, const bool *reached,
	       const struct live_env *env)
{
	uint32_t pos = POS_FIRST, *calls;
	size_t total = POS_FIRST;

	for (size_t b = 0; b < f->blocks.n; b++)
		total += f->blocks.v[b].ins.n;
	ra->n = f->nregs + XR_COUNT;
	ra->v = arena_calloc(a, ra->n + 1, sizeof *ra->v);
	calls = arena_calloc(a, total + 2, sizeof *calls);
	calls[POS_FIRST] = env->claims || env->cpu;
	for (size_t b = 0; b < f->blocks.n; b++) {
		const struct ir_block *k = &f->blocks.v[b];

		for (size_t i = 0; reached[b] && i < k->ins.n; i++, pos++) {
			scan_ins(ra, f, &k->ins.v[i], pos, env);
			calls[pos + 1] = calls[pos] + !!(env->flags(env->arg, &k->ins.v[i]) & OPF_CALL);
		}
	}
	if (env->cpu)
		read_reg(ra, f->nregs + XR_CPU, pos);
	/* values of the entry are live from the start, across any calls of the prologue */
	for (uint32_t x = XR_CTX; x <= XR_LAST; x++) {
		struct interval *v = &ra->v[f->nregs + x];

		if (!v->end)
			continue;
		v->start = x == XR_SCRATCH || x == XR_CPU ? POS_PROLOGUE : POS_ENTRY;
		v->crosses |= f->ctx == IR_C_ERROR || env->turns || x == XR_SCRATCH || x == XR_CPU;
	}
	mark_crossing(ra, calls);
}
