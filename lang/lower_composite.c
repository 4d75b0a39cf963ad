/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Variables that are structures or C arrays: bytes at an offset that may only be known at run time. */
#include "lang/lower_memory.h"

static bool is_cell(const struct var_place *p)
{
	return p->kind == IR_O_DYN || p->kind == IR_O_THREAD;
}

/* Faults unless `size` bytes at the offset are inside the variable. The fault's value is the offset: a variable has no
 * address. */
static bool check_bounds(struct lower *l, uint32_t all, struct ir_arg off, uint32_t size)
{
	if (size <= all && (off.kind == IR_REG || (uint64_t)off.imm <= all - size)) {
		if (off.kind == IR_REG)
			lower_fault_if(l, IR_BNE, lower_op(l, IR_UGT, off, ir_i(all - size)), IR_FLT_BADADDR, off);
		return true;
	}
	lower_fault(l, IR_FLT_BADADDR, off);
	return false;
}

/* Copies the variable; zeros if it does not exist. */
static uint32_t copy_in(struct lower *l, const struct var_place *p, uint32_t all, uint32_t tmp)
{
	uint32_t absent = ir_newblock(&l->b, NULL), end = ir_newblock(&l->b, NULL);
	uint32_t whole = (all + 7) & ~7u;

	ir_emit(&l->b, IR_COPY, ir_m(tmp, 0), lower_cell(l, p, false, absent), ir_i(whole));
	ir_emit(&l->b, IR_JMP, ir_b(end));
	ir_enter(&l->b, absent);
	ir_emit(&l->b, IR_ZERO, ir_m(tmp, 0), ir_i(whole));
	ir_enter(&l->b, end);
	return tmp;
}

static uint32_t copy_of(struct lower *l, const struct var_place *p, uint32_t all)
{
	return copy_in(l, p, all, lower_temp(l, all));
}

static void read_known(struct lower *l, const struct var_place *p, int64_t off, struct ir_arg to, uint32_t size)
{
	uint32_t absent = ir_newblock(&l->b, NULL), end = ir_newblock(&l->b, NULL);
	struct ir_arg from = lower_cell(l, p, false, absent);

	from.imm += off;
	ir_emit(&l->b, IR_COPY, to, from, ir_i(size));
	ir_emit(&l->b, IR_JMP, ir_b(end));
	if (is_cell(p)) {
		ir_enter(&l->b, absent);
		ir_emit(&l->b, IR_ZERO, to, ir_i(size));
	}
	ir_enter(&l->b, end);
}

void lower_var_read(struct lower *l, const struct var_place *p, uint32_t all, struct ir_arg off, struct ir_arg to,
		    uint32_t size)
{
	if (!check_bounds(l, all, off, size))
		return;
	if (off.kind == IR_IMM)
		read_known(l, p, off.imm, to, size);
	else
		ir_emit_to(&l->b, IR_GET, 0, to, ir_i(size), ir_o(is_cell(p) ? copy_of(l, p, all) : p->obj), off);
}

void lower_gets(struct lower *l, uint32_t obj, uint32_t all, struct ir_arg off, struct ir_arg to, uint32_t size)
{
	uint32_t half = l->ir->objs.v[obj].size / 2, n = size < half ? size : half, words = size & ~7u;

	if (half <= all || !all) {	/* too large for an object of twice its size */
		lower_fault(l, IR_FLT_BADADDR, off);
		return;
	}
	lower_fault_if(l, IR_BNE, lower_op(l, IR_UGT, off, ir_i(all - 1)), IR_FLT_BADADDR, off);
	ir_emit_to(&l->b, IR_GETS, 0, to, ir_i(n), ir_o(obj), off);
	to.imm += n;
	if (words > n)
		ir_emit(&l->b, IR_ZERO, to, ir_i(words - n));
}

void lower_var_string(struct lower *l, const struct var_place *p, uint32_t all, struct ir_arg off, struct ir_arg to,
		      uint32_t size)
{
	uint32_t whole = (all + 7) & ~7u, room = lower_reach_size(whole), tmp;

	tmp = lower_temp(l, room <= LOWER_MAXREC ? room : whole);
	copy_in(l, p, all, tmp);
	if (room <= LOWER_MAXREC)
		ir_emit(&l->b, IR_ZERO, ir_m(tmp, whole), ir_i(room - whole));
	lower_gets(l, tmp, all, off, to, size);
}

/* An element at a computed offset: modifies a copy of the variable and stores that. */
static void write_computed(struct lower *l, const struct var_place *p, uint32_t all, struct ir_arg off,
			   struct ir_arg from, uint32_t size)
{
	uint32_t tmp = copy_of(l, p, all), end = ir_newblock(&l->b, NULL);

	ir_emit_to(&l->b, IR_PUT, 0, from, ir_i(size), ir_o(tmp), off);
	ir_emit(&l->b, IR_COPY, lower_cell(l, p, true, end), ir_m(tmp, 0), ir_i((all + 7) & ~7u));
	ir_enter(&l->b, end);
}

void lower_var_write(struct lower *l, const struct var_place *p, uint32_t all, struct ir_arg off, struct ir_arg from,
		     uint32_t size)
{
	struct ir_arg to;
	uint32_t end;

	if (!check_bounds(l, all, off, size))
		return;
	if (off.kind == IR_REG && is_cell(p)) {
		write_computed(l, p, all, off, from, size);
	} else if (off.kind == IR_REG) {
		ir_emit_to(&l->b, IR_PUT, 0, from, ir_i(size), ir_o(p->obj), off);
	} else {
		end = ir_newblock(&l->b, NULL);
		to = lower_cell(l, p, true, end);
		to.imm += off.imm;
		ir_emit(&l->b, IR_COPY, to, from, ir_i(size));
		ir_enter(&l->b, end);
	}
}
