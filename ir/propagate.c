/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* One forward pass that substitutes known facts about registers into the operations that read them. */
#include "ir/opt.h"
#include "ir/flow.h"

#include <string.h>

/* ---- facts ---- */
static bool arg_same(const struct opt *o, const struct fact *f, const struct ir_arg *a, uint32_t version)
{
	if (a->kind != IR_REG || o->ndefs[a->reg] == 1)
		return true;
	return f->span == o->span && o->writes[a->reg] == version;
}

static bool fact_here(const struct opt *o, ir_reg r)
{
	return o->facts[r].bits && (o->facts[r].span == o->span || o->ndefs[r] == 1);
}

const struct fact *opt_fact(const struct opt *o, ir_reg r)
{
	const struct fact *f = &o->facts[r];

	return fact_here(o, r) && arg_same(o, f, &f->a, f->va) && arg_same(o, f, &f->b, f->vb) ? f : NULL;
}

static unsigned value_width(uint64_t v)
{
	return v ? 64 - (unsigned)__builtin_clzll(v) : 1;
}

unsigned opt_bits(const struct opt *o, const struct ir_arg *a)
{
	if (a->kind == IR_IMM)
		return value_width((uint64_t)a->imm);
	/* the width belongs to the value: it stays true when other registers are written */
	return fact_here(o, a->reg) ? o->facts[a->reg].bits : 64;
}

static unsigned smaller_of(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

/* Never 0, which marks a register without a fact. */
static unsigned result_bits(const struct opt *o, const struct ir_ins *ins)
{
	unsigned a = opt_bits(o, &ins->arg[0]), b = opt_bits(o, &ins->arg[1]);
	unsigned shift = ins->arg[1].kind == IR_IMM ? (unsigned)ins->arg[1].imm & 63 : 0;

	switch (ins->op) {
	case IR_LD8:
		return 8;
	case IR_LD16:
		return 16;
	case IR_LD32:
		return 32;
	case IR_SEQ:
		return 1;
	case IR_MOV:
	case IR_UDIV:
	case IR_UMOD:
		return a;
	case IR_ZEXT8:
		return smaller_of(a, 8);
	case IR_ZEXT16:
		return smaller_of(a, 16);
	case IR_ZEXT32:
		return smaller_of(a, 32);
	case IR_AND:
		return smaller_of(a, b);
	case IR_OR:
	case IR_XOR:
		return a > b ? a : b;
	case IR_ADD:
		return smaller_of((a > b ? a : b) + 1, 64);
	case IR_LSHR:
		return a > shift ? a - shift : 1;
	case IR_SHL:
		return ins->arg[1].kind == IR_IMM ? smaller_of(a + shift, 64) : 64;
	default:
		return ir_opinfo[ins->op].flags & IR_F_COND ? 1 : 64;
	}
}

bool opt_is_steady(enum ir_op op)
{
	return op == IR_PIDTGID || op == IR_UIDGID || op == IR_CPU || op == IR_TASK;
}

/* Replaces a read that was already done in this run of blocks by its result. */
static void read_again(const struct opt *o, struct ir_ins *ins)
{
	ir_reg r = opt_is_steady(ins->op) ? o->read[ins->op] : 0;
	const struct fact *f = &o->facts[r];

	if (!r || f->kind != F_WORLD || f->op != ins->op || f->span != o->span)
		return;
	ins->op = IR_MOV;
	ins->nargs = 1;
	ins->arg[0] = ir_r(r);
}

static void note_result(struct opt *o, const struct ir_ins *ins)
{
	struct fact fact = { .kind = F_NONE, .span = o->span };

	if (!ins->dst)
		return;
	fact.bits = (uint8_t)result_bits(o, ins);
	if (ins->op == IR_MOV) {
		fact.kind = ins->arg[0].kind == IR_IMM ? F_CONST : F_COPY;
		fact.a = ins->arg[0];
	} else if (ir_opinfo[ins->op].flags & IR_F_COND) {
		fact.kind = F_COND;
		fact.op = ins->op;
		fact.a = ins->arg[0];
		fact.b = ins->arg[1];
	} else if (opt_ext_bits(ins->op)) {
		fact.kind = F_EXT;
		fact.op = ins->op;
		fact.a = ins->arg[0];
	} else if (opt_is_steady(ins->op)) {
		fact.kind = F_WORLD;
		fact.op = ins->op;
		o->read[ins->op] = ins->dst;
	} else if (ir_gives_place(ins->op)) {
		fact.kind = F_NOTNULL;
	}
	/* before the write: `r = eq r, 1` is no fact about the new r */
	fact.va = o->writes[fact.a.reg];
	fact.vb = o->writes[fact.b.reg];
	o->writes[ins->dst]++;
	o->facts[ins->dst] = fact;
}

/* ---- operands ---- */
static void replace_value(struct opt *o, struct ir_arg *a)
{
	const struct fact *f = a->kind == IR_REG ? opt_fact(o, a->reg) : NULL;

	if (!f || (f->kind != F_CONST && f->kind != F_COPY))
		return;
	*a = f->kind == F_CONST ? ir_i(f->a.imm) : ir_r(f->a.reg);
	o->changed = true;
}

/* A store uses only the low bits, so it can store the value before its extension. */
static void replace_stored(struct opt *o, struct ir_ins *ins)
{
	const struct fact *f = ins->arg[1].kind == IR_REG ? opt_fact(o, ins->arg[1].reg) : NULL;
	unsigned bits = ins->op == IR_ST8 ? 8 : ins->op == IR_ST16 ? 16 : ins->op == IR_ST32 ? 32 : 64;

	if (!f || f->kind != F_EXT || opt_ext_bits(f->op) < bits)
		return;
	ins->arg[1] = f->a;
	o->changed = true;
}

/* Returns false if the index is known to be out of bounds. */
static bool replace_index(struct opt *o, struct ir_arg *a)
{
	struct ir_arg idx = ir_r(a->idx);

	replace_value(o, &idx);
	if (idx.kind == IR_REG) {
		a->idx = idx.reg;
		return true;
	}
	if ((uint64_t)idx.imm >= a->lim)
		return false;
	a->imm += idx.imm * 8;
	a->idx = 0;
	a->lim = 0;
	return true;
}

static void replace_args(struct opt *o, struct ir_ins *ins)
{
	for (unsigned i = 0; i < ins->nargs; i++) {
		replace_value(o, &ins->arg[i]);
		if (ins->arg[i].kind != IR_MEM || !ins->arg[i].idx || replace_index(o, &ins->arg[i]))
			continue;
		/* an access that is out of bounds reads 0 and writes nothing */
		memset(ins->arg, 0, sizeof ins->arg);
		ins->op = IR_MOV;
		ins->nargs = 1;
		ins->arg[0] = ir_i(0);
		return;
	}
}

/* ---- terminators ---- */
static void set_jump(struct opt *o, struct ir_ins *ins, int64_t block)
{
	memset(ins->arg, 0, sizeof ins->arg);
	ins->op = IR_JMP;
	ins->nargs = 1;
	ins->arg[0] = ir_b((uint32_t)block);
	o->changed = true;
}

static void simplify_branch(struct opt *o, struct ir_ins *ins)
{
	int64_t yes = ins->arg[2].imm, no = ins->arg[3].imm;
	struct ir_ins cond = {
		.op = (uint16_t)(ins->op - IR_BEQ + IR_EQ), .nargs = 2, .arg = { ins->arg[0], ins->arg[1] },
	};

	opt_simplify(o, &cond);
	if (yes == no) {
		set_jump(o, ins, yes);
	} else if (ir_opinfo[cond.op].flags & IR_F_COND) {
		ins->op = (uint16_t)(cond.op - IR_EQ + IR_BEQ);
		ins->arg[0] = cond.arg[0];
		ins->arg[1] = cond.arg[1];
	} else if (cond.arg[0].kind == IR_IMM) {
		set_jump(o, ins, cond.arg[0].imm ? yes : no);
	}
}

static void shorten_jump(struct opt *o, struct ir_ins *ins)
{
	/* A jump to a block that consists only of a branch becomes that branch, because more facts are known here. This
	 * ends, because every branch goes forward. */
	while (ins->op == IR_JMP) {
		const struct ir_block *k = &o->func->blocks.v[ins->arg[0].imm];
		const struct ir_ins *t = k->ins.v;

		if (k->ins.n != 1 || t->op == IR_FAULT || t->op == IR_RET)
			return;
		*ins = *t;
		o->changed = true;
		replace_args(o, ins);
		if (ir_opinfo[ins->op].flags & IR_F_COND)
			simplify_branch(o, ins);
	}
}

static void propagate_ins(struct opt *o, struct ir_ins *ins)
{
	replace_args(o, ins);
	if (ir_opinfo[ins->op].flags & IR_F_TERM) {
		if (ir_opinfo[ins->op].flags & IR_F_COND)
			simplify_branch(o, ins);
		shorten_jump(o, ins);
		return;
	}
	if (ir_opinfo[ins->op].flags & (IR_F_ALU | IR_F_UN | IR_F_COND))
		opt_simplify(o, ins);
	else if (ir_opinfo[ins->op].flags & IR_F_MEM && ir_has_effect(ins))
		replace_stored(o, ins);
	else
		read_again(o, ins);
	note_result(o, ins);
}

/* True if block b is only entered from the previous block, so that all facts stay valid. */
static bool is_fallthrough(const struct opt *o, uint32_t b)
{
	const struct ir_block *k = &o->func->blocks.v[b ? b - 1 : 0];
	uint32_t out[2];
	bool reached = false;

	if (!b || o->npreds[b] != 1)
		return false;
	for (unsigned i = ir_succ(&k->ins.v[k->ins.n - 1], out); i; i--)
		reached |= out[i - 1] == b;
	return reached;
}

void opt_propagate(struct opt *o)
{
	memset(o->writes, 0, ((size_t)o->func->nregs + 1) * sizeof *o->writes);
	memset(o->facts, 0, ((size_t)o->func->nregs + 1) * sizeof *o->facts);
	for (uint32_t b = 0; b < o->func->blocks.n; b++) {
		struct ir_block *k = &o->func->blocks.v[b];

		if (!is_fallthrough(o, b))
			o->span++;
		for (size_t i = 0; i < k->ins.n; i++)
			propagate_ins(o, &k->ins.v[i]);
	}
}
