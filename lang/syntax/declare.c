/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The results of declarations: variables, typedefs, inlines, translators. */
#include "lang/syntax/declare.h"

#include <string.h>

#include "lang/prelude.h"
#include "lang/syntax/decl.h"
#include "lang/syntax/parse.h"
#include "lang/syntax/reserved.h"
#include "lang/types/near_member.h"
#include "lang/types/type_find.h"

bool builtin_named(const char *name)
{
	static const char *const names[] = {
#define BUILTIN(name, type, doc) #name,
#define YIELDING(name, type, doc)
#include "lang/syntax/builtin.def"
#undef BUILTIN
	};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (!strcmp(names[i], name))
			return true;
	return false;
}

static int already_declared(struct parser *p, struct loc loc, const char *name, const char *as)
{
	/* a definition by the script takes precedence over the prelude */
	if (p->src->origin == FROM_PRELUDE || p->src->origin == FROM_CONSTANTS)
		return -1;
	return parse_error(p, loc, D_DECL_IDRED, "identifier redeclared: %s is %s", name, as);
}

/* ---- variables ---- */

static const char *var_key(struct parser *p, enum var_class cls, const char *name)
{
	return cls == VC_GLOBAL ? name : arena_printf(p->a, "%s %s", cls == VC_THIS ? "this" : "self", name);
}

static bool same_var(const struct var *v, const struct type *t, const struct types_list *keys)
{
	if (!type_same(v->type, t) || v->is_array != !!keys || (keys && v->nkeys != keys->n))
		return false;
	for (unsigned i = 0; i < v->nkeys; i++)
		if (!type_same(v->key[i], keys->v[i]))
			return false;
	return true;
}

static void var_new(struct parser *p, enum var_class cls, const struct declr *d, struct type *t,
		    const struct types_list *keys)
{
	struct var *v = arena_alloc(p->a, sizeof *v);

	v->name = d->name;
	v->cls = cls;
	v->type = t;
	v->loc = d->loc;
	v->is_array = keys;
	v->nkeys = keys ? keys->n : 0;
	for (unsigned i = 0; i < v->nkeys; i++)
		v->key[i] = keys->v[i];
	map_sets(&p->c->script->vars, var_key(p, cls, d->name), v);
}

/* Describes a previous declaration of the name. NULL: none, or a variable. */
static const char *name_taken(struct parser *p, const char *name)
{
	const char *kind = reserved_kind(name);

	if (kind)
		return arena_printf(p->a, "a %s", kind);
	if (inline_find(p->c, name))
		return "an inline or enumerator";
	return map_gets(&p->c->script->typedefs, name) ? "a type" : NULL;
}

/* A C array without elements or without a size. */
static bool is_empty_array(struct parser *p, const struct declr *d)
{
	const struct dmod *m = d->mods;

	while (m && m->next)
		m = m->next;
	if (!m || m->kind != DM_ARRAY || m->n)
		return false;
	return parse_error(p, d->loc, m->open ? D_DECL_ARRNULL : D_DECL_ARRSUB,
			   "an array needs its size or the types of its keys: %s", d->name);
}

static void declare_var(struct parser *p, enum var_class cls, struct decl_specs *s, const struct declr *d)
{
	struct types_list *keys;
	struct type *t = declr_type(p, s, d, &keys);
	const struct var *old = map_gets(&p->c->script->vars, var_key(p, cls, d->name));
	const char *taken = cls == VC_GLOBAL && t->kind != T_FUNC ? name_taken(p, d->name) : NULL;

	if (t->kind == T_FUNC || (keys && keys->bad) || is_empty_array(p, d))
		return;
	if (t->kind == T_VOID)
		parse_error(p, d->loc, D_DECL_VOIDOBJ, "a variable cannot have the type void: %s", d->name);
	else if (type_is_incomplete(&p->c->types, t))
		parse_error(p, d->loc, D_DECL_INCOMPLETE, "a variable cannot have the incomplete type %s: %s",
			    type_text(&p->c->types, t), d->name);
	else if (keys && keys->n > VAR_MAXKEYS)
		parse_error(p, d->loc, D_LIMIT, "an array has at most %d keys", VAR_MAXKEYS);
	else if (taken)
		already_declared(p, d->loc, d->name, taken);
	else if (!old)
		var_new(p, cls, d, t, keys);
	else if (!old->type || !same_var(old, t, keys))
		already_declared(p, d->loc, d->name, "a variable of another type");
}

void declare_nothing(struct parser *p, struct decl_specs *s)
{
	struct type *t = specs_type(p, s);

	if (t->kind != T_STRUCT && t->kind != T_UNION && t->kind != T_ENUM && !s->bad)
		parse_error(p, s->loc, D_DECL_USELESS, "this declaration does not declare anything");
}

/* ---- typedefs and inlines ---- */

static void declare_typedef(struct parser *p, struct decl_specs *s, const struct declr *d)
{
	struct types *types = &p->c->types;
	struct type *t = declr_type(p, s, d, NULL);
	struct type *old = type_lookup_script(types, d->name);

	const char *taken = reserved_kind(d->name);

	if (taken || map_gets(&p->c->script->vars, d->name) || inline_find(p->c, d->name)) {
		already_declared(p, d->loc, d->name,
				 taken ? arena_printf(p->a, "a %s", taken) : "a variable or an inline");
		return;
	}
	if (old && !old->kernel && !old->systems && !type_same(old, t)) {
		already_declared(p, d->loc, d->name, "another type");
		return;
	}
	if (!t->name && (t->kind == T_STRUCT || t->kind == T_UNION || t->kind == T_ENUM))
		t->name = d->name;
	type_define(types, d->name, type_named(types, d->name, t));
	map_sets(&p->c->script->typedefs, d->name, t);
}

void declare(struct parser *p, struct decl_specs *s, const struct declr *d)
{
	static const enum var_class classes[] = {
		[STORE_GLOBAL] = VC_GLOBAL, [STORE_THIS] = VC_THIS, [STORE_SELF] = VC_SELF,
	};

	struct types_list *keys;

	if (s->storage == STORE_TYPEDEF)
		declare_typedef(p, s, d);
	else if (s->storage == STORE_EXTERN)
		declr_type(p, s, d, &keys);	/* only checked: an extern is resolved at its uses */
	else if (s->storage > STORE_EXTERN)
		parse_error(p, d->loc, D_DECL_BADCLASS, "this storage class is not valid in D: %s", d->name);
	else
		declare_var(p, classes[s->storage], s, d);
}

void declare_init(struct parser *p, struct loc loc)
{
	parse_error(p, loc, D_SYNTAX,
		    "a declaration cannot have an initializer in D: assign the value in a BEGIN clause");
}

static int add_inline(struct parser *p, const struct inline_def *def)
{
	struct script *script = p->c->script;
	const char *taken = map_gets(&script->vars, def->name) ? "a variable" : name_taken(p, def->name);

	if (taken)
		return already_declared(p, def->loc, def->name, taken);
	map_sets(&script->inlines, def->name, arena_memdup(p->a, def, sizeof *def));
	return 0;
}

int inline_define(struct parser *p, const char *name, struct type *t, struct node *expr, struct loc loc)
{
	return add_inline(p, &(struct inline_def){ .name = name, .type = t, .expr = expr, .loc = loc });
}

/* Checks that every parameter has a type with values. */
static bool params_fit(struct parser *p, const struct types_list *params, struct loc loc)
{
	for (size_t i = 0; i < params->n && !params->bad; i++)
		if (!type_is_scalar(params->v[i]) && !type_is_string(params->v[i]))
			return parse_error(p, loc, D_UNSUPPORTED, "a parameter cannot have the type %s: #%zu",
					   type_text(&p->c->types, params->v[i]), i + 1), false;
	return !params->bad;
}

static bool mentions_name(const struct node *n, const char *name)
{
	if (!n)
		return false;
	if (n->kind == N_IDENT && !n->scope && !strcmp(n->str, name))
		return true;
	for (unsigned i = 0; i < n->nargs; i++)
		if (mentions_name(n->args[i], name))
			return true;
	return mentions_name(n->a, name) || mentions_name(n->b, name) || mentions_name(n->c, name);
}

/* D_NONE if an inline can have this type, else the tag of the error. */
static enum diag_tag inline_type(struct parser *p, const struct declr *d, struct type *t)
{
	if (d->mods && t->kind == T_ARRAY)
		return D_DECL_ARRNULL;
	if (t->kind == T_VOID)
		return D_DECL_VOIDOBJ;
	if (type_is_incomplete(&p->c->types, t))
		return D_DECL_INCOMPLETE;
	return type_is_scalar(t) || type_is_string(t) || t->kind == T_STRUCT ||
		t->kind == T_UNION ? D_NONE : D_UNSUPPORTED;
}

void declare_inline(struct parser *p, struct decl_specs *s, const struct declr *d, struct node *expr)
{
	struct types_list *params;
	struct type *t = declr_type(p, s, d, &params);
	enum diag_tag tag = inline_type(p, d, t);

	if (s->storage != STORE_GLOBAL)
		parse_error(p, d->loc, D_DECL_BADCLASS, "an inline cannot have a storage class: %s", d->name);
	else if (mentions_name(expr, d->name))
		parse_error(p, d->loc, D_IDENT_UNDEF, "an inline cannot refer to itself: %s", d->name);
	else if (tag != D_NONE)
		parse_error(p, d->loc, tag, "an inline cannot have the type %s: %s", type_text(&p->c->types, t),
			    d->name);
	else if (!params)
		inline_define(p, d->name, t, expr, d->loc);
	else if (params_fit(p, params, d->loc))
		add_inline(p, &(struct inline_def){
			.name = d->name, .type = t, .expr = expr, .loc = d->loc, .params = params->names.v,
			.types = params->v, .nparams = (unsigned)params->n,
		});
}

void declare_nameless(struct parser *p, struct decl_specs *s)
{
	if (!s->bad)
		parse_error(p, s->loc, D_DECL_USELESS, "inline declaration requires a name");
}

/* ---- translators ---- */

static bool translator_known(struct parser *p, const struct type *to, const struct type *from)
{
	if (p->src->origin == FROM_SCRIPT)
		prelude_translators(p->c, to);
	for (const struct translator *x = p->c->script->translators; x; x = x->next)
		if (type_same(x->to, to) && type_same(x->from, from))
			return true;
	return false;
}

/* The members of a refused translator are still checked: they go into one that is never used. */
void translator_open(struct parser *p, struct type *to, struct decl_specs *s, const struct declr *d, struct loc loc)
{
	struct script *script = p->c->script;
	struct translator *x = arena_alloc(p->a, sizeof *x);

	x->to = to;
	x->from = declr_type(p, s, d, NULL);
	x->param = d->name;
	x->loc = loc;
	p->xl = x;
	if ((to->kind != T_STRUCT && to->kind != T_UNION) || type_is_incomplete(&p->c->types, to)) {
		parse_error(p, loc, D_XLATE_SOU, "a translator needs a struct or union with known members, not %s",
			    type_text(&p->c->types, to));
		x->to = p->c->types.t_int;
	} else if (translator_known(p, to, x->from)) {
		parse_error(p, loc, D_XLATE_REDECL, "a translator from %s to %s already exists",
			    type_text(&p->c->types, x->from), type_text(&p->c->types, to));
	} else {
		x->next = script->translators;
		script->translators = x;
	}
}

void translator_member(struct parser *p, const char *name, struct node *expr, struct loc loc)
{
	struct translator *x = p->xl;
	uint64_t off;

	if (x->to->kind != T_STRUCT && x->to->kind != T_UNION)
		return;
	if (!type_member(&p->c->types, x->to, name, &off)) {
		if (p->src->origin == FROM_PRELUDE)
			return;
		parse_error(p, loc, D_XLATE_MEMB, "%s has no member named %s%s", type_text(&p->c->types, x->to), name,
			    near_member(p->a, &p->c->types, x->to, name));
		return;
	}
	*VEC_ADD(p->a, &x->members) = (struct xlate_member){ .name = name, .expr = expr, .loc = loc };
}

void translator_close(struct parser *p)
{
	p->xl = NULL;
}
