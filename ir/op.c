/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The table of operations, constant folding, and the operands and successors of an operation. */
#include "ir/ir.h"
#include "rt/rt.h"

const struct ir_opinfo ir_opinfo[IR_NOPS] = {
#define ALU(n, t, f, b) [IR_##n] = { t, "dvv", IR_F_ALU, NULL },
#define UN(n, t, f) [IR_##n] = { t, "dv", IR_F_UN, NULL },
#define COND(n, t, f, b) [IR_##n] = { t, "dvv", IR_F_COND, NULL }, \
			[IR_B##n] = { "b" t, "vvll", IR_F_COND | IR_F_TERM, NULL },
#define MEM(n, t, s) [IR_##n] = { t, s, IR_F_MEM, NULL },
#define TERM(n, t, s) [IR_##n] = { t, s, IR_F_TERM, NULL },
#include "ir/ops.def"
#define INTRIN(n, t, s, f, d) [IR_##n] = { t, s, f, d },
#include "ir/intrin.def"
};

uint64_t ir_sdiv(uint64_t a, uint64_t b)
{
	if (b == 0)
		return 0;
	/* INT64_MIN / -1 overflows in C; negation wraps to the same value. */
	if (b == UINT64_MAX)
		return 0 - a;
	return (uint64_t)((int64_t)a / (int64_t)b);
}

uint64_t ir_smod(uint64_t a, uint64_t b)
{
	if (b == 0)
		return a;
	if (b == UINT64_MAX)
		return 0;
	return (uint64_t)((int64_t)a % (int64_t)b);
}

uint64_t ir_fold(enum ir_op op, uint64_t a, uint64_t b)
{
#define SA ((int64_t)a)
#define SB ((int64_t)b)
	switch (op) {
#define ALU(n, t, f, o) case IR_##n: return (f);
#define UN(n, t, f) case IR_##n: return (f);
#define COND(n, t, f, o) case IR_##n: case IR_B##n: return (f);
#include "ir/ops.def"
	default:
		return 0;
	}
#undef SA
#undef SB
}

unsigned ir_uses(const struct ir_ins *ins, ir_reg out[8])
{
	unsigned n = 0;

	for (unsigned i = 0; i < ins->nargs; i++) {
		const struct ir_arg *a = &ins->arg[i];

		if (a->kind != IR_REG && a->kind != IR_MEM)
			continue;
		if (a->reg && n < 8)
			out[n++] = a->reg;
		if (a->kind == IR_MEM && a->idx && n < 8)
			out[n++] = a->idx;
	}
	return n;
}

unsigned ir_succ(const struct ir_ins *term, uint32_t out[2])
{
	unsigned n = 0;

	for (unsigned i = 0; i < term->nargs; i++) {
		if (term->arg[i].kind == IR_BLOCK && n < 2)
			out[n++] = (uint32_t)term->arg[i].imm;
	}
	return n;
}

void ir_retarget(struct ir_ins *term, const uint32_t *number)
{
	for (unsigned i = 0; i < term->nargs; i++)
		if (term->arg[i].kind == IR_BLOCK)
			term->arg[i].imm = number[term->arg[i].imm];
}

static uint32_t mem_bytes(enum ir_op op)
{
	switch (op) {
	case IR_LD8:
	case IR_ST8:
		return 1;
	case IR_LD16:
	case IR_ST16:
		return 2;
	case IR_LD32:
	case IR_ST32:
		return 4;
	default:
		return 8;
	}
}

/* The object (for a key) or the next immediate determines the size. Only comm has neither. */
uint32_t ir_place_bytes(const struct ir_prog *p, const struct ir_ins *ins, unsigned i)
{
	if (ir_opinfo[ins->op].flags & IR_F_MEM)
		return mem_bytes(ins->op);
	if (ins->arg[0].kind == IR_OBJ)
		return ins->arg[0].obj < p->objs.n ? p->objs.v[ins->arg[0].obj].keysize : 0;
	for (i++; i < ins->nargs; i++) {
		int64_t n = ins->arg[i].imm;

		if (ins->arg[i].kind == IR_IMM)
			return n < 0 || n > UINT32_MAX ? UINT32_MAX : (uint32_t)n;
	}
	return 16;
}

static bool is_load(enum ir_op op)
{
	return op == IR_LD8 || op == IR_LD16 || op == IR_LD32 || op == IR_LD64;
}

/* Only functions of the run-time library write a second place. */
static bool second_written(enum ir_op op)
{
	static const uint8_t flags[IR_NOPS] = {
#define RT(n, t, s, np, nv, k, f, d) [IR_##n] = f,
#include "rt/rt.def"
	};

	return flags[op] & RT_W2;
}

bool ir_place_written(const struct ir_ins *ins, unsigned i)
{
	return (i == 0 && ir_has_effect(ins) && ins->op != IR_PUT) || (i == 2 && second_written(ins->op));
}

bool ir_has_effect(const struct ir_ins *ins)
{
	unsigned flags = ir_opinfo[ins->op].flags;

	if (flags & IR_F_MEM)
		return !is_load(ins->op);
	return flags & (IR_F_EFFECT | IR_F_TERM);
}
