/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "lang/check/near.h"

#include <string.h>

#include "base/word.h"
#include "lang/check/checker.h"
#include "lang/check/name.h"
#include "lang/func.h"
#include "lang/prelude.h"

static const char *const scopes[] = { [VC_GLOBAL] = "", [VC_THIS] = "this->", [VC_SELF] = "self->" };

static void offer_inlines(struct checker *ck, struct word_near *near)
{
	prelude_all(ck->c);
	for (size_t i = 0; i < ck->s->inlines.n; i++)
		word_offer(near, ((const struct inline_def *)ck->s->inlines.entries[i].value)->name);
	for (int i = BI_NONE + 1; i < BI_COUNT; i++)
		word_offer(near, builtin_info[i].name);
}

/* If the name exists in another scope, the scope was most likely forgotten. */
static const struct var *in_other_scope(struct checker *ck, const struct node *n)
{
	for (size_t i = 0; i < ck->s->vars.n; i++) {
		const struct var *v = ck->s->vars.entries[i].value;

		if (v->type && v->cls < sizeof scopes / sizeof *scopes && !strcmp(v->name, n->str))
			return v;
	}
	return NULL;
}

const char *near_variable(struct checker *ck, const struct node *n)
{
	struct word_near near = { .word = n->str };
	const struct var *other = in_other_scope(ck, n);
	enum var_class cls = check_class(n);

	for (size_t i = 0; i < ck->s->vars.n && !other; i++) {
		const struct var *v = ck->s->vars.entries[i].value;

		if (v->cls == cls && v->type)
			word_offer(&near, v->name);
	}
	if (cls == VC_GLOBAL && !other)
		offer_inlines(ck, &near);
	if (other)
		near.best = other->name;
	if (near.best)
		near.best = arena_printf(ck->a, "%s%s", scopes[other ? other->cls : cls], near.best);
	return word_suggestion(ck->a, &near);
}

const char *near_aggregation(struct checker *ck, const char *name)
{
	struct word_near near = { .word = name };

	for (size_t i = 0; i < ck->s->agglist.n; i++)
		word_offer(&near, ck->s->agglist.v[i]->name);
	if (near.best)
		near.best = arena_printf(ck->a, "@%s", near.best);
	return word_suggestion(ck->a, &near);
}

const char *near_function(struct checker *ck, const char *name)
{
	static const char *const actions[] = {
#define ACTION(NAME, text, min, max, destructive) text,
#include "lang/syntax/action.def"
#undef ACTION
	};
	struct word_near near = { .word = name };

	for (size_t i = 0; i < sizeof actions / sizeof actions[0]; i++)
		word_offer(&near, actions[i]);
	for (size_t i = 0; func_number(i); i++)
		word_offer(&near, func_number(i)->name);
	for (size_t i = 0; agg_funcs[i]; i++)
		word_offer(&near, agg_funcs[i]->name);
	return word_suggestion(ck->a, &near);
}

const char *near_translated(struct checker *ck, const struct translator *x, const char *name)
{
	struct word_near near = { .word = name };

	for (size_t i = 0; i < x->members.n; i++)
		word_offer(&near, x->members.v[i].name);
	return word_suggestion(ck->a, &near);
}
