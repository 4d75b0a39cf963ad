/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Types of variables without a declaration. The first assignment gives the type, but `last = 0` says little about
 * what `last = timestamp` in another clause needs. So before the clauses are checked, this pass checks copies of all
 * assignments, which determines the types of their values, and combines them for each variable. Its errors and
 * warnings are dropped: the check of the clauses repeats them.
 *
 * A value may use variables whose types change in the same way, so the pass is repeated until nothing changes. A type
 * only gets wider.
 */
#include "lang/check/widen.h"

#include "lang/check/check.h"
#include "lang/check/checker.h"
#include "lang/check/inline.h"
#include "lang/check/key.h"
#include "lang/check/name.h"

/* x = y; y = z; ... z = timestamp needs a round for each. The rounds' memory is freed only at the end. */
enum { MAXROUNDS = 1000, MAXMEM = COMPILE_MAXMEM / 4 };

struct widened {
	struct var *var;
	struct type *type;		/* of this round; NULL: no assignment yet */
	struct key_constants constants;
	unsigned values;		/* assignments in the script */
	bool open;			/* some value is not an int constant */
};

static struct widened *wide_of(struct checker *ck, const char *key)
{
	struct widened *w = map_gets(&ck->wide, key);

	if (w)
		return w;
	w = arena_alloc(ck->a, sizeof *w);
	map_sets(&ck->wide, key, w);
	return w;
}

/* ---- types ---- */
/* -1 is the largest value of an unsigned type, as in C. */
static bool is_largest(const struct type *t, const struct node *constant)
{
	return constant && !t->is_signed && t->size >= 4 && constant->value == UINT64_MAX;
}

/* The type of w after another integer. Eight bytes lose nothing; a bool stays one. */
static struct type *hold_integer(struct checker *ck, struct widened *w, struct type *t, const struct node *constant)
{
	struct key_constants *c = &w->constants;
	struct type *was = w->type;

	if (was->is_bool || is_largest(was, constant))
		return was;
	if (constant)
		check_note_constant(c, constant);
	if (was->size < 8 && c->only && !constant && t->size >= was->size)
		was = t;
	else if (was->size < 8 && (c->only || !constant))
		was = check_wider(ck, was, t);
	c->only = c->only && constant;
	return was->size < 8 && !c->only ? check_hold(ck, was, c) : was;
}

static bool is_null(const struct widened *w)
{
	return type_is_int(w->type) && w->constants.only && !w->constants.lo && !w->constants.hi;
}

static void add_value(struct checker *ck, struct widened *w, struct type *t, const struct node *constant)
{
	if (!w->type) {
		w->type = t;
		w->constants = (struct key_constants){ .only = constant };
		if (constant)
			check_note_constant(&w->constants, constant);
	} else if (type_is_int(w->type) && type_is_int(t)) {
		w->type = hold_integer(ck, w, t, constant);
	} else if (is_null(w)) {
		w->type = t;
	}
}

/*
 * The type that x needs after x op= value: as wide as the computation, with the sign of x. Values that are added up
 * may exceed 32 bits, too. A char or short stays one, as in C, unless the computation has 64 bits; so does an int to
 * which only constants are added.
 */
static struct type *compound_type(struct checker *ck, const struct widened *w, enum op op, const struct node *value)
{
	struct type *x = w->type;
	bool sum = op == OP_ADD || op == OP_SUB || op == OP_MUL;

	if (!x || !type_is_int(x))
		return type_lookup_script(ck->t, "int64_t");
	if (op >= OP_PREINC || op == OP_SHL || op == OP_SHR || x->is_bool ||
	    (value->type->size < 8 && (!sum || x->size < 4 || value->kind == N_INT)))
		return x;
	return x->is_signed ? ck->t->t_long : ck->t->t_ulong;
}

static bool is_var(const struct node *n, const struct var *v)
{
	while (n->kind == N_CAST)
		n = n->a;
	return (n->kind == N_VAR || n->kind == N_INDEX) && n->var == v;
}

/* x = x + value is x += value. Returns the value, or NULL. */
static const struct node *added_value(const struct node *n, const struct var *v)
{
	if (n->kind != N_BINARY || (n->op != OP_ADD && n->op != OP_SUB && n->op != OP_MUL))
		return NULL;
	return is_var(n->a, v) ? n->b : is_var(n->b, v) ? n->a : NULL;
}

void check_note_value(struct checker *ck, const struct node *to, enum op op, const struct node *value,
		      struct type *type)
{
	struct var *v = ck->ahead && (to->kind == N_VAR || to->kind == N_INDEX) ? to->var : NULL;
	const struct node *added = v && op == OP_NONE ? added_value(value, v) : NULL;
	bool constant = op == OP_NONE && value->kind == N_INT;
	struct widened *w;

	if (!v || !v->inferred)
		return;
	w = wide_of(ck, check_var_key(ck, v->cls, v->name));
	w->var = v;
	if (op != OP_NONE)
		type = compound_type(ck, w, op, value);
	else if (added && w->type && type->size < 8)
		type = compound_type(ck, w, value->op, added);
	add_value(ck, w, type, constant ? value : NULL);
}

/* ---- the search ---- */
/* Returns false if what is below n need not be visited. */
typedef bool visit_assignment(struct checker *ck, const struct node *n);

/* The use of an inline that contains an assignment. */
static bool is_assigning_inline(struct checker *ck, const struct node *n)
{
	const struct inline_def *def = n->kind == N_IDENT && !n->scope ? map_gets(&ck->s->inlines, n->str) : NULL;

	return def && node_has_effect(def->expr);
}

static void visit_tree(struct checker *ck, const struct node *n, visit_assignment *f)
{
	bool found = n && (n->kind == N_ASSIGN || node_is_step(n) || is_assigning_inline(ck, n));

	if (!n || (found && !f(ck, n)) || !check_deeper(ck, n->loc))
		return;
	visit_tree(ck, n->a, f);
	visit_tree(ck, n->b, f);
	visit_tree(ck, n->c, f);
	for (unsigned i = 0; i < n->nargs; i++)
		visit_tree(ck, n->args[i], f);
	ck->depth--;
}

static void visit_statements(struct checker *ck, const struct stmt *s, visit_assignment *f)
{
	for (; s && !compile_full(ck->c, s->loc); s = s->next) {
		visit_tree(ck, s->expr, f);
		visit_tree(ck, s->call, f);
		visit_statements(ck, s->yes, f);
		visit_statements(ck, s->no, f);
	}
}

static void visit_clauses(struct checker *ck, visit_assignment *f)
{
	for (const struct clause *c = ck->s->clauses; c; c = c->next) {
		ck->clause = c;
		visit_statements(ck, c->body, f);
		visit_tree(ck, c->pred, f);
	}
}

/* ---- is the pass needed? ---- */
static bool is_int_constant(const struct checker *ck, const struct node *n)
{
	return n->op == OP_NONE && n->b->kind == N_INT && n->b->type == ck->t->t_int;
}

/* The name of the assigned variable; NULL: memory, or a name that is not a variable. */
static const struct node *assigned_name(struct checker *ck, const struct node *to)
{
	const struct node *name = to->kind == N_INDEX ? to->a : to;

	if (!name || name->kind != N_IDENT || name->scope == '`')
		return NULL;
	return !name->scope && (builtin_find(name->str) || map_gets(&ck->s->inlines, name->str)) ? NULL : name;
}

static bool count_value(struct checker *ck, const struct node *n)
{
	const struct node *name = n->kind == N_ASSIGN ? assigned_name(ck, n->a) : NULL;
	const struct var *v = name ? check_find_var(ck, name) : NULL;
	struct widened *w;

	if (!name || (v && v->type && !v->inferred))
		return true;
	w = wide_of(ck, check_var_key(ck, check_class(name), name->str));
	w->values++;
	w->open |= !is_int_constant(ck, n);
	return true;
}

/* Most scripts assign each variable once, or only constants: their first assignments are enough. */
static bool is_needed(struct checker *ck)
{
	const struct widened *w;

	visit_clauses(ck, count_value);
	for (size_t i = 0; i < ck->s->inlines.n; i++)
		visit_tree(ck, ((const struct inline_def *)ck->s->inlines.entries[i].value)->expr, count_value);
	for (size_t i = 0; i < ck->wide.n; i++) {
		w = ck->wide.entries[i].value;
		if (w->values > 1 && w->open)
			return true;
	}
	return false;
}

/* ---- the pass ---- */
static bool look_ahead(struct checker *ck, const struct node *n)
{
	struct node *copy = check_clone(ck, n, NULL);

	if (copy)
		check_expr(ck, &copy);
	return false;
}

/* Returns true if a type changed. */
static bool round_changes(struct checker *ck)
{
	bool changed = false;

	for (size_t i = 0; i < ck->wide.n; i++)
		((struct widened *)ck->wide.entries[i].value)->type = NULL;
	visit_clauses(ck, look_ahead);
	for (size_t i = 0; i < ck->wide.n; i++) {
		struct widened *w = ck->wide.entries[i].value;

		if (!w->type || w->type == w->var->type)
			continue;
		w->var->type = w->type;
		changed = true;
	}
	return changed;
}

/* A checker of its own for each round: nothing else that it learns from the copies may remain. */
static bool run_round(struct checker *ck)
{
	struct diags dropped;
	struct checker copy = { .c = ck->c, .t = ck->t, .d = &dropped, .a = ck->a, .s = ck->s, .ahead = true };
	bool changed;

	diags_init(&dropped, ck->a);
	check_init(&copy);
	copy.wide = ck->wide;
	changed = round_changes(&copy);
	ck->wide = copy.wide;
	return changed;
}

/* The variables of the pass are its own, too. Inlines may have assigned some already. */
static void copy_variables(struct checker *ck, const struct map *from)
{
	struct var *v;

	map_init(&ck->s->vars, ck->a);
	for (size_t i = 0; i < from->n; i++) {
		v = arena_memdup(ck->a, from->entries[i].value, sizeof *v);
		if (v->inferred)
			v->type = NULL;
		*map_put(&ck->s->vars, from->entries[i].key, from->entries[i].len) = v;
	}
}

/* Restores the script's variables; those of the prelude, if it was read meanwhile, are among them. */
static void restore_variables(struct checker *ck, struct map *vars)
{
	const struct map *copies = &ck->s->vars;

	for (size_t i = 0; i < copies->n; i++) {
		const struct map_entry *e = &copies->entries[i];
		const struct var *v = e->value;

		if (loc_origin(v->loc) == FROM_PRELUDE && !map_find(vars, e->key, e->len))
			*map_put(vars, e->key, e->len) = e->value;
	}
	ck->s->vars = *vars;
}

static void widen_assigned(struct checker *ck)
{
	for (size_t i = 0; i < ck->s->vars.n; i++) {
		struct var *v = ck->s->vars.entries[i].value;

		if (v->inferred)
			v->type = check_first_type(ck, v, v->type);
	}
}

void check_widen(struct checker *ck)
{
	struct map vars = ck->s->vars;
	bool changed = true;

	if (!is_needed(ck))
		return;
	copy_variables(ck, &vars);
	for (int i = 0; i < MAXROUNDS && changed && ck->a->total < MAXMEM; i++)
		changed = run_round(ck);
	restore_variables(ck, &vars);
	widen_assigned(ck);
}

struct type *check_first_type(struct checker *ck, const struct var *v, struct type *first)
{
	const struct widened *w = NULL;

	if (first && type_is_int(first) && !ck->ahead)
		w = map_gets(&ck->wide, check_var_key(ck, v->cls, v->name));
	return w && w->type ? w->type : first;
}
