/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/symbols/symtab.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

enum {
	SYMTAB_NAME = 512,		/* longest name that is searched, bytes */
	CHUNK = 1024,			/* symbols read at a time */
	BACK = 64,			/* symbols checked before the nearest one */
	UNSIZED = 1 << 16,		/* maximum length of a symbol without a size, bytes */
	MAXSYMS = 1 << 26,
};

static bool is_code_or_data(const struct elf_sym *s)
{
	if (!s->name || s->section == SHN_UNDEF || s->section == SHN_ABS || s->section == SHN_COMMON)
		return false;
	return s->type == STT_FUNC || s->type == STT_OBJECT || s->type == STT_GNU_IFUNC || s->type == STT_NOTYPE;
}

struct symtab_fill {
	struct symtab *t;
	uint32_t cap;			/* number of symbols in the first pass */
};

static void symbol_count(void *arg, uint32_t i, const struct elf_sym *s)
{
	struct symtab_fill *f = arg;

	(void)i;
	f->cap++;
	if (s->value < f->t->lowest)
		f->t->lowest = s->value;
}

static void symbol_take(void *arg, uint32_t i, const struct elf_sym *s)
{
	struct symtab_fill *f = arg;
	struct symtab *t = f->t;

	if (t->n < f->cap && s->value - t->lowest <= UINT32_MAX)
		t->row[t->n++] = (struct symtab_row){ (uint32_t)(s->value - t->lowest), i,
						      s->size < UINT32_MAX ? (uint32_t)s->size : UINT32_MAX };
}

bool symtab_each(const struct symtab *t, symtab_fn *fn, void *arg)
{
	const struct elf *e = t->elf;
	unsigned each = elf_sym_size(e);
	uint8_t *chunk = malloc((size_t)CHUNK * each);
	bool ok = chunk;

	for (uint32_t i = 0; ok && i < t->nsyms; i += CHUNK) {
		uint32_t n = t->nsyms - i < CHUNK ? t->nsyms - i : CHUNK;

		ok = elf_read(e, t->off + (uint64_t)i * each, chunk, (size_t)n * each);
		for (uint32_t k = 0; ok && k < n; k++) {
			struct elf_sym s;

			elf_sym_get(e, chunk + (size_t)k * each, &s);
			if (is_code_or_data(&s))
				fn(arg, i + k, &s);
		}
	}
	free(chunk);
	return ok;
}

struct name_search {
	const struct symtab *t;
	const char *name;
	size_t n;
	uint64_t address;
	unsigned found;			/* different addresses */
};

static void compare_name(void *arg, uint32_t i, const struct elf_sym *s)
{
	struct name_search *x = arg;
	char text[SYMTAB_NAME];

	(void)i;
	if (s->name >= x->t->strings_size || !elf_string(x->t->elf, x->t->strings + s->name, text, x->n + 2) ||
	    strncmp(text, x->name, x->n) || (text[x->n] && text[x->n] != '@'))
		return;
	x->found += !x->found || x->address != s->value;
	x->address = s->value;
}

bool symtab_named(const struct symtab *t, const char *name, size_t n, uint64_t *address)
{
	struct name_search x = { .t = t, .name = name, .n = n };

	if (!n || n > SYMTAB_NAME - 2 || !symtab_each(t, compare_name, &x) || x.found != 1)
		return false;
	*address = x.address;
	return true;
}

static int row_compare(const void *x, const void *y)
{
	const struct symtab_row *a = x, *b = y;

	if (a->addr != b->addr)
		return a->addr < b->addr ? -1 : 1;
	return a->sym < b->sym ? -1 : a->sym > b->sym;
}

bool symtab_open(struct symtab *t, const struct elf *e, uint32_t type)
{
	const struct elf_section *s = elf_section_typed(e, type);
	struct symtab_fill fill = { .t = t };
	uint64_t nsyms;

	*t = (struct symtab){ .elf = e, .lowest = UINT64_MAX };
	if (!s || s->link >= e->nsections || s->entsize != elf_sym_size(e))
		return false;
	t->off = s->off;
	t->strings = e->sections[s->link].off;
	t->strings_size = e->sections[s->link].size;
	nsyms = s->size / s->entsize;
	if (nsyms > MAXSYMS)
		return false;
	t->nsyms = (uint32_t)nsyms;
	if (!symtab_each(t, symbol_count, &fill) || !fill.cap)
		return false;
	t->row = malloc((size_t)fill.cap * sizeof *t->row);
	if (!t->row) {
		t->nomem = true;
		return false;
	}
	if (!symtab_each(t, symbol_take, &fill)) {
		symtab_close(t);
		return false;
	}
	qsort(t->row, t->n, sizeof *t->row, row_compare);
	return true;
}

void symtab_close(struct symtab *t)
{
	free(t->row);
	*t = (struct symtab){ .nomem = t->nomem };
}

static bool row_get(const struct symtab *t, uint32_t row, struct elf_sym *s)
{
	uint8_t entry[ELF_SYM64];
	unsigned each = elf_sym_size(t->elf);

	if (!elf_read(t->elf, t->off + (uint64_t)t->row[row].sym * each, entry, each))
		return false;
	elf_sym_get(t->elf, entry, s);
	return is_code_or_data(s) && s->value - t->lowest == t->row[row].addr;	/* the file may have changed */
}

/* Functions are better than labels, global symbols than local ones, large ones than small ones. */
static bool is_better(const struct elf_sym *a, const struct elf_sym *b)
{
	static const uint8_t binds[16] = { [STB_GLOBAL] = 3, [STB_GNU_UNIQUE] = 3, [STB_WEAK] = 2, [STB_LOCAL] = 1 };
	bool fa = a->type != STT_NOTYPE, fb = b->type != STT_NOTYPE;

	if (a->value != b->value)
		return a->value > b->value;
	if (fa != fb)
		return fa;
	if (binds[a->bind] != binds[b->bind])
		return binds[a->bind] > binds[b->bind];
	return a->size > b->size;
}

/* A symbol without a size (from assembler code) extends to the next symbol. addr is relative to the lowest address;
 * nearest: start of the last symbol at or below it. */
static bool row_covers(const struct symtab_row *row, uint32_t addr, uint32_t nearest)
{
	if (row->size)
		return addr - row->addr < row->size;
	return row->addr == nearest && addr - row->addr < UNSIZED;
}

/* Index after the last row at or below the address. */
static uint32_t row_after(const struct symtab *t, uint32_t addr)
{
	uint32_t lo = 0, hi = t->n;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (t->row[mid].addr <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

bool symtab_find(const struct symtab *t, uint64_t vaddr, uint64_t *start, char *name, size_t n)
{
	struct elf_sym best = { 0 }, s;
	uint32_t after, addr, nearest;
	bool found = false;

	if (!t->n || vaddr < t->lowest || vaddr - t->lowest > UINT32_MAX)
		return false;
	addr = (uint32_t)(vaddr - t->lowest);
	after = row_after(t, addr);
	nearest = after ? t->row[after - 1].addr : 0;
	for (uint32_t i = after; i-- > 0 && after - i <= BACK;) {
		if (found && t->row[i].addr + t->lowest != best.value)
			break;
		if (row_covers(&t->row[i], addr, nearest) && row_get(t, i, &s) && (!found || is_better(&s, &best))) {
			best = s;
			found = true;
		}
	}
	if (!found || best.name >= t->strings_size || !elf_string(t->elf, t->strings + best.name, name, n))
		return false;
	*start = best.value;
	return *name;
}
