/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Decides whether a clause's actions or its predicate are checked first. An assignment declares a variable, and nothing
 * checked before it can use the variable. Actions go first, because most clauses assign there what their predicate
 * tests. The predicate goes first if it declares a variable that the actions would otherwise use too early:
 *
 *	/ x++ / { trace(x); }
 */
#include "lang/check/pred.h"

#include "lang/check/checker.h"
#include "lang/check/name.h"
#include "lang/prelude.h"

struct order {
	struct checker *ck;
	struct map made;	/* variables that the predicate declares */
	struct map known;	/* of these, the ones that the actions have declared so far */
	struct map inlines;	/* struct inline_def *: visited already */
	bool actions, early;	/* the actions are being visited; they use a variable too early */
};

static const char *name_of(const struct order *o, const struct node *n)
{
	return arena_printf(o->ck->a, "%c%s", n->scope ? n->scope : 'g', n->str);
}

/* Records an assignment to this name. */
static void note_declared(struct order *o, const struct node *name)
{
	const struct var *v;

	if (name->kind != N_IDENT || name->scope == '`')
		return;
	v = check_find_var(o->ck, name);
	if (!v || !v->type)
		map_sets(o->actions ? &o->known : &o->made, name_of(o, name), o);
}

static void visit_names(struct order *o, const struct node *n);

static void note_used(struct order *o, const struct node *name)
{
	const struct inline_def *def = name->scope ? NULL : inline_find(o->ck->c, name->str);
	void **seen = def ? map_put(&o->inlines, &def, sizeof def) : NULL;

	if (seen && !*seen) {
		*seen = o;
		visit_names(o, def->expr);
	} else if (!def && o->actions) {
		o->early |= map_gets(&o->made, name_of(o, name)) && !map_gets(&o->known, name_of(o, name));
	}
}

/* Visits names in the order of the checker: a value before the variable that it is assigned to. */
static void visit_names(struct order *o, const struct node *n)
{
	bool writes = n && (n->kind == N_ASSIGN || node_is_step(n));
	const struct node *name = writes && n->a->kind == N_INDEX ? n->a->a : n ? n->a : NULL;

	if (!n || !check_deeper(o->ck, n->loc))
		return;
	if (n->kind == N_IDENT)
		note_used(o, n);
	if (n->kind == N_ASSIGN)
		visit_names(o, n->b);
	for (unsigned i = 0; writes && i < n->a->nargs; i++)
		visit_names(o, n->a->args[i]);
	if (writes)
		note_declared(o, name);
	visit_names(o, writes ? name : n->a);
	visit_names(o, n->kind == N_ASSIGN ? NULL : n->b);
	visit_names(o, n->c);
	for (unsigned i = 0; i < n->nargs; i++)
		visit_names(o, n->args[i]);
	o->ck->depth--;
}

static void visit_statements(struct order *o, const struct stmt *s)
{
	for (; s && !o->early; s = s->next) {
		visit_names(o, s->expr);
		visit_names(o, s->call);
		visit_statements(o, s->yes);
		visit_statements(o, s->no);
	}
}

bool check_predicate_first(struct checker *ck, const struct clause *c)
{
	struct order o = { .ck = ck };

	map_init(&o.made, ck->a);
	map_init(&o.known, ck->a);
	map_init(&o.inlines, ck->a);
	visit_names(&o, c->pred);
	if (!o.made.n)
		return false;
	map_init(&o.inlines, ck->a);
	o.actions = true;
	visit_statements(&o, c->body);
	return o.early;
}

/* ---- arrays of later clauses ---- */

/*
 * A predicate may test an element of an array that only a later clause assigns:
 *
 *	io:::start /!pending[args[1]->dev_statname]/ { ... }
 *	io:::start { pending[args[1]->dev_statname]++; }
 *
 * Then the later clause is checked first, because it determines the type.
 */
struct awaited {
	struct order o;
	struct clause *clause;
	const char *name;	/* an array that the predicate uses and only a later clause declares; NULL: none */
};

/* Collects in o->made the variables that a clause declares. */
static void find_declared(struct order *o, const struct clause *c)
{
	map_init(&o->made, o->ck->a);
	map_init(&o->inlines, o->ck->a);
	visit_names(o, c->pred);
	visit_statements(o, c->body);
}

/* By the name of a variable, the last clause that declares it, of those from c on. None of them was checked yet. */
static const struct map *last_declared(struct checker *ck, struct clause *c)
{
	struct order o = { .ck = ck };

	if (ck->declared)
		return ck->declared;
	ck->declared = arena_alloc(ck->a, sizeof *ck->declared);
	map_init(ck->declared, ck->a);
	for (; c; c = c->next) {
		find_declared(&o, c);
		for (size_t i = 0; i < o.made.n; i++)
			*map_put(ck->declared, o.made.entries[i].key, o.made.entries[i].len) = c;
	}
	return ck->declared;
}

/* Is it an array that only later clauses declare? */
static bool is_later(struct awaited *x, const struct node *name)
{
	const struct var *v;
	const struct clause *last;

	if (name->kind != N_IDENT || name->scope == '`')
		return false;
	v = check_find_var(x->o.ck, name);
	last = v && v->type ? NULL : map_gets(last_declared(x->o.ck, x->clause), name_of(&x->o, name));
	return last && last->index > x->clause->index;
}

static void find_awaited(struct awaited *x, const struct node *n)
{
	if (!n || x->name || !check_deeper(x->o.ck, n->loc))
		return;
	if (n->kind == N_INDEX && is_later(x, n->a))
		x->name = name_of(&x->o, n->a);
	find_awaited(x, n->a);
	find_awaited(x, n->b);
	find_awaited(x, n->c);
	for (unsigned i = 0; i < n->nargs; i++)
		find_awaited(x, n->args[i]);
	x->o.ck->depth--;
}

bool check_waits(struct checker *ck, struct clause *c)
{
	struct awaited x = { .o = { .ck = ck }, .clause = c };

	find_awaited(&x, c->pred);
	if (!x.name)
		return false;
	find_declared(&x.o, c);
	return !map_gets(&x.o.made, x.name);
}
