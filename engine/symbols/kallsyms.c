/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/symbols/kallsyms.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/kallsyms_line.h"

enum {
	GAP = 1 << 16,		/* longest symbol if it is the last of an object, bytes */
	RANK_TYPE = 16,		/* ranks of each type of symbol */
	RANK_DATA = 4 * RANK_TYPE,	/* the first that is not a function */
};

struct kallsyms_symbol {
	uint64_t addr;
	uint32_t name;		/* offset of the name in the text */
	uint16_t mod;
	uint16_t rank;		/* order of several at one address for kallsyms_functions */
};

struct kmod {
	uint32_t name;
	uint64_t base;
};

struct kallsyms {
	struct kallsyms_symbol *v;
	size_t n, cap;
	struct kmod *mods;
	size_t nmods, modcap;
	struct buf text;
};

/* Functions rank before data, global before local symbols, plain names before compiler- and linker-generated ones. */
static uint16_t rank_of(char type, const char *name)
{
	static const char order[] = "TtWwVvBbDdRrGgSs";
	const char *p = strchr(order, type);
	unsigned rank = (unsigned)(p ? p - order : (int)sizeof order) * RANK_TYPE;
	size_t underscores = strspn(name, "_");

	return (uint16_t)(rank + (underscores > 7 ? 7 : underscores) + (strchr(name, '.') ? 8 : 0));
}

static uint32_t text_add(struct kallsyms *k, const char *s)
{
	uint32_t at = (uint32_t)k->text.len;

	buf_put(&k->text, s, strlen(s) + 1);
	return at;
}

/* The index of a module; -1: it is unknown. */
static int module_named(const struct kallsyms *k, const char *name)
{
	for (size_t i = k->nmods; i-- > 0;)
		if (!strcmp((const char *)k->text.data + k->mods[i].name, name))
			return (int)i;
	return -1;
}

/* Returns the index of a module; the file is sorted by module. -1: out of memory. */
static int module_of(struct kallsyms *k, const char *name)
{
	int known = module_named(k, name);
	struct kmod *m;

	if (known >= 0)
		return known;
	if (k->nmods == k->modcap) {
		size_t cap = k->modcap ? 2 * k->modcap : 64;

		m = cap > UINT16_MAX ? NULL : reallocarray(k->mods, cap, sizeof *m);
		if (!m)
			return -1;
		k->mods = m;
		k->modcap = cap;
	}
	k->mods[k->nmods] = (struct kmod){ text_add(k, name), UINT64_MAX };
	return (int)k->nmods++;
}

static bool symbol_add(struct kallsyms *k, const struct kallsyms_line *s)
{
	int mod = module_of(k, s->module);

	if (k->n == k->cap) {
		size_t cap = k->cap ? k->cap + k->cap / 2 : 1 << 17;
		struct kallsyms_symbol *v = reallocarray(k->v, cap, sizeof *v);

		if (!v)
			return false;
		k->v = v;
		k->cap = cap;
	}
	if (mod < 0 || k->text.len > UINT32_MAX / 2)
		return false;
	k->v[k->n++] = (struct kallsyms_symbol){ s->addr, text_add(k, s->name), (uint16_t)mod,
						      rank_of(s->kind, s->name) };
	if (s->addr < k->mods[mod].base)
		k->mods[mod].base = s->addr;
	return !k->text.failed;
}

/* Where the lines go, and what came of them. */
struct kallsyms_reading {
	struct kallsyms *k;
	bool any, failed;		/* failed: out of memory */
};

static bool line_add(void *arg, const struct kallsyms_line *s)
{
	struct kallsyms_reading *r = arg;

	r->any = true;
	/* offsets in per-CPU memory are not addresses */
	r->failed = (int64_t)s->addr < 0 && *s->name && s->kind != 'A' && s->kind != 'a' &&
		    !symbol_add(r->k, s);
	return r->failed;
}

static int ksym_compare(const void *x, const void *y)
{
	const struct kallsyms_symbol *a = x, *b = y;

	if (a->addr != b->addr)
		return a->addr < b->addr ? -1 : 1;
	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	return a->name < b->name ? -1 : a->name > b->name;
}

struct kallsyms *kallsyms_open(const char *path, int *err)
{
	struct kallsyms *k = calloc(1, sizeof *k);
	struct kallsyms_reading r = { .k = k };

	*err = k ? -kallsyms_each(path, line_add, &r) : ENOMEM;
	if (!*err)
		*err = r.failed ? ENOMEM : k->n ? 0 : r.any ? EPERM : ENODATA;
	if (*err) {
		kallsyms_close(k);
		return NULL;
	}
	qsort(k->v, k->n, sizeof *k->v, ksym_compare);
	return k;
}

void kallsyms_close(struct kallsyms *k)
{
	if (!k)
		return;
	free(k->v);
	free(k->mods);
	buf_free(&k->text);
	free(k);
}

/* The last symbol at or below the address; of several at the same address the first in the file, as in the kernel's own
 * messages. */
static const struct kallsyms_symbol *symbol_nearest(const struct kallsyms *k, uint64_t addr, size_t *next)
{
	const struct kallsyms_symbol *first;
	size_t lo = 0, hi = k->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (k->v[mid].addr <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	*next = lo;
	if (!lo)
		return NULL;
	first = &k->v[--lo];
	while (lo && k->v[lo - 1].addr == first->addr)
		if (k->v[--lo].name < first->name)
			first = &k->v[lo];
	return first;
}

void kallsyms_find(const struct kallsyms *k, uint64_t addr, struct symbol *out)
{
	size_t next;
	const struct kallsyms_symbol *s = symbol_nearest(k, addr, &next);
	bool last = next == k->n || (s && k->v[next].mod != s->mod);

	*out = (struct symbol){ 0 };
	if (!s || (last && addr - s->addr >= GAP))
		return;
	*out = (struct symbol){
		.object = (const char *)k->text.data + k->mods[s->mod].name,
		.name = (const char *)k->text.data + s->name, .start = s->addr, .base = k->mods[s->mod].base,
	};
}

void kallsyms_functions(const struct kallsyms *k, const char *module,
			void (*fn)(void *arg, uint64_t addr, const char *name), void *arg)
{
	int mod = module_named(k, module);

	for (size_t i = 0; i < k->n; i++)
		if (k->v[i].mod == mod && k->v[i].rank < RANK_DATA)
			fn(arg, k->v[i].addr, (const char *)k->text.data + k->v[i].name);
}

bool kallsyms_named(const struct kallsyms *k, const char *name, uint64_t *addr)
{
	int mod = module_named(k, "vmlinux");

	for (size_t i = 0; i < k->n; i++)
		if (k->v[i].mod == mod && !strcmp((const char *)k->text.data + k->v[i].name, name)) {
			*addr = k->v[i].addr;
			return true;
		}
	return false;
}
