/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/output/picture/duration.h"

enum { MOST_NODES = 100000, MOST_DEPTH = 20 };

/* The limits make variables that get their values from each other harmless. */
struct duration_work {
	const struct script *script;
	unsigned nodes;			/* examined so far */
	unsigned depth;
};

struct duration_search {
	struct duration_work *work;
	const struct var *var;		/* the variable whose assignments are examined */
	uint64_t unit;			/* of the assignments found so far; 0: none yet */
	bool other;			/* the variable has other values, too */
};

static uint64_t unit_of(struct duration_work *w, const struct node *n);

static const struct node *cast_operand(const struct node *n)
{
	while (n->kind == N_CAST)
		n = n->a;
	return n;
}

static bool is_time(const struct node *n)
{
	static const enum builtin times[] = { BI_timestamp, BI_vtimestamp, BI_walltimestamp };
	bool time = false;

	n = cast_operand(n);
	for (size_t i = 0; n->kind == N_VAR && n->var->cls == VC_BUILTIN && i < sizeof times / sizeof times[0]; i++)
		time |= n->var->builtin == times[i];
	return time;
}

static bool is_zero(const struct node *n)
{
	n = cast_operand(n);
	return n->kind == N_INT && !n->value;
}

/* ---- the values of a variable ---- */

static bool is_change(const struct node *n)
{
	return n->kind == N_ASSIGN || (n->kind == N_UNARY && n->op >= OP_PREINC);
}

static void change_examine(struct duration_search *x, const struct node *n)
{
	uint64_t unit;

	if (!is_change(n) || !n->a || n->a->kind != N_VAR || n->a->var != x->var)
		return;
	if (n->kind != N_ASSIGN || (n->op != OP_NONE && n->op != OP_ADD)) {
		x->other = true;
	} else if (!is_zero(n->b)) {
		unit = unit_of(x->work, n->b);
		x->other |= !unit || (x->unit && unit != x->unit);
		x->unit = unit;
	}
}

static void node_examine(struct duration_search *x, const struct node *n)
{
	if (!n || x->other)
		return;
	x->other = ++x->work->nodes > MOST_NODES;
	change_examine(x, n);
	node_examine(x, n->a);
	node_examine(x, n->b);
	node_examine(x, n->c);
	for (unsigned i = 0; i < n->nargs; i++)
		node_examine(x, n->args[i]);
}

static void stmts_examine(struct duration_search *x, const struct stmt *s)
{
	for (; s; s = s->next) {
		node_examine(x, s->expr);
		node_examine(x, s->call);
		stmts_examine(x, s->yes);
		stmts_examine(x, s->no);
	}
}

static uint64_t unit_of_variable(struct duration_work *w, const struct var *v)
{
	struct duration_search x = { .work = w, .var = v };

	if (v->cls == VC_BUILTIN || v->nkeys || v->is_array || v->reached)
		return 0;
	for (const struct clause *c = w->script->clauses; c; c = c->next) {
		node_examine(&x, c->pred);
		stmts_examine(&x, c->body);
	}
	return x.other ? 0 : x.unit;
}

/* ---- expressions ---- */

static uint64_t unit_of_binary(struct duration_work *w, const struct node *n)
{
	uint64_t a;

	if (n->op == OP_SUB && (is_time(n->a) || is_time(n->b)))
		return 1;
	if (n->op != OP_ADD && n->op != OP_SUB && n->op != OP_DIV)
		return 0;
	a = unit_of(w, n->a);
	if (n->op == OP_DIV)
		return n->b->kind == N_INT && n->b->value < UINT32_MAX && a < UINT32_MAX ? a * n->b->value : 0;
	return a && a == unit_of(w, n->b) ? a : 0;
}

static uint64_t unit_of(struct duration_work *w, const struct node *n)
{
	uint64_t unit = 0;

	n = cast_operand(n);
	if (w->depth == MOST_DEPTH)
		return 0;
	w->depth++;
	if (n->kind == N_VAR)
		unit = unit_of_variable(w, n->var);
	else if (n->kind == N_BINARY)
		unit = unit_of_binary(w, n);
	w->depth--;
	return unit;
}

uint64_t duration_unit(const struct script *s, const struct node *n)
{
	struct duration_work work = { .script = s };

	return unit_of(&work, n);
}
