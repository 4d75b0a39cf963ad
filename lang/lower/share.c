/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Aggregations that share rows. The lookup is the main cost of an update of a keyed aggregation. If a script updates
 * several aggregations with the same keys in succession, and nowhere else,
 *
 *	@n[execname] = count(); @avg[execname] = avg(x);
 *
 * they share one table, and one lookup finds a row with all their values. Each aggregation is still read, sorted and
 * printed separately. One that is cleared or truncated has separate rows. So has one whose value may fault, because a
 * fault must not create a row.
 */
#include "lang/lower/share.h"

#include <string.h>

#include "lang/lower/cells.h"
#include "lang/lower/lower.h"

/* A set of aggregations; broken if any run of statements contains only some of them. */
struct share_group {
	struct share_group *next;
	unsigned n;
	bool broken;
	const struct agg_desc *first;	/* owner of the shared object; size of the space allotted in it */
	uint32_t size;
};

struct sharer {
	struct arena *a;
	struct share_group **of;	/* indexed by agg_desc id */
	struct share_group *groups;
};

/* ---- expressions ---- */
/* Built-in variables that cannot fault. */
static bool is_plain(const struct var *v)
{
	static const bool plain[BI_COUNT] = {
		[BI_arg0] = true, [BI_arg1] = true, [BI_arg2] = true, [BI_arg3] = true, [BI_arg4] = true,
		[BI_arg5] = true, [BI_arg6] = true, [BI_arg7] = true, [BI_arg8] = true, [BI_arg9] = true,
		[BI_cpu] = true, [BI_pid] = true, [BI_tid] = true, [BI_timestamp] = true, [BI_uid] = true,
		[BI_gid] = true,
	};

	return v->cls != VC_BUILTIN || plain[v->builtin];
}

enum steady_use { USE_KEY, USE_VALUE };

/* True if the expression has the same value anywhere in the run. A value must also be unable to fault. */
static bool is_steady(const struct node *n, enum steady_use use)
{
	bool memory = n->kind == N_MEMBER || n->kind == N_DEREF || (n->kind == N_CAST && type_is_string(n->type));
	bool value = use == USE_VALUE;
	bool steady = n->kind != N_ASSIGN && n->kind != N_CALL && n->kind != N_INDEX &&
		      !node_is_step(n) &&
		      !(value && n->kind == N_VAR && !is_plain(n->var)) &&
		      !(value && (memory || n->op == OP_DIV || n->op == OP_MOD));
	struct node *const below[] = { n->a, n->b, n->c };

	for (int i = 0; i < 3 && steady; i++)
		steady = !below[i] || is_steady(below[i], use);
	return steady;
}

static bool is_same(const struct node *a, const struct node *b)
{
	if (!a || !b)
		return a == b;
	if (a->kind != b->kind || a->op != b->op || !type_same(a->type, b->type) || a->type->size != b->type->size ||
	    a->value != b->value || a->len != b->len || a->var != b->var || a->arrow != b->arrow ||
	    a->bitoff != b->bitoff || a->bits != b->bits)
		return false;
	if (a->kind == N_STR && memcmp(a->str, b->str, a->len))
		return false;
	return is_same(a->a, b->a) && is_same(a->b, b->b) && is_same(a->c, b->c);
}

/* ---- runs ---- */
static bool may_share(const struct stmt *s)
{
	const struct agg_desc *d = s->expr->agg;

	if (!d->keysize || d->cleared)
		return false;
	for (unsigned i = 0; i < s->call->nargs; i++)
		if (!is_steady(s->call->args[i], USE_VALUE))
			return false;
	for (unsigned i = 0; i < d->nkeys; i++)
		if (!is_steady(s->expr->args[i], USE_KEY))
			return false;
	return true;
}

static bool same_key(const struct node *a, const struct node *b)
{
	if (a->agg->nkeys != b->agg->nkeys || a->agg->keysize != b->agg->keysize)
		return false;
	for (unsigned i = 0; i < a->agg->nkeys; i++) {
		const struct val_field *f = &a->agg->key[i], *g = &b->agg->key[i];

		if (f->off != g->off || f->size != g->size || f->kind != g->kind || !is_same(a->args[i], b->args[i]))
			return false;
	}
	return true;
}

/* The first statement after the run that begins with `first`. */
static struct stmt *run_end(const struct stmt *first)
{
	struct stmt *s = first->next;

	if (!may_share(first))
		return s;
	for (; s && s->kind == S_AGG && may_share(s) && same_key(first->expr, s->expr); s = s->next)
		for (const struct stmt *t = first; t != s; t = t->next)
			if (t->expr->agg == s->expr->agg)
				return s;
	return s;
}

static struct share_group *group_new(struct sharer *sh)
{
	struct share_group *g = arena_alloc(sh->a, sizeof *g);

	g->next = sh->groups;
	sh->groups = g;
	return g;
}

static void note_run(struct sharer *sh, const struct stmt *first, const struct stmt *end)
{
	struct share_group *group = sh->of[first->expr->agg->id];
	bool known = group;
	unsigned length = 0, members = 0;

	if (!known)
		group = group_new(sh);
	for (const struct stmt *s = first; s != end; s = s->next, length++) {
		struct share_group **of = &sh->of[s->expr->agg->id];

		members += *of == group;
		if (*of && *of != group)
			(*of)->broken = group->broken = true;
		else if (!*of && known)
			group->broken = true;
		if (!*of)
			*of = group;
	}
	if (known && members != group->n)
		group->broken = true;
	if (!known)
		group->n = length;
	if (!may_share(first))
		group->broken = true;
}

static void note_statements(struct sharer *sh, const struct stmt *s)
{
	while (s) {
		const struct stmt *end = s->kind == S_AGG ? run_end(s) : s->next;

		if (s->kind == S_AGG)
			note_run(sh, s, end);
		if (s->kind == S_IF) {
			note_statements(sh, s->yes);
			note_statements(sh, s->no);
		}
		s = end;
	}
}

/* Marks all statements of a run but the first. */
static void mark_statements(struct sharer *sh, struct stmt *s)
{
	while (s) {
		struct stmt *end = s->kind == S_AGG ? run_end(s) : s->next;

		if (s->kind == S_AGG && !sh->of[s->expr->agg->id]->broken)
			for (struct stmt *t = s->next; t != end; t = t->next)
				t->shares = true;
		if (s->kind == S_IF) {
			mark_statements(sh, s->yes);
			mark_statements(sh, s->no);
		}
		s = end;
	}
}

/* ---- objects ---- */
/* True if the aggregation must be emptied while the session runs: it is cleared, or its keys may have user stacks that
 * user space unwinds. Each of these has a row of its own until the aggregation is read. */
static bool needs_generations(const struct lower *l, const struct agg_desc *d)
{
	bool unwound = false;

	for (unsigned i = 0; i < d->nkeys; i++)
		unwound |= d->raw[i].kind == VAL_USTACK;
	return d->cleared || (unwound && l->c->env.tables);
}

static void add_object(struct lower *l, struct agg_desc *d, uint32_t size)
{
	d->cells = cells_find(l, d, size);
	d->generations = needs_generations(l, d);
	d->obj = ir_obj_add(l->ir, &(struct ir_obj){
		.name = arena_printf(l->arena, "@%s", strcmp(d->name, "_") ? d->name : ""), .kind = IR_O_AGG,
		.size = size, .keysize = d->cells ? 8 : d->rawsize, .cells = d->cells ? d->cells->n : 0,
		.generations = d->generations, .tag = d->id,
	});
}

static uint32_t group_size(const struct sharer *sh, const struct lower *l, const struct share_group *g)
{
	uint32_t size = 0;

	for (size_t i = 0; i < l->c->script->agglist.n; i++)
		if (sh->of[i] == g)
			size += l->c->script->agglist.v[i]->valsize;
	return size;
}

static void place_aggregation(struct sharer *sh, struct lower *l, struct agg_desc *d)
{
	struct share_group *g = sh->of[d->id];

	if (!g || g->broken || g->n < 2) {
		add_object(l, d, d->valsize);
		return;
	}
	if (!g->first) {
		add_object(l, d, group_size(sh, l, g));
		g->first = d;
	}
	d->obj = g->first->obj;
	d->cells = g->first->cells;
	d->valoff = g->size;
	g->size += d->valsize;
}

void lower_agg_objects(struct lower *l)
{
	struct script *s = l->c->script;
	struct sharer sh = { .a = l->arena, .of = arena_calloc(l->arena, s->agglist.n + 1, sizeof *sh.of) };

	cells_note(l);
	for (const struct clause *c = s->clauses; c; c = c->next)
		note_statements(&sh, c->body);
	for (struct clause *c = s->clauses; c; c = c->next)
		mark_statements(&sh, c->body);
	for (size_t i = 0; i < s->agglist.n; i++) {
		struct agg_desc *d = s->agglist.v[i];

		if (d->keysize > LOWER_MAXREC)
			diag(l->diags, d->loc, D_LIMIT, "the key of @%s is above the limit of %d bytes", d->name,
			     LOWER_MAXREC);
		else
			place_aggregation(&sh, l, d);
	}
}
