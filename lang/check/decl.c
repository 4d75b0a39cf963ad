/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Declarations: variables, inlines and translators, used or not. An error in a declaration is reported here, once; its
 * uses report nothing more.
 */
#include "lang/check/decl.h"

#include "lang/check/checker.h"
#include "lang/check/conv.h"
#include "lang/check/inline.h"
#include "lang/check/xlate.h"
#include "lang/types/type_find.h"

/* True unless it is from dtr's own library: a kernel may lack some of its types. */
static bool is_own(struct loc loc)
{
	return loc_origin(loc) != FROM_PRELUDE && loc_origin(loc) != FROM_CONSTANTS;
}

/* ---- variables ---- */
/* As a key, an array of bytes is a string. */
static bool declare_key(struct checker *ck, struct type **t)
{
	if ((*t)->kind == T_ARRAY && type_is_int((*t)->ref) && (*t)->ref->size == 1 && (*t)->nelems)
		*t = type_string(ck->t, (*t)->nelems);
	return type_is_value(*t);
}

/* A structure or a C array whose size is known. */
static bool is_aggregate(struct checker *ck, struct type *t)
{
	if (t->kind == T_ARRAY)
		return t->size && (type_is_value(t->ref) || is_aggregate(ck, t->ref));
	return (t->kind == T_STRUCT || t->kind == T_UNION) && type_is_defined(ck->t, t) && t->size;
}

static void check_declaration(struct checker *ck, struct var *v)
{
	bool ok = type_is_value(v->type) || is_aggregate(ck, v->type);

	for (unsigned i = 0; i < v->nkeys; i++)
		ok &= declare_key(ck, &v->key[i]);
	if (!ok)
		check_fail(ck, v->loc, D_UNSUPPORTED,
			   "%s: a variable or key of this type is not available in this version of dtr",
			   v->name);
	else if (v->is_array && v->cls == VC_THIS)
		check_fail(ck, v->loc, D_DECL_LOCASSC,
			   "clause-local variable may not be an associative array: this->%s",
			   v->name);
	else
		return;
	v->type = NULL;
}

/* ---- inlines and translators ---- */
struct node *check_placeholder(struct checker *ck, const char *name, struct type *t, struct loc loc)
{
	struct node *n = check_node(ck, N_VAR, loc, t);
	struct var *v = arena_alloc(ck->a, sizeof *v);

	v->name = n->str = name;
	v->cls = VC_BUILTIN;
	v->type = t;
	v->loc = loc;
	n->var = v;
	return n;
}

/* In source order. */
static void check_translators(struct checker *ck)
{
	VEC(struct translator *) all = { 0 };

	for (struct translator *x = ck->s->translators; x; x = x->next)
		if (is_own(x->loc))
			*VEC_ADD(ck->a, &all) = x;
	while (all.n)
		check_translator(ck, all.v[--all.n]);
}

void check_declared(struct checker *ck)
{
	for (size_t i = 0; i < ck->s->vars.n; i++) {
		struct var *v = ck->s->vars.entries[i].value;

		if (v->type && is_own(v->loc))
			check_declaration(ck, v);
	}
	ck->declaring = true;
	for (size_t i = 0; i < ck->s->inlines.n; i++) {
		struct inline_def *def = ck->s->inlines.entries[i].value;

		if (is_own(def->loc))
			check_inline_def(ck, def);
	}
	check_translators(ck);
	ck->declaring = false;
}
