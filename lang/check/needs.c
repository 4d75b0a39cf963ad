/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "lang/check/needs.h"

#include <string.h>

struct needs {
	const struct script *script;
	struct map seen;		/* inlines */
	bool types;
};

static bool is_one_of(const char *name, const char *const *names)
{
	while (*names && strcmp(name, *names))
		names++;
	return *names;
}

/* Names of types are not here: the parser has already looked for them (types.own_used). */
static bool name_needs_types(const struct node *n)
{
	static const char *const variables[] = {
		"cgroup", "cgroupid", "container", "curcpu", "curlwpsinfo", "curproc", "curpsinfo", "curthread", "cwd",
		"execargs", "fds", "image", "pod", "ppid", "root", "vtimestamp", "zonename", NULL,
	};
	static const char *const kernel[] = { "mpid", "utsname", NULL };	/* after ` */
	static const char *const functions[] = { "_id", "d_path", "progenyof", NULL };

	if (n->kind == N_CALL)
		return n->str && is_one_of(n->str, functions);
	return n->kind == N_IDENT && (!n->scope || n->scope == '`') && is_one_of(n->str, n->scope ? kernel : variables);
}

static void visit_node(struct needs *w, const struct node *n);

/* A script can define an inline with the name of a variable. */
static bool visit_inline(struct needs *w, const struct node *n)
{
	const struct inline_def *def = n->kind == N_IDENT && !n->scope ? map_gets(&w->script->inlines, n->str) : NULL;

	if (def && !map_gets(&w->seen, n->str)) {
		map_sets(&w->seen, n->str, (void *)(uintptr_t)def);
		visit_node(w, def->expr);
	}
	return def;
}

static void visit_node(struct needs *w, const struct node *n)
{
	if (!n || w->types)
		return;
	if (!visit_inline(w, n))
		w->types = name_needs_types(n);
	visit_node(w, n->a);
	visit_node(w, n->b);
	visit_node(w, n->c);
	for (unsigned i = 0; i < n->nargs; i++)
		visit_node(w, n->args[i]);
}

static void visit_stmts(struct needs *w, const struct stmt *s)
{
	for (; s; s = s->next) {
		visit_node(w, s->expr);
		visit_node(w, s->call);
		if (s->kind != S_IF)
			continue;
		visit_stmts(w, s->yes);
		visit_stmts(w, s->no);
	}
}

bool needs_kernel_types(const struct compiler *c)
{
	struct needs w = { .script = c->script, .types = c->types.own_used };

	map_init(&w.seen, c->arena);
	for (const struct clause *cl = c->script->clauses; cl; cl = cl->next) {
		visit_node(&w, cl->pred);
		visit_stmts(&w, cl->body);
	}
	return w.types;
}

static bool is_timer(const struct probe_spec *s)
{
	return !strncmp(s->name, "profile-", 8) || !strncmp(s->name, "tick-", 5);
}

/* A pattern may mean other probes, too. */
static bool is_clock(const struct probe_spec *s)
{
	static const char *const providers[] = { "", "dtrace", "profile", NULL };
	static const char *const once[] = { "BEGIN", "END", "ERROR", NULL };

	if (s->id || *s->mod || *s->func || !is_one_of(s->prov, providers))
		return false;
	return is_one_of(s->name, once) || is_timer(s);
}

bool needs_only_clocks(const struct compiler *c)
{
	for (const struct clause *cl = c->script->clauses; cl; cl = cl->next)
		for (size_t i = 0; i < cl->specs.n; i++)
			if (!is_clock(&cl->specs.v[i]))
				return false;
	return true;
}

bool needs_timers(const struct compiler *c)
{
	for (const struct clause *cl = c->script->clauses; cl; cl = cl->next)
		for (size_t i = 0; i < cl->specs.n; i++)
			if (is_timer(&cl->specs.v[i]))
				return true;
	return false;
}
