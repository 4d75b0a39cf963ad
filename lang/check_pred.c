/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Which is checked first, a clause's actions or its predicate? An assignment declares a variable, and what is checked
 * before it cannot use the variable. Actions go first, because most clauses assign there what their predicate tests.
 * The predicate goes first if it declares a variable that the actions would otherwise use too early: / x++ / {
 * trace(x); }.
 */
#include "lang/check_names.h"

struct order {
	struct checker *ck;
	struct map made;	/* variables that the predicate declares */
	struct map known;	/* those of them that the actions have declared so far */
	struct map inlines;	/* struct inline_def *: looked through already */
	bool actions, early;	/* an action uses what it does not know yet */
};

static const char *name_of(const struct order *o, const struct node *n)
{
	return arena_printf(o->ck->a, "%c%s", n->scope ? n->scope : 'g', n->str);
}

/* An assignment to this name. */
static void declares(struct order *o, const struct node *name)
{
	const struct var *v;

	if (name->kind != N_IDENT || name->scope == '`')
		return;
	v = check_find_var(o->ck, name, false);
	if (!v || !v->type)
		map_sets(o->actions ? &o->known : &o->made, name_of(o, name), o);
}

static void look(struct order *o, const struct node *n);

static void uses(struct order *o, const struct node *name)
{
	const struct inline_def *def = name->scope ? NULL : map_gets(&o->ck->s->inlines, name->str);
	void **seen = def ? map_put(&o->inlines, &def, sizeof def) : NULL;

	if (seen && !*seen) {
		*seen = o;
		look(o, def->expr);
	} else if (!def && o->actions) {
		o->early |= map_gets(&o->made, name_of(o, name)) && !map_gets(&o->known, name_of(o, name));
	}
}

static bool is_step(const struct node *n)
{
	return n->kind == N_UNARY && n->op >= OP_PREINC;
}

/* Names in the order in which the checker meets them: a value before the variable that it is assigned to. */
static void look(struct order *o, const struct node *n)
{
	bool writes = n && (n->kind == N_ASSIGN || is_step(n));
	const struct node *name = writes && n->a->kind == N_INDEX ? n->a->a : n ? n->a : NULL;

	if (!n || !check_deeper(o->ck, n->loc))
		return;
	if (n->kind == N_IDENT)
		uses(o, n);
	if (n->kind == N_ASSIGN)
		look(o, n->b);
	for (unsigned i = 0; writes && i < n->a->nargs; i++)
		look(o, n->a->args[i]);
	if (writes)
		declares(o, name);
	look(o, writes ? name : n->a);
	look(o, n->kind == N_ASSIGN ? NULL : n->b);
	look(o, n->c);
	for (unsigned i = 0; i < n->nargs; i++)
		look(o, n->args[i]);
	o->ck->depth--;
}

static void look_through(struct order *o, const struct stmt *s)
{
	for (; s && !o->early; s = s->next) {
		look(o, s->expr);
		look(o, s->call);
		look_through(o, s->yes);
		look_through(o, s->no);
	}
}

bool check_predicate_first(struct checker *ck, const struct clause *c)
{
	struct order o = { .ck = ck };

	map_init(&o.made, ck->a);
	map_init(&o.known, ck->a);
	map_init(&o.inlines, ck->a);
	look(&o, c->pred);
	if (!o.made.n)
		return false;
	map_init(&o.inlines, ck->a);
	o.actions = true;
	look_through(&o, c->body);
	return o.early;
}
