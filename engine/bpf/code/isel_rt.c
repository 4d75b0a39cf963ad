/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Calls to the run-time library. */
#include "engine/bpf/code/isel.h"
#include "engine/bpf/code/link.h"
#include "rt/climb.h"
#include "rt/rt.h"
#include "rt/unwind.h"

static bool zeroes_first(enum ir_op op)
{
	static const uint8_t flags[IR_NOPS] = {
#define RT(n, t, s, np, nv, k, f, d) [IR_##n] = f,
#include "rt/rt.def"
	};

	return flags[op] & RT_ZERO;
}

void gen_unwind(struct bpf_gen *g, const struct ir_ins *ins)
{
	int64_t kind = ins->arg[2].imm;
	int64_t flags = (kind & IR_STACK_NOW ? UNWIND_NOW : 0) | (kind & IR_STACK_MARK ? UNWIND_MARK : 0) |
			(kind & IR_STACK_REPLACED ? UNWIND_REPLACED : 0) |
			(kind & IR_STACK_RUNTIME ? UNWIND_RUNTIME : 0);

	if (kind & IR_STACK_INTERPRETED)
		GEN_ARGS(g, ga_addr(&ins->arg[0]), ga_imm(ins->arg[1].imm / 8), ga_imm(flags), ga_ctx());
	else
		GEN_ARGS(g, ga_addr(&ins->arg[0]), ga_imm(ins->arg[1].imm / 8), ga_imm(flags));
	asm_callsub(g->a, link_label(g->link, g->a, link_function(ins, g->im->par.unwind)));
	gen_put(g, ins->dst, R0);
}

void gen_unwinddepth(struct bpf_gen *g, const struct ir_ins *ins)
{
	GEN_ARGS(g, ga_imm(UNWIND_DEPTH));
	asm_callsub(g->a, link_label(g->link, g->a, link_function(ins, g->im->par.unwind)));
	gen_put(g, ins->dst, R0);
}

void emit_climb(struct bpf_gen *g, const struct ir_ins *ins)
{
	GEN_ARGS(g, ga_addr(&ins->arg[0]), ga_addr(&ins->arg[2]), ga_addr(&ins->arg[4]),
		 ga_imm(ins->arg[1].imm - CLIMB_MORE));
	asm_callsub(g->a, link_label(g->link, g->a, link_function(ins, g->im->par.unwind)));
	gen_put(g, ins->dst, R0);
}

void emit_gather(struct bpf_gen *g, const struct ir_ins *ins)
{
	GEN_ARGS(g, ga_addr(&ins->arg[0]), ga_addr(&ins->arg[2]), ga_val(&ins->arg[4]));
	asm_callsub(g->a, link_label(g->link, g->a, link_function(ins, g->im->par.unwind)));
	gen_put(g, ins->dst, R0);
}

void emit_goid(struct bpf_gen *g, const struct ir_ins *ins)
{
	GEN_ARGS(g, ga_imm(ins->arg[0].imm));
	asm_callsub(g->a, link_label(g->link, g->a, link_function(ins, g->im->par.unwind)));
	gen_put(g, ins->dst, R0);
}

/* Arguments: the places, one word with their capacities, the values. */
void emit_rt(struct bpf_gen *g, const struct ir_ins *ins)
{
	struct garg args[IR_MAXARGS];
	uint64_t caps = 0;
	unsigned np = 0, n = 0;

	if (zeroes_first(ins->op))
		gen_zero(g, &ins->arg[0], (uint32_t)ins->arg[1].imm);
	for (unsigned i = 0; i < ins->nargs; i++) {
		if (ins->arg[i].kind != IR_MEM)
			continue;
		args[n++] = ga_addr(&ins->arg[i]);
		caps |= (uint64_t)ins->arg[i + 1].imm << 16 * np++;
	}
	args[n++] = ga_imm((int64_t)caps);
	for (unsigned i = 2 * np; i < ins->nargs; i++)
		args[n++] = ga_val(&ins->arg[i]);
	gen_args(g, n, args);
	for (unsigned i = np + 1; i < n; i++)
		if (args[i].arg->kind == IR_REG)
			gen_hide(g, (int)(R1 + i));
	asm_callsub(g->a, link_label(g->link, g->a, link_function(ins, g->im->par.unwind)));
	gen_put(g, ins->dst, R0);
}
