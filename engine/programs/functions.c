/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/programs/functions.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "engine/symbols/gotab.h"
#include "engine/symbols/object.h"

enum { NAMES_MAX = 1 << 30 };	/* bytes of names in a file */

/* A symbol while the functions are being read. */
struct named {
	struct program_function f;
	uint8_t bind;
	bool old;			/* a version of its name for programs that were linked with an older library */
};

struct reading {
	struct arena *arena;
	const struct elf *file;
	char *names;			/* of the table that is being read */
	uint64_t names_size;
	const struct elf *table;	/* the file of the table */
	uint64_t versions;		/* offset of the versions of its symbols in that file; 0: none */
	struct map current;		/* names of functions that are not old */
	VEC(struct named) list;
};

/* A name without its version (name@@GLIBC_2.17). */
static const char *name_of(struct reading *r, const struct elf_sym *s)
{
	const char *name = s->name < r->names_size ? r->names + s->name : "";
	size_t n = strcspn(name, "@");

	return name[n] && n ? arena_strndup(r->arena, name, n) : name;
}

/* The version of a dynamic symbol says if it is hidden; .symtab has it in the name: name@OLD, name@@CURRENT. */
static bool is_old(const struct reading *r, const struct elf_sym *s, uint32_t i)
{
	enum { HIDDEN = 0x8000 };
	const char *name = s->name < r->names_size ? r->names + s->name : "";
	uint16_t version;

	if (r->versions)
		return elf_read(r->table, r->versions + 2 * (uint64_t)i, &version, 2) && version & HIDDEN;
	name += strcspn(name, "@");
	return name[0] && name[1] != '@';
}

/* "f.cold", "f.cold.3", "f.part.0.cold": moved away from f. */
static bool is_part(const char *name)
{
	const char *at = strstr(name, ".cold");

	return at && at > name && (!at[5] || at[5] == '.');
}

static void symbol_take(void *arg, uint32_t i, const struct elf_sym *s)
{
	struct reading *r = arg;
	uint64_t off, rest;
	const char *name;
	struct named *x;

	if ((s->type != STT_FUNC && s->type != STT_GNU_IFUNC) || !s->size ||
	    !elf_code(r->file, s->value, &off, &rest) || s->size > rest)
		return;
	name = name_of(r, s);
	if (!*name)
		return;
	x = VEC_ADD(r->arena, &r->list);
	*x = (struct named){ .bind = s->bind, .old = is_old(r, s, i), .f = {
		.name = name, .off = off, .size = s->size, .part = is_part(name),
		.resolver = s->type == STT_GNU_IFUNC,
	} };
	if (!x->old)
		map_sets(&r->current, name, x);
}

static int table_read(struct reading *r, const struct symtab *t)
{
	const struct elf_section *dynamic = elf_section_typed(t->elf, SHT_DYNSYM);
	const struct elf_section *versions = elf_section_typed(t->elf, SHT_GNU_versym);
	uint64_t n = t->strings_size;

	if (n > NAMES_MAX)
		return -ENOMEM;
	r->names = arena_alloc(r->arena, (size_t)n + 1);
	r->names_size = n;
	r->table = t->elf;
	r->versions = dynamic && dynamic->off == t->off && versions ? versions->off : 0;
	if (!elf_read(t->elf, t->strings, r->names, (size_t)n))
		return 0;	/* the file has changed: no names */
	symtab_each(t, symbol_take, r);
	return 0;
}

static unsigned leading_underscores(const char *name)
{
	return (unsigned)strspn(name, "_");
}

/* By address; then the best name first: global, with few underscores, short; of equal names, the current version. */
static int named_compare(const void *x, const void *y)
{
	static const uint8_t rank[16] = { [STB_GLOBAL] = 0, [STB_GNU_UNIQUE] = 0, [STB_WEAK] = 0, [STB_LOCAL] = 1 };
	const struct named *a = x, *b = y;
	size_t m, n;

	if (a->f.off != b->f.off)
		return a->f.off < b->f.off ? -1 : 1;
	if (rank[a->bind & 15] != rank[b->bind & 15])
		return rank[a->bind & 15] - rank[b->bind & 15];
	if (leading_underscores(a->f.name) != leading_underscores(b->f.name))
		return leading_underscores(a->f.name) < leading_underscores(b->f.name) ? -1 : 1;
	m = strlen(a->f.name);
	n = strlen(b->f.name);
	if (m != n)
		return m < n ? -1 : 1;
	return strcmp(a->f.name, b->f.name) ? strcmp(a->f.name, b->f.name) : a->old - b->old;
}

static void list_finish(struct functions *f, struct reading *r)
{
	if (r->list.n)
		qsort(r->list.v, r->list.n, sizeof *r->list.v, named_compare);
	for (size_t i = 0; i < r->list.n; i++) {
		const struct named *x = &r->list.v[i], *before = i ? x - 1 : NULL;
		struct program_function *to;
		bool alias = f->list.n && f->list.v[f->list.n - 1].off == x->f.off;

		if (before && before->f.off == x->f.off && !strcmp(before->f.name, x->f.name))
			continue;
		if (x->old && map_gets(&r->current, x->f.name))
			continue;	/* the name means the current version */
		to = VEC_ADD(r->arena, &f->list);
		*to = x->f;
		to->alias = alias;
	}
}

/* Marks the functions of Go. */
struct go_marking {
	const struct elf *file;
	struct functions *f;
	size_t at;			/* the functions before are at lower addresses */
};

static void go_mark(void *arg, uint64_t begin)
{
	struct go_marking *m = arg;
	uint64_t off, rest;

	if (!elf_code(m->file, begin, &off, &rest))
		return;
	while (m->at < m->f->list.n && m->f->list.v[m->at].off < off)
		m->at++;
	for (size_t i = m->at; i < m->f->list.n && m->f->list.v[i].off == off; i++)
		m->f->list.v[i].go = true;
}

int functions_read(struct functions *f, struct arena *a, struct object *o)
{
	struct reading r = { .arena = a, .file = object_image(o) };
	unsigned n = object_tables(o);
	int err = 0;

	map_init(&r.current, a);
	for (unsigned i = 0; i < n && r.file && !err; i++)
		err = table_read(&r, &o->table[i]);
	if (o->nomem || err)
		return -ENOMEM;
	list_finish(f, &r);
	if (r.file)
		gotab_each(r.file, go_mark, &(struct go_marking){ r.file, f, 0 });
	return 0;
}

const struct program_function *functions_at(const struct functions *f, uint64_t off)
{
	size_t lo = 0, hi = f->list.n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (f->list.v[mid].off <= off)
			lo = mid + 1;
		else
			hi = mid;
	}
	while (lo > 1 && f->list.v[lo - 1].alias)
		lo--;
	return lo && off - f->list.v[lo - 1].off < f->list.v[lo - 1].size ? &f->list.v[lo - 1] : NULL;
}
