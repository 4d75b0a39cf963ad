/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Parts of strings. A byte: *s, s[i]; the first one is read from the string itself, another one from a substr() of one
 * byte. The rest of a string: s + i. A pointer to a string.
 */
#include "lang/check/bytes.h"

#include "lang/check/checker.h"
#include "lang/check/conv.h"
#include "lang/check/fold.h"
#include "lang/func.h"

static struct node *call_node(struct checker *ck, struct loc loc, const struct func *f, struct type *t, unsigned nargs)
{
	struct node *n = check_node(ck, N_CALL, loc, t);

	n->func = f;
	n->str = f->name;
	n->nargs = nargs;
	n->args = arena_calloc(ck->a, nargs, sizeof *n->args);
	return n;
}

/* That many bytes of the string from the index on; 0: the rest. Empty if the index is out of bounds. */
static struct node *string_part(struct checker *ck, struct node *s, struct node *i, unsigned bytes)
{
	struct type *t = bytes ? type_string(ck->t, bytes + 1) : s->type;
	struct node *n = call_node(ck, i->loc, func_find("substr"), t, bytes ? 3 : 2);

	n->args[0] = s;
	n->args[1] = call_node(ck, i->loc, &func_string_index, ck->t->t_int, 1);
	n->args[1]->args[0] = check_cast(ck, i, ck->t->t_long);
	if (bytes)
		n->args[2] = check_int(ck, i->loc, ck->t->t_int, bytes);
	return n;
}

struct type *check_byte(struct checker *ck, struct node **np, struct node *s, struct node *i)
{
	struct node *n = call_node(ck, (*np)->loc, &func_string_byte, ck->t->t_char, 1);

	n->args[0] = i && !node_is_zero(i) ? string_part(ck, s, i, 1) : s;
	*np = n;
	return n->type;
}

/* ---- s[i] = c ---- */
bool check_is_byte(const struct node *n)
{
	return n->kind == N_CALL && n->func == &func_string_byte;
}

struct type *check_set_byte(struct checker *ck, struct node **np)
{
	struct node *n = *np, *s = n->a->args[0], *i = NULL, *value;
	bool variable;

	if (s->kind == N_CALL && s->nargs == 3 && s->args[1]->kind == N_CALL &&
	    s->args[1]->func == &func_string_index) {
		i = s->args[1];
		s = s->args[0];
	}
	variable = (s->kind == N_VAR || s->kind == N_INDEX) && s->var && s->var->cls != VC_BUILTIN;
	if (n->op != OP_NONE || !variable || !type_is_int(n->b->type))
		return NULL;
	value = call_node(ck, n->loc, &func_string_with, s->type, 3);
	value->args[0] = s;
	value->args[1] = i ? i : check_int(ck, n->loc, ck->t->t_int, 0);
	value->args[2] = check_cast(ck, n->b, ck->t->t_char);
	n->a = s;
	n->b = value;
	n->type = s->type;
	*np = call_node(ck, n->loc, &func_string_set, ck->t->t_void, 1);
	(*np)->args[0] = n;
	return (*np)->type;
}

struct type *check_rest(struct checker *ck, struct node **np, struct node *s, struct node *i, bool minus)
{
	struct node *neg;

	if (minus) {
		neg = check_node(ck, N_UNARY, i->loc, ck->t->t_long);
		neg->op = OP_NEG;
		neg->a = check_cast(ck, i, ck->t->t_long);
		check_fold(ck, &neg);
		i = neg;
	}
	*np = node_is_zero(i) ? s : string_part(ck, s, i, 0);
	return (*np)->type;
}

struct node *check_string_pointer(struct checker *ck, struct node *s)
{
	struct type *t = type_pointer(ck->t, ck->t->t_char);
	struct node *n;

	if (s->kind == N_CAST && !s->a->type->user)
		return s->a;
	if (s->kind == N_VAR && s->var->cls == VC_GLOBAL) {
		n = check_node(ck, N_ADDR, s->loc, t);
		n->a = s;
		s->var->reached = true;
		return n;
	}
	n = call_node(ck, s->loc, &func_string_pointer, t, 1);
	n->args[0] = s;
	return n;
}

/* ---- the text of such a pointer ---- */
static struct node *text_of(struct checker *ck, struct node *n);

static bool points_to_bytes(const struct type *t)
{
	return t->kind == T_PTR && (t->ref->kind == T_VOID || (type_is_int(t->ref) && t->ref->size == 1));
}

/* NULL is the empty string. */
static struct node *text_or_value(struct checker *ck, struct node *n, struct node *text)
{
	return text ? text : node_is_zero(n) ? check_int(ck, n->loc, ck->t->t_int, 0) : n;
}

/* c ? p : q, where one of them points to a copy. */
static struct node *text_of_cond(struct checker *ck, struct node *n)
{
	struct node *b = text_of(ck, n->b), *c = text_of(ck, n->c), *copy;

	if (!b && !c)
		return NULL;
	copy = arena_memdup(ck->a, n, sizeof *n);
	copy->b = text_or_value(ck, n->b, b);
	copy->c = text_or_value(ck, n->c, c);
	copy->type = ck->t->t_string;
	return check_convert(ck, &copy->b, copy->type) && check_convert(ck, &copy->c, copy->type) ? copy : NULL;
}

static struct node *text_of(struct checker *ck, struct node *n)
{
	struct node *s, *rest = n;

	if (n->kind == N_CALL)
		return n->func == &func_string_pointer ? n->args[0] : NULL;
	if (!points_to_bytes(n->type))
		return NULL;
	if (n->kind == N_CAST)
		return text_of(ck, n->a);
	if (n->kind == N_BINARY && (n->op == OP_ADD || n->op == OP_SUB)) {	/* p + i, p - i */
		s = text_of(ck, n->a);
		return s && check_rest(ck, &rest, s, n->b, n->op == OP_SUB) ? rest : NULL;
	}
	return n->kind == N_COND ? text_of_cond(ck, n) : NULL;
}

bool check_scratch_text(struct checker *ck, struct node **np)
{
	struct node *text = points_to_bytes((*np)->type) ? text_of(ck, *np) : NULL;

	if (text)
		*np = text;
	return text;
}
