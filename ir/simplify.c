/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Cheaper forms of single operations. */
#include "ir/opt.h"

/* Conditions: the inverse, and the one with exchanged operands. */
static const struct {
	uint16_t inverse, mirror;
} conds[] = {
#define ROW(op, inv, mir) [IR_##op - IR_EQ] = { IR_##inv, IR_##mir }
	ROW(EQ, NE, EQ), ROW(NE, EQ, NE), ROW(ULT, UGE, UGT), ROW(ULE, UGT, UGE), ROW(UGT, ULE, ULT),
	ROW(UGE, ULT, ULE), ROW(SLT, SGE, SGT), ROW(SLE, SGT, SGE), ROW(SGT, SLE, SLT), ROW(SGE, SLT, SLE),
#undef ROW
};

static bool is_cond(enum ir_op op)
{
	return ir_opinfo[op].flags & IR_F_COND;
}

static bool is_imm(const struct ir_arg *a)
{
	return a->kind == IR_IMM;
}

static void set_un(struct opt *o, struct ir_ins *ins, enum ir_op op, struct ir_arg a)
{
	ins->op = op;
	ins->nargs = 1;
	ins->arg[0] = a;
	ins->arg[1] = (struct ir_arg){ 0 };
	o->changed = true;
}

static void set_imm(struct opt *o, struct ir_ins *ins, uint64_t v)
{
	set_un(o, ins, IR_MOV, ir_i((int64_t)v));
}

static void set_alu(struct opt *o, struct ir_ins *ins, enum ir_op op, uint64_t b)
{
	ins->op = op;
	ins->arg[1] = ir_i((int64_t)b);
	o->changed = true;
}

static void swap_args(struct opt *o, struct ir_ins *ins)
{
	struct ir_arg a = ins->arg[0];

	ins->arg[0] = ins->arg[1];
	ins->arg[1] = a;
	o->changed = true;
}

/* Moves immediates to the right operand, where BPF needs them. */
static void order_args(struct opt *o, struct ir_ins *ins)
{
	if (!is_imm(&ins->arg[0]))
		return;
	switch (ins->op) {
	case IR_ADD:
	case IR_MUL:
	case IR_AND:
	case IR_OR:
	case IR_XOR:
		swap_args(o, ins);
		return;
	default:
		if (!is_cond(ins->op))
			return;
		swap_args(o, ins);
		ins->op = conds[ins->op - IR_EQ].mirror;
	}
}

/* ---- x op constant ---- */
enum rule_gives { G_A, G_ZERO, G_ONE, G_ONES, G_NEG };

static const struct simplify_rule {
	uint16_t op;
	uint64_t b;
	enum rule_gives gives;
} rules[] = {
	{ IR_ADD, 0, G_A }, { IR_SUB, 0, G_A }, { IR_OR, 0, G_A }, { IR_XOR, 0, G_A },
	{ IR_SHL, 0, G_A }, { IR_LSHR, 0, G_A }, { IR_ASHR, 0, G_A },
	{ IR_MUL, 0, G_ZERO }, { IR_MUL, 1, G_A }, { IR_MUL, UINT64_MAX, G_NEG },
	{ IR_AND, 0, G_ZERO }, { IR_AND, UINT64_MAX, G_A }, { IR_OR, UINT64_MAX, G_ONES },
	{ IR_UDIV, 0, G_ZERO }, { IR_UDIV, 1, G_A }, { IR_UMOD, 0, G_A }, { IR_UMOD, 1, G_ZERO },
	{ IR_SDIV, 0, G_ZERO }, { IR_SDIV, 1, G_A }, { IR_SDIV, UINT64_MAX, G_NEG },
	{ IR_SMOD, 0, G_A }, { IR_SMOD, 1, G_ZERO }, { IR_SMOD, UINT64_MAX, G_ZERO },
	{ IR_ULT, 0, G_ZERO }, { IR_UGE, 0, G_ONE }, { IR_UGT, UINT64_MAX, G_ZERO }, { IR_ULE, UINT64_MAX, G_ONE },
};

static bool by_rule(struct opt *o, struct ir_ins *ins)
{
	for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
		if (rules[i].op != ins->op || rules[i].b != (uint64_t)ins->arg[1].imm)
			continue;
		if (rules[i].gives == G_A)
			set_un(o, ins, IR_MOV, ins->arg[0]);
		else if (rules[i].gives == G_NEG)
			set_un(o, ins, IR_NEG, ins->arg[0]);
		else
			set_imm(o, ins, rules[i].gives == G_ZERO ? 0 : rules[i].gives == G_ONE ? 1 : UINT64_MAX);
		return true;
	}
	return false;
}

/* Powers of two, and comparisons that only test for 0. */
static void by_power(struct opt *o, struct ir_ins *ins)
{
	uint64_t b = (uint64_t)ins->arg[1].imm;
	bool power = b && !(b & (b - 1));

	if (ins->op == IR_MUL && power)
		set_alu(o, ins, IR_SHL, (unsigned)__builtin_ctzll(b));
	else if (ins->op == IR_UDIV && power)
		set_alu(o, ins, IR_LSHR, (unsigned)__builtin_ctzll(b));
	else if (ins->op == IR_UMOD && power)
		set_alu(o, ins, IR_AND, b - 1);
	else if ((ins->op == IR_UGT && b == 0) || (ins->op == IR_UGE && b == 1))
		set_alu(o, ins, IR_NE, 0);
	else if ((ins->op == IR_ULE && b == 0) || (ins->op == IR_ULT && b == 1))
		set_alu(o, ins, IR_EQ, 0);
}

/* Simplifications by the width of the left operand. */
static bool by_width(struct opt *o, struct ir_ins *ins)
{
	unsigned bits = opt_bits(o, &ins->arg[0]);
	uint64_t b = (uint64_t)ins->arg[1].imm, top = bits < 64 ? (1ull << bits) - 1 : UINT64_MAX;

	if (bits == 64)
		return false;
	if (ins->op == IR_AND && (b & top) == top)
		set_un(o, ins, IR_MOV, ins->arg[0]);
	else if ((ins->op == IR_EQ || ins->op == IR_UGT) && (b > top || (b == top && ins->op == IR_UGT)))
		set_imm(o, ins, 0);
	else if ((ins->op == IR_NE && b > top) || (ins->op == IR_ULE && b >= top) || (ins->op == IR_ULT && b > top))
		set_imm(o, ins, 1);
	else
		return false;
	return true;
}

/* A comparison of a condition with 0 becomes the condition or its inverse. */
static void through_cond(struct opt *o, struct ir_ins *ins)
{
	const struct fact *f;
	bool invert = ins->op == IR_EQ;

	while ((ins->op == IR_EQ || ins->op == IR_NE) && ins->arg[0].kind == IR_REG && ins->arg[1].imm == 0 &&
	       (f = opt_fact(o, ins->arg[0].reg)) && f->kind == F_COND) {
		invert = ins->op == IR_EQ;
		ins->op = invert ? conds[f->op - IR_EQ].inverse : f->op;
		ins->arg[0] = f->a;
		ins->arg[1] = f->b;
		o->changed = true;
		if (!is_imm(&ins->arg[1]))
			break;
	}
}

unsigned opt_ext_bits(enum ir_op op)
{
	switch (op) {
	case IR_SEXT8:
	case IR_ZEXT8:
		return 8;
	case IR_SEXT16:
	case IR_ZEXT16:
		return 16;
	case IR_SEXT32:
	case IR_ZEXT32:
		return 32;
	default:
		return 0;
	}
}

/* A comparison for equality does not need an extension that loses no bits. */
static void through_ext(struct opt *o, struct ir_ins *ins)
{
	const struct fact *f = ins->arg[0].kind == IR_REG ? opt_fact(o, ins->arg[0].reg) : NULL;
	uint64_t b = (uint64_t)ins->arg[1].imm, low;
	unsigned bits;

	if (!f || f->kind != F_EXT || (ins->op != IR_EQ && ins->op != IR_NE))
		return;
	bits = opt_ext_bits(f->op);
	if (opt_bits(o, &f->a) > bits)
		return;
	low = b & ((1ull << bits) - 1);
	if (ir_fold(f->op, low, 0) != b) {
		set_imm(o, ins, ins->op == IR_NE);
		return;
	}
	ins->arg[0] = f->a;
	set_alu(o, ins, ins->op, low);
}

static void with_imm(struct opt *o, struct ir_ins *ins)
{
	const struct fact *f;

	through_cond(o, ins);
	if (is_imm(&ins->arg[1]))
		through_ext(o, ins);
	if (ins->nargs != 2 || !is_imm(&ins->arg[1]))
		return;
	f = ins->arg[0].kind == IR_REG ? opt_fact(o, ins->arg[0].reg) : NULL;
	if (f && f->kind == F_NOTNULL && ins->arg[1].imm == 0 && (ins->op == IR_EQ || ins->op == IR_NE))
		set_imm(o, ins, ins->op == IR_NE);
	else if (!by_rule(o, ins) && !by_width(o, ins))
		by_power(o, ins);
}

/* x op x */
static void with_itself(struct opt *o, struct ir_ins *ins)
{
	if (ins->op == IR_SUB || ins->op == IR_XOR)
		set_imm(o, ins, 0);
	else if (ins->op == IR_AND || ins->op == IR_OR)
		set_un(o, ins, IR_MOV, ins->arg[0]);
	else if (is_cond(ins->op))
		set_imm(o, ins, ir_fold(ins->op, 0, 0));
}

/* If the sign bit is known to be 0, both kinds of extension are the same. An extension can skip an earlier one that
 * keeps all bits that it uses. */
static void simplify_extension(struct opt *o, struct ir_ins *ins)
{
	unsigned bits = opt_ext_bits(ins->op);
	bool is_signed = ins->op == IR_SEXT8 || ins->op == IR_SEXT16 || ins->op == IR_SEXT32;
	const struct fact *f = bits && ins->arg[0].kind == IR_REG ? opt_fact(o, ins->arg[0].reg) : NULL;

	if (f && f->kind == F_EXT && opt_ext_bits(f->op) >= bits) {
		ins->arg[0] = f->a;
		o->changed = true;
	}
	if (bits && opt_bits(o, &ins->arg[0]) <= bits - is_signed)
		set_un(o, ins, IR_MOV, ins->arg[0]);
}

void opt_simplify(struct opt *o, struct ir_ins *ins)
{
	bool un = ir_opinfo[ins->op].flags & IR_F_UN;

	if (is_imm(&ins->arg[0]) && (un || is_imm(&ins->arg[1]))) {
		if (ins->op != IR_MOV)
			set_imm(o, ins, ir_fold(ins->op, (uint64_t)ins->arg[0].imm, (uint64_t)ins->arg[1].imm));
		return;
	}
	if (un) {
		simplify_extension(o, ins);
		return;
	}
	order_args(o, ins);
	if (is_imm(&ins->arg[1]))
		with_imm(o, ins);
	else if (ins->arg[0].kind == IR_REG && ins->arg[0].reg == ins->arg[1].reg)
		with_itself(o, ins);
}
