/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A symbol table of an ELF image, with an index by address: 12 bytes per symbol. The table itself stays in the file.
 * Ownership: symtab_close frees the index (idempotent); the caller owns the image and must keep it open as long.
 * Errors: symtab_open returns false if there is no such table, or if memory runs out.
 */
#ifndef ENGINE_SYMBOLS_SYMTAB_H
#define ENGINE_SYMBOLS_SYMTAB_H

#include "engine/symbols/elf.h"

struct symtab_row {
	uint32_t addr;		/* relative to the lowest address */
	uint32_t sym;		/* index in the table */
	uint32_t size;		/* 0: unknown */
};

struct symtab {
	const struct elf *elf;
	uint64_t off, strings, strings_size;
	struct symtab_row *row;
	uint32_t n;
	uint32_t nsyms;		/* entries of the table */
	uint64_t lowest;
	bool nomem;		/* out of memory; still valid after symtab_close */
};

/* type: SHT_SYMTAB or SHT_DYNSYM. */
bool symtab_open(struct symtab *t, const struct elf *e, uint32_t type);
void symtab_close(struct symtab *t);
/* Finds the symbol that contains an address. Returns false if there is none. */
bool symtab_find(const struct symtab *t, uint64_t vaddr, uint64_t *start, char *name, size_t n);
/* Calls fn for each symbol of code or data, in the order of the table. Its name is a string of the image at
 * t->strings + s->name. Returns false if the table cannot be read. */
typedef void symtab_fn(void *arg, uint32_t i, const struct elf_sym *s);
bool symtab_each(const struct symtab *t, symtab_fn *fn, void *arg);
/* Stores the address of the symbol whose name is name[n]. Returns false if there is none, or several. */
bool symtab_named(const struct symtab *t, const char *name, size_t n, uint64_t *address);

#endif
