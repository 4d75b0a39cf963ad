/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Stacks: frames in records, numbers of stacks in keys. */
#include "lang/lower/stack.h"

#include <string.h>

#include "lang/lower/builtin.h"
#include "lang/lower/expr.h"
#include "lang/lower/lower.h"

#define STACK_COUNTER "stacks"
#define CLEARED_STACKS "cleared.stacks"
#define OWNED_STACKS "owned."

enum { PID_SHIFT = 32 };	/* an ID of a process is stored above the number of its stack */

/* The second immediate of IR_STACK for a call of the function `name` with a value of this type. */
static struct ir_arg stack_kind(const struct lower *l, const char *name, const struct type *t)
{
	bool user = t->symbolic == VAL_USTACK, interpreted = user && stack_is_interpreted(name);

	return ir_i((user ? IR_STACK_USER : 0) | (interpreted ? IR_STACK_INTERPRETED : 0) |
		    (interpreted && l->c->env.keep_native ? IR_STACK_REPLACED : 0) |
		    (interpreted && l->c->opts.runtimeframes ? IR_STACK_RUNTIME : 0) |
		    (l->c->env.mark_truncated ? IR_STACK_MARK : 0));
}

/* The process whose stack is collected: the current one, even if a probe fires for another thread. */
static struct ir_arg current_pid(struct lower *l)
{
	return lower_op(l, IR_LSHR, ir_r(ir_emit0(&l->b, IR_PIDTGID)), ir_i(32));
}

static void store_key_owner(struct lower *l, struct ir_arg dst)
{
	lower_user_stack(l);
	ir_emit(&l->b, IR_ST64, dst, lower_key_owner(l, current_pid(l)));
}

/* ---- records ---- */
void lower_stack(struct lower *l, const struct node *call, struct ir_arg dst)
{
	ir_emit(&l->b, IR_STACK, dst, ir_i((int64_t)call->type->size), stack_kind(l, call->str, call->type));
}

void lower_ustack(struct lower *l, const struct node *call, struct ir_arg dst)
{
	if (l->keyed) {
		store_key_owner(l, dst);
	} else {
		lower_user_stack(l);
		ir_emit(&l->b, IR_ST64, dst, current_pid(l));
	}
	if (stack_is_interpreted(call->str))
		lower_interpreted_stack(l);
	dst.imm += STACK_OWNER_BYTES;
	ir_emit(&l->b, IR_STACK, dst, ir_i((int64_t)call->type->size - STACK_OWNER_BYTES),
		stack_kind(l, call->str, call->type));
}

/* ---- numbers ---- */
/* Selects the tables for a stack. Aggregations that are cleared have separate tables, which are cleared with them.
 * Stacks of which only the number is kept also have separate tables, where the owner precedes the frames. */
struct stack_place {
	uint32_t frames;	/* object with the frames */
	uint32_t most;		/* their maximum number */
	bool cleared, owned;
};

/* One table for all stacks of at most `frames` frames: each is stored once for all CPUs and aggregations. Shorter
 * stacks are padded with zeros. */
static uint32_t stack_table(struct lower *l, const struct stack_place *p, uint32_t frames)
{
	const char *name = arena_printf(l->arena, "%s%s%u", p->owned ? OWNED_STACKS : "",
					p->cleared ? CLEARED_STACKS : STACK_COUNTER, frames);
	int64_t o = ir_obj_find(l->ir, name);

	if (o >= 0)
		return (uint32_t)o;
	return ir_obj_add(l->ir, &(struct ir_obj){
		.name = arena_strdup(l->arena, name), .kind = IR_O_DYN, .size = 8,
		.keysize = STACK_PC_BYTES * frames + (p->owned ? STACK_OWNER_BYTES : 0), .stacks = true,
		.generations = p->cleared, .owned = p->owned,
	});
}

/* The counter from which all tables of this kind number their stacks. */
static uint32_t stack_counter(struct lower *l, bool cleared)
{
	const char *name = cleared ? CLEARED_STACKS : STACK_COUNTER;
	int64_t o = ir_obj_find(l->ir, name);

	return o >= 0 ? (uint32_t)o : lower_object(l, IR_O_GLOBAL, name, 8, 0);
}

/* The first firing with a stack numbers it; if two do so at once, one number wins. */
static ir_reg number_of(struct lower *l, uint32_t table, ir_reg cell)
{
	ir_reg old = ir_emit(&l->b, IR_LD64, ir_mc(cell, table, 0)), last;
	uint32_t first = ir_newblock(&l->b, "new stack"), known = ir_newblock(&l->b, NULL);
	bool cleared = l->ir->objs.v[table].generations;
	int64_t one = cleared ? AGG_STACKS_CLEARED + 1 : 1;

	ir_emit(&l->b, IR_BEQ, ir_r(old), ir_i(0), ir_b(first), ir_b(known));
	ir_enter(&l->b, first);
	last = ir_emit(&l->b, IR_XADD, ir_m(stack_counter(l, cleared), 0), ir_i(1));
	ir_emit(&l->b, IR_XCAS, ir_mc(cell, table, 0), ir_i(0), ir_r(ir_emit(&l->b, IR_ADD, ir_r(last), ir_i(one))));
	ir_enter(&l->b, known);
	return ir_emit(&l->b, IR_LD64, ir_mc(cell, table, 0));
}

/* Stores the number of the frames, from the table for at most this many. */
static void table_number(struct lower *l, const struct stack_place *p, uint32_t most, struct ir_arg dst, uint32_t lost)
{
	uint32_t found = ir_newblock(&l->b, NULL), table = stack_table(l, p, most);
	ir_reg cell = ir_emit(&l->b, IR_DYN, ir_o(table), ir_m(p->frames, 0), ir_i(1));

	ir_emit(&l->b, IR_BNE, ir_r(cell), ir_i(0), ir_b(found), ir_b(lost));
	ir_enter(&l->b, found);
	ir_emit(&l->b, IR_ST64, dst, ir_r(number_of(l, table, cell)));
}

/* Most stacks are much shorter than the maximum, and a hash lookup costs in proportion to the size of the key, so
 * short, medium and long stacks have separate tables. */
static void sized_number(struct lower *l, ir_reg n, const struct stack_place *p, struct ir_arg dst, uint32_t lost)
{
	static const uint32_t sizes[] = { 16, 48 };
	uint32_t done = ir_newblock(&l->b, NULL);

	for (unsigned i = 0; i < sizeof sizes / sizeof sizes[0] && sizes[i] < p->most; i++) {
		uint32_t fits = ir_newblock(&l->b, NULL), longer = ir_newblock(&l->b, "longer");

		ir_emit(&l->b, IR_BULE, ir_r(n), ir_i(sizes[i]), ir_b(fits), ir_b(longer));
		ir_enter(&l->b, fits);
		table_number(l, p, sizes[i], dst, lost);
		ir_emit(&l->b, IR_JMP, ir_b(done));
		ir_enter(&l->b, longer);
	}
	table_number(l, p, p->most, dst, lost);
	ir_enter(&l->b, done);
}

/* The number of the stack; for a process, with its ID in the upper half. 0: no space for the stack. */
struct ir_arg lower_stack_id(struct lower *l, const struct node *call)
{
	bool user = stack_is_users(call->str);
	uint32_t head = user ? STACK_OWNER_BYTES : 0, bytes = (uint32_t)call->shown->size - head;
	uint32_t number = lower_temp(l, 8), lost = ir_newblock(&l->b, "lost");
	struct stack_place p = { .frames = lower_temp(l, head + bytes), .most = bytes / STACK_PC_BYTES, .owned = user };
	ir_reg depth, id;

	ir_emit(&l->b, IR_ST64, ir_m(number, 0), ir_i(0));
	if (user)
		store_key_owner(l, ir_m(p.frames, 0));
	if (stack_is_interpreted(call->str))
		lower_interpreted_stack(l);
	depth = ir_emit(&l->b, IR_STACK, ir_m(p.frames, head), ir_i(bytes), stack_kind(l, call->str, call->shown));
	sized_number(l, depth, &p, ir_m(number, 0), lost);
	ir_enter(&l->b, lost);
	id = ir_emit(&l->b, IR_LD64, ir_m(number, 0));
	if (!user)
		return ir_r(id);
	return lower_op(l, IR_OR, ir_r(id), lower_op(l, IR_SHL, current_pid(l), ir_i(PID_SHIFT)));
}

/* The owner and its time are stored with the frames. */
void lower_stack_of(struct lower *l, const struct node *call, struct ir_arg dst)
{
	struct ir_arg id = lower_expr(l, call->args[0]);

	if (stack_is_users(call->str)) {
		ir_emit(&l->b, IR_ST64, dst, lower_op(l, IR_LSHR, id, ir_i(PID_SHIFT)));
		dst.imm += STACK_OWNER_BYTES;
		id = lower_op(l, IR_AND, id, ir_i(UINT32_MAX));
	}
	ir_emit(&l->b, IR_ST64, dst, id);
}

/* True for stackof() and its relatives, whose argument is the number. */
static bool is_saved(const char *name)
{
	return !strcmp(name + strlen(name) - strlen("of"), "of");
}

void lower_stack_number(struct lower *l, const struct node *call, bool cleared, struct ir_arg dst, uint32_t lost)
{
	bool user = call->type->symbolic == VAL_USTACK;
	uint32_t bytes = (uint32_t)call->type->size - (user ? STACK_OWNER_BYTES : 0);
	struct stack_place place = { .most = bytes / STACK_PC_BYTES, .cleared = cleared };
	ir_reg depth;

	if (is_saved(call->str)) {
		lower_stack_of(l, call, dst);
		return;
	}
	place.frames = lower_temp(l, bytes);
	if (user) {
		store_key_owner(l, dst);
		dst.imm += STACK_OWNER_BYTES;
	}
	if (user && stack_is_interpreted(call->str))
		lower_interpreted_stack(l);
	depth = ir_emit(&l->b, IR_STACK, ir_m(place.frames, 0), ir_i(bytes), stack_kind(l, call->str, call->type));
	sized_number(l, depth, &place, dst, lost);
}
