/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Variables that hold integers and pointers, and where variables of any type lie.
 *
 * Every integer takes a cell of 64 bits whatever its type, so that ++, --, += and -= are one atomic addition; what an
 * addition leaves above the type's width is cut off when the cell is read.
 */
#include "lang/lower.h"

/* ---- objects ---- */
static uint32_t value_size(const struct lower *l, const struct var *v)
{
	return type_is_string(v->type) ? lower_cap(l, v->type) : 8;
}

static uint32_t make_object(struct lower *l, const struct var *v, enum ir_objkind kind, uint32_t ns)
{
	static const char *const prefix[] = { [VC_GLOBAL] = "var", [VC_THIS] = "this", [VC_SELF] = "self" };
	struct ir_obj o = { .kind = kind, .ns = ns };
	struct val_field key[VAR_MAXKEYS];

	o.size = value_size(l, v);
	if (o.size > LOWER_MAXREC) {
		diag(l->diags, v->loc, D_LIMIT, "%s is larger than the limit of %d bytes", v->name, LOWER_MAXREC);
		o.size = 8;
	}
	if (kind == IR_O_DYN)
		o.keysize = var_key_layout(v, l->strsize, key);
	o.name = arena_printf(l->arena, "%s@%s%s", prefix[v->cls], v->name, ns ? "@profile" : "");
	return ir_obj_add(l->ir, &o);
}

static uint32_t profile_object(struct lower *l, struct var *v)
{
	void **slot = map_put(&l->tls_profile, &v, sizeof v);

	if (!*slot)
		*slot = (void *)(uintptr_t)(make_object(l, v, IR_O_THREAD, 1) + 1);
	return (uint32_t)(uintptr_t)*slot - 1;
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
	enum ir_objkind kind = var_kind(v);

	if (kind == IR_O_THREAD && l->profile_ns)
		return profile_object(l, v);
	if (!v->obj)
		v->obj = make_object(l, v, kind, 0) + 1;
	return v->obj - 1;
}

/* ---- places ---- */
struct var_place lower_place(struct lower *l, const struct node *n)
{
	struct var_place p = { .kind = var_kind(n->var), .obj = var_object(l, n->var) };
	struct val_field f[VAR_MAXKEYS];
	uint32_t size;

	if (p.kind != IR_O_DYN)
		return p;
	size = var_key_layout(n->var, l->strsize, f);
	p.key = lower_temp(l, size);
	lower_fields(l, p.key, 0, size, f, n->args, n->var->nkeys);
	return p;
}

struct ir_arg lower_cell(struct lower *l, const struct var_place *p, bool make, uint32_t absent)
{
	uint32_t found;
	ir_reg r;

	if (p->kind == IR_O_DYN)
		r = ir_emit(&l->b, IR_DYN, ir_o(p->obj), ir_m(p->key, 0), ir_i(make));
	else if (p->kind == IR_O_THREAD)
		r = ir_emit(&l->b, IR_TLS, ir_o(p->obj), ir_i(make));
	else
		return ir_m(p->obj, 0);
	found = ir_newblock(&l->b, NULL);
	ir_emit(&l->b, IR_BNE, ir_r(r), ir_i(0), ir_b(found), ir_b(absent));
	ir_enter(&l->b, found);
	return ir_mc(r, p->obj, 0);
}

static bool is_cell(const struct var_place *p)
{
	return p->kind == IR_O_DYN || p->kind == IR_O_THREAD;
}

void lower_forget(struct lower *l, const struct var_place *p, uint32_t size)
{
	struct ir_arg m;
	uint32_t end;

	if (p->kind == IR_O_DYN) {
		ir_emit(&l->b, IR_DYNDEL, ir_o(p->obj), ir_m(p->key, 0));
		return;
	}
	end = ir_newblock(&l->b, NULL);
	m = lower_cell(l, p, false, end);
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

/* What was never stored reads as 0. */
static struct ir_arg load(struct lower *l, const struct var_place *p, const struct type *t)
{
	uint32_t end;
	ir_reg r;

	if (!is_cell(p))
		return load_cell(l, ir_m(p->obj, 0), t);
	end = ir_newblock(&l->b, NULL);
	r = ir_newreg(&l->b);
	ir_emit_to(&l->b, IR_MOV, r, ir_i(0));
	ir_emit_to(&l->b, IR_MOV, r, load_cell(l, lower_cell(l, p, false, end), t));
	ir_enter(&l->b, end);
	return ir_r(r);
}

struct ir_arg lower_var(struct lower *l, const struct node *n)
{
	struct var_place p;

	if (n->var->cls == VC_BUILTIN)
		return lower_builtin(l, n);
	p = lower_place(l, n);
	return load(l, &p, n->type);
}

/* ---- writing ---- */
/* An element that becomes 0 is not kept: it would read as 0 without being there. */
static void store(struct lower *l, const struct var_place *p, struct ir_arg v)
{
	uint32_t end, keep, forget;

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
		keep = ir_newblock(&l->b, NULL);
		forget = ir_newblock(&l->b, NULL);
		ir_emit(&l->b, IR_BNE, v, ir_i(0), ir_b(keep), ir_b(forget));
		ir_enter(&l->b, forget);
		lower_forget(l, p, 8);
		ir_emit(&l->b, IR_JMP, ir_b(end));
		ir_enter(&l->b, keep);
	}
	ir_emit(&l->b, IR_ST64, lower_cell(l, p, true, end), v);
	ir_enter(&l->b, end);
}

/* Adds v to the variable; gives the value before if it is wanted. A dropped cell reads as 0. */
static struct ir_arg add(struct lower *l, const struct var_place *p, struct ir_arg v, const struct type *t, bool want)
{
	uint32_t end = ir_newblock(&l->b, NULL);
	ir_reg old = 0;
	struct ir_arg m;

	if (want) {
		old = ir_newreg(&l->b);
		ir_emit_to(&l->b, IR_MOV, old, ir_i(0));
	}
	m = lower_cell(l, p, true, end);
	if (p->kind == IR_O_LOCAL) {
		ir_reg was = ir_emit(&l->b, IR_LD64, m);

		if (want)
			ir_emit_to(&l->b, IR_MOV, old, ir_r(was));
		ir_emit(&l->b, IR_ST64, m, lower_op(l, IR_ADD, ir_r(was), v));
	} else {
		ir_emit_to(&l->b, IR_XADD, old, m, v);
	}
	ir_enter(&l->b, end);
	return want ? lower_fit(l, ir_r(old), NULL, t) : ir_i(0);
}

static struct ir_arg negated(struct lower *l, struct ir_arg v)
{
	return v.kind == IR_IMM ? ir_i((int64_t)(0 - (uint64_t)v.imm)) : ir_r(ir_emit(&l->b, IR_NEG, v));
}

static struct ir_arg step_variable(struct lower *l, const struct node *n, bool want)
{
	bool up = n->op == OP_PREINC || n->op == OP_POSTINC, before = n->op == OP_POSTINC || n->op == OP_POSTDEC;
	struct ir_arg by = ir_i(up ? (int64_t)n->value : (int64_t)(0 - n->value)), old;
	struct var_place p = lower_place(l, n->a);

	old = add(l, &p, by, n->type, want);
	if (!want || before)
		return old;
	return lower_fit(l, lower_op(l, IR_ADD, old, by), NULL, n->type);
}

static struct ir_arg assign_add(struct lower *l, const struct node *n, const struct var_place *p, struct ir_arg v,
				bool want)
{
	struct ir_arg by = n->op == OP_ADD ? v : negated(l, v), old = add(l, p, by, n->type, want);

	return want ? lower_fit(l, lower_op(l, IR_ADD, old, by), NULL, n->type) : old;
}

static struct ir_arg assign_variable(struct lower *l, const struct node *n, bool want)
{
	const struct type *work = n->op == OP_NONE ? n->type : n->c->type;
	struct ir_arg v = lower_expr(l, n->b);
	struct var_place p = lower_place(l, n->a);

	if (n->op == OP_ADD || n->op == OP_SUB)
		return assign_add(l, n, &p, v, want);
	if (n->op != OP_NONE) {
		v = lower_arith(l, n->op, work, lower_fit(l, load(l, &p, n->type), n->type, work), v);
		v = lower_fit(l, v, work, n->type);
	}
	store(l, &p, v);
	return v;
}

static bool is_memory(const struct node *n)
{
	return n->kind == N_DEREF || n->kind == N_MEMBER;
}

struct ir_arg lower_step(struct lower *l, const struct node *n, bool want)
{
	if (is_memory(n->a))
		return lower_step_memory(l, n);
	return step_variable(l, n, want);
}

struct ir_arg lower_assign(struct lower *l, const struct node *n, bool want)
{
	if (is_memory(n->a))
		return lower_assign_memory(l, n);
	return assign_variable(l, n, want);
}
