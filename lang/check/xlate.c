/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Translators: each use of a member is a copy of its expression, checked at that place. */
#include "lang/check/xlate.h"

#include <string.h>

#include "lang/check/args.h"
#include "lang/check/check.h"
#include "lang/check/checker.h"
#include "lang/check/conv.h"
#include "lang/check/decl.h"
#include "lang/check/inline.h"
#include "lang/check/mem.h"
#include "lang/check/name.h"
#include "lang/check/near.h"
#include "lang/check/var.h"
#include "lang/prelude.h"
#include "lang/types/type_find.h"

/* Inlines that name one another; those that refer to themselves end here. */
enum { MAXNAMES = 64 };

/* ---- translators ---- */
/* The source of a member: a translator and the value that it translates. x == NULL: not a translation. */
struct xsource {
	const struct translator *x;
	struct node *arg;
	bool failed;
};

static struct type *to_type(struct type *t)
{
	return t->kind == T_PTR ? t->ref : t;
}

static struct xsource failed_source(void)
{
	return (struct xsource){ .failed = true };
}

/* A list that has all translators to this type, among others. */
static const struct translator *translators_to(struct checker *ck, const struct type *to)
{
	prelude_translators(ck->c, to);
	return ck->s->translators;
}

static bool has_builtin_translator(enum builtin bi)
{
	return bi == BI_curpsinfo || bi == BI_curlwpsinfo || bi == BI_curcpu;
}

/* curpsinfo, curlwpsinfo, curcpu: translated from the current thread, or from the number of the CPU. */
static struct xsource source_builtin(struct checker *ck, enum builtin bi, struct loc loc)
{
	struct type *to = prelude_type(ck->c, builtin_info[bi].type);
	const struct translator *x = to ? translators_to(ck, to_type(to)) : NULL;

	while (x && !type_same(x->to, to_type(to)))
		x = x->next;
	if (!x) {
		check_fail(ck, loc, ck->t->error ? D_KTYPE : D_XLATE_NONE, "%s: %s", builtin_info[bi].name,
			   ck->t->error ? ck->t->error : "no translator has been defined for its type");
		return failed_source();
	}
	return (struct xsource){
		x, check_builtin_node(ck, x->from->kind == T_PTR ? BI_curthread : BI_cpu, x->loc), false
	};
}

/* An integer is cast to the type that the translator names: the upper half of a register is ignored. */
static struct xsource source_value(struct checker *ck, const struct translator *x, struct node *value)
{
	return (struct xsource){ x, type_is_int(x->from) ? check_wrap(ck, N_CAST, value, x->from) : value, false };
}

/* fds[n]: translated from a file descriptor. */
static struct xsource source_fd(struct checker *ck, struct node *n)
{
	struct type *to = prelude_type(ck->c, "fileinfo_t");
	const struct translator *x = to ? translators_to(ck, to) : NULL;

	while (x && !(type_same(x->to, to) && type_is_int(x->from)))
		x = x->next;
	if (!x)
		check_fail(ck, n->loc, D_KTYPE, "fds: %s",
			   ck->t->error ? ck->t->error : "there is no translator for its type");
	else if (n->nargs != 1)
		check_fail(ck, n->loc, D_PROTO_LEN, "fds[ ] prototype mismatch: %u args passed, 1 expected", n->nargs);
	else if (!node_is_repeatable(n->args[0]))
		check_fail(ck, n->loc, D_UNSUPPORTED, "the index of fds cannot have side effects");
	else
		return source_value(ck, x, n->args[0]);
	return failed_source();
}

/* Finds the translator for a value of this type. */
static const struct translator *find_translator(struct checker *ck, const struct type *to,
						const struct type *from)
{
	for (const struct translator *x = translators_to(ck, to); x; x = x->next)
		if (type_same(x->to, to) && (type_same(x->from, from) || (type_is_int(x->from) && type_is_int(from))))
			return x;
	return NULL;
}

/* The operand may be evaluated several times, so it must not have side effects. Its type is determined on a copy. */
static struct xsource source_xlate(struct checker *ck, struct node *n)
{
	struct node *probe;
	const struct translator *x;

	if (!node_is_repeatable(n->a)) {
		check_fail(ck, n->loc, D_UNSUPPORTED, "the operand of xlate cannot have side effects");
		return failed_source();
	}
	probe = check_clone(ck, n->a, NULL);
	if (!probe || !check_value(ck, &probe))
		return failed_source();
	x = find_translator(ck, to_type(n->type), probe->type);
	if (!x) {
		check_fail(ck, n->loc, D_XLATE_NONE, "cannot translate from \"%s\" to \"%s\"",
			   check_text(ck, probe->type), check_text(ck, to_type(n->type)));
		return failed_source();
	}
	return source_value(ck, x, n->a);
}

/* The conversion of a member; the first definition wins. */
static const struct xlate_member *member_translation(const struct translator *x, const char *member)
{
	for (size_t i = 0; i < x->members.n; i++)
		if (!strcmp(x->members.v[i].name, member))
			return &x->members.v[i];
	return NULL;
}

static struct xsource source_of(struct checker *ck, struct node *n);

/* A member that is itself a translation. */
static struct xsource source_member(struct checker *ck, struct node *n)
{
	struct xsource s = source_of(ck, n->a);
	const struct xlate_member *m = s.x ? member_translation(s.x, n->str) : NULL;
	struct node *copy;

	if (!m || m->expr->kind != N_XLATE)
		return s.failed ? s : (struct xsource){ 0 };
	if (m->failed)
		return failed_source();
	copy = check_clone(ck, m->expr, &(struct bindings){ 1, &s.x->param, &s.arg });
	return copy ? source_of(ck, copy) : failed_source();
}

struct type *check_translation_type(struct checker *ck, const struct node *n)
{
	const struct inline_def *def = NULL;
	enum builtin bi;

	for (int i = 0; i < MAXNAMES && (def = check_inline_named(ck, n)); i++)
		n = def->expr;
	bi = n->kind == N_IDENT && !n->scope ? builtin_find(n->str) : BI_NONE;
	if (def)
		return NULL;
	if (n->kind == N_XLATE)
		return n->type;
	if (has_builtin_translator(bi))
		return prelude_type(ck->c, builtin_info[bi].type);
	return check_is_fds(ck, n) ? prelude_type(ck->c, "fileinfo_t") : NULL;
}

/* An inline that is a translation. */
static struct xsource source_inline(struct checker *ck, struct node *n)
{
	const struct inline_def *def = check_inline_named(ck, n);
	struct node *copy;

	if (!def || !check_translation_type(ck, def->expr))
		return (struct xsource){ 0 };
	copy = check_inline_copy(ck, n, def);
	return copy ? source_of(ck, copy) : failed_source();
}

static struct xsource source_of(struct checker *ck, struct node *n)
{
	struct xsource s = { 0 };
	enum builtin bi;

	if (check_is_args(n) && !check_probe_args(ck, n))
		return failed_source();
	if (!check_deeper(ck, n->loc))
		return failed_source();
	bi = n->kind == N_IDENT && !n->scope ? builtin_find(n->str) : BI_NONE;
	if (has_builtin_translator(bi))
		s = source_builtin(ck, bi, n->loc);
	else if (check_is_fds(ck, n))
		s = source_fd(ck, n);
	else if (n->kind == N_DEREF)
		s = source_of(ck, n->a);
	else if (n->kind == N_XLATE)
		s = source_xlate(ck, n);
	else if (n->kind == N_MEMBER)
		s = source_member(ck, n);
	else if (n->kind == N_IDENT || n->kind == N_INDEX)
		s = source_inline(ck, n);
	ck->depth--;
	return s;
}

/* Converts the checked value of a member to the member's type. */
static bool convert_member(struct checker *ck, struct node **np, struct type *to)
{
	struct type *t = (*np)->type;

	if (to->kind == T_ARRAY && (t->kind == T_ARRAY || t->kind == T_PTR) && type_same(to->ref, t->ref))
		return true;
	if (to->kind == T_ARRAY && check_string(ck, np))
		return true;
	if (!type_is_value(to) || t->kind == T_STRUCT || t->kind == T_UNION)
		return type_same(to, t);
	if (t->kind == T_ARRAY && !(type_is_string(to) && check_string(ck, np)))
		check_decay(ck, np);
	return type_is_value((*np)->type) && check_convert(ck, np, to);
}

static struct type *member_misfit(struct checker *ck, const struct xlate_member *m, const struct type *to,
				  const struct type *t)
{
	return check_fail(ck, m->loc, D_XLATE_INCOMPAT,
			  "translator member %s definition uses incompatible types: \"%s\" = \"%s\"", m->name,
			  check_text(ck, to), check_text(ck, t));
}

static struct type *translate_member(struct checker *ck, struct node **np, const struct xsource *s)
{
	struct node *n = *np;
	const struct xlate_member *x = member_translation(s->x, n->str);
	uint64_t off;
	const struct member *m = type_member(ck->t, s->x->to, n->str, &off);
	struct type *t;

	if (!m || !x)
		return check_fail(ck, n->loc, D_XLATE_NOCONV,
				  "translator does not define conversion for member: %s%s", n->str,
				  near_translated(ck, s->x, n->str));
	if (x->failed)
		return NULL;
	if (ck->declaring) {
		*np = check_placeholder(ck, n->str, m->type, n->loc);
		return m->type;
	}
	n = check_clone(ck, x->expr, &(struct bindings){ 1, &s->x->param, &s->arg });
	if (!n || !check_expr(ck, &n))
		return NULL;
	t = n->type;
	*np = n;
	return convert_member(ck, np, m->type) ? (*np)->type : member_misfit(ck, x, m->type, t);
}

static bool check_conversion(struct checker *ck, struct translator *x, const struct xlate_member *c, struct node *param)
{
	struct node *n = check_clone(ck, c->expr, &(struct bindings){ 1, &x->param, &param });
	uint64_t off;
	const struct member *m = type_member(ck->t, x->to, c->name, &off);
	struct type *t;

	if (n && m && n->kind == N_XLATE) {	/* a translation within a translation */
		t = to_type(n->type);
		return !source_of(ck, n).failed &&
		       (type_same(to_type(m->type), t) || member_misfit(ck, c, m->type, t));
	}
	t = n && m ? check_expr(ck, &n) : NULL;
	return t && (convert_member(ck, &n, m->type) || member_misfit(ck, c, m->type, t));
}

void check_translator(struct checker *ck, struct translator *x)
{
	struct node *param = check_placeholder(ck, x->param, x->from, x->loc);

	for (size_t i = 0; i < x->members.n; i++)
		x->members.v[i].failed = !check_conversion(ck, x, &x->members.v[i], param);
}

bool check_translation(struct checker *ck, struct node *n)
{
	return !source_of(ck, n).failed;
}

/* The type of a translation; NULL for a member of another translation, where both '.' and '->' are valid. */
static const struct type *type_of_source(struct checker *ck, const struct node *n, const struct xsource *s)
{
	const struct inline_def *def = check_inline_named(ck, n);

	if (def || n->kind == N_XLATE)
		return def ? def->type : n->type;
	if (n->kind == N_IDENT)
		return prelude_type(ck->c, builtin_info[builtin_find(n->str)].type);
	return n->kind == N_MEMBER ? NULL : s->x->to;
}

bool check_translated(struct checker *ck, struct node **np, struct type **type)
{
	struct node *n = *np;
	struct loc at = n->loc, before = check_use(ck, at);
	struct xsource s = source_of(ck, n->a);
	const struct type *t;

	*type = NULL;
	if (s.x && !s.failed) {
		t = type_of_source(ck, n->a, &s);
		if (t && n->arrow && t->kind != T_PTR)
			check_not_pointer(ck, n, t);
		else if (t && !n->arrow && t->kind == T_PTR)
			check_not_composite(ck, n, t);
		else
			*type = translate_member(ck, np, &s);
	}
	/* the script's text names the member, so errors about its value are reported there */
	if ((s.x || s.failed) && loc_origin((*np)->loc))
		(*np)->loc = at;
	ck->use = before;
	return s.x || s.failed;
}

/* ---- whole translations ---- */
static bool is_chars(const struct type *t)
{
	return t->kind == T_ARRAY && t->nelems && type_is_int(t->ref) && t->ref->size == 1;
}

/* *(string *)&place: an array of characters as a string. */
static struct node *chars_as_string(struct checker *ck, struct node *place, const struct type *t)
{
	struct node *addr = check_wrap(ck, N_ADDR, place, NULL);

	return check_wrap(ck, N_DEREF,
			  check_wrap(ck, N_CAST, addr, type_pointer(ck->t, type_string(ck->t, t->size))), NULL);
}

/* to.name = the member's translation, or 0 if it has none. NULL after a diagnostic. */
static struct node *assign_member(struct checker *ck, const struct node *to, const struct member *m,
				  const struct xsource *s)
{
	const struct xlate_member *x = member_translation(s->x, m->name);
	struct node *n = check_node(ck, N_ASSIGN, to->loc, NULL);

	n->op = OP_NONE;
	n->a = check_node(ck, N_MEMBER, to->loc, NULL);
	n->a->str = m->name;
	n->a->a = check_clone(ck, to, NULL);
	if (n->a->a && is_chars(m->type))
		n->a = chars_as_string(ck, n->a, m->type);
	n->b = x ? check_clone(ck, x->expr, &(struct bindings){ 1, &s->x->param, &s->arg }) :
		   check_int(ck, to->loc, ck->t->t_int, 0);
	return n->a->a && n->b && !(x && x->failed) && check_expr(ck, &n) ? n : NULL;
}

struct type *check_xlate_assign(struct checker *ck, struct node **np)
{
	struct node *n = *np, *all = NULL, *one, *two;
	struct xsource s = source_of(ck, n->b);
	struct var *target;

	if (s.failed || !type_members(ck->t, s.x->to))
		return NULL;
	target = n->a->kind == N_IDENT && n->a->scope != '`' ? check_make_var(ck, n->a) : NULL;
	if (target && !target->type && !target->is_array)
		target->type = s.x->to;
	for (unsigned i = 0; i < s.x->to->nmembers; i++) {
		const struct member *m = &s.x->to->members[i];

		if (!m->name || (!member_translation(s.x, m->name) && !type_is_value(m->type) && !is_chars(m->type)))
			continue;
		one = assign_member(ck, n->a, m, &s);
		if (!one)
			return NULL;
		two = check_node(ck, N_COMMA, n->loc, one->type);
		two->a = all;
		two->b = one;
		all = all ? two : one;
	}
	*np = all ? all : check_int(ck, n->loc, ck->t->t_int, 0);
	return (*np)->type;
}

/* An unchecked expression that differs for different sources, and is 0 if there is none. */
static struct node *source_identity(struct checker *ck, const struct xsource *s)
{
	struct node *sum;

	if (s->x->from->kind == T_PTR)
		return s->arg;
	/* 0 is a CPU, too; -1 is none */
	sum = check_node(ck, N_BINARY, s->arg->loc, NULL);
	sum->op = OP_ADD;
	sum->a = s->arg;
	sum->b = check_int(ck, s->arg->loc, ck->t->t_long, 1);
	return sum;
}

struct type *check_xlate(struct checker *ck, struct node **np)
{
	struct node *n = *np;
	struct xsource s = source_of(ck, n);

	if (s.failed)
		return NULL;
	n->b = n->kind == N_XLATE && n->type->kind != T_PTR ? NULL : source_identity(ck, &s);
	return n->type = check_dynamic(ck, CHECK_XLATE);
}

bool check_untranslate(struct checker *ck, struct node **np)
{
	struct node *n = *np, *source;

	if (n->type != ck->dyn[CHECK_XLATE] || !n->b || (n->kind != N_XLATE && n->kind != N_IDENT))
		return false;
	source = check_node(ck, N_CAST, n->loc, type_pointer(ck->t, ck->t->t_void));
	source->a = check_clone(ck, n->b, NULL);
	if (!source->a || !check_expr(ck, &source))
		return false;
	*np = source;
	return true;
}
