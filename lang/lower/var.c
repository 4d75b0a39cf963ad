/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Variables with integers and pointers, and the places of variables of all types.
 *
 * Every integer has a cell of 64 bits, so that ++, --, += and -= are one atomic addition. A load truncates the cell to
 * the width of the type. Only a bool needs a load, an operation and a store.
 */
#include "lang/lower/var.h"

#include "lang/lower/builtin.h"
#include "lang/lower/expr.h"
#include "lang/lower/key.h"
#include "lang/lower/lower.h"
#include "lang/lower/mem.h"
#include "lang/lower/space.h"
#include "lang/lower/str.h"
#include "lang/lower/task.h"

#define THREAD_NUMBER "self@number"
#define THREAD_COUNT "thread_count"
#define THREAD_END "self@end"

/* ---- objects ---- */
static uint32_t value_size(const struct lower *l, const struct var *v)
{
	if (type_is_string(v->type))
		return lower_cap(l, v->type);
	if (type_is_scalar(v->type))
		return 8;
	return v->type->size > LOWER_MAXREC ? LOWER_MAXREC + 8 : ((uint32_t)v->type->size + 7) & ~7u;
}

/* The key of a thread's array begins with the thread's number. */
static uint32_t thread_bytes(const struct var *v)
{
	return v->cls == VC_SELF ? 8 : 0;
}

/* own: the provider with separate self-> variables, or NULL. */
static uint32_t make_object(struct lower *l, const struct var *v, enum ir_objkind kind, const struct provider *own)
{
	static const char *const prefix[] = { [VC_GLOBAL] = "var", [VC_THIS] = "this", [VC_SELF] = "self" };
	struct ir_obj o = { .kind = kind, .ns = own != NULL };
	struct val_field key[VAR_MAXKEYS];

	o.size = value_size(l, v);
	if (o.size > LOWER_MAXREC) {
		diag(l->diags, v->loc, D_LIMIT, "%s is larger than the limit of %d bytes", v->name, LOWER_MAXREC);
		o.size = 8;
	}
	if (v->reached && lower_reach_size(o.size) <= LOWER_MAXREC)
		o.size = lower_reach_size(o.size);
	if (kind == IR_O_DYN)
		o.keysize = thread_bytes(v) + var_key_layout(v, l->strsize, key);
	o.threads = o.keysize && thread_bytes(v);
	o.name = arena_printf(l->arena, "%s@%s%s%s", prefix[v->cls], v->name, own ? "@" : "", own ? own->name : "");
	return ir_obj_add(l->ir, &o);
}

static enum ir_objkind var_kind(const struct var *v)
{
	static const enum ir_objkind scalar[] = {
		[VC_GLOBAL] = IR_O_GLOBAL, [VC_THIS] = IR_O_LOCAL, [VC_SELF] = IR_O_THREAD,
	};

	return v->is_array ? IR_O_DYN : scalar[v->cls];
}

static uint32_t var_object(struct lower *l, struct var *v)
{
	const struct { const struct var *var; const struct provider *provider; } own = { v, l->own_self };
	enum ir_objkind kind = var_kind(v);
	void **slot;

	if (v->cls == VC_SELF && l->own_self) {
		slot = map_put(&l->own_tls, &own, sizeof own);
		if (!*slot)
			*slot = (void *)(uintptr_t)(make_object(l, v, kind, l->own_self) + 1);
		return (uint32_t)(uintptr_t)*slot - 1;
	}
	if (!v->obj)
		v->obj = make_object(l, v, kind, NULL) + 1;
	return v->obj - 1;
}

/* An object that scripts cannot see. */
static uint32_t shared_object(struct lower *l, enum ir_objkind kind, const char *name)
{
	int64_t o = ir_obj_find(l->ir, name);

	return o >= 0 ? (uint32_t)o : lower_object(l, kind, name, 8, 0);
}

/* ---- places ---- */
struct var_place lower_place(struct lower *l, const struct node *n)
{
	struct var_place p = {
		.kind = var_kind(n->var), .obj = var_object(l, n->var), .size = lower_bytes(l, n->type),
	};
	struct val_field f[VAR_MAXKEYS];
	const struct field_values key = { f, n->args, n->var->nkeys };
	uint32_t size, head = thread_bytes(n->var);

	if (p.kind != IR_O_DYN)
		return p;
	size = var_key_layout(n->var, l->strsize, f);
	for (unsigned i = 0; i < n->var->nkeys; i++)
		f[i].off += head;
	p.key = lower_temp(l, head + size);
	p.thread = head;
	lower_fields(l, p.key, head, head + size, &key);
	return p;
}

/*
 * A thread's number, from 1, unique in the session. It is stored in the thread's storage, which the kernel frees with
 * the thread. An interrupt may assign a number at the same time; both then use the one that was stored first. A thread
 * without a number has no elements: CELL_FIND jumps to `absent`.
 */
static void thread_number(struct lower *l, const struct var_place *p, enum cell_lookup how, uint32_t absent)
{
	struct var_place self = { .kind = IR_O_THREAD, .obj = shared_object(l, IR_O_THREAD, THREAD_NUMBER) };
	uint32_t has = ir_newblock(&l->b, NULL), first = how == CELL_CREATE ? ir_newblock(&l->b, NULL) : absent;
	struct ir_arg m = lower_cell(l, &self, how, absent), counter;
	ir_reg r = ir_newreg(&l->b), mine;

	ir_emit_to(&l->b, IR_LD64, r, m);
	ir_emit(&l->b, IR_BNE, ir_r(r), ir_i(0), ir_b(has), ir_b(first));
	if (how == CELL_CREATE) {
		ir_enter(&l->b, first);
		counter = ir_m(shared_object(l, IR_O_GLOBAL, THREAD_COUNT), 0);
		mine = ir_emit(&l->b, IR_ADD, ir_r(ir_emit(&l->b, IR_XADD, counter, ir_i(1))), ir_i(1));
		ir_emit(&l->b, IR_XCAS, m, ir_i(0), ir_r(mine));
		ir_emit_to(&l->b, IR_LD64, r, m);
	}
	ir_enter(&l->b, has);
	ir_emit(&l->b, IR_ST64, ir_m(p->key, 0), ir_r(r));
}

struct ir_arg lower_cell(struct lower *l, const struct var_place *p, enum cell_lookup how, uint32_t absent)
{
	uint32_t found;
	ir_reg r;

	if (p->kind != IR_O_DYN && p->kind != IR_O_THREAD)
		return ir_m(p->obj, 0);
	if (p->thread)
		thread_number(l, p, how, absent);
	if (p->kind == IR_O_DYN) {
		r = ir_emit(&l->b, IR_DYN, ir_o(p->obj), ir_m(p->key, 0), ir_i(how));
	} else {
		lower_task_layout(l);
		r = ir_emit(&l->b, IR_TLS, ir_o(p->obj), ir_i(how));
	}
	found = ir_newblock(&l->b, NULL);
	ir_emit(&l->b, IR_BNE, ir_r(r), ir_i(0), ir_b(found), ir_b(absent));
	ir_enter(&l->b, found);
	return ir_mc(r, p->obj, 0);
}

static bool has_threads(const struct ir_prog *p)
{
	for (size_t i = 0; i < p->objs.n; i++)
		if (p->objs.v[i].threads)
			return true;
	return false;
}

/* Runs where the kernel frees a thread: its variables are still there. Without a number it has no elements. */
struct ir_func *lower_thread_end(struct lower *l)
{
	struct var_place self = { .kind = IR_O_THREAD };
	uint32_t has, sweep, end;
	ir_reg number, due;

	if (!has_threads(l->ir))
		return NULL;
	self.obj = shared_object(l, IR_O_THREAD, THREAD_NUMBER);
	l->b = (struct ir_builder){ .prog = l->ir, .func = ir_func_add(l->ir, THREAD_END, IR_C_RAWTP) };
	l->b.func->tag = UINT32_MAX;
	l->b.func->task = 1;
	l->b.func->tracepoint = "sched_process_free";
	has = ir_newblock(&l->b, NULL);
	sweep = ir_newblock(&l->b, NULL);
	end = ir_newblock(&l->b, NULL);
	number = ir_emit(&l->b, IR_LD64, lower_cell(l, &self, CELL_FIND, end));
	ir_emit(&l->b, IR_BNE, ir_r(number), ir_i(0), ir_b(has), ir_b(end));
	ir_enter(&l->b, has);
	due = ir_emit(&l->b, IR_ENDED, ir_r(number));
	ir_emit(&l->b, IR_BNE, ir_r(due), ir_i(IR_SWEEP_NONE), ir_b(sweep), ir_b(end));
	ir_enter(&l->b, sweep);
	for (uint32_t i = 0; i < l->ir->objs.n; i++)
		if (l->ir->objs.v[i].threads)
			ir_emit(&l->b, IR_SWEEP, ir_o(i), ir_r(due));
	ir_enter(&l->b, end);
	ir_emit0(&l->b, IR_RET);
	ir_func_order(l->ir, l->b.func);
	return l->b.func;
}

static bool is_cell(const struct var_place *p)
{
	return p->kind == IR_O_DYN || p->kind == IR_O_THREAD;
}

void lower_forget(struct lower *l, const struct var_place *p, uint32_t size)
{
	struct ir_arg m;
	uint32_t end;

	end = ir_newblock(&l->b, NULL);
	if (p->kind == IR_O_DYN) {
		if (p->thread)
			thread_number(l, p, CELL_FIND, end);
		ir_emit(&l->b, IR_DYNDEL, ir_o(p->obj), ir_m(p->key, 0));
		ir_enter(&l->b, end);
		return;
	}
	m = lower_cell(l, p, CELL_FIND, end);
	if (size == 8)
		ir_emit(&l->b, IR_ST64, m, ir_i(0));
	else
		ir_emit(&l->b, IR_ZERO, m, ir_i(size));
	ir_enter(&l->b, end);
}

/* ---- reading ---- */
static struct ir_arg load_cell(struct lower *l, struct ir_arg m, const struct type *t)
{
	return lower_fit(l, ir_r(ir_emit(&l->b, IR_LD64, m)), NULL, t);
}

/* A value that was never stored reads as 0. */
static struct ir_arg load_variable(struct lower *l, const struct var_place *p, const struct type *t)
{
	uint32_t end;
	ir_reg r;

	if (!is_cell(p))
		return load_cell(l, ir_m(p->obj, 0), t);
	end = ir_newblock(&l->b, NULL);
	r = ir_newreg(&l->b);
	ir_emit_to(&l->b, IR_MOV, r, ir_i(0));
	ir_emit_to(&l->b, IR_MOV, r, load_cell(l, lower_cell(l, p, CELL_FIND, end), t));
	ir_enter(&l->b, end);
	return ir_r(r);
}

struct ir_arg lower_var(struct lower *l, const struct node *n)
{
	struct var_place p;

	if (n->var->cls == VC_BUILTIN)
		return lower_builtin(l, n);
	p = lower_place(l, n);
	return load_variable(l, &p, n->type);
}

/* ---- writing ---- */
/* Storing 0 deletes an element: a missing one also reads as 0. */
static void store_variable(struct lower *l, const struct var_place *p, struct ir_arg v)
{
	uint32_t end, store, forget;

	if (!is_cell(p)) {
		ir_emit(&l->b, IR_ST64, ir_m(p->obj, 0), v);
		return;
	}
	if (v.kind == IR_IMM && !v.imm) {
		lower_forget(l, p, 8);
		return;
	}
	end = ir_newblock(&l->b, NULL);
	if (v.kind != IR_IMM) {
		store = ir_newblock(&l->b, NULL);
		forget = ir_newblock(&l->b, NULL);
		ir_emit(&l->b, IR_BNE, v, ir_i(0), ir_b(store), ir_b(forget));
		ir_enter(&l->b, forget);
		lower_forget(l, p, 8);
		ir_emit(&l->b, IR_JMP, ir_b(end));
		ir_enter(&l->b, store);
	}
	ir_emit(&l->b, IR_ST64, lower_cell(l, p, CELL_CREATE, end), v);
	ir_enter(&l->b, end);
}

/* Adds v to the variable and, if it is used, returns the previous value. A dropped cell reads as 0. */
static struct ir_arg add_to_variable(struct lower *l, const struct var_place *p, struct ir_arg v,
				     const struct type *t, enum value_use use)
{
	uint32_t end = ir_newblock(&l->b, NULL);
	ir_reg old = 0;
	struct ir_arg m;

	if (use == VALUE_USED) {
		old = ir_newreg(&l->b);
		ir_emit_to(&l->b, IR_MOV, old, ir_i(0));
	}
	m = lower_cell(l, p, CELL_CREATE, end);
	if (p->kind == IR_O_LOCAL) {
		ir_reg was = ir_emit(&l->b, IR_LD64, m);

		if (use == VALUE_USED)
			ir_emit_to(&l->b, IR_MOV, old, ir_r(was));
		ir_emit(&l->b, IR_ST64, m, lower_op(l, IR_ADD, ir_r(was), v));
	} else {
		ir_emit_to(&l->b, IR_XADD, old, m, v);
	}
	ir_enter(&l->b, end);
	return use == VALUE_USED ? lower_fit(l, ir_r(old), NULL, t) : ir_i(0);
}

static bool mentions_var(const struct node *n, const struct var *v)
{
	if (!n || n->var == v)
		return n;
	for (unsigned i = 0; i < n->nargs; i++)
		if (mentions_var(n->args[i], v))
			return true;
	return mentions_var(n->a, v) || mentions_var(n->b, v) || mentions_var(n->c, v);
}

/* True if evaluating n changes the variable at this place, or one that the place depends on. */
static bool changes_place(const struct node *n, const struct node *place)
{
	bool writes = n && (n->kind == N_ASSIGN || node_is_step(n));

	if (!n || (writes && (!n->a->var || mentions_var(place, n->a->var))))
		return n;
	for (unsigned i = 0; i < n->nargs; i++)
		if (changes_place(n->args[i], place))
			return true;
	return changes_place(n->a, place) || changes_place(n->b, place) || changes_place(n->c, place);
}

/* The left side is read before the right side is evaluated. */
static struct ir_arg assign_computed(struct lower *l, const struct node *n)
{
	const struct type *work = n->c->type;
	struct var_place p = lower_place(l, n->a);
	struct ir_arg old = lower_fit(l, load_variable(l, &p, n->type), n->type, work);
	struct ir_arg v = lower_fit(l, lower_arith(l, n->op, work, old, lower_expr(l, n->b)), work, n->type);

	store_variable(l, &p, v);
	return v;
}

static bool is_memory(const struct node *n)
{
	return n->kind == N_DEREF || n->kind == N_MEMBER;
}

struct ir_arg lower_step(struct lower *l, const struct node *n, enum value_use use)
{
	bool up = n->op == OP_PREINC || n->op == OP_POSTINC, before = n->op == OP_POSTINC || n->op == OP_POSTDEC;
	struct ir_arg by = ir_i(up ? (int64_t)n->value : (int64_t)(0 - n->value)), old, new;
	struct var_place p;

	if (is_memory(n->a))
		return lower_step_memory(l, n);
	p = lower_place(l, n->a);
	if (n->type->is_bool) {
		old = load_variable(l, &p, n->type);
		new = lower_fit(l, lower_op(l, IR_ADD, old, by), NULL, n->type);
		store_variable(l, &p, new);
		return before ? old : new;
	}
	old = add_to_variable(l, &p, by, n->type, use);
	if (use == VALUE_UNUSED || before)
		return old;
	return lower_fit(l, lower_op(l, IR_ADD, old, by), NULL, n->type);
}

struct ir_arg lower_assign(struct lower *l, const struct node *n, enum value_use use)
{
	struct var_place p;
	struct ir_arg v, old;

	if (!type_is_scalar(n->type)) {
		lower_assign_structure(l, n);
		return ir_i(0);
	}
	if (is_memory(n->a))
		return lower_assign_memory(l, n);
	if (n->op != OP_NONE && ((n->op != OP_ADD && n->op != OP_SUB) || n->type->is_bool ||
				 changes_place(n->b, n->a)))
		return assign_computed(l, n);
	v = lower_expr(l, n->b);
	p = lower_place(l, n->a);
	if (n->op == OP_NONE) {
		store_variable(l, &p, v);
		return v;
	}
	if (n->op == OP_SUB)
		v = v.kind == IR_IMM ? ir_i((int64_t)(0 - (uint64_t)v.imm)) : ir_r(ir_emit(&l->b, IR_NEG, v));
	old = add_to_variable(l, &p, v, n->type, use);
	return use == VALUE_USED ? lower_fit(l, lower_op(l, IR_ADD, old, v), NULL, n->type) : old;
}
