/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Records: the recording actions of a clause and the layout of its record. */
#include "lang/func.h"
#include "lang/lower_clauses.h"

/* Which actions record their arguments, and whether a format may precede them. */
static const struct {
	bool values, format;
} shape[ACT_COUNT] = {
	[ACT_SHOW] = { true, false },
	[ACT_TRACE] = { true, false },
	[ACT_TRACEMEM] = { true, false },
	[ACT_PRINTF] = { true, true },
	[ACT_PRINTA] = { false, true },
	[ACT_PRINT] = { true, false },
	[ACT_SYSTEM] = { true, true },
	[ACT_FREOPEN] = { true, true },
	[ACT_SETOPT] = { true, false },
	[ACT_EXIT] = { true, false },
	[ACT_TRUNC] = { true, false },
	[ACT_NORMALIZE] = { true, false },
};

/* One branch of an if. Its actions share a bit: either all of them run or none. */
struct branch {
	uint32_t bit;		/* 0: no recording action so far */
};

struct layout {
	struct lower *l;
	struct clause_info *ci;
	uint32_t off;
	bool full;		/* the limit was already reported */
};

/* A constant or a choice of two, but not a value at a constant address. */
static bool is_literal(const struct node *n)
{
	if (n->kind == N_COND)
		return is_literal(n->b) && is_literal(n->c);
	if (n->kind == N_CAST)
		return (type_is_int(n->type) || n->a->kind == N_STR) && is_literal(n->a);
	return n->kind == N_STR || (n->kind == N_INT && type_is_int(n->type));
}

/* A built-in variable or a path; cwd is a choice of a path and a constant. */
static bool is_name(const struct node *n)
{
	while (n->kind == N_CAST)
		n = n->a;
	if (n->kind == N_COND)
		return (is_name(n->b) || is_literal(n->b)) && (is_name(n->c) || is_literal(n->c));
	return (n->kind == N_VAR && n->var->cls == VC_BUILTIN) ||
	       (n->kind == N_CALL && n->func && n->func->string == func_d_path);
}

static uint8_t arg_origin(const struct node *n)
{
	return is_literal(n) ? VAL_LITERAL : is_name(n) ? VAL_NAME : VAL_DATA;
}

static void add_field(struct layout *la, struct rec_act *a, const struct node *arg)
{
	if (la->full)
		return;
	a->fields[a->nfields] = type_field(arg->type, la->l->strsize, &la->off);
	a->fields[a->nfields++].origin = arg_origin(arg);
	if (la->off <= LOWER_MAXREC)
		return;
	la->full = true;
	diag(la->l->diags, arg->loc, D_LIMIT, "the clause records more than the limit of %d bytes", LOWER_MAXREC);
}

static void add_args(struct layout *la, struct rec_act *a, const struct node *call)
{
	unsigned first = shape[call->act].format && call->fmt;

	a->fields = arena_calloc(la->l->arena, call->nargs + 1, sizeof *a->fields);
	a->aggs = arena_calloc(la->l->arena, call->nargs + 1, sizeof *a->aggs);
	for (unsigned i = first; i < call->nargs; i++) {
		if (call->args[i]->kind == N_AGG)
			a->aggs[a->naggs++] = call->args[i]->agg;
		else if (shape[call->act].values)
			add_field(la, a, call->args[i]);
	}
}

/* The bit of the branch, assigned with its first recording action; 0 outside of all ifs. */
static uint32_t branch_bit(struct layout *la, struct branch *b, struct loc loc)
{
	if (!b || b->bit)
		return b ? b->bit : 0;
	if (la->ci->branches == LOWER_MAXBRANCHES) {
		if (!la->full)
			diag(la->l->diags, loc, D_LIMIT, "more than %d branches of one clause record data",
			     LOWER_MAXBRANCHES);
		la->full = true;
		return 0;
	}
	return b->bit = 1u << la->ci->branches++;
}

static void add_act(struct layout *la, const struct stmt *s, struct branch *b)
{
	const struct node *call = s->expr;
	struct rec_act *a = VEC_ADD(la->l->arena, &la->ci->acts);

	*a = (struct rec_act){ .act = call->act, .fmt = call->fmt, .shown = call->shown, .loc = call->loc,
		.action = s->action,
			       .branch = branch_bit(la, b, s->loc) };
	la->ci->always |= !b;
	la->ci->exits |= call->act == ACT_EXIT;
	add_args(la, a, call);
}

static void walk(struct layout *la, const struct stmt *s, struct branch *b)
{
	struct branch yes = { 0 }, no = { 0 };

	for (; s; s = s->next) {
		if (s->kind == S_EXPR && s->expr->act && action_records(s->expr->act))
			add_act(la, s, b);
		if (s->kind != S_IF || !lower_enter_depth(la->l, s->loc))
			continue;
		yes.bit = no.bit = 0;
		walk(la, s->yes, &yes);
		walk(la, s->no, &no);
		la->l->depth--;
	}
}

/* ---- requirements of a clause ---- */
typedef bool node_test(const struct node *n);

static bool is_time(const struct node *n)
{
	return n->kind == N_VAR && n->var->cls == VC_BUILTIN &&
	       (n->var->builtin == BI_timestamp || n->var->builtin == BI_vtimestamp);
}

static bool is_alloc(const struct node *n)
{
	return n->kind == N_CALL && n->func &&
	       (n->func->value == func_alloca || n->func->value == func_copyin || n->func->value == func_copyout ||
		n->func->value == func_string_copy);
}

static bool has(struct lower *l, const struct node *n, node_test *test)
{
	bool found;

	if (!n || !lower_enter_depth(l, n->loc))
		return false;
	found = test(n) || has(l, n->a, test) || has(l, n->b, test) || has(l, n->c, test);
	for (unsigned i = 0; i < n->nargs && !found; i++)
		found = has(l, n->args[i], test);
	l->depth--;
	return found;
}

static bool body_has(struct lower *l, const struct stmt *s, node_test *test)
{
	bool found = false;

	for (; s && !found; s = s->next) {
		found = has(l, s->expr, test) || has(l, s->call, test);
		if (found || s->kind != S_IF || !lower_enter_depth(l, s->loc))
			continue;
		found = body_has(l, s->yes, test) || body_has(l, s->no, test);
		l->depth--;
	}
	return found;
}

static bool is_speculate(const struct node *n)
{
	return n->kind == N_CALL && n->act == ACT_SPECULATE;
}

static bool is_verdict(const struct node *n)
{
	return n->kind == N_CALL && (n->act == ACT_COMMIT || n->act == ACT_DISCARD);
}

/* No statements, or nothing but a speculate(). */
static bool is_default(const struct stmt *s)
{
	return !s || (!s->next && s->kind == S_EXPR && is_speculate(s->expr));
}

void lower_clause_info(struct lower *l, struct clause_info *ci)
{
	struct layout la = { .l = l, .ci = ci, .off = sizeof(struct rec_hdr) };

	ci->speculates = body_has(l, ci->clause->body, is_speculate);
	la.off += ci->speculates ? sizeof(uint64_t) : 0;
	/* the default action prints the probe */
	if (is_default(ci->clause->body)) {
		*VEC_ADD(l->arena, &ci->acts) = (struct rec_act){ .act = ACT_NONE, .loc = ci->clause->loc };
		ci->always = true;
	}
	walk(&la, ci->clause->body, NULL);
	if (ci->acts.n)
		ci->size = (la.off + 7) & ~7u;
	ci->scratch = has(l, ci->clause->pred, is_alloc) || body_has(l, ci->clause->body, is_alloc);
	ci->pred_time = has(l, ci->clause->pred, is_time);
	ci->body_time = ci->size || body_has(l, ci->clause->body, is_time) ||
			body_has(l, ci->clause->body, is_verdict);
}
