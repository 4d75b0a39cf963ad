/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Memory that pointers refer to: the kernel's, a process's (pointers to `userland` types), and scratch memory, which
 * alloca() and copyin() allocate until the end of the clause, or of the firing (lower_scratch_share).
 *
 * Scratch memory is an object of the firing. Its addresses start at SCRATCH_BASE and differ from clause to clause; no
 * kernel or process uses these numbers. So a pointer's value alone identifies its memory at run time, whatever the
 * script computed it from, and both engines behave alike. The allocated part ends at l->top, with a zero word after it.
 * At least one zero byte follows each allocation, so that every string is terminated. The object is twice as large as
 * the space for allocations: operations whose offset and size are only known at run time need that (docs/ir.md), and
 * bcopy() uses the upper half as a temporary.
 *
 * Global structures and arrays also have such addresses (from VARS_BASE on) if a pointer into them is stored
 * (check_escape). Dereferencing a pointer that may refer to any of them compares it with each. Scripts without such
 * pointers do not pay for this. These objects are also larger than twice the variable: zeros terminate a string at the
 * variable's end.
 */
#include "lang/lower/space.h"

#include "lang/lower/composite.h"
#include "lang/lower/expr.h"
#include "lang/lower/lower.h"
#include "lang/lower/mem.h"
#include "lang/lower/str.h"
#include "lang/lower/task.h"
#include "lang/lower/var.h"

#define SCRATCH_BASE 0x0dd5000000000000ll	/* not canonical: no kernel or process uses it */
#define SCRATCH_SPAN 0x0000000100000000ll	/* span of a clause; near it, addresses fault instead of reading */
#define SCRATCH_SPANS 0xffffu			/* number of different spans; one more is for shared memory */
#define VARS_BASE 0x0dd6000000000000ll		/* base of variables, likewise */
#define VARS_SPAN 0x0000000001000000ll		/* span of one variable */

static uint32_t scratch_object(struct lower *l)
{
	if (!l->scratch)
		l->scratch = lower_object(l, IR_O_TEMP, "scratch", 2 * l->scratchsize, 0) + 1;
	return l->scratch - 1;
}

/* ---- the address space of a pointer ---- */
enum mem_space lower_space(const struct lower *l, const struct node *ptr)
{
	if (ptr->type->user)
		return SPACE_USER;
	return (!l->top && !l->reached.n) || node_points_to_kernel(ptr) ? SPACE_KERNEL : SPACE_ANY;
}

/* ---- variables ---- */
static int64_t var_base(struct lower *l, struct var *v)
{
	if (!v->reach)
		v->reach = ++l->nreach;
	return VARS_BASE + (int64_t)v->reach * VARS_SPAN;
}

struct ir_arg lower_var_address(struct lower *l, struct var *v, struct ir_arg off)
{
	return lower_op(l, IR_ADD, off, ir_i(var_base(l, v)));
}

void lower_find_reached(struct lower *l)
{
	const struct map *vars = &l->c->script->vars;

	for (size_t i = 0; i < vars->n; i++) {
		struct var *v = vars->entries[i].value;

		if (v->reached)
			*VEC_ADD(l->arena, &l->reached) = v;
	}
}

/* Branches on the address: enters the block for the variable and returns the other one. */
static uint32_t branch_var(struct lower *l, struct var *v, struct ir_arg addr, struct ir_arg *off)
{
	uint32_t in = ir_newblock(&l->b, "variable"), out = ir_newblock(&l->b, NULL);

	*off = lower_op(l, IR_SUB, addr, ir_i(var_base(l, v)));
	ir_emit(&l->b, IR_BULT, *off, ir_i(VARS_SPAN), ir_b(in), ir_b(out));
	ir_enter(&l->b, in);
	return out;
}

static struct var_place place_of(struct lower *l, struct var *v)
{
	const struct node n = { .kind = N_VAR, .var = v, .type = v->type };

	return lower_place(l, &n);
}

/* ---- scratch memory ---- */
/* Each clause has its own base, so that pointers from other clauses are invalid, unless the clauses of a firing share
 * scratch memory. */
static int64_t scratch_base(const struct lower *l)
{
	int64_t span = l->ends ? SCRATCH_SPANS : l->en->info->clause->index % SCRATCH_SPANS;

	return SCRATCH_BASE + span * SCRATCH_SPAN;
}

static bool has_shared_pointer(const struct map *vars)
{
	for (size_t i = 0; i < vars->n; i++) {
		const struct var *v = vars->entries[i].value;

		if (v->shared && v->type && v->type->kind == T_PTR && !v->type->user)
			return true;
	}
	return false;
}

void lower_scratch_share(struct lower *l, const struct probe_info *pi)
{
	bool allocates = false;

	for (const struct enabling *en = pi->first; en; en = en->next)
		allocates |= en->info->scratch;
	l->ends = 0;
	if (!allocates || !has_shared_pointer(&l->c->script->vars))
		return;
	if (!l->shared_ends)
		l->shared_ends = lower_object(l, IR_O_LOCAL, "scratch.ends", 16, 0) + 1;
	l->ends = l->shared_ends;
}

void lower_scratch_begin(struct lower *l, bool allocates)
{
	l->top = 0;
	if (!allocates && !l->ends)
		return;
	l->top = ir_newreg(&l->b);
	l->limit = ir_newreg(&l->b);
	if (l->ends) {
		ir_emit_to(&l->b, IR_LD64, l->top, ir_m(l->ends - 1, 0));
		ir_emit_to(&l->b, IR_LD64, l->limit, ir_m(l->ends - 1, 8));
	} else {
		ir_emit_to(&l->b, IR_MOV, l->top, ir_i(0));
		ir_emit_to(&l->b, IR_MOV, l->limit, ir_i(0));
	}
}

void lower_scratch_keep(struct lower *l)
{
	if (!l->ends)
		return;
	ir_emit(&l->b, IR_ST64, ir_m(l->ends - 1, 0), ir_r(l->top));
	ir_emit(&l->b, IR_ST64, ir_m(l->ends - 1, 8), ir_r(l->limit));
}

struct ir_arg lower_scratch_addr(struct lower *l, struct ir_arg off)
{
	l->fresh_off = off;
	l->fresh = lower_op(l, IR_ADD, off, ir_i(scratch_base(l)));
	return l->fresh;
}

/* tracemem(copyin(...)): the address can be nothing else. */
static bool is_fresh(const struct lower *l, struct ir_arg addr)
{
	return l->top && addr.kind == IR_REG && l->fresh.kind == IR_REG && addr.reg == l->fresh.reg;
}

static struct ir_arg scratch_offset_of(struct lower *l, struct ir_arg addr)
{
	return lower_op(l, IR_SUB, addr, ir_i(scratch_base(l)));
}

/* Faults with this value if a > b. */
static void fault_above(struct lower *l, struct ir_arg a, struct ir_arg b, enum ir_fault kind, struct ir_arg value)
{
	lower_fault_if(l, IR_BNE, lower_op(l, IR_UGT, a, b), kind, value);
}

/* Faults unless `size` bytes at the offset are allocated. `size` is at most that of scratch memory. end: l->limit, or
 * l->top if the zeros after the last allocation may also be read. */
static void check_inside(struct lower *l, struct ir_arg off, struct ir_arg size, ir_reg end, struct ir_arg addr)
{
	fault_above(l, off, ir_i(l->scratchsize), IR_FLT_BADADDR, addr);
	fault_above(l, lower_op(l, IR_ADD, off, size), ir_r(end), IR_FLT_BADADDR, addr);
}

struct ir_arg lower_alloc(struct lower *l, struct ir_arg size, enum alloc_bytes bytes)
{
	uint32_t o = scratch_object(l), room = l->scratchsize;
	struct ir_arg off, whole, end;
	int64_t mask = 7;

	while (mask < room)
		mask = 2 * mask + 1;
	fault_above(l, size, ir_i(room - 16), IR_FLT_NOSCRATCH, ir_i(0));
	/* changes nothing, but the kernel's verifier forgets the lower bound, which would be another after each
	 * allocation and each branch around one */
	off = lower_op(l, IR_AND, ir_r(l->top), ir_i(mask));
	whole = lower_op(l, IR_AND, lower_op(l, IR_ADD, size, ir_i(8)), ir_i(-8));
	end = lower_op(l, IR_ADD, off, whole);
	fault_above(l, end, ir_i(room - 8), IR_FLT_NOSCRATCH, ir_i(0));
	if (bytes == ALLOC_ZEROED)
		ir_emit(&l->b, IR_FILL, ir_o(o), off, lower_op(l, IR_ADD, whole, ir_i(8)), ir_i(0), ir_i(IR_FILL_ZERO));
	else
		ir_emit(&l->b, IR_FILL, ir_o(o), lower_op(l, IR_SUB, end, ir_i(8)), ir_i(16), ir_i(0),
			ir_i(IR_FILL_ZERO));
	ir_emit_to(&l->b, IR_MOV, l->top, end);
	ir_emit_to(&l->b, IR_ADD, l->limit, off, lower_op(l, IR_ADD, size, lower_op(l, IR_EQ, size, ir_i(0))));
	lower_scratch_keep(l);
	return off;
}

struct ir_arg lower_scratch_offset(struct lower *l, struct ir_arg addr, struct ir_arg size)
{
	struct ir_arg off = scratch_offset_of(l, addr);

	if (!l->top) {
		lower_fault(l, IR_FLT_BADADDR, addr);
		return ir_i(0);
	}
	fault_above(l, size, ir_i(l->scratchsize), IR_FLT_BADADDR, addr);
	check_inside(l, off, size, l->limit, addr);
	return off;
}

/* ---- reading and writing ---- */
/* Branches on the address: enters the block for scratch memory and returns the one for the kernel's. */
static uint32_t branch_scratch(struct lower *l, struct ir_arg addr, struct ir_arg *off)
{
	uint32_t in = ir_newblock(&l->b, "scratch"), out = ir_newblock(&l->b, NULL);

	*off = scratch_offset_of(l, addr);
	ir_emit(&l->b, IR_BULT, *off, ir_i(SCRATCH_SPAN), ir_b(in), ir_b(out));
	ir_enter(&l->b, in);
	return out;
}

/* One read of bytes or of a string. */
struct mem_read {
	enum ir_op memory[2];	/* the operation for the kernel's memory, a process's */
	enum ir_op get;		/* for an object's */
	struct ir_arg addr, to;
	uint32_t size;
};

static void read_memory(struct lower *l, const struct mem_read *r, enum mem_space space)
{
	enum ir_op op = r->memory[space];
	ir_reg failed = ir_emit(&l->b, op, r->to, ir_i(r->size), r->addr);

	if (op == IR_KREAD && !l->prog->loads.number)
		lower_kernel_loads(l);
	lower_fault_if(l, IR_BNE, ir_r(failed), IR_FLT_BADADDR, r->addr);
}

/* If the address is in a variable, reads from it and jumps to `end`. */
static void read_vars(struct lower *l, const struct mem_read *r, uint32_t end)
{
	for (size_t i = 0; i < l->reached.n; i++) {
		struct var_place p = place_of(l, l->reached.v[i]);
		struct ir_arg off;
		uint32_t out = branch_var(l, l->reached.v[i], r->addr, &off);

		if (r->get == IR_GETS)
			lower_gets(l, &p, off, r->to, r->size);
		else
			lower_var_read(l, &p, off, r->to, r->size);
		ir_emit(&l->b, IR_JMP, ir_b(end));
		ir_enter(&l->b, out);
	}
}

/* Of scratch memory, at least `min` bytes must be allocated. */
static void read_any(struct lower *l, enum mem_space space, const struct mem_read *r, uint32_t min)
{
	uint32_t out, end;
	struct ir_arg off;

	if (space == SPACE_ANY && r->size > l->scratchsize)
		space = SPACE_KERNEL;
	if (space != SPACE_ANY) {
		read_memory(l, r, space);
		return;
	}
	end = ir_newblock(&l->b, NULL);
	if (l->top) {
		out = branch_scratch(l, r->addr, &off);
		check_inside(l, off, ir_i(min), l->top, r->addr);
		ir_emit_to(&l->b, r->get, 0, r->to, ir_i(r->size), ir_o(scratch_object(l)), off);
		ir_emit(&l->b, IR_JMP, ir_b(end));
		ir_enter(&l->b, out);
	}
	read_vars(l, r, end);
	read_memory(l, r, SPACE_KERNEL);
	ir_enter(&l->b, end);
}

static struct mem_read reading_bytes(struct ir_arg addr, struct ir_arg to, uint32_t size)
{
	return (struct mem_read){ { [SPACE_KERNEL] = IR_KREAD, [SPACE_USER] = IR_UREAD }, IR_GET, addr, to, size };
}

void lower_read(struct lower *l, enum mem_space space, struct ir_arg addr, struct ir_arg to, uint32_t size)
{
	const struct mem_read r = reading_bytes(addr, to, size);

	read_any(l, space, &r, size);
}

/* Zeros follow what is allocated. */
static void read_scratch(struct lower *l, struct ir_arg off, struct ir_arg to, uint32_t size)
{
	const uint32_t o = scratch_object(l);

	ir_emit_to(&l->b, IR_FILL, 0, ir_o(o), ir_r(l->top), ir_i(size), ir_i(0), ir_i(IR_FILL_ZERO));
	ir_emit_to(&l->b, IR_GET, 0, to, ir_i(size), ir_o(o), off);
}

void lower_read_loose(struct lower *l, enum mem_space space, struct ir_arg addr, struct ir_arg to, uint32_t size)
{
	const struct mem_read r = reading_bytes(addr, to, size);
	uint32_t out, end;
	struct ir_arg off;

	if (space != SPACE_ANY || size > l->scratchsize || !l->top) {
		read_any(l, space, &r, size);
		return;
	}
	if (is_fresh(l, addr)) {
		read_scratch(l, l->fresh_off, to, size);
		return;
	}
	out = branch_scratch(l, addr, &off);
	end = ir_newblock(&l->b, NULL);
	check_inside(l, off, ir_i(0), l->top, addr);
	read_scratch(l, off, to, size);
	ir_emit(&l->b, IR_JMP, ir_b(end));
	ir_enter(&l->b, out);
	read_vars(l, &r, end);
	read_memory(l, &r, SPACE_KERNEL);
	ir_enter(&l->b, end);
}

void lower_read_string(struct lower *l, enum mem_space space, struct ir_arg addr, struct ir_arg to, uint32_t size)
{
	const struct mem_read r = {
		{ [SPACE_KERNEL] = IR_KSTR, [SPACE_USER] = IR_USTR }, IR_GETS, addr, to, size,
	};

	read_any(l, space, &r, 1);
}

void lower_write(struct lower *l, struct ir_arg addr, struct ir_arg from, uint32_t size)
{
	uint32_t end = l->reached.n ? ir_newblock(&l->b, NULL) : 0;
	struct ir_arg off;

	for (size_t i = 0; i < l->reached.n; i++) {
		struct var_place p = place_of(l, l->reached.v[i]);
		uint32_t out = branch_var(l, l->reached.v[i], addr, &off);

		lower_var_write(l, &p, off, from, size);
		ir_emit(&l->b, IR_JMP, ir_b(end));
		ir_enter(&l->b, out);
	}
	off = lower_scratch_offset(l, addr, ir_i(size));
	if (l->top && size <= l->scratchsize)
		ir_emit_to(&l->b, IR_PUT, 0, from, ir_i(size), ir_o(scratch_object(l)), off);
	if (end)
		ir_enter(&l->b, end);
}

/* Copies to a part of scratch memory. addr: for the fault. */
static void fill_from(struct lower *l, enum ir_fill kind, const struct scratch_part *to, struct ir_arg from,
		      struct ir_arg addr)
{
	ir_reg failed = ir_emit(&l->b, IR_FILL, ir_o(scratch_object(l)), to->off, to->size, from, ir_i(kind));

	lower_fault_if(l, IR_BNE, ir_r(failed), IR_FLT_BADADDR, addr);
}

/* The string passes through the upper half. */
void lower_fill_string(struct lower *l, const struct node *n, const struct scratch_part *to, struct ir_arg addr)
{
	uint32_t half = l->scratchsize, cap = (l->strsize + 7) & ~7u;

	fault_above(l, to->size, ir_i(cap), IR_FLT_BADADDR, addr);
	lower_string(l, n, ir_m(scratch_object(l), half), cap);
	fill_from(l, IR_FILL_SELF, to, ir_i(half), addr);
}

/* Copies the variable, from an offset on, to the upper half. */
static void put_aside(struct lower *l, const struct var_place *var, struct ir_arg from)
{
	struct ir_arg half = ir_m(scratch_object(l), l->scratchsize);
	uint32_t whole = (var->size + 7) & ~7u, tmp;

	if (from.kind == IR_IMM) {
		lower_var_read(l, var, from, half, var->size - (uint32_t)from.imm);
		return;
	}
	tmp = lower_temp(l, 2 * (uint64_t)whole);
	ir_emit(&l->b, IR_ZERO, ir_m(tmp, 0), ir_i(2 * whole));
	lower_var_read(l, var, ir_i(0), ir_m(tmp, 0), var->size);
	ir_emit_to(&l->b, IR_GET, 0, half, ir_i(var->size), ir_o(tmp), from);
}

static void fill_from_var(struct lower *l, const struct var_place *var, struct ir_arg from,
			  const struct scratch_part *to)
{
	if (var->size > l->scratchsize) {
		diag(l->diags, l->b.loc, D_LIMIT,
		     "a variable of %u bytes does not fit in scratch memory, which has %u (option scratchsize)",
		     var->size, l->scratchsize);
		return;
	}
	if (from.kind == IR_IMM && (uint64_t)from.imm >= var->size) {
		lower_fault(l, IR_FLT_BADADDR, from);
		return;
	}
	fault_above(l, to->size, ir_i(var->size), IR_FLT_BADADDR, from);
	fault_above(l, from, lower_op(l, IR_SUB, ir_i(var->size), to->size), IR_FLT_BADADDR, from);
	put_aside(l, var, from);
	fill_from(l, IR_FILL_SELF, to, ir_i(l->scratchsize), from);
}

/* From scratch memory by way of the upper half, because both may overlap; from a variable; or from the kernel. */
static void fill_from_any(struct lower *l, struct ir_arg addr, const struct scratch_part *to)
{
	const struct scratch_part half = { ir_i(l->scratchsize), to->size };
	struct ir_arg from;
	uint32_t out = branch_scratch(l, addr, &from), end = ir_newblock(&l->b, NULL);

	check_inside(l, from, to->size, l->limit, addr);
	fill_from(l, IR_FILL_SELF, &half, from, addr);
	fill_from(l, IR_FILL_SELF, to, half.off, addr);
	ir_emit(&l->b, IR_JMP, ir_b(end));
	ir_enter(&l->b, out);
	for (size_t i = 0; i < l->reached.n; i++) {
		struct var_place p = place_of(l, l->reached.v[i]);

		out = branch_var(l, l->reached.v[i], addr, &from);
		fill_from_var(l, &p, from, to);
		ir_emit(&l->b, IR_JMP, ir_b(end));
		ir_enter(&l->b, out);
	}
	fill_from(l, IR_FILL_KERNEL, to, addr, addr);
	ir_enter(&l->b, end);
}

void lower_fill(struct lower *l, const struct mem *from, const struct scratch_part *to)
{
	struct ir_arg addr = lower_byte_addr(l, from);

	if (from->space == SPACE_ANY)
		fill_from_any(l, addr, to);
	else if (from->space == SPACE_VAR)
		fill_from_var(l, &from->var, addr, to);
	else
		fill_from(l, from->space == SPACE_USER ? IR_FILL_USER : IR_FILL_KERNEL, to, addr, addr);
}
