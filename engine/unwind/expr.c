/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* DWARF expressions in unwinding tables. They are used for procedure linkage tables, signal frames and realigned
 * stacks. */
#include <dwarf.h>
#include <stddef.h>

#include "engine/unwind/frame.h"

enum { DEPTH = 32, STEPS = 1000 };

struct machine_stack {
	uint64_t v[DEPTH];
	unsigned n;
	bool bad;
};

static void value_push(struct machine_stack *s, uint64_t v)
{
	if (s->n == DEPTH)
		s->bad = true;
	else
		s->v[s->n++] = v;
}

static uint64_t value_pop(struct machine_stack *s)
{
	if (s->n)
		return s->v[--s->n];
	s->bad = true;
	return 0;
}

static uint64_t value_top(struct machine_stack *s, uint64_t i)
{
	if (i < s->n)
		return s->v[s->n - 1 - i];
	s->bad = true;
	return 0;
}

static void push_reg(const struct unwind_frame *f, struct machine_stack *s, uint64_t reg, uint64_t off)
{
	if (reg < f->m->nregs && f->known >> reg & 1)
		value_push(s, f->reg[reg] + off);
	else
		s->bad = true;
}

static bool is_binary(unsigned op)
{
	switch (op) {
	case DW_OP_and: case DW_OP_div: case DW_OP_minus: case DW_OP_mod: case DW_OP_mul: case DW_OP_or:
	case DW_OP_plus: case DW_OP_shl: case DW_OP_shr: case DW_OP_shra: case DW_OP_xor: case DW_OP_eq: case DW_OP_ge:
	case DW_OP_gt: case DW_OP_le: case DW_OP_lt: case DW_OP_ne:
		return true;
	}
	return false;
}

static uint64_t binary_result(struct machine_stack *s, unsigned op, uint64_t a, uint64_t b)
{
	int64_t x = (int64_t)a, y = (int64_t)b;

	switch (op) {
	case DW_OP_and: return a & b;
	case DW_OP_or: return a | b;
	case DW_OP_xor: return a ^ b;
	case DW_OP_plus: return a + b;
	case DW_OP_minus: return a - b;
	case DW_OP_mul: return a * b;
	case DW_OP_shl: return b < 64 ? a << b : 0;
	case DW_OP_shr: return b < 64 ? a >> b : 0;
	case DW_OP_shra: return (uint64_t)(x >> (b < 64 ? b : 63));
	case DW_OP_eq: return x == y;
	case DW_OP_ge: return x >= y;
	case DW_OP_gt: return x > y;
	case DW_OP_le: return x <= y;
	case DW_OP_lt: return x < y;
	case DW_OP_ne: return x != y;
	}
	if (!b || (x == INT64_MIN && y == -1)) {
		s->bad = true;
		return 0;
	}
	return op == DW_OP_div ? (uint64_t)(x / y) : a % b;
}

/* Operations with one operand, and stack operations. Returns false for all others. */
static bool stack_op(struct machine_stack *s, const Dwarf_Op *op)
{
	uint64_t a, b, c;

	switch (op->atom) {
	case DW_OP_dup: value_push(s, value_top(s, 0)); return true;
	case DW_OP_over: value_push(s, value_top(s, 1)); return true;
	case DW_OP_pick: value_push(s, value_top(s, op->number)); return true;
	case DW_OP_drop: value_pop(s); return true;
	case DW_OP_swap:
		a = value_pop(s);
		b = value_pop(s);
		value_push(s, a);
		value_push(s, b);
		return true;
	case DW_OP_rot:
		a = value_pop(s);
		b = value_pop(s);
		c = value_pop(s);
		value_push(s, a);
		value_push(s, c);
		value_push(s, b);
		return true;
	case DW_OP_abs: a = value_pop(s); value_push(s, (int64_t)a < 0 ? -a : a); return true;
	case DW_OP_neg: value_push(s, -value_pop(s)); return true;
	case DW_OP_not: value_push(s, ~value_pop(s)); return true;
	case DW_OP_plus_uconst: value_push(s, value_pop(s) + op->number); return true;
	case DW_OP_nop: return true;
	}
	return false;
}

static bool constant_op(struct machine_stack *s, const Dwarf_Op *op)
{
	switch (op->atom) {
	case DW_OP_const1u: case DW_OP_const1s: case DW_OP_const2u: case DW_OP_const2s: case DW_OP_const4u:
	case DW_OP_const4s:
	case DW_OP_const8u: case DW_OP_const8s: case DW_OP_constu: case DW_OP_consts:
		value_push(s, op->number);
		return true;
	}
	if (op->atom < DW_OP_lit0 || op->atom > DW_OP_lit31)
		return false;
	value_push(s, op->atom - DW_OP_lit0);
	return true;
}

static void word_push(struct unwind_frame *f, struct machine_stack *s, unsigned bytes)
{
	uint64_t word, addr = value_pop(s);

	if (s->bad || !frame_word(f, f->m->bits == 32 ? (uint32_t)addr : addr, &word))
		s->bad = true;
	else
		value_push(s, bytes < 8 ? word & ((1ull << 8 * bytes) - 1) : word);
}

/* Returns the index of a branch's target; n = after the last operation. */
static unsigned branch_target(const Dwarf_Op *ops, unsigned n, unsigned from)
{
	uint64_t at = ops[from].offset + 3 + ops[from].number;

	for (unsigned i = 0; i < n; i++)
		if (ops[i].offset == at)
			return i;
	return n;
}

/* Executes one operation. Returns false if it is unknown. */
static bool op_execute(struct unwind_frame *f, struct machine_stack *s, const Dwarf_Op *op, const uint64_t *cfa)
{
	unsigned atom = op->atom;
	uint64_t b;

	if (atom >= DW_OP_breg0 && atom <= DW_OP_breg31) {
		push_reg(f, s, atom - DW_OP_breg0, op->number);
	} else if (atom == DW_OP_bregx) {
		push_reg(f, s, op->number, op->number2);
	} else if (atom == DW_OP_deref) {
		word_push(f, s, f->m->bits / 8);
	} else if (atom == DW_OP_deref_size && op->number && op->number <= f->m->bits / 8) {
		word_push(f, s, (unsigned)op->number);
	} else if (atom == DW_OP_call_frame_cfa && cfa) {
		value_push(s, *cfa);
	} else if (is_binary(atom)) {
		b = value_pop(s);
		value_push(s, binary_result(s, atom, value_pop(s), b));
	} else {
		return constant_op(s, op) || stack_op(s, op);
	}
	return true;
}

bool expr_eval(struct unwind_frame *f, const Dwarf_Op *ops, unsigned n, const uint64_t *cfa, uint64_t *out)
{
	struct machine_stack s = { .n = 0 };
	unsigned i = 0, steps = 0;

	while (i < n && !s.bad && steps++ < STEPS) {
		if (ops[i].atom == DW_OP_skip || (ops[i].atom == DW_OP_bra && value_pop(&s)))
			i = branch_target(ops, n, i);
		else if (ops[i].atom == DW_OP_bra || ops[i].atom == DW_OP_stack_value ||
			 op_execute(f, &s, &ops[i], cfa))
			i++;
		else
			return false;
	}
	if (s.bad || !s.n || steps >= STEPS)
		return false;
	*out = f->m->bits == 32 ? (uint32_t)value_top(&s, 0) : value_top(&s, 0);
	return true;
}
