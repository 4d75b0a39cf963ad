/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A symbol table of an ELF image, with an index by address: 8 bytes a symbol. The table itself stays in the file.
 * Ownership: symtab_close gives the index back (idempotent); the image is the caller's and must live as long.
 * Errors: opening (false: no such table, or no memory).
 */
#ifndef ENGINE_SYMBOLS_SYMTAB_H
#define ENGINE_SYMBOLS_SYMTAB_H

#include "engine/symbols/elf.h"

struct symtab_row {
	uint32_t addr;		/* above the lowest */
	uint32_t sym;		/* its number in the table */
};

struct symtab {
	const struct elf *elf;
	uint64_t off, strings, strings_size;
	struct symtab_row *row;
	uint32_t n;
	uint64_t lowest;
	bool nomem;		/* memory was missing; stays when it is closed */
};

/* type: SHT_SYMTAB or SHT_DYNSYM. */
bool symtab_open(struct symtab *t, const struct elf *e, uint32_t type);
void symtab_close(struct symtab *t);
/* The symbol that an address lies in. False: none. */
bool symtab_find(const struct symtab *t, uint64_t vaddr, uint64_t *start, char *name, size_t n);

#endif
