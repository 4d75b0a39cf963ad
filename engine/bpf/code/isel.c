/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The table of operations, and the operations that use only registers. */
#include "engine/bpf/code/isel.h"

static bool is_imm32(const struct ir_arg *v)
{
	return v->kind == IR_IMM && v->imm == (int32_t)v->imm;
}

/* The BPF opcode of an ALU operation or a condition. */
static uint8_t bpf_opcode(enum ir_op op)
{
	static const uint8_t codes[IR_NOPS] = {
#define ALU(n, t, f, b) [IR_##n] = b,
#define COND(n, t, f, b) [IR_##n] = b, [IR_B##n] = b,
#include "ir/ops.def"
	};

	return codes[op];
}

static bool is_commutative(enum ir_op op)
{
	return op == IR_ADD || op == IR_MUL || op == IR_AND || op == IR_OR || op == IR_XOR;
}

static void emit_mov(struct bpf_gen *g, const struct ir_ins *ins)
{
	int d = gen_dst(g, ins->dst, R0);

	if (ins->arg[0].kind == IR_IMM) {
		asm_movi(g->a, d, ins->arg[0].imm);
		gen_put(g, ins->dst, d);
	} else {
		gen_put(g, ins->dst, gen_reg(g, ins->arg[0].reg, d));
	}
}

/* Handles constants that BPF cannot take as an immediate or treats differently than the IR. */
static bool alu_special(struct bpf_gen *g, enum ir_op op, int d, int64_t imm)
{
	if ((op == IR_UDIV || op == IR_UMOD) && imm == 0) {
		if (op == IR_UDIV)
			asm_movi(g->a, d, 0);
		return true;
	}
	if (op == IR_SHL || op == IR_LSHR || op == IR_ASHR) {
		if (imm & 63)
			asm_alui(g->a, bpf_opcode(op), d, imm & 63);
		return true;
	}
	return false;
}

static void emit_alu_imm(struct bpf_gen *g, const struct ir_ins *ins)
{
	int64_t imm = ins->arg[1].imm;
	int d = gen_dst(g, ins->dst, R0), a = gen_val(g, &ins->arg[0], d);

	asm_mov(g->a, d, a);
	if (!alu_special(g, ins->op, d, imm)) {
		if (is_imm32(&ins->arg[1])) {
			asm_alui(g->a, bpf_opcode(ins->op), d, (int32_t)imm);
		} else {
			asm_movi(g->a, R5, imm);
			asm_alu(g->a, bpf_opcode(ins->op), d, R5);
		}
	}
	gen_put(g, ins->dst, d);
}

static void emit_alu(struct bpf_gen *g, const struct ir_ins *ins)
{
	int d, a, b;

	if (ins->arg[1].kind == IR_IMM) {
		emit_alu_imm(g, ins);
		return;
	}
	d = gen_dst(g, ins->dst, R0);
	b = gen_reg(g, ins->arg[1].reg, R5);
	a = gen_val(g, &ins->arg[0], R0);
	if (d == b && is_commutative(ins->op)) {
		b = a;
	} else {
		if (d == b)
			d = R0;
		asm_mov(g->a, d, a);
	}
	asm_alu(g->a, bpf_opcode(ins->op), d, b);
	gen_put(g, ins->dst, d);
}

/* R1 = |reg|, given mask = reg >> 63: (reg ^ mask) - mask. */
static void apply_sign(struct bpf_gen *g, int reg, int mask)
{
	asm_alu(g->a, BPF_XOR, reg, mask);
	asm_alu(g->a, BPF_SUB, reg, mask);
}

/* Signed division without branches and without the signed instructions of Linux 6.6. */
static void emit_sdivmod(struct bpf_gen *g, const struct ir_ins *ins)
{
	bool mod = ins->op == IR_SMOD;

	GEN_ARGS(g, ga_val(&ins->arg[0]), ga_val(&ins->arg[1]));
	asm_mov(g->a, R3, R1);
	asm_alui(g->a, BPF_ARSH, R3, 63);
	apply_sign(g, R1, R3);
	asm_mov(g->a, R4, R2);
	asm_alui(g->a, BPF_ARSH, R4, 63);
	apply_sign(g, R2, R4);
	asm_alu(g->a, mod ? BPF_MOD : BPF_DIV, R1, R2);
	if (!mod)
		asm_alu(g->a, BPF_XOR, R3, R4);
	apply_sign(g, R1, R3);
	gen_put(g, ins->dst, R1);
}

static void extend_reg(struct bpf_gen *g, int d, int bits, bool is_signed)
{
	if (is_signed) {
		asm_alui(g->a, BPF_LSH, d, 64 - bits);
		asm_alui(g->a, BPF_ARSH, d, 64 - bits);
	} else if (bits == 32) {
		asm_emit(g->a, insn(BPF_ALU | BPF_X | BPF_MOV, d, d, 0, 0));
	} else {
		asm_alui(g->a, BPF_AND, d, (1 << bits) - 1);
	}
}

static void emit_un(struct bpf_gen *g, const struct ir_ins *ins)
{
	int d = gen_dst(g, ins->dst, R0), a = gen_val(g, &ins->arg[0], d);

	asm_mov(g->a, d, a);
	switch (ins->op) {
	case IR_NEG:
		asm_alui(g->a, BPF_NEG, d, 0);
		break;
	case IR_NOT:
		asm_alui(g->a, BPF_XOR, d, -1);
		break;
	case IR_SEXT8:
	case IR_ZEXT8:
		extend_reg(g, d, 8, ins->op == IR_SEXT8);
		break;
	case IR_SEXT16:
	case IR_ZEXT16:
		extend_reg(g, d, 16, ins->op == IR_SEXT16);
		break;
	case IR_SEXT32:
	case IR_ZEXT32:
		extend_reg(g, d, 32, ins->op == IR_SEXT32);
		break;
	}
	gen_put(g, ins->dst, d);
}

/* True if the value is a pointer, which can only be compared with 0. */
static bool is_pointer(const struct bpf_gen *g, const struct ir_arg *v)
{
	return v->kind == IR_REG && g->ra.v[v->reg].pointer;
}

/* Hides the value unless it is a constant, which is the same on all paths. */
static void hide_value(struct bpf_gen *g, const struct ir_arg *v, int reg)
{
	if (v->kind == IR_REG && !is_pointer(g, v))
		gen_hide(g, reg);
}

/* Jumps to `yes` if a OP b. */
static void emit_jcc(struct bpf_gen *g, uint8_t op, const struct ir_ins *ins, uint32_t yes)
{
	int a, b;

	if (is_imm32(&ins->arg[1])) {
		a = gen_val(g, &ins->arg[0], R0);
		hide_value(g, &ins->arg[0], a);
		asm_jcci(g->a, op, a, (int32_t)ins->arg[1].imm, yes);
		return;
	}
	b = gen_val(g, &ins->arg[1], R5);
	a = gen_val(g, &ins->arg[0], R0);
	hide_value(g, &ins->arg[1], b);
	hide_value(g, &ins->arg[0], a);
	asm_jcc(g->a, op, a, b, yes);
}

static bool is_spilled(const struct bpf_gen *g, const struct ir_arg *v)
{
	return v->kind == IR_REG && g->ra.v[v->reg].reg < 0;
}

static void load_val(struct bpf_gen *g, int to, const struct ir_arg *v)
{
	asm_mov(g->a, to, gen_val(g, v, to));
}

/* R5 = y & ~x & 1. Returns false if that is always 0. */
static bool low_bits(struct bpf_gen *g, const struct ir_arg *x, const struct ir_arg *y)
{
	if ((x->kind == IR_IMM && x->imm & 1) || (y->kind == IR_IMM && !(y->imm & 1)))
		return false;
	if (x->kind == IR_IMM) {
		load_val(g, R5, y);
	} else if (y->kind == IR_IMM) {
		load_val(g, R5, x);
		asm_alui(g->a, BPF_XOR, R5, -1);
	} else if (!is_spilled(g, y)) {
		load_val(g, R5, x);
		asm_alui(g->a, BPF_XOR, R5, -1);
		asm_alu(g->a, BPF_AND, R5, gen_reg(g, y->reg, R5));
	} else {
		load_val(g, R5, y);
		asm_alui(g->a, BPF_XOR, R5, -1);
		asm_alu(g->a, BPF_OR, R5, gen_reg(g, x->reg, R5));
		asm_alui(g->a, BPF_XOR, R5, -1);
	}
	asm_alui(g->a, BPF_AND, R5, 1);
	return true;
}

/* R0 = x < y: the sign of (x >> 1) - (y >> 1) - (y & ~x & 1). shift: BPF_RSH for unsigned, BPF_ARSH for signed. */
static void emit_less(struct bpf_gen *g, uint8_t shift, const struct ir_arg *x, const struct ir_arg *y)
{
	load_val(g, R0, x);
	asm_alui(g->a, shift, R0, 1);
	load_val(g, R5, y);
	asm_alui(g->a, shift, R5, 1);
	asm_alu(g->a, BPF_SUB, R0, R5);
	if (low_bits(g, x, y))
		asm_alu(g->a, BPF_SUB, R0, R5);
	asm_alui(g->a, BPF_RSH, R0, 63);
}

/* R0 = x != y */
static void emit_unequal(struct bpf_gen *g, const struct ir_arg *x, const struct ir_arg *y)
{
	load_val(g, R0, x);
	asm_alu(g->a, BPF_XOR, R0, gen_val(g, y, R5));
	asm_mov(g->a, R5, R0);
	asm_alui(g->a, BPF_NEG, R5, 0);
	asm_alu(g->a, BPF_OR, R0, R5);
	asm_alui(g->a, BPF_RSH, R0, 63);
}

static void cond_by_branch(struct bpf_gen *g, const struct ir_ins *ins)
{
	uint32_t yes = asm_label(g->a), end = asm_label(g->a);

	emit_jcc(g, bpf_opcode(ins->op), ins, yes);
	asm_movi(g->a, R0, 0);
	asm_jmp(g->a, end);
	asm_bind(g->a, yes);
	asm_movi(g->a, R0, 1);
	asm_bind(g->a, end);
}

/*
 * Computes a condition without branches. With two paths, one for 0 and one for 1, the verifier would check all code
 * after them twice, for every comparison whose result is tested later.
 */
static void emit_cond(struct bpf_gen *g, const struct ir_ins *ins)
{
	const struct ir_arg *x = &ins->arg[0], *y = &ins->arg[1];
	bool is_signed = ins->op >= IR_SLT && ins->op <= IR_SGE;
	uint8_t shift = is_signed ? BPF_ARSH : BPF_RSH, op = bpf_opcode(ins->op);
	bool swap = op == BPF_JGT || op == BPF_JSGT || op == BPF_JLE || op == BPF_JSLE;
	bool invert = op == BPF_JEQ || op == BPF_JLE || op == BPF_JGE || op == BPF_JSLE || op == BPF_JSGE;

	if (is_pointer(g, x) || (is_spilled(g, x) && is_spilled(g, y))) {
		cond_by_branch(g, ins);
		gen_put(g, ins->dst, R0);
		return;
	}
	if (op == BPF_JEQ || op == BPF_JNE)
		emit_unequal(g, x, y);
	else
		emit_less(g, shift, swap ? y : x, swap ? x : y);
	if (invert)
		asm_alui(g->a, BPF_XOR, R0, 1);
	gen_put(g, ins->dst, R0);
}

static uint8_t opposite_of(uint8_t op)
{
	static const uint8_t to[256] = {
		[BPF_JEQ] = BPF_JNE, [BPF_JNE] = BPF_JEQ, [BPF_JLT] = BPF_JGE, [BPF_JGE] = BPF_JLT,
		[BPF_JGT] = BPF_JLE, [BPF_JLE] = BPF_JGT, [BPF_JSLT] = BPF_JSGE, [BPF_JSGE] = BPF_JSLT,
		[BPF_JSGT] = BPF_JSLE, [BPF_JSLE] = BPF_JSGT,
	};

	return to[op];
}

static void jump_to(struct bpf_gen *g, uint32_t block)
{
	if (block != g->next)
		asm_jmp(g->a, g->label[block]);
}

static void emit_branch(struct bpf_gen *g, const struct ir_ins *ins)
{
	uint32_t yes = (uint32_t)ins->arg[2].imm, no = (uint32_t)ins->arg[3].imm;

	if (yes == g->next) {
		emit_jcc(g, opposite_of(bpf_opcode(ins->op)), ins, g->label[no]);
		return;
	}
	emit_jcc(g, bpf_opcode(ins->op), ins, g->label[yes]);
	jump_to(g, no);
}

static void emit_jmp(struct bpf_gen *g, const struct ir_ins *ins)
{
	jump_to(g, (uint32_t)ins->arg[0].imm);
}

static void emit_ret(struct bpf_gen *g, const struct ir_ins *ins)
{
	(void)ins;
	if (g->block == g->go_on) {
		GEN_ARGS(g, ga_ctx(), ga_map(g->map), ga_imm(g->part + 1));
		asm_call(g->a, BPF_FUNC_tail_call);
		gen_drop(g, IR_DROP_SCRATCH);	/* a tail call returns only if it failed */
	}
	if (g->next != UINT32_MAX)
		asm_jmp(g->a, g->leave);
}

void emit_fault(struct bpf_gen *g, const struct ir_ins *ins)
{
	if (g->f->ctx == IR_C_ERROR) {
		gen_drop(g, IR_DROP_DBLERROR);
	} else {
		GEN_ARGS(g, g->im->error ? ga_fp(0) : ga_imm(0), ga_val(&ins->arg[0]),
			 ga_imm(PARAM_WHAT(ins->arg[1].imm, ins->arg[2].imm)), ga_val(&ins->arg[3]),
			 ga_val(&ins->arg[4]));
		asm_callsub(g->a, g->fault);
	}
	jump_to(g, (uint32_t)ins->arg[5].imm);
}

static const struct isel_row rows[IR_NOPS] = {
#define ALU(n, t, f, b) [IR_##n] = { b || IR_##n == IR_ADD ? emit_alu : emit_sdivmod, \
				      b || IR_##n == IR_ADD ? 0 : OPF_CALL },
#define UN(n, t, f) [IR_##n] = { IR_##n == IR_MOV ? emit_mov : emit_un, 0 },
#define COND(n, t, f, b) [IR_##n] = { emit_cond, 0 }, [IR_B##n] = { emit_branch, 0 },
#include "ir/ops.def"
	[IR_LD8] = { emit_ld, 0 },
	[IR_LD16] = { emit_ld, 0 },
	[IR_LD32] = { emit_ld, 0 },
	[IR_LD64] = { emit_ld, 0 },
	[IR_ST8] = { emit_st, 0 },
	[IR_ST16] = { emit_st, 0 },
	[IR_ST32] = { emit_st, 0 },
	[IR_ST64] = { emit_st, 0 },
	[IR_XADD] = { emit_xadd, 0 },
	[IR_XCAS] = { emit_xcas, OPF_CALL },
	[IR_XMAX] = { emit_xmax, OPF_CALL },
	[IR_JMP] = { emit_jmp, 0 },
	[IR_RET] = { emit_ret, 0 },
	[IR_FAULT] = { emit_fault, OPF_CALL },
	[IR_CLOCK] = { emit_world, OPF_CALL },
	[IR_PIDTGID] = { emit_pidtgid, OPF_CALL },
	[IR_UIDGID] = { emit_uidgid, OPF_CALL },
	[IR_CPU] = { emit_world, OPF_CALL },
	[IR_TASK] = { emit_world, OPF_CALL },
	[IR_COMM] = { emit_comm, OPF_CALL },
	[IR_CTX] = { emit_ctx, OPF_CTX },
	[IR_PERFCOUNT] = { emit_perfcount, OPF_CALL | OPF_CTX },
	[IR_STACKDEPTH] = { emit_stackdepth, OPF_CALL | OPF_CTX },
	[IR_USTACKDEPTH] = { emit_stackdepth, OPF_CALL | OPF_CTX },
	[IR_GOID] = { emit_goid, OPF_CALL },
	[IR_UREG] = { emit_ureg, OPF_CALL },
	[IR_STACK] = { emit_stack, OPF_CALL | OPF_CTX },
	[IR_CALLERPC] = { emit_callerpc, OPF_CALL | OPF_CTX }, [IR_COOKIE] = { emit_cookie, OPF_CALL | OPF_CTX },
	[IR_PARAM] = { emit_param, 0 }, [IR_TURN] = { emit_turn, 0 },
	[IR_STATE] = { emit_state, 0 },
	[IR_RANDOM] = { emit_world, OPF_CALL },
	[IR_JIFFIES] = { emit_world, OPF_CALL },
	[IR_TREAD] = { emit_tread, OPF_CALL },
	[IR_KREAD] = { emit_kread, OPF_CALL },
	[IR_KSTR] = { emit_kstr, OPF_CALL | OPF_LATE },
	[IR_UREAD] = { emit_kread, OPF_CALL },
	[IR_USTR] = { emit_kstr, OPF_CALL | OPF_LATE },
	[IR_FILL] = { emit_fill, OPF_CALL },
	[IR_SIGNAL] = { emit_signal, OPF_CALL },
	[IR_UWRITE] = { emit_uwrite, OPF_CALL },
	[IR_GET] = { emit_get, OPF_CALL },
	[IR_GETS] = { emit_gets, OPF_CALL | OPF_LATE },
	[IR_PUT] = { emit_put, OPF_CALL },
	[IR_COPY] = { emit_copy, 0 },
	[IR_ZERO] = { emit_zero, 0 },
	[IR_SCOPY] = { emit_scopy, 0 },
	[IR_SEQ] = { emit_seq, OPF_CALL },
	[IR_SCMP] = { emit_scmp, OPF_CALL },
	[IR_CELL] = { emit_cell, OPF_CALL | OPF_LATE },
	[IR_CELL0] = { emit_cell0, OPF_CALL },
	[IR_CELLN] = { emit_celln, OPF_CALL | OPF_LATE },
	[IR_DYN] = { emit_dyn, OPF_CALL | OPF_LATE },
	[IR_DYNDEL] = { emit_dyndel, OPF_CALL },
	[IR_TLS] = { emit_tls, OPF_CALL },
	[IR_ENDED] = { emit_ended, OPF_CALL },
	[IR_SWEEP] = { emit_sweep, OPF_CALL },
	[IR_COMMIT] = { emit_commit, OPF_CALL | OPF_LATE },
	[IR_COMMITN] = { emit_commit, OPF_CALL | OPF_LATE },
	[IR_CLIMB] = { emit_climb, OPF_CALL | OPF_LATE },
	[IR_GATHER] = { emit_gather, OPF_CALL | OPF_LATE },
	[IR_EXIT] = { emit_exit, OPF_CALL },
	[IR_DROP] = { emit_drop, OPF_CALL },
#define RT(n, t, s, np, nv, k, f, d) [IR_##n] = { emit_rt, OPF_CALL | OPF_LATE },
#include "rt/rt.def"
};

const struct isel_row *isel_row(enum ir_op op)
{
	return &rows[op];
}

unsigned isel_flags(const struct bpf_gen *g, const struct ir_ins *ins)
{
	unsigned flags = rows[ins->op].flags;

	if (ins->op == IR_COPY || ins->op == IR_ZERO)
		flags |= isel_copy_flags(g, ins);
	if (ins->op == IR_CTX && (g->typed || (g->f->ctx == IR_C_CGROUP && ins->arg[0].imm == 8 * IR_CGROUP_SOCKET)))
		flags |= OPF_CALL;	/* a helper reads it */
	if (isel_loads(g, ins))
		flags |= OPF_LATE;
	if (ins->op == IR_TLS && g->typed)
		flags |= OPF_CTX | OPF_LATE;	/* read again where the variable is not in the table of rows */
	if (ins->op == IR_XADD)
		flags |= isel_atomic_flags(g, ins);
	if (ins->op == IR_SCOPY)
		flags |= isel_scopy_flags(g, ins);
	if (ins->op == IR_RET && g->go_on != UINT32_MAX && ins == g->f->blocks.v[g->go_on].ins.v +
	    g->f->blocks.v[g->go_on].ins.n - 1)
		flags |= OPF_CTX;	/* the tail call passes it on */
	for (unsigned i = 0; i < ins->nargs; i++) {
		const struct ir_arg *a = &ins->arg[i];

		/* the outer frame is found through the error function's first argument */
		if ((a->kind == IR_MEM || a->kind == IR_OBJ) && g->fr.obj[a->obj].at >= AT_OUTER_STACK)
			flags |= OPF_CTX;
	}
	return flags;
}
