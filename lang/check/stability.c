/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "lang/check/stability.h"

const struct attr stability_most = { ST_STANDARD, ST_STANDARD, SC_COMMON };
/* The stability of D's own features. */
static const struct attr d_stable = { ST_STABLE, ST_STABLE, SC_COMMON };

struct attr stability_min(struct attr a, struct attr b)
{
	return (struct attr){
		.name = a.name < b.name ? a.name : b.name,
		.data = a.data < b.data ? a.data : b.data,
		.class = a.class < b.class ? a.class : b.class,
	};
}

struct attr stability_probe(const struct probe *p)
{
	const struct provider_attr *pa = p->prov->attr;
	struct attr a = pa->provider;

	if (*p->mod)
		a = stability_min(a, pa->module);
	if (*p->func)
		a = stability_min(a, pa->function);
	if (*p->name)
		a = stability_min(a, pa->probename);
	return a;
}

/* ---- what a clause depends on ---- */
struct user {
	const struct probe *probe;		/* probe of the clause */
	struct compiler *check;			/* reports anything less stable than amin; NULL: no reports */
};

/* arg0 ... args[] are as stable as their provider declares. */
static struct attr builtin_attr(enum builtin b, const struct probe *p)
{
	if (b == BI_NONE)
		return stability_most;
	if (((b >= BI_arg0 && b <= BI_arg9) || b == BI_args) && p->prov->attr)
		return p->prov->attr->args;
	return b == BI_curthread ? (struct attr){ ST_STABLE, ST_PRIVATE, SC_COMMON } : d_stable;
}

static void check_least(struct compiler *c, struct loc loc, const char *what, struct attr a)
{
	struct attr amin;

	if (stability_parse(c->opts.amin, &amin) &&
	    (a.name < amin.name || a.data < amin.data || a.class < amin.class))
		diag(c->diags, loc, D_ATTR_MIN, "attributes for %s (%s/%s/%s) are less than predefined minimum", what,
		     stability_name(a.name), stability_name(a.data), stability_class_name(a.class));
}

static struct attr node_attr(const struct node *n, const struct user *u)
{
	struct attr a = stability_most;

	if (!n)
		return a;
	/* uses in the translators of the prelude do not count */
	if (n->kind == N_VAR && n->var && n->var->cls == VC_BUILTIN && loc_origin(n->loc) != FROM_PRELUDE) {
		a = builtin_attr(n->var->builtin, u->probe);
		if (u->check)
			check_least(u->check, n->loc, n->var->name, a);
	}
	a = stability_min(a, node_attr(n->a, u));
	a = stability_min(a, node_attr(n->b, u));
	a = stability_min(a, node_attr(n->c, u));
	for (unsigned i = 0; i < n->nargs; i++)
		a = stability_min(a, node_attr(n->args[i], u));
	return a;
}

static struct attr stmts_attr(const struct stmt *s, const struct user *u)
{
	struct attr a = d_stable;

	for (; s; s = s->next) {
		a = stability_min(a, stability_min(node_attr(s->expr, u), node_attr(s->call, u)));
		if (s->kind == S_IF)
			a = stability_min(a, stability_min(stmts_attr(s->yes, u), stmts_attr(s->no, u)));
	}
	return a;
}

static struct attr clause_attr(const struct clause *c, const struct user *u)
{
	return stability_min(node_attr(c->pred, u), stmts_attr(c->body, u));
}

struct attr stability_clause(const struct clause *cl, const struct probe *p)
{
	return clause_attr(cl, &(struct user){ .probe = p });
}

/* Checks a clause once for each of its providers, because their arguments may differ in stability. */
static void check_clause(struct compiler *c, const struct clause *cl)
{
	struct user u = { .check = c };
	const struct provider *last = NULL;

	for (size_t i = 0; i < cl->probes.n; i++) {
		const struct probe *p = cl->probes.v[i];

		if (p->prov == last)
			continue;
		last = p->prov;
		u.probe = p;
		if (p->prov->attr)
			check_least(c, cl->loc, arena_printf(c->arena, "%s:%s:%s:%s", p->provname, p->mod, p->func,
							     p->name),
				    stability_probe(p));
		clause_attr(cl, &u);
	}
}

void stability_check(struct compiler *c)
{
	for (const struct clause *cl = c->script->clauses; c->opts.amin && cl; cl = cl->next)
		if (loc_origin(cl->loc) != FROM_PRELUDE)
			check_clause(c, cl);
}
