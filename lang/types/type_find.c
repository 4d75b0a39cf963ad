/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "lang/types/type_find.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "lang/types/btf.h"

void types_close(struct types *t)
{
	btf_close(t);
}

const char *types_lack(const struct types *t)
{
	return btf_lack(t);
}

/* ---- names ---- */

static struct type *lookup_plain(struct types *t, const char *name)
{
	struct type *ty = type_lookup_script(t, name);

	if (!ty)
		ty = btf_lookup(t, name);
	if (ty)
		map_sets(&t->by_name, name, ty);
	return ty;
}

struct type *type_lookup(struct types *t, const char *name)
{
	size_t len = strlen(name);
	unsigned stars = 0;
	uint64_t nelems = 0;
	bool array = false;
	struct type *ty;
	char *end, *base;

	t->error = NULL;
	if (len && name[len - 1] == ']') {
		const char *open = strrchr(name, '[');

		if (!open || !isdigit((unsigned char)open[1]))
			return NULL;
		nelems = strtoull(open + 1, &end, 10);
		array = true;
		len = open - name;
	}
	for (; len && (name[len - 1] == '*' || isspace((unsigned char)name[len - 1])); len--)
		stars += name[len - 1] == '*';
	base = arena_strndup(t->arena, name, len);
	ty = lookup_plain(t, base);
	for (; ty && stars; stars--)
		ty = type_pointer(t, ty);
	return ty && array ? type_array(t, ty, nelems) : ty;
}

struct type *type_lookup_modules(struct types *t, const char *name)
{
	struct type *ty = btf_lookup_modules(t, name);

	if (ty)
		map_sets(&t->by_name, arena_strdup(t->arena, name), ty);
	return ty;
}

/* ---- members ---- */

bool type_is_defined(struct types *t, struct type *s)
{
	if (!s->loaded && s->btf)
		return btf_members_load(t, s);
	return s->loaded;
}

bool type_members(struct types *t, struct type *s)
{
	if (!type_is_defined(t, s))
		return false;
	for (unsigned i = 0; s->members_in && i < s->nmembers; i++)
		btf_member_resolve(t, s, &s->members[i]);
	return true;
}

/* The parser limits the nesting of structures in scripts; invalid type information could nest without end. */
enum { TYPE_MAXNEST = 256, TYPE_MAXSTEPS = 1 << 16 };

struct type_search {
	struct types *t;
	const char *name;
	unsigned depth, steps;
};

static const struct member *member_search(struct type_search *se, struct type *s, uint64_t *bitoff)
{
	const struct member *found = NULL;

	if ((s->kind != T_STRUCT && s->kind != T_UNION) || se->depth == TYPE_MAXNEST || !type_is_defined(se->t, s))
		return NULL;
	se->depth++;
	for (unsigned i = 0; i < s->nmembers && !found && se->steps++ < TYPE_MAXSTEPS; i++) {
		struct member *m = &s->members[i];
		uint64_t off = 0;

		if (m->name && strcmp(m->name, se->name))
			continue;
		if (s->members_in)
			btf_member_resolve(se->t, s, m);
		found = m->name ? m : member_search(se, m->type, &off);
		if (found)
			*bitoff = m->bitoff + off;
	}
	se->depth--;
	return found;
}

const struct member *type_member(struct types *t, struct type *s, const char *name, uint64_t *bitoff)
{
	struct type_search se = { .t = t, .name = name };

	return member_search(&se, s, bitoff);
}

static uint32_t align_of(struct types *t, struct type *ty, unsigned depth)
{
	uint32_t align = 1;

	while (ty->kind == T_ARRAY)
		ty = ty->ref;
	if (type_is_scalar(ty))
		return ty->size;
	if ((ty->kind != T_STRUCT && ty->kind != T_UNION) || depth == TYPE_MAXNEST || !type_members(t, ty))
		return 1;
	if (ty->align)
		return ty->align;
	ty->align = 1;		/* in case it contains itself */
	for (unsigned i = 0; i < ty->nmembers; i++) {
		uint32_t inner = align_of(t, ty->members[i].type, depth + 1);

		align = inner > align ? inner : align;
	}
	return ty->align = align;
}

uint32_t type_align(struct types *t, struct type *ty)
{
	return align_of(t, ty, 0);
}

bool type_is_incomplete(struct types *t, struct type *ty)
{
	while (ty->kind == T_ARRAY)
		ty = ty->ref;
	if (ty->kind == T_ENUM)
		return !ty->size;
	return (ty->kind == T_STRUCT || ty->kind == T_UNION) && !type_is_defined(t, ty);
}

/* ---- enumerations ---- */

const char *type_enumerator(const struct type *t, int64_t value)
{
	for (unsigned i = 0; i < t->nmembers; i++)
		if ((int64_t)t->members[i].bitoff == value)
			return t->members[i].name;
	return t->btf ? btf_enumerator(t, value) : NULL;
}

uint32_t type_kernel_offset(struct types *t, const char *tag, const char *member, const char *of_target)
{
	return btf_offset(t, tag, member, of_target);
}

uint32_t type_kernel_struct_id(struct types *t, const char *name)
{
	return btf_struct_id(t, name);
}

uint32_t type_kernel_func_id(struct types *t, const char *name)
{
	return btf_func_id(t, name);
}

bool type_enum_value(const struct type *t, const char *name, int64_t *value)
{
	for (unsigned i = 0; i < t->nmembers; i++) {
		if (strcmp(t->members[i].name, name))
			continue;
		*value = (int64_t)t->members[i].bitoff;
		return true;
	}
	return t->btf && btf_enum_value(t, name, value);
}
