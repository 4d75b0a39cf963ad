/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Keys of associative arrays and aggregations. The first use fixes their number and kinds. Other uses may differ in the
 * width of integers and the length of strings; the stored key is wide enough for all of them. Keys are therefore cast
 * after the whole script was checked.
 */
#include "lang/check/key.h"

#include "lang/check/checker.h"
#include "lang/check/conv.h"
#include "lang/syntax/literal.h"

/* ---- uses ---- */
struct key_shape *check_shape(struct checker *ck, const void *owner, const char *name)
{
	void **slot = map_put(&ck->shapes, &owner, sizeof owner);
	struct key_shape *sh = *slot;

	if (!sh) {
		*slot = sh = arena_alloc(ck->a, sizeof *sh);
		sh->name = name;
	}
	return sh;
}

struct type *check_wider(struct checker *ck, struct type *a, struct type *b)
{
	if (a->is_bool || b->is_bool)
		return a->is_bool ? b : a;
	if (b->size < a->size && (a->is_signed || !b->is_signed))
		return a;
	if (a->size < b->size && (b->is_signed || !a->is_signed))
		return b;
	if (a->size == b->size && a->is_signed == b->is_signed)
		return a;
	return a->size < 4 && b->size < 4 ? ck->t->t_int : ck->t->t_long;
}

void check_note_constant(struct key_constants *c, const struct node *n)
{
	int64_t v = (int64_t)n->value;

	if (v < 0 && type_is_int(n->type) && n->type->is_signed)
		c->lo = v < c->lo ? v : c->lo;
	else
		c->hi = n->value > c->hi ? n->value : c->hi;
}

struct type *check_hold(struct checker *ck, struct type *t, const struct key_constants *c)
{
	if (c->hi > type_max(t))
		t = check_wider(ck, t, literal_type(ck->t, c->hi, false, false, 0));
	if (c->lo < 0 && (!t->is_signed || (int64_t)type_extend(t, (uint64_t)c->lo) != c->lo))
		t = check_wider(ck, t, c->lo < INT32_MIN ? ck->t->t_long : ck->t->t_int);
	return t;
}

static void merge_int(struct checker *ck, struct key_shape *sh, unsigned i, const struct node *arg)
{
	struct key_constants *c = &sh->constants[i];
	struct type *was = sh->key[i], *now = arg->type;
	bool constant = arg->kind == N_INT;

	if (sh->fixed)
		return;
	if (constant)
		check_note_constant(c, arg);
	if (constant == c->only)
		sh->key[i] = check_wider(ck, was, now);
	else if (c->only)
		sh->key[i] = now;
	c->only = c->only && constant;
	if (!c->only)
		sh->key[i] = check_hold(ck, sh->key[i], c);
}

/* Merges the key of one use. Returns false if it is incompatible. */
static bool merge_key(struct checker *ck, struct key_shape *sh, unsigned i, struct node **arg)
{
	uint64_t strsize = ck->c->opts.strsize;
	struct type *was = sh->key[i], *now = (*arg)->type;

	if (was->kind == T_SYMBOLIC || now->kind == T_SYMBOLIC) {
		if (was->kind != now->kind || was->symbolic != now->symbolic)
			return false;
		if (now->size > was->size)
			sh->key[i] = now;
		return true;
	}
	if (!type_is_value(was) || !type_is_value(now))
		return type_same(was, now);
	if (type_is_int(was) && type_is_int(now)) {
		merge_int(ck, sh, i, *arg);
		return true;
	}
	if (!check_convert(ck, arg, was))
		return false;
	now = (*arg)->type;
	if (type_is_string(was) && !sh->fixed && (now->size ? now->size : strsize) > (was->size ? was->size : strsize))
		sh->key[i] = now;
	return true;
}

static void first_use(struct key_shape *sh, const struct node *use)
{
	sh->known = true;
	sh->nkeys = use->nargs;
	for (unsigned i = 0; i < use->nargs; i++) {
		sh->key[i] = use->args[i]->type;
		sh->constants[i] = (struct key_constants){ .only = use->args[i]->kind == N_INT };
	}
}

bool check_keys(struct checker *ck, struct key_shape *sh, struct node *use, unsigned max)
{
	if (use->nargs > max) {
		check_fail(ck, use->loc, D_LIMIT, "%s has %u keys, the maximum is %u", sh->name, use->nargs, max);
		return false;
	}
	if (!sh->known)
		first_use(sh, use);
	if (sh->nkeys != use->nargs) {
		check_fail(ck, use->loc, D_PROTO_LEN, "%s[ ] prototype mismatch: %u arg%s passed, %u expected",
			   sh->name, use->nargs, use->nargs == 1 ? "" : "s", sh->nkeys);
		return false;
	}
	for (unsigned i = 0; i < use->nargs; i++) {
		if (merge_key(ck, sh, i, &use->args[i]))
			continue;
		check_fail(ck, use->args[i]->loc, D_PROTO_ARG,
			   "%s[ ] key #%u is incompatible with its %s: \"%s\" there, \"%s\" here",
			   sh->name, i + 1, sh->fixed ? "declaration" : "first use",
			   check_text(ck, sh->key[i]), check_text(ck, use->args[i]->type));
		return false;
	}
	*VEC_ADD(ck->a, &sh->uses) = use;
	return true;
}

/* ---- after all uses ---- */
static void cast_uses(struct checker *ck, const struct key_shape *sh)
{
	for (size_t u = 0; u < sh->uses.n; u++)
		for (unsigned i = 0; i < sh->nkeys; i++)
			if (type_is_scalar(sh->key[i]))
				sh->uses.v[u]->args[i] = check_cast(ck, sh->uses.v[u]->args[i], sh->key[i]);
}

void check_shapes(struct checker *ck)
{
	for (size_t e = 0; e < ck->s->vars.n; e++) {
		struct var *v = ck->s->vars.entries[e].value;
		void **slot = map_find(&ck->shapes, &v, sizeof v);
		const struct key_shape *sh = slot ? *slot : NULL;

		if (!sh)
			continue;
		cast_uses(ck, sh);
		v->nkeys = sh->nkeys;
		for (unsigned i = 0; i < sh->nkeys; i++)
			v->key[i] = sh->key[i];
	}
	for (size_t e = 0; e < ck->s->agglist.n; e++) {
		struct agg_desc *d = ck->s->agglist.v[e];
		const struct key_shape *sh = check_shape(ck, d, d->name);

		cast_uses(ck, sh);
		d->nkeys = sh->nkeys;
		d->keysize = key_layout(sh->key, sh->nkeys, ck->c->opts.strsize, d->key);
		key_layout_raw(d);
		if (d->has_stacks && d->keysize < UINT32_MAX / 2)
			agg_key_layout(d);
	}
}
