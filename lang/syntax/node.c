/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "lang/syntax/node.h"

#include <string.h>

#include "lang/syntax/const.h"
#include "lang/types/near_member.h"
#include "lang/types/type_find.h"

struct node *node_new(struct parser *p, enum node_kind kind, struct loc loc)
{
	struct node *n = arena_alloc(p->a, sizeof *n);

	n->kind = kind;
	n->loc = loc;
	return n;
}

/* Every later stage recurses into the tree, so a tree that is too deep is rejected here. */
static struct node *node_done(struct parser *p, struct node *n)
{
	unsigned depth = 0;
	struct node *const below[] = { n->a, n->b, n->c };

	for (int i = 0; i < 3; i++)
		if (below[i] && below[i]->depth > depth)
			depth = below[i]->depth;
	for (unsigned i = 0; i < n->nargs; i++)
		if (n->args[i]->depth > depth)
			depth = n->args[i]->depth;
	n->depth = depth + 1;
	if (n->depth <= NODE_MAXDEPTH)
		return n;
	parse_limit(p, n->loc, "this expression is nested too deeply");
	return node_int(p, n->loc, 0, p->c->types.t_int);
}

struct node *node_int(struct parser *p, struct loc loc, uint64_t value, struct type *type)
{
	struct node *n = node_new(p, N_INT, loc);

	n->value = value;
	n->type = type;
	return n;
}

struct node *node_str(struct parser *p, struct loc loc, const char *s, size_t len)
{
	struct node *n = node_new(p, N_STR, loc);

	n->str = arena_strndup(p->a, s, len);
	n->len = len;
	return n;
}

struct node *node_ident(struct parser *p, struct loc loc, const char *name, char scope)
{
	/* defined by share/prelude.d */
	static const char *const names[] = { "curcpu", "curlwpsinfo", "curpsinfo", "cwd", "fds", "root", "zonename" };
	struct node *n = node_new(p, N_IDENT, loc);

	n->str = name;
	n->scope = scope;
	for (size_t i = 0; !scope && i < sizeof names / sizeof *names; i++)
		if (!p->prelude && !strcmp(name, names[i]))
			p->prelude = n;
	return n;
}

static void set_args(struct node *n, const struct nodes *args)
{
	n->args = args ? args->v : NULL;
	n->nargs = args ? args->n : 0;
}

struct node *node_agg(struct parser *p, struct loc loc, const char *name)
{
	struct node *n = node_new(p, N_AGG, loc);

	n->str = *name ? name : "_";
	return node_done(p, n);
}

static struct node *agg_keys(struct parser *p, struct loc loc, struct node *agg, struct nodes *keys)
{
	if (agg->nargs)
		parse_error(p, loc, D_AGG_MDIM, "an aggregation has one list of keys: @a[k1, k2]");
	else
		set_args(agg, keys);
	return agg;
}

struct operands {
	struct node *a, *b;
};

static struct node *node_op(struct parser *p, enum node_kind kind, struct loc loc, enum op op, struct operands of)
{
	struct node *n = node_new(p, kind, loc);

	n->op = op;
	n->a = of.a;
	n->b = of.b;
	return node_done(p, n);
}

struct node *node_unary(struct parser *p, struct loc loc, enum op op, struct node *a)
{
	return node_op(p, N_UNARY, loc, op, (struct operands){ a, NULL });
}

struct node *node_binary(struct parser *p, struct loc loc, enum op op, struct node *a, struct node *b)
{
	return node_op(p, N_BINARY, loc, op, (struct operands){ a, b });
}

struct node *node_assign(struct parser *p, struct loc loc, enum op op, struct node *a, struct node *b)
{
	return node_op(p, N_ASSIGN, loc, op, (struct operands){ a, b });
}

struct node *node_comma(struct parser *p, struct loc loc, struct node *a, struct node *b)
{
	return node_op(p, N_COMMA, loc, OP_NONE, (struct operands){ a, b });
}

struct node *node_cond(struct parser *p, struct loc loc, struct node *a, struct node *b, struct node *c)
{
	struct node *n = node_new(p, N_COND, loc);

	n->a = a;
	n->b = b;
	n->c = c;
	return node_done(p, n);
}

struct node *node_call(struct parser *p, struct loc loc, struct node *name, struct nodes *args)
{
	struct node *n;

	if (name->kind != N_IDENT || name->scope) {
		parse_error(p, loc, D_FUNC_IDENT, "function designator is not of function type");
		return name;
	}
	n = node_new(p, N_CALL, loc);
	n->str = name->str;
	set_args(n, args);
	return node_done(p, n);
}

struct node *node_index(struct parser *p, struct loc loc, struct node *a, struct nodes *args)
{
	struct node *n;

	if (a->kind == N_AGG)
		return agg_keys(p, loc, a, args);
	n = node_new(p, N_INDEX, a->loc);
	n->a = a;
	n->scope = a->kind == N_IDENT ? a->scope : 0;
	set_args(n, args);
	return node_done(p, n);
}

struct node *node_member(struct parser *p, struct loc loc, struct node *a, const char *name, bool arrow)
{
	struct node *n = node_new(p, N_MEMBER, loc);

	n->a = a;
	n->str = name;
	n->arrow = arrow;
	return node_done(p, n);
}

static struct node *node_typed(struct parser *p, enum node_kind kind, struct loc loc, struct type *t, struct node *a)
{
	struct node *n = node_new(p, kind, loc);

	n->type = t;
	n->a = a;
	return node_done(p, n);
}

struct node *node_deref(struct parser *p, struct loc loc, struct node *a)
{
	return node_typed(p, N_DEREF, loc, NULL, a);
}

struct node *node_addr(struct parser *p, struct loc loc, struct node *a)
{
	return node_typed(p, N_ADDR, loc, NULL, a);
}

struct node *node_cast(struct parser *p, struct loc loc, struct type *t, struct node *a)
{
	return node_typed(p, N_CAST, loc, t, a);
}

/* Marks it as stringof, not a cast, for messages. */
struct node *node_stringof(struct parser *p, struct loc loc, struct node *a)
{
	struct node *n = node_typed(p, N_CAST, loc, p->c->types.t_string, a);

	if (n)
		n->str = "stringof";
	return n;
}

struct node *node_sizeof(struct parser *p, struct loc loc, struct node *a)
{
	return node_typed(p, N_SIZEOF, loc, NULL, a);
}

struct node *node_type(struct parser *p, struct loc loc, struct type *t)
{
	return node_typed(p, N_TYPE, loc, t, NULL);
}

struct node *node_xlate(struct parser *p, struct loc loc, struct type *t, struct node *a)
{
	return node_typed(p, N_XLATE, loc, t, a);
}

struct node *node_offsetof(struct parser *p, struct loc loc, struct type *t, struct nodes *path)
{
	struct types *types = &p->c->types;
	uint64_t sum = 0, off;

	for (size_t i = 0; i < path->n; i++) {
		const struct node *name = path->v[i];
		const struct member *m;

		if ((t->kind != T_STRUCT && t->kind != T_UNION) || !type_is_defined(types, t)) {
			parse_error(p, name->loc, D_OFFSETOF_TYPE, "offsetof() takes a struct or union, not %s",
				    type_text(types, t));
			break;
		}
		m = type_member(types, t, name->str, &off);
		if (!m) {
			parse_error(p, name->loc, D_UNKNOWN, "%s has no member named %s%s", type_text(types, t),
				    name->str, near_member(p->a, types, t, name->str));
			break;
		}
		if (m->bits) {
			parse_error(p, name->loc, D_OFFSETOF_BITFIELD, "cannot take the offset of a bit-field: %s",
				    name->str);
			break;
		}
		sum += off / 8;
		t = m->type;
	}
	return node_int(p, loc, sum, types->t_ulong);
}

struct nodes *nodes_add(struct parser *p, struct nodes *list, struct node *n)
{
	if (!list)
		list = arena_alloc(p->a, sizeof *list);
	*VEC_ADD(p->a, list) = n;
	return list;
}

/* ---- statements ---- */

struct stmt *stmt_expr(struct parser *p, struct loc loc, struct node *e)
{
	struct stmt *s = arena_alloc(p->a, sizeof *s);
	struct constant c;

	s->kind = S_EXPR;
	s->loc = loc;
	/* OPTION ? printf("...") : 1 is a common way to switch actions. If the condition is constant at this point, the
	 * statement is the chosen branch, and the other one is not checked. */
	for (; e->kind == N_COND && const_eval(p, e->a, &c); s->chosen = true)
		e = c.value ? e->b : e->c;
	s->expr = e;
	if (e->kind == N_ASSIGN && e->op == OP_NONE && e->a->kind == N_AGG && e->b->kind == N_CALL) {
		s->kind = S_AGG;
		s->expr = e->a;
		s->call = e->b;
	}
	return s;
}

static unsigned stmt_depth(const struct stmt *s)
{
	unsigned depth = 0;

	for (; s; s = s->next)
		depth = s->depth > depth ? s->depth : depth;
	return depth;
}

struct stmt *stmt_if(struct parser *p, struct loc loc, struct node *cond, struct stmt *yes, struct stmt *no)
{
	struct stmt *s = arena_alloc(p->a, sizeof *s);
	unsigned dy = stmt_depth(yes), dn = stmt_depth(no);

	s->kind = S_IF;
	s->loc = loc;
	s->expr = cond;
	s->yes = yes;
	s->no = no;
	s->depth = 1 + (dy > dn ? dy : dn);
	if (s->depth > NODE_MAXDEPTH) {
		parse_limit(p, loc, "these ifs are nested too deeply");
		s->yes = s->no = NULL;
		s->depth = 1;
	}
	return s;
}

struct stmts stmts_add(struct stmts list, struct stmt *s)
{
	if (!s)
		return list;
	if (list.last)
		list.last->next = s;
	else
		list.first = s;
	list.last = s;
	return list;
}
