/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Structures, unions and enums that a script defines, with C's layout on LP64 (System V ABI). */
#include "lang/syntax/composite.h"

#include <inttypes.h>
#include <string.h>

#include "lang/prelude.h"
#include "lang/syntax/const.h"
#include "lang/syntax/decl.h"
#include "lang/syntax/declare.h"
#include "lang/syntax/parse.h"
#include "lang/types/type_find.h"

enum { SOU_MAXMEMBERS = 4096 };
#define SOU_MAXBITS (1ull << 43)

struct composite {
	struct type *type;
	VEC(struct member) members;
	uint64_t bits;			/* first bit available for the next member */
	uint64_t max;			/* end of the longest member, in bits */
	uint32_t align;
	bool full;			/* too many members, already reported */
	struct loc loc;
};

static const char *kind_word(enum type_kind kind)
{
	return kind == T_UNION ? "union" : kind == T_ENUM ? "enum" : "struct";
}

static struct type *tag_new(struct parser *p, enum type_kind kind, const char *name)
{
	struct type *t = arena_alloc(p->a, sizeof *t);

	t->kind = kind;
	t->name = name;
	if (name)
		type_define(&p->c->types, name, t);
	return t;
}

/* A type that the script, not the kernel, declared with this tag. */
static struct type *tag_own(struct parser *p, const char *name)
{
	struct type *t = map_gets(&p->c->types.by_name, name);

	return t && !t->kernel && !(t->kind == T_ENUM && t->btf) ? t : NULL;
}

/* The type to define: a new one, or one that was declared without a body. */
static struct type *tag_define(struct parser *p, enum type_kind kind, const char *tag, struct loc loc)
{
	const char *name = tag ? arena_printf(p->a, "%s %s", kind_word(kind), tag) : NULL;
	struct type *t = name ? tag_own(p, name) : NULL;

	if (t && !t->loaded)
		return t;
	if (!t)
		return tag_new(p, kind, name);
	if (p->src->origin != FROM_PRELUDE)
		parse_error(p, loc, D_DECL_TYPERED, "type redeclared: %s", name);
	return tag_new(p, kind, NULL);
}

struct composite *composite_open(struct parser *p, enum type_kind kind, const char *tag, struct loc loc)
{
	struct composite *s = arena_alloc(p->a, sizeof *s);

	s->type = tag_define(p, kind, tag, loc);
	s->align = 1;
	s->loc = loc;
	return s;
}

static uint64_t round_up(uint64_t v, uint64_t to)
{
	return (v + to - 1) / to * to;
}

/* A bit-field does not cross a boundary of its type; one of width 0 only ends the current unit. */
static void place_bits(struct parser *p, struct composite *s, struct member *m, const struct declr *d)
{
	uint64_t unit = m->type->size * 8, most = m->type->is_bool ? 1 : unit;
	int64_t width = const_want(p, d->bits, D_DECL_BFCONST, "the width of a bit-field").value;

	if (!type_is_int(m->type) || width < 0 || (uint64_t)width > most || (!width && d->name)) {
		parse_error(p, d->loc, !type_is_int(m->type) ? D_DECL_BFTYPE : width > 0 ? D_DECL_BFSIZE :
			    D_DECL_BFCONST,
			    "a bit-field of %s cannot be %" PRId64 " bits wide",
			    type_text(&p->c->types, m->type), width);
		width = 1;
		m->type = p->c->types.t_int;
		unit = 32;
	}
	if (!width || s->bits / unit != (s->bits + width - 1) / unit)
		s->bits = round_up(s->bits, unit);
	m->bitoff = s->type->kind == T_UNION ? 0 : s->bits;
	m->bits = width;
	s->bits = m->bitoff + width;
	if (d->name && m->type->size > s->align)
		s->align = m->type->size;
}

static void place_member(struct parser *p, struct composite *s, struct member *m)
{
	uint32_t align = type_align(&p->c->types, m->type);
	uint64_t size;

	/* a member has the size that strsize has now; later options do not change it */
	if (m->type->kind == T_STRING && !m->type->size)
		m->type = type_string(&p->c->types, p->c->opts.strsize);
	size = m->type->size;
	s->bits = s->type->kind == T_UNION ? 0 : round_up(s->bits, align * 8ull);
	m->bitoff = s->bits;
	s->bits += size * 8;
	if (align > s->align)
		s->align = align;
}

static bool has_member(struct parser *p, struct composite *s, const char *name)
{
	uint64_t off;

	for (size_t i = 0; i < s->members.n; i++) {
		const struct member *m = &s->members.v[i];

		if (m->name ? !strcmp(m->name, name) : !!type_member(&p->c->types, m->type, name, &off))
			return true;
	}
	return false;
}

static bool member_fits(struct parser *p, struct composite *s, const struct declr *d, struct type *t, struct loc loc)
{
	struct types *types = &p->c->types;

	if (s->full)
		return false;
	if (s->members.n >= SOU_MAXMEMBERS || s->max > SOU_MAXBITS) {
		s->full = true;
		parse_error(p, loc, D_LIMIT, "this structure is too large");
		return false;
	}
	if (d && d->name && has_member(p, s, d->name)) {
		parse_error(p, loc, D_UNKNOWN, "member %s is declared twice", d->name);
		return false;
	}
	if (t->kind == T_VOID || t->kind == T_FUNC || type_is_incomplete(types, t)) {
		bool incomplete = t->kind != T_VOID && t->kind != T_FUNC;

		parse_error(p, loc, incomplete ? D_DECL_INCOMPLETE : D_DECL_VOIDOBJ,
			    "a member cannot have the %stype %s", incomplete ? "incomplete " : "", type_text(types, t));
		return false;
	}
	return true;
}

void composite_member(struct parser *p, struct composite *s, struct decl_specs *sp, const struct declr *d)
{
	struct type *t = declr_type(p, sp, d, NULL);
	struct loc loc = d ? d->loc : sp->loc;
	struct member m = { .name = d ? d->name : NULL, .type = t };

	if (!d && (t->name || (t->kind != T_STRUCT && t->kind != T_UNION))) {
		parse_error(p, loc, D_DECL_MNAME, "member declaration requires a name");
		return;
	}
	if (!member_fits(p, s, d, t, loc))
		return;
	if (d && d->bits)
		place_bits(p, s, &m, d);
	else
		place_member(p, s, &m);
	if (s->bits > s->max)
		s->max = s->bits;
	if (s->type->kind == T_UNION)
		s->bits = 0;
	if (m.name || !d)
		*VEC_ADD(p->a, &s->members) = m;
}

void composite_members(struct parser *p, struct composite *s, struct decl_specs *sp, const struct declrs *l)
{
	for (size_t i = 0; i < l->n; i++)
		composite_member(p, s, sp, l->v[i]);
}

struct type *composite_close(struct parser *p, struct composite *s)
{
	struct type *t = s->type;

	(void)p;
	t->members = s->members.v;
	t->nmembers = s->members.n;
	t->align = s->align;
	t->size = round_up((s->max + 7) / 8, s->align);
	t->loaded = true;
	return t;
}

struct type *composite_ref(struct parser *p, enum type_kind kind, const char *tag, bool forward, struct loc loc)
{
	const char *name = arena_printf(p->a, "%s %s", kind_word(kind), tag);
	struct type *t = tag_own(p, name);
	bool before = p->c->types.own_used;

	if (!t && !forward)
		t = prelude_type(p->c, name);
	compile_note_own(p->c, before, loc, arena_printf(p->a, "type %s is not known", name));
	if (!t && p->c->types.error)
		return decl_lookup(p, name, loc);
	if (!t && !forward)
		t = type_lookup_modules(&p->c->types, name);
	return t ? t : tag_new(p, kind, name);
}

/* ---- enums ---- */

struct enums {
	struct type *type;
	int64_t next;
	bool below;			/* one of the values is negative */
	VEC(struct member) names;	/* bitoff: value of the name */
	struct map seen;		/* the same names, for lookup */
};

struct enums *enum_open(struct parser *p, const char *tag, struct loc loc)
{
	struct enums *e = arena_alloc(p->a, sizeof *e);

	map_init(&e->seen, p->a);
	e->type = tag_define(p, T_ENUM, tag, loc);
	e->type->size = 4;
	e->type->is_signed = true;
	return e;
}

/* Enumerators are ints, or unsigned ints if a value needs that; then no other value may be negative. */
static bool enum_holds(struct enums *e, const struct constant *c)
{
	if (const_negative(c)) {
		e->below = true;
		return c->value >= INT32_MIN && e->type->is_signed;
	}
	if ((uint64_t)c->value <= INT32_MAX)
		return true;
	if (c->type->size != 4 || (uint64_t)c->value > UINT32_MAX || e->below)
		return false;
	e->type->is_signed = false;
	return true;
}

struct enums *enum_add(struct parser *p, struct enums *e, const char *name, struct node *value, struct loc loc)
{
	struct types *t = &p->c->types;
	struct constant c = { .type = e->type->is_signed ? t->t_long : t->t_uint, .value = e->next };

	if (value)
		c = const_want(p, value, D_DECL_ENCONST, "the value of an enumerator");
	if (!enum_holds(e, &c)) {
		parse_error(p, loc, D_DECL_ENOFLOW, "the value of enumerator %s does not fit: %" PRId64, name, c.value);
		c.value = 0;
	}
	e->next = c.value + 1;
	c.type = c.value > INT32_MAX ? t->t_uint : t->t_int;
	if (map_gets(&e->seen, name)) {
		parse_error(p, loc, D_UNKNOWN, "enumerator is defined twice in its enum: %s", name);
		return e;
	}
	map_sets(&e->seen, name, e);
	*VEC_ADD(p->a, &e->names) = (struct member){ .name = name, .type = e->type, .bitoff = (uint64_t)c.value };
	inline_define(p, name, c.type, node_int(p, loc, (uint64_t)c.value, c.type), loc);
	return e;
}

struct type *enum_close(struct parser *p, struct enums *e)
{
	(void)p;
	e->type->members = e->names.v;
	e->type->nmembers = (unsigned)e->names.n;
	e->type->loaded = true;
	return e->type;
}
