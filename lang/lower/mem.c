/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Addresses and contents of places in memory. A failed read is a fault with the address. */
#include "lang/lower/mem.h"

#include <inttypes.h>

#include "lang/lower/composite.h"
#include "lang/lower/expr.h"
#include "lang/lower/lower.h"
#include "lang/lower/space.h"
#include "lang/lower/task.h"
#include "lang/lower/var.h"

static struct mem node_place(struct lower *l, const struct node *n);

/* The place in a variable that a pointer refers to. */
static struct mem pointee_in_variable(struct lower *l, const struct node *ptr)
{
	struct mem p = { .base = ir_i(0) };
	struct ir_arg by;

	if (!lower_enter_depth(l, ptr->loc))
		return p;
	if (ptr->kind == N_ADDR) {
		p = node_place(l, ptr->a);
	} else {
		p = pointee_in_variable(l, ptr->a);
		if (ptr->kind == N_BINARY) {
			by = lower_expr(l, ptr->b);
			if (!ptr->b->scaled)
				lower_check_index(l, ptr->b, by, 1);
			p.base = lower_op(l, ptr->op == OP_ADD ? IR_ADD : IR_SUB, p.base, by);
		}
	}
	l->depth--;
	return p;
}

struct mem lower_pointee(struct lower *l, const struct node *ptr)
{
	if (node_points_to_variable(ptr))
		return pointee_in_variable(l, ptr);
	return (struct mem){ .base = lower_expr(l, ptr), .space = lower_space(l, ptr) };
}

static struct mem node_place(struct lower *l, const struct node *n)
{
	struct mem p = { .base = ir_i(0) };

	if (!lower_enter_depth(l, n->loc))
		return p;
	if (n->kind == N_DEREF || (n->kind == N_MEMBER && n->arrow))
		p = lower_pointee(l, n->a);
	else if (n->kind == N_MEMBER)
		p = node_place(l, n->a);
	else if (n->kind == N_VAR || n->kind == N_INDEX)
		p = (struct mem){
			.base = ir_i(0), .space = SPACE_VAR, .var = lower_place(l, n),
		};
	else
		diag(l->diags, n->loc, D_UNSUPPORTED, "not an object in memory");
	if (n->kind == N_MEMBER)
		p.bitoff += n->bitoff;
	l->depth--;
	return p;
}

struct ir_arg lower_byte_addr(struct lower *l, const struct mem *p)
{
	return p->bitoff / 8 ? lower_op(l, IR_ADD, p->base, ir_i((int64_t)(p->bitoff / 8))) : p->base;
}

struct ir_arg lower_addr(struct lower *l, const struct node *n)
{
	struct mem p = node_place(l, n);
	const struct node *root = n;

	while (root->kind != N_VAR && root->a)
		root = root->a;
	if (p.space == SPACE_VAR && root->kind == N_VAR && root->var->cls == VC_GLOBAL)
		return lower_var_address(l, root->var, lower_byte_addr(l, &p));
	if (p.space == SPACE_VAR)
		diag(l->diags, n->loc, D_ADDROF_VAR,
		     "a pointer to a variable can only be followed in the same expression");
	return lower_byte_addr(l, &p);
}

static void read_bytes(struct lower *l, const struct mem *p, struct ir_arg addr, struct ir_arg to, uint32_t size)
{
	if (p->space == SPACE_VAR)
		lower_var_read(l, &p->var, addr, to, size);
	else
		lower_read(l, p->space, addr, to, size);
}

static void write_bytes(struct lower *l, const struct mem *p, struct ir_arg addr, struct ir_arg from, uint32_t size)
{
	if (p->space == SPACE_VAR)
		lower_var_write(l, &p->var, addr, from, size);
	else
		lower_write(l, addr, from, size);
}

static struct ir_arg read_int(struct lower *l, const struct mem *p, struct ir_arg addr, uint32_t size)
{
	static const enum ir_op load[9] = { [1] = IR_LD8, [2] = IR_LD16, [4] = IR_LD32, [8] = IR_LD64 };
	uint32_t tmp = lower_temp(l, 8);

	read_bytes(l, p, addr, ir_m(tmp, 0), size);
	return ir_r(ir_emit(&l->b, load[size], ir_m(tmp, 0)));
}

void lower_read_mem(struct lower *l, const struct mem *p, struct ir_arg to, uint32_t size)
{
	read_bytes(l, p, lower_byte_addr(l, p), to, size);
}

struct ir_arg lower_read_int(struct lower *l, const struct mem *p, uint32_t size)
{
	return read_int(l, p, lower_byte_addr(l, p), size);
}

struct ir_arg lower_kread(struct lower *l, struct ir_arg addr, uint32_t size)
{
	struct mem p = { .space = SPACE_KERNEL };

	return read_int(l, &p, addr, size);
}

/* ---- strings ---- */
/* A string that is a member or an element, or a pointer to at most `size` characters. */
static void read_string(struct lower *l, const struct mem *p, struct ir_arg to, uint32_t size)
{
	struct ir_arg addr = lower_byte_addr(l, p);
	uint32_t room = (size + 8) & ~7u, tmp;

	if (p->space != SPACE_VAR) {
		lower_read_string(l, p->space, addr, to, size);
		return;
	}
	/* an array of characters may lack a NUL */
	tmp = lower_temp(l, room);
	ir_emit(&l->b, IR_ST64, ir_m(tmp, room - 8), ir_i(0));
	read_bytes(l, p, addr, ir_m(tmp, 0), size);
	ir_emit(&l->b, IR_SCOPY, to, ir_i(size), ir_m(tmp, 0), ir_i(room));
}

void lower_string_at(struct lower *l, const struct node *ptr, struct ir_arg to, uint32_t size)
{
	bool to_array = ptr->kind == N_ADDR && ptr->a->type->kind == T_ARRAY && ptr->a->type->size >= size;
	struct mem p = lower_pointee(l, ptr);

	if (p.space == SPACE_VAR && !to_array)
		lower_var_string(l, &p.var, lower_byte_addr(l, &p), to, size);
	else
		read_string(l, &p, to, size);
}

void lower_string_member(struct lower *l, const struct node *n, struct ir_arg to, uint32_t size)
{
	struct mem p = node_place(l, n);

	read_string(l, &p, to, size);
}

void lower_assign_string(struct lower *l, const struct node *n, struct ir_arg from, uint32_t size)
{
	struct mem p = node_place(l, n);

	write_bytes(l, &p, lower_byte_addr(l, &p), from, size);
}

/* ---- whole structures ---- */
void lower_structure(struct lower *l, const struct node *n, struct ir_arg to)
{
	struct mem p = node_place(l, n);

	read_bytes(l, &p, lower_byte_addr(l, &p), to, (uint32_t)n->type->size);
}

void lower_record_bytes(struct lower *l, const struct node *n, struct ir_arg to)
{
	struct mem p = node_place(l, n);

	if (p.space == SPACE_VAR)
		read_bytes(l, &p, lower_byte_addr(l, &p), to, (uint32_t)n->type->size);
	else
		lower_read_loose(l, p.space, lower_byte_addr(l, &p), to, (uint32_t)n->type->size);
}

/* The whole value is read before any of it is written. */
void lower_assign_structure(struct lower *l, const struct node *n)
{
	struct var_place var;
	struct mem p;
	uint32_t tmp;

	if (n->b->kind == N_INT) {
		var = lower_place(l, n->a);
		lower_forget(l, &var, (uint32_t)((n->type->size + 7) & ~7ull));
		return;
	}
	tmp = lower_temp(l, n->type->size);
	lower_structure(l, n->b, ir_m(tmp, 0));
	p = node_place(l, n->a);
	write_bytes(l, &p, lower_byte_addr(l, &p), ir_m(tmp, 0), (uint32_t)n->type->size);
}

/*
 * Bit-fields are numbered from the low bit of the first byte, as on little-endian machines. A bit-field of a packed
 * structure may extend to a ninth byte.
 */
static struct ir_arg load_bits(struct lower *l, const struct mem *p, uint32_t bits, bool sign)
{
	uint32_t shift = p->bitoff % 8, bytes = (shift + bits + 7) / 8;
	struct ir_arg addr = lower_byte_addr(l, p), value, high;
	uint32_t word = lower_temp(l, 8);

	if (bytes < 8)
		ir_emit(&l->b, IR_ST64, ir_m(word, 0), ir_i(0));
	read_bytes(l, p, addr, ir_m(word, 0), bytes < 8 ? bytes : 8);
	value = ir_r(ir_emit(&l->b, IR_LD64, ir_m(word, 0)));
	if (bytes > 8) {
		high = read_int(l, p, lower_op(l, IR_ADD, addr, ir_i(8)), 1);
		value = lower_op(l, IR_LSHR, value, ir_i(shift));
		value = lower_op(l, IR_OR, value, lower_op(l, IR_SHL, high, ir_i(64 - shift)));
		shift = 0;
	}
	value = lower_op(l, IR_SHL, value, ir_i(64 - bits - shift));
	return lower_op(l, sign ? IR_ASHR : IR_LSHR, value, ir_i(64 - bits));
}

static bool is_word(const struct type *t)
{
	return type_is_scalar(t) && (t->size == 1 || t->size == 2 || t->size == 4 || t->size == 8);
}

/* Converts what was read to a value of the type of n. */
static struct ir_arg loaded_value(struct lower *l, const struct node *n, struct ir_arg v)
{
	bool sign = type_is_int(n->type) && n->type->is_signed;

	/* a bool is 0 or 1, whatever memory contains */
	return sign || n->type->is_bool ? lower_fit(l, v, NULL, n->type) : v;
}

static struct ir_arg load_value(struct lower *l, const struct node *n, const struct mem *p)
{
	if (n->kind == N_MEMBER && n->bits && n->bits <= 64)
		return load_bits(l, p, n->bits, type_is_int(n->type) && n->type->is_signed);
	if (!is_word(n->type)) {
		diag(l->diags, n->loc, D_UNSUPPORTED, "a value of %" PRIu64 " bytes is not supported", n->type->size);
		return ir_i(0);
	}
	return loaded_value(l, n, read_int(l, p, lower_byte_addr(l, p), (uint32_t)n->type->size));
}

struct ir_arg lower_load(struct lower *l, const struct node *n)
{
	struct task_path task;
	struct mem p;

	if (!n->bits && type_is_int(n->type) && is_word(n->type) && task_path_member(l, n, &task))
		return loaded_value(l, n, lower_task_read(l, &task, (uint32_t)n->type->size));
	p = node_place(l, n);
	return load_value(l, n, &p);
}

/* ---- writing ---- */
static void write_int(struct lower *l, const struct mem *p, struct ir_arg addr, struct ir_arg v, uint32_t size)
{
	static const enum ir_op put[9] = { [1] = IR_ST8, [2] = IR_ST16, [4] = IR_ST32, [8] = IR_ST64 };
	uint32_t tmp = lower_temp(l, 8);

	ir_emit(&l->b, put[size], ir_m(tmp, 0), v);
	write_bytes(l, p, addr, ir_m(tmp, 0), size);
}

/* Keeps the neighbouring bits of each byte. */
static void store_bits(struct lower *l, const struct mem *p, uint32_t bits, struct ir_arg v)
{
	uint32_t shift = p->bitoff % 8, done = 0;
	struct ir_arg addr = lower_byte_addr(l, p);

	for (uint32_t i = 0; done < bits; i++) {
		uint32_t n = bits - done < 8 - shift ? bits - done : 8 - shift, mask = ((1u << n) - 1) << shift;
		struct ir_arg at = lower_op(l, IR_ADD, addr, ir_i(i)), old = read_int(l, p, at, 1), b;

		b = lower_op(l, IR_SHL, lower_op(l, IR_LSHR, v, ir_i(done)), ir_i(shift));
		b = lower_op(l, IR_OR, lower_op(l, IR_AND, b, ir_i(mask)),
			     lower_op(l, IR_AND, old, ir_i(0xff & ~mask)));
		write_int(l, p, at, b, 1);
		done += n;
		shift = 0;
	}
}

/* Returns the stored value: a bit-field truncates it. */
static struct ir_arg store_value(struct lower *l, const struct node *n, const struct mem *p, struct ir_arg v)
{
	bool sign = type_is_int(n->type) && n->type->is_signed;

	if (n->kind == N_MEMBER && n->bits && n->bits <= 64) {
		store_bits(l, p, n->bits, v);
		v = lower_op(l, IR_SHL, v, ir_i(64 - n->bits));
		return lower_op(l, sign ? IR_ASHR : IR_LSHR, v, ir_i(64 - n->bits));
	}
	write_int(l, p, lower_byte_addr(l, p), v, is_word(n->type) ? (uint32_t)n->type->size : 8);
	return v;
}

struct ir_arg lower_assign_memory(struct lower *l, const struct node *n)
{
	const struct type *work = n->op == OP_NONE ? n->type : n->c->type;
	struct ir_arg v, old;
	struct mem p;

	if (n->op == OP_NONE) {
		v = lower_expr(l, n->b);
		p = node_place(l, n->a);
		return store_value(l, n->a, &p, v);
	}
	p = node_place(l, n->a);
	old = lower_fit(l, load_value(l, n->a, &p), n->type, work);
	v = lower_arith(l, n->op, work, old, lower_expr(l, n->b));
	return store_value(l, n->a, &p, lower_fit(l, v, work, n->type));
}

struct ir_arg lower_step_memory(struct lower *l, const struct node *n)
{
	bool up = n->op == OP_PREINC || n->op == OP_POSTINC, before = n->op == OP_POSTINC || n->op == OP_POSTDEC;
	struct ir_arg by = ir_i(up ? (int64_t)n->value : (int64_t)(0 - n->value)), old, new;
	struct mem p = node_place(l, n->a);

	old = load_value(l, n->a, &p);
	new = store_value(l, n->a, &p, lower_fit(l, lower_op(l, IR_ADD, old, by), NULL, n->type));
	return before ? old : new;
}
