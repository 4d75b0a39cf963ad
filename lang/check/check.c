/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Stage 3: clauses and statements. */
#include "lang/check/check.h"

#include <string.h>

#include "lang/check/agg.h"
#include "lang/check/args.h"
#include "lang/check/call.h"
#include "lang/check/checker.h"
#include "lang/check/conv.h"
#include "lang/check/decl.h"
#include "lang/check/doubt.h"
#include "lang/check/key.h"
#include "lang/check/pred.h"
#include "lang/check/stability.h"
#include "lang/check/var.h"
#include "lang/check/widen.h"
#include "lang/func.h"
#include "lang/syntax/pragma.h"

/* ---- statements ---- */
bool node_has_effect(const struct node *n)
{
	bool found;

	if (!n)
		return false;
	found = n->kind == N_ASSIGN || n->kind == N_CALL || node_is_step(n) ||
		node_has_effect(n->a) || node_has_effect(n->b) || node_has_effect(n->c);
	for (unsigned i = 0; i < n->nargs && !found; i++)
		found = node_has_effect(n->args[i]);
	return found;
}

bool node_is_repeatable(const struct node *n)
{
	const struct func *f = n && n->kind == N_CALL ? func_find(n->str) : NULL;
	bool same;

	if (!n)
		return true;
	same = n->kind != N_ASSIGN && !node_is_step(n) &&
		(n->kind != N_CALL || (f && f->effect == FUNC_PURE)) &&
		node_is_repeatable(n->a) && node_is_repeatable(n->b) && node_is_repeatable(n->c);
	for (unsigned i = 0; i < n->nargs && same; i++)
		same = node_is_repeatable(n->args[i]);
	return same;
}

/* True if a checked expression reads memory. The read can fault, so it has an effect even if its value is unused. */
static bool reads_memory(const struct node *n)
{
	return n && (n->kind == N_DEREF || n->kind == N_MEMBER || reads_memory(n->a) || reads_memory(n->b) ||
		     reads_memory(n->c));
}

static void check_effect(struct checker *ck, struct stmt *s)
{
	bool effect = node_has_effect(s->expr);
	const char *name;

	if (s->expr->kind == N_AGG) {
		name = agg_text(ck, s->expr->str);
		if (check_expr(ck, &s->expr))
			check_fail(ck, s->expr->loc, D_AGG_NULL,
				   "expression has null effect: %s (%s = count() aggregates)", name, name);
	} else if (call_is_action(s->expr)) {
		check_action(ck, s->expr);
	} else if (check_discarded(ck, &s->expr) && check_computes(ck, s->expr) && !effect && !s->chosen &&
		   !reads_memory(s->expr)) {
		diag_warn(ck->d, s->loc, D_EXPR_NULL, "expression has null effect");
	}
}

static void check_statements(struct checker *ck, struct stmt *s)
{
	if (!s || !check_deeper(ck, s->loc))
		return;
	for (; s && !compile_full(ck->c, s->loc); s = s->next) {
		s->action = ++ck->action;
		if (s->kind == S_AGG) {
			check_agg(ck, s);
		} else if (s->kind == S_EXPR) {
			check_effect(ck, s);
		} else {
			check_condition(ck, s->expr);
			check_scalar(ck, &s->expr, D_OP_SCALAR, "the condition of an if must be of scalar type");
			check_statements(ck, s->yes);
			check_statements(ck, s->no);
		}
	}
	ck->depth--;
}

/* ---- clauses ---- */
static void find_providers(struct checker *ck, const struct clause *c)
{
	ck->own = NULL;
	ck->in_other = false;
	for (size_t i = 0; i < c->probes.n; i++) {
		const struct provider *p = c->probes.v[i]->prov;

		if (p->firing && p->firing->self_option && !ck->own)
			ck->own = p;
		ck->in_other |= p != ck->own;
	}
}

static void check_predicate(struct checker *ck, struct clause *c)
{
	size_t before = ck->d->nerrors;
	const struct node *pred = c->pred;

	ck->in_predicate = true;
	/* an assignment that failed was reported already */
	if (check_scalar(ck, &c->pred, D_PRED_SCALAR, "predicate result must be of scalar type") &&
	    ck->d->nerrors == before)
		check_condition(ck, pred);
	ck->in_predicate = false;
}

static void check_clause(struct checker *ck, struct clause *c)
{
	bool pred_first = c->pred && check_predicate_first(ck, c);

	find_providers(ck, c);
	ck->clause = c;
	for (int turn = 0; turn < 2; turn++) {
		ck->action = 0;
		ck->commits = ck->speculates = ck->records = false;
		if (pred_first == (turn == 1))
			check_statements(ck, c->body);
		else if (c->pred)
			check_predicate(ck, c);
	}
}

/* Checks those clauses that need to wait no longer. */
static void check_waiting(struct checker *ck)
{
	size_t kept = 0;

	for (size_t i = 0; i < ck->waiting.n; i++) {
		struct clause *c = ck->waiting.v[i];

		if (check_waits(ck, c))
			ck->waiting.v[kept++] = c;
		else
			check_clause(ck, c);
	}
	ck->waiting.n = kept;
}

void check_init(struct checker *ck)
{
	map_init(&ck->shapes, ck->a);
	map_init(&ck->inlines, ck->a);
	map_init(&ck->ksyms, ck->a);
	map_init(&ck->tls, ck->a);
	map_init(&ck->wide, ck->a);
	map_init(&ck->doubts, ck->a);
	map_init(&ck->elsewhere, ck->a);
	map_init(&ck->reported, ck->a);
}

int lang_check(struct compiler *c)
{
	struct checker ck = {
		.c = c, .t = &c->types, .d = c->diags, .a = c->arena, .s = c->script,
	};
	size_t before = c->diags->nerrors, first = c->diags->list.n;

	check_init(&ck);
	check_declared(&ck);
	check_widen(&ck);
	/* in their order, except those that wait for later ones */
	for (struct clause *k = c->script->clauses; k; k = k->next) {
		if (check_waits(&ck, k)) {
			*VEC_ADD(ck.a, &ck.waiting) = k;
		} else {
			check_clause(&ck, k);
			check_waiting(&ck);
		}
	}
	for (size_t i = 0; i < ck.waiting.n; i++)
		check_clause(&ck, ck.waiting.v[i]);
	check_sites(&ck);
	check_shapes(&ck);
	check_tls(&ck);
	pragma_check_named(c);
	if (c->diags->nerrors == before)
		stability_check(c);
	diags_sort(c->diags, first);
	return c->diags->nerrors == before ? 0 : -1;
}
