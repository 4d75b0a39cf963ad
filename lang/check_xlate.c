/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Translators and inlines: their expressions are put where they are used, as copies that are checked there. A bound on
 * the copies keeps definitions that double each other from filling the memory.
 */
#include <string.h>

#include "lang/checker.h"
#include "lang/prelude.h"

/* ---- copies ---- */
static struct node *too_much(struct checker *ck, struct loc loc)
{
	if (!ck->limit_said)
		check_fail(ck, loc, D_LIMIT, "inlines and translators make this script too large");
	ck->limit_said = true;
	return NULL;
}

static struct node *clone_below(struct checker *ck, const struct node *n, const char *param, const struct node *arg)
{
	struct node *copy = arena_memdup(ck->a, n, sizeof *n);
	struct node **below[] = { &copy->a, &copy->b, &copy->c };

	for (int i = 0; i < 3; i++)
		if (*below[i] && !(*below[i] = check_clone(ck, *below[i], param, arg)))
			return NULL;
	if (n->nargs)
		copy->args = arena_memdup(ck->a, n->args, n->nargs * sizeof *n->args);
	for (unsigned i = 0; i < n->nargs; i++)
		if (!(copy->args[i] = check_clone(ck, n->args[i], param, arg)))
			return NULL;
	return copy;
}

struct node *check_clone(struct checker *ck, const struct node *n, const char *param, const struct node *arg)
{
	struct node *copy;

	if (ck->cloned >= CHECK_MAXCLONE)
		return too_much(ck, n->loc);
	if (!check_deeper(ck, n->loc))
		return NULL;
	ck->cloned++;
	if (param && n->kind == N_IDENT && !n->scope && !strcmp(n->str, param))
		copy = check_clone(ck, arg, NULL, NULL);
	else
		copy = clone_below(ck, n, param, arg);
	ck->depth--;
	return copy;
}

/* ---- inlines ---- */
struct inline_state {
	bool busy, failed;
	struct node *value;	/* a constant */
};

static struct node *inline_value(struct checker *ck, const struct inline_def *def)
{
	struct node *e = check_clone(ck, def->expr, NULL, NULL);
	struct type *t;

	if (!e || !check_value(ck, &e))
		return NULL;
	t = e->type;
	if (check_convert(ck, &e, def->type))
		return e;
	return check_fail(ck, def->loc, D_OP_INCOMPAT, "inline %s: its value has type \"%s\", not \"%s\"", def->name,
			  check_text(ck, t), check_text(ck, def->type));
}

/* A constant keeps no trace of its inline but the place where it is used. */
static struct type *use_constant(struct checker *ck, struct node **np, const struct node *value)
{
	struct loc loc = (*np)->loc;

	*np = arena_memdup(ck->a, value, sizeof *value);
	(*np)->loc = loc;
	return value->type;
}

struct type *check_inline(struct checker *ck, struct node **np, struct inline_def *def)
{
	struct inline_state **slot = (struct inline_state **)map_put(&ck->inlines, &def, sizeof def), *st = *slot;
	struct node *e;

	if (!st)
		*slot = st = arena_alloc(ck->a, sizeof *st);
	if (st->value)
		return use_constant(ck, np, st->value);
	if (st->failed)
		return NULL;
	if (st->busy)
		return check_fail(ck, def->loc, D_DECL_BAD, "inline %s is defined by itself", def->name);
	st->busy = true;
	e = inline_value(ck, def);
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

/* ---- translators ---- */
/* What a member is looked up in: a translator and what it translates. x == NULL: nothing of that kind. */
struct xsource {
	const struct translator *x;
	struct node *arg;
	bool failed;
};

static struct type *to_type(struct type *t)
{
	return t->kind == T_PTR ? t->ref : t;
}

static struct xsource failed(void)
{
	return (struct xsource){ .failed = true };
}

static bool has_builtin_translator(enum builtin bi)
{
	return bi == BI_curpsinfo || bi == BI_curlwpsinfo || bi == BI_curcpu;
}

/* curpsinfo, curlwpsinfo, curcpu: made from the current thread, or from the number of the CPU. */
static struct xsource source_builtin(struct checker *ck, enum builtin bi, struct loc loc)
{
	struct type *to = prelude_type(ck->c, builtin_info[bi].type);
	const struct translator *x = to ? ck->s->translators : NULL;

	while (x && !type_same(x->to, to_type(to)))
		x = x->next;
	if (!x) {
		check_fail(ck, loc, ck->t->error ? D_KTYPE : D_XLATE_NONE, "%s: %s", builtin_info[bi].name,
			   ck->t->error ? ck->t->error : "no translator has been defined for its type");
		return failed();
	}
	return (struct xsource){
		x, check_builtin_node(ck, x->from->kind == T_PTR ? BI_curthread : BI_cpu, loc), false
	};
}

/* The translator for a value of this type. */
static const struct translator *find_translator(const struct checker *ck, const struct type *to,
						const struct type *from)
{
	for (const struct translator *x = ck->s->translators; x; x = x->next)
		if (type_same(x->to, to) && (type_same(x->from, from) || (type_is_int(x->from) && type_is_int(from))))
			return x;
	return NULL;
}

/* What is translated may be used several times: it must not do anything. The type is found out on a copy. */
static struct xsource source_xlate(struct checker *ck, struct node *n)
{
	struct node *probe;
	const struct translator *x;

	if (node_has_effect(n->a)) {
		check_fail(ck, n->loc, D_UNSUPPORTED, "the operand of xlate cannot have an effect of its own");
		return failed();
	}
	probe = check_clone(ck, n->a, NULL, NULL);
	if (!probe || !check_value(ck, &probe))
		return failed();
	x = find_translator(ck, to_type(n->type), probe->type);
	if (!x) {
		check_fail(ck, n->loc, D_XLATE_NONE, "cannot translate from \"%s\" to \"%s\"",
			   check_text(ck, probe->type), check_text(ck, to_type(n->type)));
		return failed();
	}
	return (struct xsource){ x, n->a, false };
}

static const struct node *translation(const struct translator *x, const char *member)
{
	for (size_t i = 0; i < x->members.n; i++)
		if (!strcmp(x->members.v[i].name, member))
			return x->members.v[i].expr;
	return NULL;
}

static struct xsource source_of(struct checker *ck, struct node *n);

/* A member that is itself a translation. */
static struct xsource source_member(struct checker *ck, struct node *n)
{
	struct xsource s = source_of(ck, n->a);
	const struct node *e = s.x ? translation(s.x, n->str) : NULL;
	struct node *copy;

	if (!e || e->kind != N_XLATE)
		return s.failed ? s : (struct xsource){ 0 };
	copy = check_clone(ck, e, s.x->param, s.arg);
	return copy ? source_of(ck, copy) : failed();
}

static struct xsource source_of(struct checker *ck, struct node *n)
{
	struct xsource s = { 0 };
	enum builtin bi;

	if (!check_deeper(ck, n->loc))
		return failed();
	bi = n->kind == N_IDENT && !n->scope ? builtin_find(n->str) : BI_NONE;
	if (has_builtin_translator(bi))
		s = source_builtin(ck, bi, n->loc);
	else if (n->kind == N_DEREF)
		s = source_of(ck, n->a);
	else if (n->kind == N_XLATE)
		s = source_xlate(ck, n);
	else if (n->kind == N_MEMBER)
		s = source_member(ck, n);
	ck->depth--;
	return s;
}

static struct type *translate(struct checker *ck, struct node **np, const struct xsource *s)
{
	struct node *n = *np;
	const struct node *e = translation(s->x, n->str);
	uint64_t off;
	const struct member *m = type_member(ck->t, s->x->to, n->str, &off);
	struct type *t;

	if (!m)
		return check_fail(ck, n->loc, D_TYPE_MEMBER, "%s is not a member of %s", n->str,
				  check_text(ck, s->x->to));
	if (!e)
		return check_fail(ck, n->loc, D_XLATE_MEMB,
				  "translator does not define conversion for member: %s", n->str);
	n = check_clone(ck, e, s->x->param, s->arg);
	if (!n || !check_value(ck, &n))
		return NULL;
	t = n->type;
	*np = n;
	if (m->type->kind == T_ARRAY && check_string(ck, np))
		return (*np)->type;
	if (type_is_value(m->type) && check_convert(ck, np, m->type))
		return (*np)->type;
	return check_fail(ck, e->loc, D_OP_INCOMPAT, "member %s of %s: its value has type \"%s\", not \"%s\"",
			  m->name, check_text(ck, s->x->to), check_text(ck, t), check_text(ck, m->type));
}

bool check_translated(struct checker *ck, struct node **np, struct type **type)
{
	struct node *n = *np;
	struct xsource s = source_of(ck, n->a);

	*type = NULL;
	if (s.failed)
		return true;
	if (!s.x)
		return false;
	if (!n->arrow && (n->a->kind == N_IDENT || (n->a->kind == N_XLATE && n->a->type->kind == T_PTR)))
		check_fail(ck, n->loc, D_OP_DOT, "operator . cannot be applied to a pointer: use ->");
	else
		*type = translate(ck, np, &s);
	return true;
}

struct type *check_xlate(struct checker *ck, struct node **np)
{
	return check_fail(ck, (*np)->loc, D_UNSUPPORTED,
			  "a translation is made of its members: it can only be used with '->' or '.'");
}
