/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Aggregations: @a[keys] = func(value, parameters). */
#include "lang/check/agg.h"

#include <string.h>

#include "lang/check/call.h"
#include "lang/check/cgroup.h"
#include "lang/check/checker.h"
#include "lang/check/conv.h"
#include "lang/check/key.h"
#include "lang/check/near.h"
#include "lang/check/spec.h"

const char *agg_text(struct checker *ck, const char *name)
{
	return arena_printf(ck->a, "@%s", strcmp(name, "_") ? name : "");
}

/* ---- as an argument ---- */
struct agg_desc *check_agg_arg(struct checker *ck, const struct node *call, struct node *arg, enum diag_tag no_agg,
			       enum diag_tag undefined)
{
	unsigned i = 0;

	while (i < call->nargs && call->args[i] != arg)
		i++;
	if (arg->kind != N_AGG)
		return check_fail(ck, arg->loc, no_agg, "%s( ) argument #%u must be an aggregation", call->str, i + 1);
	if (arg->nargs)
		return check_fail(ck, arg->loc, no_agg, "%s( ) argument #%u must be a whole aggregation, without keys",
				  call->str, i + 1);
	arg->agg = map_gets(&ck->s->aggs, arg->str);
	arg->type = ck->t->t_void;
	if (!arg->agg)
		check_fail(ck, arg->loc, undefined, "undefined aggregation: %s%s", agg_text(ck, arg->str),
			   near_aggregation(ck, arg->str));
	return arg->agg;
}

/* ---- the function ---- */
bool check_agg_takes(struct checker *ck, const struct agg_func *f, const struct node *call)
{
	return check_arity(ck, call, f->takes_value + f->min_params, f->takes_value + f->max_params + f->takes_incr,
			   D_PROTO_LEN);
}

/* Checks the parameters; the function itself checks their values. Returns false if one of them was refused. */
static bool check_parameters(struct checker *ck, const struct agg_func *f, struct node *call, unsigned n,
			     struct agg_paramarg *arg)
{
	bool ok = true;

	for (unsigned i = 0; i < n; i++) {
		struct node **p = &call->args[i + 1];
		struct type *t = check_value(ck, p);
		bool required = i < f->min_params;

		if (t && required && !type_is_int(t))
			check_fail(ck, (*p)->loc, D_PROTO_ARG,
				   "%s( ) argument #%u is incompatible with prototype: it must be an integer, "
				   "not \"%s\"", call->str, i + 2, check_text(ck, t));
		ok &= t && (!required || type_is_int(t));
		arg[i] = (struct agg_paramarg){ .loc = (*p)->loc };
		arg[i].is_const = node_const(*p, &arg[i].value);
		/* a constant above the signed range must not look negative */
		if (arg[i].is_const && !(*p)->type->is_signed && arg[i].value < 0)
			arg[i].value = INT64_MAX;
	}
	return ok;
}

static void check_scalar_arg(struct checker *ck, struct node *call, unsigned i, enum diag_tag tag)
{
	struct type *t = check_operand(ck, &call->args[i]);

	if (t && !type_is_scalar(t))
		check_fail(ck, call->args[i]->loc, tag, "%s( ) argument #%u must be of scalar type", call->str, i + 1);
	else if (t)
		call->args[i] = check_cast(ck, call->args[i], ck->t->t_long);
}

/* Checks the call and leaves only value and weight in it. Returns false if a parameter is invalid. */
static bool check_function(struct checker *ck, const struct agg_func *f, struct node *call, struct agg_spec *spec)
{
	struct agg_paramarg arg[AGG_MAXPARAMS] = { 0 };
	unsigned n;
	bool ok;

	if (!check_agg_takes(ck, f, call))
		return false;
	if (!f->takes_value)
		return true;
	check_scalar_arg(ck, call, 0, D_AGG_SCALAR);
	n = call->nargs - 1 < f->max_params ? call->nargs - 1 : f->max_params;
	ok = check_parameters(ck, f, call, n, arg);
	if (call->nargs > n + 1) {
		check_scalar_arg(ck, call, n + 1, D_PROTO_ARG);
		call->args[1] = call->args[n + 1];
	}
	call->nargs -= n;
	return ok && (!f->check || !f->check(spec, arg, n, call->loc, ck->d));
}

/* ---- the aggregation ---- */
static struct agg_desc *new_desc(struct checker *ck, const struct node *n, const struct agg_func *f)
{
	struct agg_desc *d = arena_alloc(ck->a, sizeof *d);

	d->name = n->str;
	d->id = ck->s->agglist.n;
	d->func = f;
	d->loc = n->loc;
	*VEC_ADD(ck->a, &ck->s->agglist) = d;
	map_sets(&ck->s->aggs, n->str, d);
	return d;
}

static void set_spec(struct checker *ck, struct agg_desc *d, const struct agg_spec *spec, struct loc loc)
{
	if (d->valsize) {
		if (d->func->match)
			d->func->match(&d->spec, spec, loc, ck->d);
		return;
	}
	d->spec = *spec;
	d->valsize = d->func->size(&d->spec);
}

static bool same_function(struct checker *ck, const struct agg_desc *d, const struct agg_func *f, struct loc loc)
{
	const char *name = agg_text(ck, d->name);

	if (d->func == f)
		return true;
	check_fail(ck, loc, D_AGG_REDEF,
		   "aggregation redefined: current: %s = %s( ), previous: %s = %s( ) : line %u", name,
		   f->name, name, d->func->name, d->loc.line);
	return false;
}

/* Taken from the text of the script: the checker replaces inlines and members of translators. */
static void key_names(const struct node *n, const char *names[AGG_MAXKEYS])
{
	for (unsigned i = 0; i < AGG_MAXKEYS; i++) {
		const struct node *key = i < n->nargs ? n->args[i] : NULL;

		names[i] = key && (key->kind == N_IDENT || key->kind == N_MEMBER) ? key->str : NULL;
	}
}

/* Keys may be symbolic. */
static bool check_agg_keys(struct checker *ck, struct node *n)
{
	bool ok = true;

	for (unsigned i = 0; i < n->nargs; i++) {
		ck->in_key = n->args[i]->kind == N_CALL ? call_is_symbolic(n->args[i]) :
							  check_names_cgroup(ck, n->args[i]);
		ok &= check_key(ck, &n->args[i]) != NULL;
		ck->in_key = false;
	}
	return ok;
}

void check_agg(struct checker *ck, struct stmt *s)
{
	struct node *n = s->expr, *call = s->call;
	const struct agg_func *func = agg_func_find(call->str);
	struct agg_spec spec = { 0 };
	const char *names[AGG_MAXKEYS];
	struct agg_desc *desc;
	bool keys;

	key_names(n, names);
	keys = check_agg_keys(ck, n);
	if (!check_order(ck, s->loc, SPEC_K_AGG))
		return;
	if (!func && !call_is_known(call)) {
		check_call(ck, &call);
		return;
	}
	if (!func) {
		check_fail(ck, call->loc, D_AGG_FUNC, "%s is not an aggregating function", call->str);
		return;
	}
	desc = map_gets(&ck->s->aggs, n->str);
	if (desc && !same_function(ck, desc, func, n->loc))
		return;
	if (!desc) {
		desc = new_desc(ck, n, func);
		memcpy(desc->keyname, names, sizeof desc->keyname);
	}
	n->agg = desc;
	n->type = call->type = ck->t->t_void;
	if (check_function(ck, func, call, &spec))
		set_spec(ck, desc, &spec, call->loc);
	if (keys)
		check_keys(ck, check_shape(ck, desc, agg_text(ck, n->str)), n, AGG_MAXKEYS);
}
