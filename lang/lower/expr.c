/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Integer and pointer expressions. They are computed in 64 bits and then converted to the width of their type. */
#include "lang/lower/expr.h"

#include "lang/check/range.h"
#include "lang/func.h"
#include "lang/lower/lower.h"
#include "lang/lower/mem.h"
#include "lang/lower/str.h"
#include "lang/lower/var.h"

struct ir_arg lower_op(struct lower *l, enum ir_op op, struct ir_arg a, struct ir_arg b)
{
	if (a.kind == IR_IMM && b.kind == IR_IMM)
		return ir_i((int64_t)ir_fold(op, (uint64_t)a.imm, (uint64_t)b.imm));
	return ir_r(ir_emit(&l->b, op, a, b));
}

static struct ir_arg lower_unary(struct lower *l, enum ir_op op, struct ir_arg a)
{
	if (a.kind == IR_IMM)
		return ir_i((int64_t)ir_fold(op, (uint64_t)a.imm, 0));
	return ir_r(ir_emit(&l->b, op, a));
}

struct ir_arg lower_fit(struct lower *l, struct ir_arg v, const struct type *from, const struct type *to)
{
	static const enum ir_op extend[2][5] = {
		{ [1] = IR_ZEXT8, [2] = IR_ZEXT16, [4] = IR_ZEXT32 },
		{ [1] = IR_SEXT8, [2] = IR_SEXT16, [4] = IR_SEXT32 },
	};
	bool sign = type_is_int(to) && to->is_signed;

	if (to->kind == T_VOID || to->size >= 8)
		return v;
	if (to->is_bool && !(from && from->is_bool))
		return lower_op(l, IR_NE, v, ir_i(0));
	if (from && from->size == to->size && from->is_signed == sign)
		return v;
	/* any wider type can hold an unsigned type; wider signed types can hold a signed one */
	if (from && from->size < to->size && (sign || !from->is_signed))
		return v;
	return lower_unary(l, extend[sign][to->size], v);
}

/* ---- arithmetic ---- */
static const struct {
	enum ir_op u, s;	/* for unsigned and signed types */
	bool grows;		/* the result may need more bits than the operands */
	bool divides;
} arith[] = {
	[OP_ADD] = { .u = IR_ADD, .s = IR_ADD, .grows = true },
	[OP_SUB] = { .u = IR_SUB, .s = IR_SUB, .grows = true },
	[OP_MUL] = { .u = IR_MUL, .s = IR_MUL, .grows = true },
	[OP_DIV] = { .u = IR_UDIV, .s = IR_SDIV, .grows = true, .divides = true },
	[OP_MOD] = { .u = IR_UMOD, .s = IR_SMOD, .divides = true },
	[OP_AND] = { .u = IR_AND, .s = IR_AND },
	[OP_OR] = { .u = IR_OR, .s = IR_OR },
	[OP_XOR] = { .u = IR_XOR, .s = IR_XOR },
	[OP_SHL] = { .u = IR_SHL, .s = IR_SHL, .grows = true },
	[OP_SHR] = { .u = IR_LSHR, .s = IR_ASHR },
};

struct ir_arg lower_arith(struct lower *l, enum op op, const struct type *t, struct ir_arg a, struct ir_arg b)
{
	bool sign = type_is_int(t) && t->is_signed;
	struct ir_arg r;

	if (arith[op].divides && b.kind == IR_REG)
		lower_fault_if(l, IR_BEQ, b, IR_FLT_DIVZERO, ir_i(0));
	else if (arith[op].divides && !b.imm)
		lower_fault(l, IR_FLT_DIVZERO, ir_i(0));
	r = lower_op(l, sign ? arith[op].s : arith[op].u, a, b);
	return arith[op].grows ? lower_fit(l, r, NULL, t) : r;
}

/* ---- comparisons ---- */
static const struct {
	enum ir_op u, s;	/* unsigned and signed, as values */
	enum ir_op ub, sb;	/* as branches */
} compare[] = {
	[OP_EQ] = { IR_EQ, IR_EQ, IR_BEQ, IR_BEQ },
	[OP_NE] = { IR_NE, IR_NE, IR_BNE, IR_BNE },
	[OP_LT] = { IR_ULT, IR_SLT, IR_BULT, IR_BSLT },
	[OP_LE] = { IR_ULE, IR_SLE, IR_BULE, IR_BSLE },
	[OP_GT] = { IR_UGT, IR_SGT, IR_BUGT, IR_BSGT },
	[OP_GE] = { IR_UGE, IR_SGE, IR_BUGE, IR_BSGE },
};

static bool is_compare(const struct node *n)
{
	return n->kind == N_BINARY && n->op >= OP_EQ && n->op <= OP_GE;
}

static bool is_logical(const struct node *n)
{
	return n->kind == N_BINARY && (n->op == OP_LAND || n->op == OP_LOR);
}

static bool compares_signed(const struct node *n)
{
	return type_is_int(n->a->type) && n->a->type->is_signed;
}

static bool compares_strings(const struct node *n)
{
	return is_compare(n) && type_is_string(n->a->type);
}

static void branch_on(struct lower *l, struct ir_arg v, uint32_t yes, uint32_t no)
{
	if (v.kind == IR_IMM)
		ir_emit(&l->b, IR_JMP, ir_b(v.imm ? yes : no));
	else
		ir_emit(&l->b, IR_BNE, v, ir_i(0), ir_b(yes), ir_b(no));
}

static void branch_compare(struct lower *l, const struct node *n, uint32_t yes, uint32_t no)
{
	bool sign = compares_signed(n);
	struct ir_arg a = lower_expr(l, n->a), b = lower_expr(l, n->b);

	if (a.kind == IR_IMM && b.kind == IR_IMM)
		branch_on(l, lower_op(l, sign ? compare[n->op].s : compare[n->op].u, a, b), yes, no);
	else
		ir_emit(&l->b, sign ? compare[n->op].sb : compare[n->op].ub, a, b, ir_b(yes), ir_b(no));
}

void lower_branch(struct lower *l, const struct node *n, uint32_t yes, uint32_t no)
{
	struct loc saved = l->b.loc;

	if (!lower_enter_depth(l, n->loc)) {
		ir_emit(&l->b, IR_JMP, ir_b(no));
		return;
	}
	l->b.loc = n->loc;
	if (is_logical(n)) {
		uint32_t second = ir_newblock(&l->b, NULL);

		lower_branch(l, n->a, n->op == OP_LAND ? second : yes, n->op == OP_LAND ? no : second);
		ir_enter(&l->b, second);
		lower_branch(l, n->b, yes, no);
	} else if (n->kind == N_UNARY && n->op == OP_LNOT) {
		lower_branch(l, n->a, no, yes);
	} else if (compares_strings(n)) {
		lower_compare_strings(l, n, yes, no);
	} else if (is_compare(n)) {
		branch_compare(l, n, yes, no);
	} else {
		branch_on(l, lower_expr(l, n), yes, no);
	}
	l->b.loc = saved;
	l->depth--;
}

/* ---- expressions, by kind ---- */
/* A condition as a value: 1 or 0. */
static struct ir_arg condition_value(struct lower *l, const struct node *n)
{
	uint32_t yes = ir_newblock(&l->b, NULL), end = ir_newblock(&l->b, NULL);
	ir_reg r = ir_newreg(&l->b);

	ir_emit_to(&l->b, IR_MOV, r, ir_i(0));
	lower_branch(l, n, yes, end);
	ir_enter(&l->b, yes);
	ir_emit_to(&l->b, IR_MOV, r, ir_i(1));
	ir_enter(&l->b, end);
	return ir_r(r);
}

static struct ir_arg expr_int(struct lower *l, const struct node *n)
{
	(void)l;
	return ir_i((int64_t)n->value);
}

static struct ir_arg expr_unary(struct lower *l, const struct node *n)
{
	struct ir_arg a;

	if (n->op >= OP_PREINC)
		return lower_step(l, n, VALUE_USED);
	a = lower_expr(l, n->a);
	switch (n->op) {
	case OP_NEG:
		return lower_fit(l, lower_unary(l, IR_NEG, a), NULL, n->type);
	case OP_NOT:
		return lower_fit(l, lower_unary(l, IR_NOT, a), NULL, n->type);
	case OP_LNOT:
		return lower_op(l, IR_EQ, a, ir_i(0));
	default:
		return a;
	}
}

void lower_check_index(struct lower *l, const struct node *n, struct ir_arg v, uint64_t size)
{
	int64_t most = RANGE_MEMORY / (int64_t)size;
	struct int_range r = range_of(n);

	if (range_indexes(&r, size))
		return;
	if (v.kind == IR_IMM)
		lower_fault(l, IR_FLT_BADADDR, v);
	else
		lower_fault_if(l, IR_BNE, lower_op(l, IR_UGT, lower_op(l, IR_ADD, v, ir_i(most)), ir_i(2 * most)),
			       IR_FLT_BADADDR, v);
}

static struct ir_arg expr_binary(struct lower *l, const struct node *n)
{
	struct ir_arg a, b;

	if (is_logical(n) || compares_strings(n))
		return condition_value(l, n);
	a = lower_expr(l, n->a);
	b = lower_expr(l, n->b);
	if (n->scaled)
		lower_check_index(l, n->a, a, n->b->value);
	if (is_compare(n))
		return lower_op(l, compares_signed(n) ? compare[n->op].s : compare[n->op].u, a, b);
	if (n->op == OP_LXOR)
		return lower_op(l, IR_XOR, lower_op(l, IR_NE, a, ir_i(0)), lower_op(l, IR_NE, b, ir_i(0)));
	return lower_arith(l, n->op, n->type, a, b);
}

static struct ir_arg expr_cond(struct lower *l, const struct node *n)
{
	uint32_t yes = ir_newblock(&l->b, NULL), no = ir_newblock(&l->b, NULL), end = ir_newblock(&l->b, NULL);
	ir_reg r = ir_newreg(&l->b);

	lower_branch(l, n->a, yes, no);
	ir_enter(&l->b, yes);
	ir_emit_to(&l->b, IR_MOV, r, lower_expr(l, n->b));
	ir_emit(&l->b, IR_JMP, ir_b(end));
	ir_enter(&l->b, no);
	ir_emit_to(&l->b, IR_MOV, r, lower_expr(l, n->c));
	ir_enter(&l->b, end);
	return ir_r(r);
}

static struct ir_arg expr_comma(struct lower *l, const struct node *n)
{
	lower_effect(l, n->a);
	return lower_expr(l, n->b);
}

static struct ir_arg expr_cast(struct lower *l, const struct node *n)
{
	return lower_fit(l, lower_expr(l, n->a), n->a->type, n->type);
}

static struct ir_arg expr_assign(struct lower *l, const struct node *n)
{
	return lower_assign(l, n, VALUE_USED);
}

static struct ir_arg expr_addr(struct lower *l, const struct node *n)
{
	return lower_addr(l, n->a);
}

static struct ir_arg expr_call(struct lower *l, const struct node *n)
{
	return n->func->value(l, n);
}

typedef struct ir_arg expr_fn(struct lower *l, const struct node *n);

static expr_fn *const by_kind[] = {
	[N_INT] = expr_int, [N_VAR] = lower_var, [N_INDEX] = lower_var, [N_UNARY] = expr_unary,
	[N_BINARY] = expr_binary, [N_ASSIGN] = expr_assign, [N_COND] = expr_cond, [N_COMMA] = expr_comma,
	[N_CALL] = expr_call, [N_CAST] = expr_cast, [N_MEMBER] = lower_load, [N_DEREF] = lower_load,
	[N_ADDR] = expr_addr,
};

struct ir_arg lower_expr(struct lower *l, const struct node *n)
{
	expr_fn *fn = (size_t)n->kind < sizeof by_kind / sizeof *by_kind ? by_kind[n->kind] : NULL;
	struct loc saved = l->b.loc;
	struct ir_arg r;

	if (!lower_enter_depth(l, n->loc))
		return ir_i(0);
	l->b.loc = n->loc;
	if (fn) {
		r = fn(l, n);
	} else {
		diag(l->diags, n->loc, D_UNSUPPORTED, "this expression is not supported yet");
		r = ir_i(0);
	}
	l->b.loc = saved;
	l->depth--;
	return r;
}

/* ---- evaluation for side effects only ---- */
void lower_effect(struct lower *l, const struct node *n)
{
	struct loc saved = l->b.loc;
	uint32_t yes, no, end;

	if (!lower_enter_depth(l, n->loc))
		return;
	l->b.loc = n->loc;
	if (n->kind == N_ASSIGN && !type_is_string(n->type)) {
		lower_assign(l, n, VALUE_UNUSED);
	} else if (node_is_step(n)) {
		lower_step(l, n, VALUE_UNUSED);
	} else if (n->kind == N_COND) {
		yes = ir_newblock(&l->b, NULL);
		no = ir_newblock(&l->b, NULL);
		end = ir_newblock(&l->b, NULL);
		lower_branch(l, n->a, yes, no);
		ir_enter(&l->b, yes);
		lower_effect(l, n->b);
		ir_emit(&l->b, IR_JMP, ir_b(end));
		ir_enter(&l->b, no);
		lower_effect(l, n->c);
		ir_enter(&l->b, end);
	} else if (n->kind == N_COMMA) {
		lower_effect(l, n->a);
		lower_effect(l, n->b);
	} else if (type_is_string(n->type)) {
		lower_strval(l, n);
	} else {
		lower_expr(l, n);
	}
	l->b.loc = saved;
	l->depth--;
}
