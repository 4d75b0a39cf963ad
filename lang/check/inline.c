/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Inlines: each use is a copy of the expression, checked at that place. A limit on copied nodes protects against
 * definitions that double each other.
 */
#include "lang/check/inline.h"

#include <string.h>

#include "lang/check/check.h"
#include "lang/check/checker.h"
#include "lang/check/conv.h"
#include "lang/check/decl.h"
#include "lang/check/name.h"
#include "lang/check/xlate.h"
#include "lang/prelude.h"

/* ---- copies ---- */
/* The argument for this name if it is a parameter, else NULL. */
static const struct node *bound_value(const struct node *n, const struct bindings *b)
{
	for (unsigned i = 0; b && i < b->n && n->kind == N_IDENT && !n->scope; i++)
		if (b->params[i] && !strcmp(n->str, b->params[i]))
			return b->values[i];
	return NULL;
}

static struct node *clone_below(struct checker *ck, const struct node *n, const struct bindings *b)
{
	struct node *copy = arena_memdup(ck->a, n, sizeof *n);
	struct node **below[] = { &copy->a, &copy->b, &copy->c };

	for (int i = 0; i < 3; i++)
		if (*below[i] && !(*below[i] = check_clone(ck, *below[i], b)))
			return NULL;
	if (n->nargs)
		copy->args = arena_memdup(ck->a, n->args, n->nargs * sizeof *n->args);
	for (unsigned i = 0; i < n->nargs; i++)
		if (!(copy->args[i] = check_clone(ck, n->args[i], b)))
			return NULL;
	return copy;
}

struct node *check_clone(struct checker *ck, const struct node *n, const struct bindings *b)
{
	const struct node *value = bound_value(n, b);
	struct node *copy;

	if (ck->cloned >= CHECK_MAXCLONE) {
		if (!ck->limit_said)
			check_fail(ck, n->loc, D_LIMIT, "inlines and translators make this script too large");
		ck->limit_said = true;
		return NULL;
	}
	if (!check_deeper(ck, n->loc))
		return NULL;
	ck->cloned++;
	copy = value ? check_clone(ck, value, NULL) : clone_below(ck, n, b);
	ck->depth--;
	return copy;
}

/* ---- inlines ---- */
struct inline_state {
	bool busy, failed, checked;
	struct node *value;	/* the value of a constant */
};

static void *inline_misfit(struct checker *ck, const struct inline_def *def, const struct type *to,
			   const struct type *value)
{
	return check_fail(ck, def->loc, D_OP_INCOMPAT, "inline %s definition uses incompatible types: \"%s\" = \"%s\"",
			  def->name, check_text(ck, to), check_text(ck, value));
}

/* The value of an inline; one with a structure type is an alias of a place. A translation has no value: what uses it as
 * one reports that, at `loc`. */
static struct node *inline_value(struct checker *ck, const struct inline_def *def, struct node *e, struct loc loc)
{
	bool translation = check_translation_type(ck, def->expr);
	bool structure = def->type->kind == T_STRUCT || def->type->kind == T_UNION;
	struct type *t;

	if (!e || !check_value(ck, &e))
		return NULL;
	t = e->type;
	if (!structure && translation && t->kind == T_DYN) {
		e->loc = loc;
		return e;
	}
	if (structure ? type_same(t, def->type) : check_convert(ck, &e, def->type))
		return e;
	return inline_misfit(ck, def, def->type, t);
}

/* Each use of a constant inline is a copy of its value. */
static struct type *use_constant(struct checker *ck, struct node **np, const struct node *value)
{
	struct loc loc = (*np)->loc;

	*np = arena_memdup(ck->a, value, sizeof *value);
	(*np)->loc = loc;
	(*np)->setting = true;
	return value->type;
}

static struct inline_state *state_of(struct checker *ck, const struct inline_def *def)
{
	struct inline_state **slot = (struct inline_state **)map_put(&ck->inlines, &def, sizeof def);

	if (!*slot)
		*slot = arena_alloc(ck->a, sizeof **slot);
	return *slot;
}

static struct type *use_plain(struct checker *ck, struct node **np, const struct inline_def *def)
{
	struct inline_state *st = state_of(ck, def);
	struct node *e;

	if (def->nparams)
		return check_fail(ck, (*np)->loc, D_IDENT_BADREF, "inline %s takes %u argument%s: %s[...]", def->name,
				  def->nparams, def->nparams == 1 ? "" : "s", def->name);
	if (st->value)
		return use_constant(ck, np, st->value);
	if (st->failed)
		return NULL;
	if (st->busy)
		return check_fail(ck, def->loc, D_IDENT_UNDEF, "inline %s refers to itself", def->name);
	if (ck->declaring && st->checked) {
		*np = check_placeholder(ck, def->name, def->type, (*np)->loc);
		return def->type;
	}
	st->busy = true;
	e = inline_value(ck, def, check_clone(ck, def->expr, NULL), (*np)->loc);
	st->busy = false;
	st->failed = !e;
	if (!e)
		return NULL;
	if (e->kind == N_INT || e->kind == N_STR) {
		st->value = e;
		return use_constant(ck, np, e);
	}
	*np = e;
	return e->type;
}

static struct type *use_inline(struct checker *ck, struct node **np, const struct inline_def *def,
			       struct type *(*expand)(struct checker *, struct node **, const struct inline_def *))
{
	struct loc at = (*np)->loc, before = check_use(ck, at);
	struct type *t = expand(ck, np, def);

	if (loc_origin((*np)->loc))
		(*np)->loc = at;
	ck->use = before;
	return t;
}

struct type *check_inline(struct checker *ck, struct node **np, const struct inline_def *def)
{
	return use_inline(ck, np, def, use_plain);
}

/* ---- inlines with parameters ---- */
const struct inline_def *check_inline_named(struct checker *ck, const struct node *n)
{
	const struct node *name = n->kind == N_INDEX ? n->a : n;
	const struct inline_def *def;

	if (!name || name->kind != N_IDENT || name->scope)
		return NULL;
	def = inline_find(ck->c, name->str);
	if (!def && n->kind == N_INDEX && !check_find_var(ck, name))
		def = prelude_variable(ck->c, name->str);
	return def && !def->nparams == (n->kind != N_INDEX) ? def : NULL;
}

/* Converts an argument to the parameter's type; the inline may use it several times. */
static struct node *inline_argument(struct checker *ck, const struct inline_def *def, struct node *arg, unsigned i)
{
	struct node *probe;

	if (!node_is_repeatable(arg))
		return check_fail(ck, arg->loc, D_UNSUPPORTED, "the argument of an inline cannot have side effects");
	probe = check_clone(ck, arg, NULL);
	if (!probe || !check_value(ck, &probe))
		return NULL;
	if (!check_convert(ck, &probe, def->types[i]))
		return check_fail(ck, arg->loc, D_PROTO_ARG, "argument #%u of inline %s must be of type \"%s\"", i + 1,
				  def->name, check_text(ck, def->types[i]));
	if (type_is_string(def->types[i]))
		return arg;
	return check_wrap(ck, N_CAST, arg, def->types[i]);
}

struct node *check_inline_copy(struct checker *ck, const struct node *n, const struct inline_def *def)
{
	struct node *args[VAR_MAXKEYS];
	const struct bindings bindings = { def->nparams, def->params, args };

	if (n->kind != N_INDEX)
		return check_clone(ck, def->expr, NULL);
	if (n->nargs != def->nparams || def->nparams > VAR_MAXKEYS)
		return check_fail(ck, n->loc, D_PROTO_LEN, "inline %s[] takes %u argument%s, not %u", def->name,
				  def->nparams, def->nparams == 1 ? "" : "s", n->nargs);
	for (unsigned i = 0; i < n->nargs; i++)
		if (!(args[i] = inline_argument(ck, def, n->args[i], i)))
			return NULL;
	return check_clone(ck, def->expr, &bindings);
}

static bool translation_fits(struct checker *ck, const struct inline_def *def, struct node *n)
{
	const struct type *to = check_translation_type(ck, def->expr), *t = def->type;

	if (!check_translation(ck, n))
		return false;
	to = to->kind == T_PTR ? to->ref : to;
	t = t->kind == T_PTR ? t->ref : t;
	return type_same(to, t) || inline_misfit(ck, def, t, to);
}

bool check_inline_def(struct checker *ck, const struct inline_def *def)
{
	struct node *args[VAR_MAXKEYS], *e, *n = check_node(ck, N_IDENT, def->loc, NULL);
	const struct bindings bindings = { def->nparams, def->params, args };
	struct inline_state *st = state_of(ck, def);
	bool nested = ck->declaring;

	if (st->checked || st->failed)
		return !st->failed;
	if (st->busy)
		return true;
	ck->declaring = true;
	n->str = def->name;
	for (unsigned i = 0; i < def->nparams && i < VAR_MAXKEYS; i++)
		args[i] = check_placeholder(ck, def->params[i], def->types[i], def->loc);
	if (!check_translation_type(ck, def->expr) && !def->nparams) {
		st->failed = !check_inline(ck, &n, def);
	} else if (def->nparams <= VAR_MAXKEYS) {
		st->busy = true;
		e = check_clone(ck, def->expr, &bindings);
		st->failed = !e || !(check_translation_type(ck, def->expr) ? translation_fits(ck, def, e) :
				     !!inline_value(ck, def, e, def->loc));
		st->busy = false;
	}
	ck->declaring = nested;
	st->checked = true;
	return !st->failed;
}

static struct type *use_index(struct checker *ck, struct node **np, const struct inline_def *def)
{
	struct node *e;

	if (!check_inline_def(ck, def))
		return NULL;
	if (ck->declaring && state_of(ck, def)->checked) {
		*np = check_placeholder(ck, def->name, def->type, (*np)->loc);
		return def->type;
	}
	/* a recursive inline ends at the limit of nested expressions */
	if (!check_deeper(ck, (*np)->loc))
		return NULL;
	e = check_inline_copy(ck, *np, def);
	e = e ? inline_value(ck, def, e, (*np)->loc) : NULL;
	ck->depth--;
	if (!e)
		return NULL;
	*np = e;
	return e->type;
}

struct type *check_inline_index(struct checker *ck, struct node **np, const struct inline_def *def)
{
	return use_inline(ck, np, def, use_index);
}
