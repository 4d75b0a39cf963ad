/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* printf and printa: checks formats against values. */
#include "lang/check/print.h"

#include <string.h>

#include "lang/check/agg.h"
#include "lang/check/checker.h"
#include "lang/check/conv.h"
#include "lang/check/key.h"

/* Where the conversions take their values from: arguments of printf, or keys of an aggregation. */
struct values {
	const char *name;		/* of the action */
	struct node *call;
	unsigned first;			/* printf: index of the first value among the arguments */
	struct type *const *keys;	/* printa */
	unsigned n, next;
};

/* ---- one value ---- */
static const char *conv_text(struct checker *ck, const struct conv *c)
{
	return arena_printf(ck->a, "%%%s%c", c->at ? "@" : "", c->spec);
}

static const char *wanted_value(const struct conv *c)
{
	switch (c->kind) {
	case CONV_STR:
		return "a string";
	case CONV_PTR:
		return "a pointer or an integer";
	case CONV_STACK:
		return "a stack";
	case CONV_SYM:
	case CONV_USYM:
		return "an address or a symbol";
	case CONV_WSTR:
		return "an array of wide characters";
	case CONV_FLOAT:
		return "a floating-point number";
	case CONV_INT:
		return c->spec == 'x' || c->spec == 'X' ? "an integer or a pointer" : "an integer";
	default:
		return "an integer";
	}
}

/* Returns the type of the next value, converted as the conversion allows. NULL after a diagnostic. */
static struct type *value_type(struct checker *ck, struct values *v, const struct conv *c)
{
	struct node **arg;

	if (v->keys)
		return v->keys[v->next];
	arg = &v->call->args[v->first + v->next];
	if (!(*arg)->type)
		return NULL;
	if (c && c->kind == CONV_WSTR)
		return (*arg)->type;
	if (!c || c->kind != CONV_STR || !check_string(ck, arg))
		check_decay(ck, arg);
	return (*arg)->type;
}

static bool value_fits(const struct conv *c, const struct type *t)
{
	bool pointer = c->kind == CONV_PTR || (c->kind == CONV_INT && (c->spec == 'x' || c->spec == 'X'));

	if (t->kind == T_SYMBOLIC && val_is_cgroup(t->symbolic))
		return c->kind == CONV_STR;
	if (t->kind == T_SYMBOLIC)
		return type_is_stack(t) ? c->kind == CONV_STACK : c->kind == CONV_SYM || c->kind == CONV_USYM;
	if (c->kind == CONV_WSTR)
		return t->kind == T_ARRAY && type_is_int(t->ref) && t->ref->size == 4;
	if (c->kind == CONV_FLOAT)
		return t->floating;
	if (!type_is_value(t) || c->kind == CONV_STACK)
		return false;
	pointer |= c->kind == CONV_SYM || c->kind == CONV_USYM;
	if (c->kind == CONV_STR)
		return type_is_string(t);
	return type_is_int(t) || (pointer && t->kind == T_PTR);
}

static struct loc value_loc(const struct values *v)
{
	return v->keys ? v->call->loc : v->call->args[v->first + v->next]->loc;
}

static const char *value_name(struct checker *ck, const struct values *v)
{
	return arena_printf(ck->a, "%s #%u", v->keys ? "key" : "argument", v->first + v->next + 1);
}

/* Checks a '*'. Returns false if no value is left for it. */
static bool check_star(struct checker *ck, struct values *v, const struct conv *c, unsigned n, const char *what)
{
	struct type *t;

	if (v->next == v->n) {
		check_fail(ck, v->call->loc, D_PRINTF_DYN_PROTO,
			   "%s( ) prototype mismatch: conversion #%u (%s) is missing a corresponding \"%s\" argument",
			   v->name, n, conv_text(ck, c), what);
		return false;
	}
	t = value_type(ck, v, NULL);
	if (t && !type_is_int(t))
		check_fail(ck, value_loc(v), D_PRINTF_DYN_TYPE,
			   "%s( ) %s is incompatible with the %s of conversion #%u (%s): it must be an integer, not "
			   "\"%s\"",
			   v->name, value_name(ck, v), what, n, conv_text(ck, c), check_text(ck, t));
	else if (t && !v->keys)
		v->call->args[v->first + v->next] = check_cast(ck, v->call->args[v->first + v->next], ck->t->t_int);
	v->next++;
	return true;
}

static bool check_next_value(struct checker *ck, struct values *v, const struct conv *c, unsigned n)
{
	struct type *t;

	if (v->next == v->n) {
		check_fail(ck, v->call->loc, D_PRINTF_ARG_PROTO,
			   "%s( ) prototype mismatch: conversion #%u (%s) is missing a corresponding %s",
			   v->name, n, conv_text(ck, c), v->keys ? "key" : "value argument");
		return false;
	}
	t = value_type(ck, v, c);
	if (t && !value_fits(c, t))
		check_fail(ck, value_loc(v), D_PRINTF_ARG_TYPE,
			   "%s( ) %s is incompatible with conversion #%u (%s): it takes %s, the argument is \"%s\"",
			   v->name, value_name(ck, v), n, conv_text(ck, c), wanted_value(c), check_text(ck, t));
	v->next++;
	return true;
}

/* ---- a format ---- */
/* Returns false if there are too few values. The value of an aggregation is a 64-bit number (or a histogram); f also
 * shows the fraction after normalize(). */
static bool check_format(struct checker *ck, struct values *v, const struct fmt *f)
{
	unsigned number = 0;

	for (unsigned i = 0; i < f->n; i++) {
		const struct conv *c = &f->conv[i];

		if (c->kind == CONV_TEXT)
			continue;
		number++;
		if (c->dynwidth && !check_star(ck, v, c, number, "width"))
			return false;
		if (c->dynprec && !check_star(ck, v, c, number, "precision"))
			return false;
		if (c->kind != CONV_AGG && !check_next_value(ck, v, c, number))
			return false;
		if (c->kind == CONV_AGG && !strchr("diouxXfr", c->spec))
			check_fail(ck, v->call->loc, D_PRINTF_ARG_TYPE,
				   "%s( ) conversion #%u (%s) is incompatible with an aggregation: it takes %%@d, "
				   "%%@u, %%@o, %%@x, %%@f or %%@r", v->name, number, conv_text(ck, c));
	}
	return true;
}

void check_printf(struct checker *ck, struct node *call)
{
	struct values values = { .name = call->str, .call = call, .first = 1, .n = call->nargs - 1 };
	struct type *fmt = check_expr(ck, &call->args[0]);
	const struct node *text = call->args[0];

	/* a refused value has no type from here on */
	for (unsigned i = 1; i < call->nargs; i++)
		if (!check_expr(ck, &call->args[i]))
			call->args[i]->type = NULL;
	if (!fmt)
		return;
	if (text->kind != N_STR) {
		check_fail(ck, text->loc, D_PRINTF_ARG_FMT,
			   "%s( ) argument #1 is incompatible with prototype: it must be a string constant, not \"%s\"",
			   call->str, check_text(ck, fmt));
		return;
	}
	if (!text->len && call->act != ACT_FREOPEN) {
		check_fail(ck, text->loc, D_PRINTF_FMT_EMPTY, "%s( ) format string is empty", call->str);
		return;
	}
	call->fmt = fmt_parse(ck->a, text->str, text->len, text->loc, FMT_PRINTF, ck->d);
	if (call->fmt && check_format(ck, &values, call->fmt) && values.next < values.n)
		check_fail(ck, value_loc(&values), D_PRINTF_ARG_EXTRA,
			   "%s( ) prototype mismatch: only %u argument%s required by this format string",
			   call->str, values.next, values.next == 1 ? "" : "s");
}

/* ---- printa ---- */
/* Removes the format from the arguments. Returns false after a diagnostic. */
static bool printa_format(struct checker *ck, struct node *call)
{
	struct node *first = call->args[0];

	if (first->kind == N_AGG)
		return true;
	if (!check_expr(ck, &call->args[0]))
		return false;
	first = call->args[0];
	if (first->kind != N_STR) {
		check_fail(ck, first->loc, D_PRINTA_AGGARG,
			   "%s( ) argument #1 must be a format string or an aggregation, not \"%s\"",
			   call->str, check_text(ck, first->type));
		return false;
	}
	if (!first->len) {
		check_fail(ck, first->loc, D_PRINTF_FMT_EMPTY, "%s( ) format string is empty", call->str);
		return false;
	}
	if (call->nargs == 1) {
		check_fail(ck, call->loc, D_PRINTA_PROTO, "%s( ) needs an aggregation after its format", call->str);
		return false;
	}
	call->fmt = fmt_parse(ck->a, first->str, first->len, first->loc, FMT_PRINTA, ck->d);
	return call->fmt;
}

static bool same_keys(const struct key_shape *a, const struct key_shape *b)
{
	if (a->nkeys != b->nkeys)
		return false;
	for (unsigned i = 0; i < a->nkeys; i++)
		if ((a->key[i]->kind != b->key[i]->kind || a->key[i]->symbolic != b->key[i]->symbolic) &&
		    !(type_is_int(a->key[i]) && type_is_int(b->key[i])))
			return false;
	return true;
}

static struct key_shape *agg_shape(struct checker *ck, const struct node *arg)
{
	return check_shape(ck, arg->agg, agg_text(ck, arg->str));
}

/* Checks the aggregations from argument `first` on. Returns false after a diagnostic. */
static bool printa_aggs(struct checker *ck, struct node *call, unsigned first)
{
	bool ok = true;

	for (unsigned i = first; i < call->nargs; i++) {
		struct node *arg = call->args[i];
		const struct key_shape *a, *b;

		if (!check_agg_arg(ck, call, arg, D_PRINTA_AGGARG, D_PRINTA_AGGBAD)) {
			ok = false;
			continue;
		}
		a = ok ? agg_shape(ck, call->args[first]) : NULL;
		b = agg_shape(ck, arg);
		if (a && !same_keys(a, b)) {
			check_fail(ck, arg->loc, a->nkeys == b->nkeys ? D_PRINTA_AGGPROTO : D_PRINTA_AGGKEY,
				   "%s( ) aggregations %s and %s have different keys", call->str,
				   agg_text(ck, call->args[first]->str), agg_text(ck, arg->str));
			ok = false;
		}
	}
	return ok;
}

void check_printa(struct checker *ck, struct node *call)
{
	struct values v = { .name = call->str, .call = call };
	unsigned first = call->args[0]->kind != N_AGG;
	bool format = printa_format(ck, call);
	const struct key_shape *sh;

	if (!printa_aggs(ck, call, first) || !format || !call->fmt)
		return;
	sh = agg_shape(ck, call->args[first]);
	v.keys = sh->key;
	v.n = sh->nkeys;
	check_format(ck, &v, call->fmt);
}
