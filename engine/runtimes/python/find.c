/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/runtimes/python/find.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

enum { FOUND_RUNTIME = 1, FOUND_LOOP = 4 };	/* in search.found */
enum { CHUNK = 512, MAXSYMS = 1 << 20, MAXSTRINGS = 1 << 26 };

struct search {
	const struct elf *e;
	uint64_t symbols, n, nstrings;
	char *strings;
	struct python_file *out;
	unsigned found;			/* bit set */
};

/* Reads the names. */
static bool search_begin(struct search *s, const struct elf *e)
{
	const struct elf_section *d = elf_section_typed(e, SHT_DYNSYM), *names;

	if (!d || d->link >= e->nsections || d->entsize != elf_sym_size(e))
		return false;
	names = &e->sections[d->link];
	*s = (struct search){ .e = e, .symbols = d->off, .n = d->size / d->entsize, .nstrings = names->size };
	if (s->n > MAXSYMS || !s->nstrings || s->nstrings > MAXSTRINGS)
		return false;
	s->strings = malloc(s->nstrings);
	if (!s->strings || !elf_read(e, names->off, s->strings, s->nstrings)) {
		free(s->strings);
		return false;
	}
	s->strings[s->nstrings - 1] = '\0';
	return true;
}

static void symbol_take(struct search *s, const struct elf_sym *sym)
{
	static const char *const names[] = { "_PyRuntime", "Py_Version", "_PyEval_EvalFrameDefault" };
	uint64_t *const to[] = { &s->out->runtime, &s->out->version, NULL };

	if (sym->section == SHN_UNDEF || sym->name >= s->nstrings)
		return;
	for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++) {
		if (strcmp(s->strings + sym->name, names[i]))
			continue;
		if (to[i])
			*to[i] = sym->value;
		s->found |= 1u << i;
	}
}

static bool chunk_search(struct search *s, uint8_t *chunk, uint64_t first)
{
	unsigned each = elf_sym_size(s->e);
	uint64_t n = s->n - first < CHUNK ? s->n - first : CHUNK;

	if (!elf_read(s->e, s->symbols + first * each, chunk, n * each))
		return false;
	for (uint64_t k = 0; k < n; k++) {
		struct elf_sym sym;

		elf_sym_get(s->e, chunk + k * each, &sym);
		symbol_take(s, &sym);
	}
	return true;
}

bool python_find(const struct elf *e, struct python_file *out)
{
	uint8_t chunk[CHUNK * ELF_SYM64];
	struct search s;

	if (!e->is64 || !search_begin(&s, e))
		return false;
	s.out = out;
	for (uint64_t i = 0; i < s.n && s.found != 7 && chunk_search(&s, chunk, i); i += CHUNK)
		;
	free(s.strings);
	return (s.found & (FOUND_RUNTIME | FOUND_LOOP)) == (FOUND_RUNTIME | FOUND_LOOP);
}
