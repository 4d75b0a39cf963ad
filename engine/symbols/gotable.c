/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/symbols/gotable.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "base/leb128.h"

enum {
	GO_118 = 0xfffffff0, GO_120 = 0xfffffff1,	/* first word: the version of the format */
	GO_WORD = 8,
	GO_HEADER = 9 * GO_WORD,
	GO_TOP = 1,			/* flag: there is no caller */
	GO_MAX = 256 << 20,		/* bytes of a table that are read */
	GO_FUNCS = 4 << 20,		/* functions */
	GO_MODULE_TEXT = 176,		/* in the description of the program */
	GO_DATA_MAX = 64 << 20,		/* bytes of data that are searched for an address */
};

uint64_t gotable_number(const struct gotable *t, uint64_t at, unsigned bytes)
{
	uint64_t v = 0;

	if (at <= t->size && bytes <= t->size - at)
		memcpy(&v, t->data + at, bytes);
	return v;
}

/* ---- pointers of the file ---- */

/* Calls fn with each relocation until it returns true. Returns whether it did. */
static bool relocations_each(const struct elf *e, bool (*fn)(void *arg, const Elf64_Rela *r), void *arg)
{
	enum { CHUNK = 1024 };
	Elf64_Rela r[CHUNK];

	for (unsigned i = 0; i < e->nsections; i++) {
		const struct elf_section *s = &e->sections[i];
		uint64_t n = s->type == SHT_RELA && s->flags & SHF_ALLOC ? s->size / sizeof r[0] : 0;

		for (uint64_t k = 0; k < n; k += CHUNK) {
			uint64_t got = n - k < CHUNK ? n - k : CHUNK;

			if (!elf_read(e, s->off + k * sizeof r[0], r, (size_t)got * sizeof r[0]))
				break;
			for (uint64_t j = 0; j < got; j++)
				if (fn(arg, &r[j]))
					return true;
		}
	}
	return false;
}

struct pointer_at {
	uint64_t vaddr, value;
};

static bool is_pointer_at(void *arg, const Elf64_Rela *r)
{
	struct pointer_at *x = arg;

	x->value = (uint64_t)r->r_addend;
	return r->r_offset == x->vaddr;
}

uint64_t gotable_pointer(const struct elf *e, uint64_t vaddr)
{
	struct pointer_at x = { .vaddr = vaddr };
	uint64_t off, v;

	if (relocations_each(e, is_pointer_at, &x))
		return x.value;
	return elf_offset(e, vaddr, &off) && elf_read(e, off, &v, sizeof v) ? v : 0;
}

struct module_search {
	const struct gotable *t;
	uint64_t found;
};

/* vaddr: where the file has the address of the table. */
static bool module_take(struct module_search *x, uint64_t vaddr)
{
	if (gotable_pointer(x->t->e, vaddr + GO_WORD) != x->t->addr + x->t->names)
		return false;
	x->found = vaddr;
	return true;
}

static bool module_relocated(void *arg, const Elf64_Rela *r)
{
	struct module_search *x = arg;

	return (uint64_t)r->r_addend == x->t->addr && module_take(x, r->r_offset);
}

static bool module_in_section(struct module_search *x, const struct elf_section *s)
{
	enum { CHUNK = 8192 };
	uint64_t v[CHUNK], n = (s->size < GO_DATA_MAX ? s->size : GO_DATA_MAX) / GO_WORD;

	for (uint64_t k = 0; k < n; k += CHUNK) {
		uint64_t got = n - k < CHUNK ? n - k : CHUNK;

		if (!elf_read(x->t->e, s->off + k * GO_WORD, v, (size_t)got * GO_WORD))
			return false;
		for (uint64_t j = 0; j < got; j++)
			if (v[j] == x->t->addr && module_take(x, s->addr + (k + j) * GO_WORD))
				return true;
	}
	return false;
}

uint64_t gotable_module(const struct gotable *t)
{
	struct module_search x = { .t = t };

	for (unsigned i = 0; i < t->e->nsections && !x.found; i++) {
		const struct elf_section *s = &t->e->sections[i];

		if (s->type == SHT_PROGBITS && (s->flags & (SHF_ALLOC | SHF_WRITE)) == (SHF_ALLOC | SHF_WRITE))
			module_in_section(&x, s);
	}
	if (!x.found)
		relocations_each(t->e, module_relocated, &x);
	return x.found;
}

/* ---- the table ---- */

/* Linkers of C merge the section into another one. Then `data` begins with what precedes the table in it. The table
 * begins with the version, two zeros, the bytes of the smallest instruction and of a word. */
static bool table_seek(struct gotable *t)
{
	for (uint64_t at = 0; t->size >= GO_HEADER && at <= t->size - GO_HEADER; at += GO_WORD) {
		const uint8_t *p = t->data + at;
		uint32_t version;

		memcpy(&version, p, sizeof version);
		if ((version != GO_118 && version != GO_120) || p[4] || p[5] || p[6] != 1 || p[7] != GO_WORD)
			continue;
		t->newer = version == GO_120;
		t->addr += at;
		t->size -= at;
		memmove(t->data, p, (size_t)t->size);
		return true;
	}
	return false;
}

static bool table_read(struct gotable *t, const struct elf_section *s)
{
	uint64_t off, rest;

	if (!s || s->type == SHT_NOBITS || s->size > GO_MAX)
		return false;
	t->data = malloc((size_t)s->size + 1);
	t->size = s->size;
	t->addr = s->addr;
	if (!t->data || !elf_read(t->e, s->off, t->data, (size_t)s->size) || !table_seek(t))
		return false;
	t->data[t->size] = '\0';
	t->n = (uint32_t)gotable_number(t, 8, 8);
	t->names = gotable_number(t, 32, 8);
	t->units = gotable_number(t, 40, 8);
	t->files = gotable_number(t, 48, 8);
	t->steps = gotable_number(t, 56, 8);
	t->funcs = gotable_number(t, 64, 8);
	t->text = gotable_number(t, 24, 8);
	if (!t->text)
		t->text = gotable_pointer(t->e, t->addr + 24);
	if (!t->text)			/* Go 1.26 and later */
		t->text = gotable_pointer(t->e, gotable_module(t) + GO_MODULE_TEXT);
	return t->n <= GO_FUNCS && t->names < t->size && t->steps < t->size && t->funcs < t->size &&
	       t->units < t->size && t->files < t->size && ((uint64_t)t->n * 2 + 1) * 4 <= t->size - t->funcs &&
	       elf_code(t->e, t->text, &off, &rest);
}

bool gotable_open(struct gotable *t, const struct elf *e)
{
	static const char *const names[] = { ".gopclntab", ".data.rel.ro.gopclntab", ".data.rel.ro" };

	*t = (struct gotable){ .e = e };
	if (!e->is64 || e->machine != EM_X86_64)
		return false;
	for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++) {
		if (i == 2 && !elf_section_named(e, ".go.buildinfo"))
			return false;
		if (table_read(t, elf_section_named(e, names[i])))
			return true;
		gotable_close(t);
	}
	return false;
}

void gotable_close(struct gotable *t)
{
	free(t->data);
	t->data = NULL;
}

uint64_t gotable_record_end(const struct gotable *t, const struct go_func *f)
{
	return f->record + GO_FUNC + (t->newer ? 4 : 0);
}

bool gotable_func(const struct gotable *t, uint32_t i, struct go_func *f)
{
	uint64_t entry = t->funcs + (uint64_t)i * 8, at = t->funcs + gotable_number(t, entry + 4, 4);
	uint64_t name = t->names + gotable_number(t, at + GO_FUNC_NAME, 4);
	uint64_t steps = gotable_number(t, at + GO_FUNC_STEPS, 4);

	*f = (struct go_func){ .begin = t->text + gotable_number(t, entry, 4),
			       .end = t->text + gotable_number(t, entry + 8, 4), .record = at,
			       .steps = t->steps + steps };
	f->top = gotable_number(t, gotable_record_end(t, f) + 1, 1) & GO_TOP;
	if (name >= t->size || at > t->size - GO_FUNC || f->steps >= t->size)
		return false;
	f->name = (const char *)t->data + name;
	return f->begin < f->end && steps;
}

struct go_steps gotable_steps(const struct gotable *t, const struct go_func *f, uint64_t at)
{
	return (struct go_steps){ .p = t->data + (at < t->size ? at : t->size), .end = t->data + t->size,
				  .to = f->begin, .value = -1 };
}

bool gotable_step(struct go_steps *s, const struct go_func *f)
{
	uint64_t change, bytes;

	s->from = s->to;
	if (s->from >= f->end || !leb128_read(&s->p, s->end, &change) || (!change && s->begun) ||
	    !leb128_read(&s->p, s->end, &bytes) || !bytes || bytes > f->end - s->from)
		return false;
	s->value += (int64_t)(change >> 1) ^ -(int64_t)(change & 1);
	s->to = s->from + bytes;
	s->begun = true;
	return true;
}
