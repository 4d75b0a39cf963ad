/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Stacks and symbols: stack() ustack() jstack(), their numbers, sym() func() mod(), usym() ufunc() umod() uaddr(). */
#include "lang/check/conversions.h"
#include "lang/check/operators.h"
#include "lang/func/func.h"
#include "lang/lower/builtins.h"

#define STACK_COUNTER "stacks"
#define CLEARED_STACKS "cleared.stacks"
#define OWNED_STACKS "owned."

enum {
	OWNER_BYTES = 8, PC_BYTES = 8,
	PID_SHIFT = 32,			/* an ID of a process is stored above the number of its stack */
	MAX_FRAMES = 127,						/* kernel.perf_event_max_stack */
};

static bool positive_constant(const struct node *n, int64_t *v)
{
	return n->type && type_is_int(n->type) && node_const(n, v) && (!n->type->is_signed || *v > 0) && *v;
}

/* The number of frames, at most maxframes. */
static uint64_t limited_frames(struct checker *ck, int64_t asked)
{
	uint64_t max = ck->c->opts.maxframes;

	return (uint64_t)asked < max ? (uint64_t)asked : max;
}

/* More frames than that would be missing without a sign. */
static void warn_limited(struct checker *ck, const struct node *call, int64_t asked)
{
	uint64_t most = limited_frames(ck, asked);

	if (call->nargs && (uint64_t)asked > most)
		diag_warn(ck->d, call->args[0]->loc, D_LIMIT,
			  "at most %llu frames of a stack are recorded (-x maxframes)", (unsigned long long)most);
}

/* The size of a stack of `asked` frames, at most maxframes, and, if required, a mark of truncation. */
static uint64_t stack_bytes(struct checker *ck, int64_t asked)
{
	return PC_BYTES * (limited_frames(ck, asked) + ck->c->env.mark_truncated);
}

/* True for jstack() and its relatives. */
static bool is_interpreted(const char *name)
{
	return *name == 'j';
}

/* True for stacks of processes. */
static bool is_users(const char *name)
{
	return *name == 'u' || is_interpreted(name);
}

/* The second immediate of IR_STACK for a call of the function `name` with a value of this type. */
static struct ir_arg stack_kind(const struct lower *l, const char *name, const struct type *t)
{
	bool user = t->symbolic == VAL_USTACK, interpreted = user && is_interpreted(name);

	return ir_i((user ? IR_STACK_USER : 0) | (interpreted ? IR_STACK_INTERPRETED : 0) |
		    (interpreted && l->c->env.keep_native ? IR_STACK_REPLACED : 0) |
		    (interpreted && l->c->opts.runtimeframes ? IR_STACK_RUNTIME : 0) |
		    (l->c->env.mark_truncated ? IR_STACK_MARK : 0));
}

static bool at_most(struct checker *ck, const struct node *call, unsigned n, enum diag_tag tag)
{
	if (call->nargs <= n)
		return true;
	check_fail(ck, call->loc, tag, "%s( ) prototype mismatch: too many arguments", call->str);
	return false;
}

/* ---- stacks ---- */
struct type *func_stack_check(struct checker *ck, struct node *call)
{
	int64_t n = ck->c->opts.stackframes;

	if (!at_most(ck, call, 1, D_STACK_PROTO) || (call->nargs && !check_value(ck, &call->args[0])))
		return NULL;
	if (call->nargs && !positive_constant(call->args[0], &n))
		return check_fail(ck, call->args[0]->loc, D_STACK_SIZE,
				  "stack( ) size must be a non-zero positive integral constant expression");
	warn_limited(ck, call, n);
	return type_symbolic(ck->t, VAL_STACK, stack_bytes(ck, n));
}

/* kinds: number of kinds of frames, each of which has room for n frames. The second argument is the space for names of
 * a virtual machine's frames. Such names are not collected. */
static struct type *check_ustack(struct checker *ck, struct node *call, int64_t n, unsigned kinds)
{
	int64_t strsize;

	if (!at_most(ck, call, 2, D_USTACK_PROTO))
		return NULL;
	for (unsigned i = 0; i < call->nargs; i++)
		if (!check_value(ck, &call->args[i]))
			return NULL;
	if (call->nargs > 0 && !positive_constant(call->args[0], &n))
		return check_fail(ck, call->args[0]->loc, D_USTACK_FRAMES,
				  "ustack( ) argument #1 must be a non-zero positive integer constant");
	if (call->nargs > 1 && !(node_is_zero(call->args[1]) || positive_constant(call->args[1], &strsize)))
		return check_fail(ck, call->args[1]->loc, D_USTACK_STRSIZE,
				  "ustack( ) argument #2 must be a positive integer constant");
	warn_limited(ck, call, n);
	return type_symbolic(ck->t, VAL_USTACK,
			     OWNER_BYTES + stack_bytes(ck, n) + (kinds - 1) * PC_BYTES * limited_frames(ck, n));
}

struct type *func_ustack_check(struct checker *ck, struct node *call)
{
	return check_ustack(ck, call, ck->c->opts.ustackframes, 1);
}

struct type *func_jstack_check(struct checker *ck, struct node *call)
{
	return check_ustack(ck, call, ck->c->opts.jstackframes, ck->c->env.keep_native ? 2 : 1);
}

void func_stack(struct lower *l, const struct node *call, struct ir_arg dst)
{
	ir_emit(&l->b, IR_STACK, dst, ir_i((int64_t)call->type->size), stack_kind(l, call->str, call->type));
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

void func_ustack(struct lower *l, const struct node *call, struct ir_arg dst)
{
	if (l->keyed) {
		store_key_owner(l, dst);
	} else {
		lower_user_stack(l);
		ir_emit(&l->b, IR_ST64, dst, current_pid(l));
	}
	if (is_interpreted(call->str))
		lower_interpreted_stack(l);
	dst.imm += OWNER_BYTES;
	ir_emit(&l->b, IR_STACK, dst, ir_i((int64_t)call->type->size - OWNER_BYTES),
		stack_kind(l, call->str, call->type));
}

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
		.keysize = PC_BYTES * frames + (p->owned ? OWNER_BYTES : 0), .stacks = true,
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

/* ---- saved stacks: a number now, the frames in a key later ---- */
struct type *func_stackid_check(struct checker *ck, struct node *call)
{
	struct type *t = is_interpreted(call->str) ? func_jstack_check(ck, call) :
			 is_users(call->str) ? func_ustack_check(ck, call) : func_stack_check(ck, call);

	call->shown = t;
	return t ? ck->t->t_ulong : NULL;
}

/* The number of the stack; for a process, with its ID in the upper half. 0: no space for the stack. */
struct ir_arg func_stackid(struct lower *l, const struct node *call)
{
	bool user = is_users(call->str);
	uint32_t head = user ? OWNER_BYTES : 0, bytes = (uint32_t)call->shown->size - head;
	uint32_t number = lower_temp(l, 8), lost = ir_newblock(&l->b, "lost");
	struct stack_place p = { .frames = lower_temp(l, head + bytes), .most = bytes / PC_BYTES, .owned = user };
	ir_reg depth, id;

	ir_emit(&l->b, IR_ST64, ir_m(number, 0), ir_i(0));
	if (user)
		store_key_owner(l, ir_m(p.frames, 0));
	if (is_interpreted(call->str))
		lower_interpreted_stack(l);
	depth = ir_emit(&l->b, IR_STACK, ir_m(p.frames, head), ir_i(bytes), stack_kind(l, call->str, call->shown));
	sized_number(l, depth, &p, ir_m(number, 0), lost);
	ir_enter(&l->b, lost);
	id = ir_emit(&l->b, IR_LD64, ir_m(number, 0));
	if (!user)
		return ir_r(id);
	return lower_op(l, IR_OR, ir_r(id), lower_op(l, IR_SHL, current_pid(l), ir_i(PID_SHIFT)));
}

/* Only valid as a key: the argument is a number, not frames. */
struct type *func_stackof_check(struct checker *ck, struct node *call)
{
	bool user = is_users(call->str);

	if (!ck->in_key)
		return check_fail(ck, call->loc, D_KEY_TYPE, "%s( ) can only be a key of an aggregation", call->str);
	if (!func_int_arg(ck, call, 0, ck->t->t_ulong))
		return NULL;
	return type_symbolic(ck->t, user ? VAL_USTACK : VAL_STACK,
			     (user ? OWNER_BYTES : 0) + stack_bytes(ck, MAX_FRAMES));
}

/* The owner and its time are stored with the frames. */
void func_stackof(struct lower *l, const struct node *call, struct ir_arg dst)
{
	struct ir_arg id = lower_expr(l, call->args[0]);

	if (is_users(call->str)) {
		ir_emit(&l->b, IR_ST64, dst, lower_op(l, IR_LSHR, id, ir_i(PID_SHIFT)));
		dst.imm += OWNER_BYTES;
		id = lower_op(l, IR_AND, id, ir_i(UINT32_MAX));
	}
	ir_emit(&l->b, IR_ST64, dst, id);
}

void lower_stack_number(struct lower *l, const struct node *call, bool cleared, struct ir_arg dst, uint32_t lost)
{
	bool user = call->type->symbolic == VAL_USTACK;
	uint32_t bytes = (uint32_t)call->type->size - (user ? OWNER_BYTES : 0);
	struct stack_place place = { .most = bytes / PC_BYTES, .cleared = cleared };
	ir_reg depth;

	if (call->func->record == func_stackof) {
		func_stackof(l, call, dst);
		return;
	}
	place.frames = lower_temp(l, bytes);
	if (user) {
		store_key_owner(l, dst);
		dst.imm += OWNER_BYTES;
	}
	if (user && is_interpreted(call->str))
		lower_interpreted_stack(l);
	depth = ir_emit(&l->b, IR_STACK, ir_m(place.frames, 0), ir_i(bytes), stack_kind(l, call->str, call->type));
	sized_number(l, depth, &place, dst, lost);
}

/* ---- symbols ---- */
/* The value is the address or, in a process, the address after its owner. */
static struct type *check_address(struct checker *ck, struct node *call, uint8_t kind, enum mem_owner owner)
{
	if (!func_address_arg(ck, call, 0, owner))
		return NULL;
	return type_symbolic(ck->t, kind, owner == MEM_PROCESS ? OWNER_BYTES + PC_BYTES : PC_BYTES);
}

struct type *func_sym_check(struct checker *ck, struct node *call)
{
	return check_address(ck, call, VAL_SYM, MEM_KERNEL);
}

struct type *func_mod_check(struct checker *ck, struct node *call)
{
	return check_address(ck, call, VAL_MOD, MEM_KERNEL);
}

struct type *func_usym_check(struct checker *ck, struct node *call)
{
	return check_address(ck, call, VAL_USYM, MEM_PROCESS);
}

struct type *func_umod_check(struct checker *ck, struct node *call)
{
	return check_address(ck, call, VAL_UMOD, MEM_PROCESS);
}

struct type *func_uaddr_check(struct checker *ck, struct node *call)
{
	return check_address(ck, call, VAL_UADDR, MEM_PROCESS);
}

void func_sym(struct lower *l, const struct node *call, struct ir_arg dst)
{
	ir_emit(&l->b, IR_ST64, dst, lower_expr(l, call->args[0]));
}

void func_usym(struct lower *l, const struct node *call, struct ir_arg dst)
{
	struct ir_arg at = dst, pc = lower_expr(l, call->args[0]), pid = lower_pid(l, call);

	at.imm += OWNER_BYTES;
	ir_emit(&l->b, IR_ST64, dst, l->keyed ? lower_key_owner(l, pid) : pid);
	ir_emit(&l->b, IR_ST64, at, pc);
}
