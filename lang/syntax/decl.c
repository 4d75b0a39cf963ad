/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Specifiers and declarators. */
#include "lang/syntax/decl.h"

#include "lang/syntax/parse.h"

#include <inttypes.h>
#include <string.h>

#include "lang/prelude.h"
#include "lang/syntax/const.h"
#include "lang/types/type_find.h"

/* Larger than any structure or array of a kernel; sums of sizes in bits cannot overflow. */
#define TYPE_MAXSIZE (1ull << 40)

enum { DECLR_MAXMODS = 32 };	/* pointers, arrays and functions in one declarator */

struct decl_specs *specs_new(struct parser *p, struct loc loc)
{
	struct decl_specs *s = arena_alloc(p->a, sizeof *s);

	s->loc = loc;
	return s;
}

static enum diag_tag clash_tag(const struct decl_specs *s)
{
	const struct type_words *w = &s->words;
	bool sign = w->n_signed || w->n_unsigned;

	if (s->named && s->named->kind == T_VOID && s->nwords)
		return D_DECL_VOIDATTR;
	if (w->n_char && (w->n_short || w->n_long))
		return D_DECL_CHARATTR;
	if (!s->named && w->n_short && w->n_long)
		return D_UNKNOWN;
	if (s->named && sign)
		return D_DECL_SIGNINT;
	return s->named && (w->n_short || w->n_long) ? D_DECL_LONGINT : D_DECL_COMBO;
}

static struct decl_specs *specs_clash(struct parser *p, struct decl_specs *s, struct loc loc)
{
	static const char *const text[] = {
		[D_DECL_CHARATTR] = "short and long may not be used with char type",
		[D_DECL_LONGINT] = "only an integer type can be short or long",
		[D_DECL_SIGNINT] = "only an integer type can be signed or unsigned",
		[D_DECL_VOIDATTR] = "attributes may not be used with void type",
		[D_DECL_COMBO] = "invalid type combination",
		[D_UNKNOWN] = "a type cannot be both short and long",
	};
	enum diag_tag tag = clash_tag(s);

	if (!s->bad)
		parse_error(p, loc, tag, "%s", text[tag]);
	s->bad = true;
	return s;
}

struct decl_specs *specs_named(struct parser *p, struct decl_specs *s, struct type *t, struct loc loc)
{
	bool clash = s->named || s->nwords;

	s->named = t;
	return clash ? specs_clash(p, s, loc) : s;
}

/* These types have a size and an alignment but no values in D. */
static struct decl_specs *specs_floating(struct parser *p, struct decl_specs *s, enum decl_word w, struct loc loc)
{
	bool is_long = w == W_DOUBLE && s->nwords == 1 && s->words.n_long == 1;

	if (is_long) {
		s->words.n_long = 0;
		s->nwords = 0;
	}
	return specs_named(p, s, type_floating(&p->c->types,
					       is_long ? "long double" : w == W_DOUBLE ? "double" : "float",
					       is_long ? 16 : w == W_DOUBLE ? 8 : 4), loc);
}

struct decl_specs *specs_word(struct parser *p, struct decl_specs *s, enum decl_word w, struct loc loc)
{
	uint8_t *const count[] = {
		[W_CHAR] = &s->words.n_char, [W_SHORT] = &s->words.n_short, [W_INT] = &s->words.n_int,
		[W_LONG] = &s->words.n_long, [W_SIGNED] = &s->words.n_signed, [W_UNSIGNED] = &s->words.n_unsigned,
	};

	if (w == W_QUALIFIER || w == W_USERLAND) {
		s->user |= w == W_USERLAND;
		return s;
	}
	if (w == W_VOID)
		return specs_named(p, s, p->c->types.t_void, loc);
	if (w == W_STRING)
		return specs_named(p, s, p->c->types.t_string, loc);
	if (w == W_FLOAT || w == W_DOUBLE)
		return specs_floating(p, s, w, loc);
	++*count[w];
	return ++s->nwords > 5 || s->named ? specs_clash(p, s, loc) : s;
}

struct type *specs_type(struct parser *p, struct decl_specs *s)
{
	struct types *t = &p->c->types;
	struct type *ty = s->named;

	if (!ty && !s->bad) {
		ty = s->nwords ? type_words(t, &s->words) : t->t_int;
		if (!ty)
			specs_clash(p, s, s->loc);
	}
	return s->bad ? t->t_int : ty;
}

struct type *decl_lookup(struct parser *p, const char *name, struct loc loc)
{
	bool before = p->c->types.own_used;
	struct type *t = prelude_type(p->c, name);

	compile_note_own(p->c, before, loc, arena_printf(p->a, "type %s is not known", name));
	if (!t && !p->c->types.error)
		t = type_lookup_modules(&p->c->types, name);
	if (t)
		return t;
	if (p->c->types.error)
		parse_error(p, loc, D_KTYPE, "type %s is not known: %s", name, p->c->types.error);
	else
		parse_error(p, loc, strchr(name, '`') ? D_UNKNOWN : D_SYNTAX, "unknown type: %s", name);
	return p->c->types.t_int;
}

/* ---- declarators ---- */

struct declr *declr_new(struct parser *p, const char *name, struct loc loc)
{
	struct declr *d = arena_alloc(p->a, sizeof *d);

	d->name = name;
	d->loc = loc;
	return d;
}

struct declrs *declrs_add(struct parser *p, struct declrs *l, struct declr *d)
{
	if (!l)
		l = arena_alloc(p->a, sizeof *l);
	*VEC_ADD(p->a, l) = d;
	return l;
}

static struct dmod *mod_add(struct parser *p, struct declr *d, enum dmod_kind kind, struct loc loc)
{
	struct dmod *m = arena_alloc(p->a, sizeof *m);

	m->kind = kind;
	m->loc = loc;
	m->next = d->mods;
	d->mods = m;
	return m;
}

struct declr *declr_mod(struct parser *p, struct declr *d, enum dmod_kind kind, struct loc loc)
{
	mod_add(p, d, kind, loc);
	return d;
}

struct declr *declr_array(struct parser *p, struct declr *d, struct node *size, struct loc loc)
{
	struct dmod *m = mod_add(p, d, DM_ARRAY, loc);
	struct constant n = { .type = p->c->types.t_int };
	size_t before = p->c->diags->nerrors;

	if (size)
		n = const_want(p, size, D_DECL_ARRSUB, "the size of an array");
	if (const_negative(&n))
		parse_error(p, size->loc, D_DECL_ARRSUB, "the size of an array is negative: %" PRId64, n.value);
	m->n = p->c->diags->nerrors == before ? (uint64_t)n.value : 1;
	m->open = !size;
	return d;
}

struct declr *declr_scoped(struct parser *p, const char *name, struct loc loc)
{
	parse_error(p, loc, D_DECL_SCOPE, "a declared name cannot contain a backtick: %s", name);
	return declr_new(p, name, loc);
}

struct declr *declr_keys(struct parser *p, struct declr *d, struct types_list *keys, struct loc loc)
{
	mod_add(p, d, DM_KEYS, loc)->keys = params_check(p, keys, PARAMS_ARRAY, loc);
	return d;
}

void storage_again(struct parser *p, struct loc loc)
{
	parse_error(p, loc, D_DECL_CLASS, "only one storage class is allowed in a declaration");
}

/* ---- parameters ---- */

struct types_list *types_new(struct parser *p)
{
	return arena_alloc(p->a, sizeof(struct types_list));
}

struct types_list *params_add(struct parser *p, struct types_list *l, struct decl_specs *s, const struct declr *d)
{
	struct types_list *keys;
	struct type *t = declr_type(p, s, d, &keys);

	l = l ? l : types_new(p);
	if (keys && parse_error(p, d->loc, D_DECL_PROTO_TYPE, "an associative array cannot be a parameter"))
		l->bad = true;
	*VEC_ADD(p->a, l) = t;
	*VEC_ADD(p->a, &l->names) = d->name;
	return l;
}

static bool param_is_bad(struct parser *p, struct types_list *l, size_t i, enum params_of of, struct loc loc)
{
	const char *name = l->names.v[i];
	bool is_void = l->v[i]->kind == T_VOID;

	if (is_void && of == PARAMS_ARRAY)
		return parse_error(p, loc, D_DECL_PROTO_TYPE, "a key cannot have the type void");
	if (is_void && name)
		return parse_error(p, loc, D_DECL_PROTO_NAME, "void parameter may not have a name: %s", name);
	if (name && map_gets(&l->seen, name))
		return parse_error(p, loc, D_DECL_PROTO_FORM, "parameter #%zu has the name of another parameter: %s",
				   i + 1, name);
	if (is_void && l->n > 1)
		return parse_error(p, loc, D_DECL_PROTO_VOID, "void must be sole parameter");
	if (name)
		map_sets(&l->seen, name, l);
	return false;
}

struct types_list *params_check(struct parser *p, struct types_list *l, enum params_of of, struct loc loc)
{
	map_init(&l->seen, p->a);
	for (size_t i = 0; i < l->n && !l->bad; i++)
		l->bad = param_is_bad(p, l, i, of, loc);
	return l;
}

void params_varargs(struct parser *p, struct loc loc)
{
	parse_error(p, loc, D_DECL_PROTO_VARARGS, "a variable-length argument list is not allowed here");
}

struct decl_specs *param_stored(struct parser *p, struct decl_specs *s, struct loc loc)
{
	parse_error(p, loc, D_DECL_PARMCLASS, "a parameter cannot have a storage class");
	return s;
}

static struct type *apply_array(struct parser *p, struct type *t, const struct dmod *m)
{
	struct types *types = &p->c->types;

	if (t->kind == T_VOID || t->kind == T_FUNC || (t->kind == T_STRUCT && !type_is_defined(types, t))) {
		parse_error(p, m->loc, t->kind == T_VOID ? D_DECL_VOIDOBJ : D_DECL_INCOMPLETE,
			    "an array of %s is not allowed", type_text(types, t));
		return NULL;
	}
	/* elements, like members, have the size that strsize has now */
	if (t->kind == T_STRING && !t->size)
		t = type_string(types, p->c->opts.strsize);
	t = type_array(types, t, m->n);
	if (t->size <= TYPE_MAXSIZE && m->n <= UINT32_MAX)
		return t;
	parse_error(p, m->loc, D_DECL_ARRBIG, "this array is too large");
	return NULL;
}

struct type *declr_type(struct parser *p, struct decl_specs *s, const struct declr *d, struct types_list **keys)
{
	struct types *types = &p->c->types;
	struct type *base = specs_type(p, s);
	unsigned n = 0;

	if (keys)
		*keys = NULL;
	for (const struct dmod *m = d ? d->mods : NULL; m && base; m = m->next) {
		if (++n > DECLR_MAXMODS) {
			parse_error(p, m->loc, D_LIMIT, "this type is nested too deeply");
			break;
		}
		if (m->kind == DM_PTR)
			base = s->user ? type_pointer_user(types, base) : type_pointer(types, base);
		else if (m->kind == DM_FUNC)
			base = type_function(types, base);
		else if (m->kind == DM_ARRAY)
			base = apply_array(p, base, m);
		else if (keys && !m->next)
			*keys = m->keys;
		else
			parse_error(p, m->loc, D_DECL_DYNOBJ, "only a variable can be an associative array");
	}
	return base ? base : types->t_int;
}
