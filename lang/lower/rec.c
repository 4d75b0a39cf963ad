/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Records: the recording actions of a clause and the layout of its record. */
#include "lang/lower/rec.h"

#include "lang/func.h"
#include "lang/lower/lower.h"

/* Which actions record their arguments, and whether a format may precede them. */
static const struct {
	bool values, format;
} shape[ACT_COUNT] = {
	[ACT_SHOW] = { .values = true },
	[ACT_TRACE] = { .values = true },
	[ACT_TRACEMEM] = { .values = true },
	[ACT_PRINTF] = { .values = true, .format = true },
	[ACT_PRINTA] = { .format = true },
	[ACT_PRINT] = { .values = true },
	[ACT_SYSTEM] = { .values = true, .format = true },
	[ACT_FREOPEN] = { .values = true, .format = true },
	[ACT_SETOPT] = { .values = true },
	[ACT_EXIT] = { .values = true },
	[ACT_TRUNC] = { .values = true },
	[ACT_NORMALIZE] = { .values = true },
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
	       (n->kind == N_CALL && func_is(n->func, "d_path"));
}

/* Of the last value, if it is gathered memory or a long string, only the beginning is sent. */
static void set_varies(struct layout *la, const struct node *arg, const struct val_field *f)
{
	const bool gathered = arg->kind == N_CALL && func_is(arg->func, "_gather");

	la->ci->text = f->kind == VAL_STR && f->size > LOWER_TEXT_SHORT ? f->size : 0;
	la->ci->varies = gathered || la->ci->text ? f->off : 0;
}

static void add_field(struct layout *la, struct rec_act *a, const struct node *arg)
{
	if (la->full)
		return;
	a->fields[a->nfields] = type_field(arg->type, la->l->strsize, &la->off);
	set_varies(la, arg, &a->fields[a->nfields]);
	a->fields[a->nfields++].origin = is_literal(arg) ? VAL_LITERAL : is_name(arg) ? VAL_NAME : VAL_DATA;
	if (la->off <= LOWER_MAXREC)
		return;
	la->full = true;
	diag(la->l->diags, arg->loc, D_LIMIT, "the clause records more than the limit of %d bytes", LOWER_MAXREC);
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
	struct rec_act *action = VEC_ADD(la->l->arena, &la->ci->acts);
	unsigned first = shape[call->act].format && call->fmt;

	*action = (struct rec_act){
		.act = call->act, .fmt = call->fmt, .shown = call->shown, .loc = call->loc, .action = s->action,
		.branch = branch_bit(la, b, s->loc),
	};
	la->ci->always |= !b;
	la->ci->exits |= call->act == ACT_EXIT;
	action->fields = arena_calloc(la->l->arena, call->nargs + 1, sizeof *action->fields);
	action->aggs = arena_calloc(la->l->arena, call->nargs + 1, sizeof *action->aggs);
	for (unsigned i = first; i < call->nargs; i++) {
		if (call->args[i]->kind == N_AGG)
			action->aggs[action->naggs++] = call->args[i]->agg;
		else if (shape[call->act].values)
			add_field(la, action, call->args[i]);
	}
}

static void add_acts(struct layout *la, const struct stmt *s, struct branch *b)
{
	struct branch yes = { 0 }, no = { 0 };

	for (; s; s = s->next) {
		if (s->kind == S_EXPR && s->expr->act && action_records(s->expr->act))
			add_act(la, s, b);
		if (s->kind != S_IF || !lower_enter_depth(la->l, s->loc))
			continue;
		yes.bit = no.bit = 0;
		add_acts(la, s->yes, &yes);
		add_acts(la, s->no, &no);
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
	return n->kind == N_CALL &&
	       (n->func == &func_string_pointer || func_is(n->func, "alloca") || func_is(n->func, "copyin") ||
		func_is(n->func, "copyout"));
}

static bool node_has(struct lower *l, const struct node *n, node_test *test)
{
	bool found;

	if (!n || !lower_enter_depth(l, n->loc))
		return false;
	found = test(n) || node_has(l, n->a, test) || node_has(l, n->b, test) || node_has(l, n->c, test);
	for (unsigned i = 0; i < n->nargs && !found; i++)
		found = node_has(l, n->args[i], test);
	l->depth--;
	return found;
}

static bool body_has(struct lower *l, const struct stmt *s, node_test *test)
{
	bool found = false;

	for (; s && !found; s = s->next) {
		found = node_has(l, s->expr, test) || node_has(l, s->call, test);
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

void lower_clause_info(struct lower *l, struct clause_info *ci)
{
	struct layout la = { .l = l, .ci = ci, .off = sizeof(struct rec_hdr) };
	const struct stmt *body = ci->clause->body;
	const struct node *pred = ci->clause->pred;

	ci->speculates = body_has(l, body, is_speculate);
	la.off += ci->speculates ? sizeof(uint64_t) : 0;
	/* a clause without statements, or with nothing but a speculate(), prints the probe */
	if (!body || (!body->next && body->kind == S_EXPR && is_speculate(body->expr))) {
		*VEC_ADD(l->arena, &ci->acts) = (struct rec_act){ .act = ACT_NONE, .loc = ci->clause->loc };
		ci->always = true;
	}
	add_acts(&la, body, NULL);
	if (ci->acts.n)
		ci->size = (la.off + 7) & ~7u;
	if (ci->branches || ci->speculates)
		ci->varies = ci->text = 0;
	ci->scratch = node_has(l, pred, is_alloc) || body_has(l, body, is_alloc);
	ci->pred_time = node_has(l, pred, is_time);
	ci->body_time = ci->size || body_has(l, body, is_time) || body_has(l, body, is_verdict);
}
