/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Calls of functions and actions. */
#include "lang/check/call.h"

#include <string.h>

#include "lang/check/agg.h"
#include "lang/check/cgroup.h"
#include "lang/check/checker.h"
#include "lang/check/conv.h"
#include "lang/check/destruct.h"
#include "lang/check/fold.h"
#include "lang/check/name.h"
#include "lang/check/near.h"
#include "lang/check/print.h"
#include "lang/check/print_typed.h"
#include "lang/check/spec.h"
#include "lang/check/tracemem.h"
#include "lang/func.h"
#include "lang/prelude.h"
#include "lang/syntax/reserved.h"
#include "lang/types/type_find.h"

static const struct {
	const char *text;
	unsigned min, max;
	bool destructive;
} actions[ACT_COUNT] = {
#define ACTION(name, text, min, max, destructive) [ACT_##name] = { text, min, max, destructive },
#include "lang/syntax/action.def"
#undef ACTION
};

/* True if it returns a symbolic value. As a statement it is an action that records the value. */
bool call_is_symbolic(const struct node *n)
{
	const struct func *f = func_find(n->str);

	return f && f->record;
}

bool call_is_action(const struct node *n)
{
	return n->kind == N_CALL && (reserved_action(n->str) || call_is_symbolic(n));
}

bool call_is_void(const struct node *n)
{
	return call_is_action(n) && !call_is_symbolic(n);
}

bool call_is_known(const struct node *n)
{
	return call_is_action(n) || func_find(n->str) || agg_func_find(n->str);
}

static struct type *undefined_function(struct checker *ck, const struct node *n)
{
	const char *key = arena_printf(ck->a, "%s()", n->str);

	if (check_later(ck, n->str, NAME_FUNCTION, n->loc))
		return NULL;
	if (builtin_find(n->str) || map_gets(&ck->s->vars, n->str) || inline_find(ck->c, n->str))
		return check_fail_once(ck, n->loc, D_FUNC_IDKIND, key,
				       "variable '%s' may not be referenced as a function", n->str);
	return check_fail_once(ck, n->loc, D_FUNC_UNDEF, key, "undefined function name: %s%s", n->str,
			       near_function(ck, n->str));
}

bool check_arity(struct checker *ck, const struct node *call, unsigned min, unsigned max, enum diag_tag tag)
{
	unsigned n = call->nargs;

	if (n >= min && n <= max)
		return true;
	check_fail(ck, call->loc, tag, "%s( ) prototype mismatch: %u arg%s passed, %s%u expected", call->str, n,
		   n == 1 ? "" : "s", min == max ? "" : n < min ? "at least " : "at most ", n < min ? min : max);
	return false;
}

static void check_destructive(struct checker *ck, const struct node *call, bool destructive)
{
	if (destructive && !ck->c->opts.destructive)
		check_fail(ck, call->loc, D_DESTRUCTIVE, "%s( ) is destructive: it needs -w", call->str);
}

/* ---- trace, exit ---- */
/* A structure, union or array in memory that is small enough: it is recorded byte by byte. */
static bool check_recordable(struct checker *ck, const struct node *n)
{
	enum { MOST = 32000 };
	bool place = n->kind == N_MEMBER || n->kind == N_DEREF || n->kind == N_VAR || n->kind == N_INDEX;

	if (n->type->kind == T_STRUCT || n->type->kind == T_UNION)
		type_is_defined(ck->t, n->type);
	else if (n->type->kind != T_ARRAY)
		return false;
	return place && n->type->size && n->type->size <= MOST;
}

static void action_trace(struct checker *ck, struct node *call)
{
	struct node **arg = &call->args[0];
	struct type *t;

	t = check_expr(ck, arg);
	if (!t)
		return;
	if (t->kind == T_ARRAY)
		check_string(ck, arg);
	t = (*arg)->type;
	if (check_recordable(ck, *arg)) {
		call->shown = t->floating ? t : NULL;
		return;
	}
	if (t->kind == T_VOID)
		check_fail(ck, (*arg)->loc, D_TRACE_VOID, "trace( ) may not be applied to a void expression");
	else if ((*arg)->kind == N_AGG)
		check_fail(ck, (*arg)->loc, D_TRACE_AGG,
			   "trace( ) may not be applied to an aggregation: use printa( )");
	else if (t->kind == T_DYN)
		check_fail(ck, (*arg)->loc, D_TRACE_DYN, "trace( ) may not be applied to a dynamic expression: %s",
			   check_text(ck, t));
	else if (t->kind == T_SYMBOLIC && !check_names_cgroup(ck, *arg))
		check_computes(ck, *arg);
	else if (!type_is_value(t) && t->kind != T_SYMBOLIC)
		check_fail(ck, (*arg)->loc, t->kind == T_FUNC ? D_OP_ARRFUN : t->size ? D_LIMIT : D_TYPE_ERR,
			   "trace( ) cannot record a value of type %s", check_text(ck, t));
}

static void action_exit(struct checker *ck, struct node *call)
{
	struct type *t = check_expr(ck, &call->args[0]);

	if (t && !type_is_int(t))
		check_fail(ck, call->args[0]->loc, D_PROTO_ARG, "exit( ) argument #1 must be an integer, not \"%s\"",
			   check_text(ck, t));
	else if (t)
		call->args[0] = check_cast(ck, call->args[0], ck->t->t_int);
}

/* stack(5); becomes an action around the call. */
static void action_show(struct checker *ck, struct node *call)
{
	struct node *value = check_node(ck, N_CALL, call->loc, NULL);

	*value = *call;
	value->act = ACT_NONE;
	call->args = arena_calloc(ck->a, 1, sizeof *call->args);
	call->args[0] = value;
	call->nargs = 1;
	check_call(ck, &call->args[0]);
}

/* ---- actions on aggregations ---- */
/* Converts to `to`; if NULL, to long or unsigned long, by the sign of the value. */
static void number_arg(struct checker *ck, struct node *call, unsigned i, enum diag_tag tag, struct type *to)
{
	struct type *t;

	if (i >= call->nargs)
		return;
	t = check_value(ck, &call->args[i]);
	if (t && !type_is_int(t))
		check_fail(ck, call->args[i]->loc, tag, "%s( ) argument #%u must be of scalar type", call->str, i + 1);
	else if (t)
		call->args[i] = check_cast(ck, call->args[i], to ? to : t->is_signed ? ck->t->t_long : ck->t->t_ulong);
}

static void action_clear(struct checker *ck, struct node *call)
{
	struct agg_desc *d = check_agg_arg(ck, call, call->args[0], D_CLEAR_AGGARG, D_CLEAR_AGGBAD);

	if (d)
		d->cleared = true;
}

static void action_trunc(struct checker *ck, struct node *call)
{
	struct agg_desc *d = check_agg_arg(ck, call, call->args[0], D_TRUNC_AGGARG, D_TRUNC_AGGBAD);

	if (d)
		d->cleared = true;
	number_arg(ck, call, 1, D_TRUNC_SCALAR, ck->t->t_long);
}

static void action_normalize(struct checker *ck, struct node *call)
{
	check_agg_arg(ck, call, call->args[0], D_NORMALIZE_AGGARG, D_NORMALIZE_AGGBAD);
	number_arg(ck, call, 1, D_NORMALIZE_SCALAR, NULL);
	if (call->nargs > 1 && call->args[1]->type && node_is_zero(call->args[1]))
		check_fail(ck, call->args[1]->loc, D_DIV_ZERO, "normalize( ) by zero");
}

/* ---- table of actions ---- */
static const struct {
	void (*check)(struct checker *ck, struct node *call);
	enum diag_tag arity;
} checks[ACT_COUNT] = {
	[ACT_TRACE] = { action_trace, D_PROTO_LEN },
	[ACT_TRACEMEM] = { check_tracemem, D_PROTO_LEN },
	[ACT_PRINTF] = { check_printf, D_PROTO_LEN },
	[ACT_PRINTA] = { check_printa, D_PROTO_LEN },
	[ACT_EXIT] = { action_exit, D_PROTO_LEN },
	[ACT_CLEAR] = { action_clear, D_CLEAR_PROTO },
	[ACT_TRUNC] = { action_trunc, D_TRUNC_PROTO },
	[ACT_NORMALIZE] = { action_normalize, D_NORMALIZE_PROTO },
	[ACT_DENORMALIZE] = { action_normalize, D_NORMALIZE_PROTO },
	[ACT_SPECULATE] = { check_number, D_PROTO_LEN },
	[ACT_COMMIT] = { check_number, D_PROTO_LEN },
	[ACT_DISCARD] = { check_number, D_PROTO_LEN },
	[ACT_PRINT] = { check_typed, D_PROTO_LEN },
	[ACT_SYSTEM] = { check_printf, D_PROTO_LEN },
	[ACT_FREOPEN] = { check_freopen, D_PROTO_LEN },
	[ACT_FTRUNCATE] = { check_nothing, D_PROTO_LEN },
	[ACT_SETOPT] = { check_setopt, D_PROTO_LEN },
	[ACT_STOP] = { check_nothing, D_PROTO_LEN },
	[ACT_RAISE] = { check_number, D_PROTO_LEN },
	[ACT_CHILL] = { check_number, D_PROTO_LEN },
	[ACT_BREAKPOINT] = { check_refused, D_PROTO_LEN },
	[ACT_PANIC] = { check_refused, D_PROTO_LEN },
};

/* ---- calls within expressions ---- */
/* A call without a value, which its user reports. Checks only the arguments. */
static struct type *call_without_value(struct checker *ck, struct node *n)
{
	enum action act = reserved_action(n->str);
	const struct agg_func *f = agg_func_find(n->str);
	bool fits;

	for (unsigned i = 0; i < n->nargs; i++)
		if (!check_expr(ck, &n->args[i]))
			return NULL;
	/* other actions check their arguments only as statements */
	fits = f ? check_agg_takes(ck, f, n) :
	       checks[act].arity != D_PROTO_LEN || check_arity(ck, n, actions[act].min, actions[act].max, D_PROTO_LEN);
	if (!fits)
		return NULL;
	return n->type = f ? check_dynamic(ck, CHECK_AGGFUNC) : ck->t->t_void;
}

struct type *check_call(struct checker *ck, struct node **np)
{
	struct node *n = *np;

	n->func = func_find(n->str);
	if (!n->func)
		return reserved_action(n->str) || agg_func_find(n->str) ? call_without_value(ck, n) :
								      undefined_function(ck, n);
	if (n->func->effect == FUNC_DESTRUCTIVE && !check_order(ck, n->loc, SPEC_K_DESTRUCTIVE))
		return NULL;
	if (!check_arity(ck, n, n->func->min, n->func->max, D_PROTO_LEN))
		return NULL;
	n->type = n->func->check(ck, n);
	if (n->type)
		check_destructive(ck, n, n->func->effect == FUNC_DESTRUCTIVE);
	return n->type;
}

/* ---- statements ---- */
static enum spec_kind spec_kind(enum action act)
{
	static const enum spec_kind kinds[ACT_COUNT] = {	/* 0: the action records */
		[ACT_SPECULATE] = SPEC_K_SPECULATE, [ACT_COMMIT] = SPEC_K_COMMIT, [ACT_DISCARD] = SPEC_K_DISCARD,
		[ACT_EXIT] = SPEC_K_EXIT,
	};

	return actions[act].destructive ? SPEC_K_DESTRUCTIVE : kinds[act];
}

void check_action(struct checker *ck, struct node *call)
{
	size_t before = ck->d->nerrors;

	call->act = call_is_symbolic(call) ? ACT_SHOW : reserved_action(call->str);
	call->type = ck->t->t_void;
	if (!check_order(ck, call->loc, spec_kind(call->act)))
		return;
	if (call->act == ACT_SHOW) {
		action_show(ck, call);
		return;
	}
	if (check_arity(ck, call, actions[call->act].min, actions[call->act].max, checks[call->act].arity))
		checks[call->act].check(ck, call);
	/* not if there is an error that -w would not fix */
	if (ck->d->nerrors == before)
		check_destructive(ck, call, actions[call->act].destructive);
}
