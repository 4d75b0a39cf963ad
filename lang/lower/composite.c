/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Variables that are structures or C arrays: bytes at an offset that may only be known at run time. */
#include "lang/lower/composite.h"

#include "lang/lower/expr.h"
#include "lang/lower/lower.h"
#include "lang/lower/space.h"
#include "lang/lower/var.h"

static bool is_cell(const struct var_place *p)
{
	return p->kind == IR_O_DYN || p->kind == IR_O_THREAD;
}

/* Faults unless `size` bytes at the offset are inside the variable. The fault's value is the offset: a variable has no
 * address. */
static bool check_bounds(struct lower *l, const struct var_place *p, struct ir_arg off, uint32_t size)
{
	if (size > p->size || (off.kind == IR_IMM && (uint64_t)off.imm > p->size - size)) {
		lower_fault(l, IR_FLT_BADADDR, off);
		return false;
	}
	if (off.kind == IR_REG)
		lower_fault_if(l, IR_BNE, lower_op(l, IR_UGT, off, ir_i(p->size - size)), IR_FLT_BADADDR, off);
	return true;
}

/* Copies the variable; zeros if it does not exist. */
static uint32_t copy_in(struct lower *l, const struct var_place *p, uint32_t tmp)
{
	uint32_t absent = ir_newblock(&l->b, NULL), end = ir_newblock(&l->b, NULL);
	uint32_t whole = (p->size + 7) & ~7u;

	ir_emit(&l->b, IR_COPY, ir_m(tmp, 0), lower_cell(l, p, CELL_FIND, absent), ir_i(whole));
	ir_emit(&l->b, IR_JMP, ir_b(end));
	ir_enter(&l->b, absent);
	ir_emit(&l->b, IR_ZERO, ir_m(tmp, 0), ir_i(whole));
	ir_enter(&l->b, end);
	return tmp;
}

static uint32_t copy_of(struct lower *l, const struct var_place *p)
{
	return copy_in(l, p, lower_temp(l, p->size));
}

void lower_var_read(struct lower *l, const struct var_place *p, struct ir_arg off, struct ir_arg to, uint32_t size)
{
	uint32_t absent, end;
	struct ir_arg from;

	if (!check_bounds(l, p, off, size))
		return;
	if (off.kind == IR_REG) {
		ir_emit_to(&l->b, IR_GET, 0, to, ir_i(size), ir_o(is_cell(p) ? copy_of(l, p) : p->obj), off);
		return;
	}
	absent = ir_newblock(&l->b, NULL);
	end = ir_newblock(&l->b, NULL);
	from = lower_cell(l, p, CELL_FIND, absent);
	from.imm += off.imm;
	ir_emit(&l->b, IR_COPY, to, from, ir_i(size));
	ir_emit(&l->b, IR_JMP, ir_b(end));
	if (is_cell(p)) {
		ir_enter(&l->b, absent);
		ir_emit(&l->b, IR_ZERO, to, ir_i(size));
	}
	ir_enter(&l->b, end);
}

void lower_gets(struct lower *l, const struct var_place *p, struct ir_arg off, struct ir_arg to, uint32_t size)
{
	uint32_t half = l->ir->objs.v[p->obj].size / 2, n = size < half ? size : half, words = size & ~7u;

	if (half <= p->size || !p->size) {	/* too large for an object of twice its size */
		lower_fault(l, IR_FLT_BADADDR, off);
		return;
	}
	lower_fault_if(l, IR_BNE, lower_op(l, IR_UGT, off, ir_i(p->size - 1)), IR_FLT_BADADDR, off);
	ir_emit_to(&l->b, IR_GETS, 0, to, ir_i(n), ir_o(p->obj), off);
	to.imm += n;
	if (words > n)
		ir_emit(&l->b, IR_ZERO, to, ir_i(words - n));
}

void lower_var_string(struct lower *l, const struct var_place *p, struct ir_arg off, struct ir_arg to, uint32_t size)
{
	uint32_t whole = (p->size + 7) & ~7u, room = lower_reach_size(whole);
	struct var_place copy = { .size = p->size, .obj = lower_temp(l, room <= LOWER_MAXREC ? room : whole) };

	copy_in(l, p, copy.obj);
	if (room <= LOWER_MAXREC)
		ir_emit(&l->b, IR_ZERO, ir_m(copy.obj, whole), ir_i(room - whole));
	lower_gets(l, &copy, off, to, size);
}

void lower_var_write(struct lower *l, const struct var_place *p, struct ir_arg off, struct ir_arg from, uint32_t size)
{
	struct ir_arg to;
	uint32_t end, copy;

	if (!check_bounds(l, p, off, size))
		return;
	if (off.kind == IR_REG && !is_cell(p)) {
		ir_emit_to(&l->b, IR_PUT, 0, from, ir_i(size), ir_o(p->obj), off);
	} else if (off.kind == IR_REG) {	/* operations at computed offsets need an object */
		copy = copy_of(l, p);
		end = ir_newblock(&l->b, NULL);
		ir_emit_to(&l->b, IR_PUT, 0, from, ir_i(size), ir_o(copy), off);
		ir_emit(&l->b, IR_COPY, lower_cell(l, p, CELL_CREATE, end), ir_m(copy, 0), ir_i((p->size + 7) & ~7u));
		ir_enter(&l->b, end);
	} else {
		end = ir_newblock(&l->b, NULL);
		to = lower_cell(l, p, CELL_CREATE, end);
		to.imm += off.imm;
		ir_emit(&l->b, IR_COPY, to, from, ir_i(size));
		ir_enter(&l->b, end);
	}
}
