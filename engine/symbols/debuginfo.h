/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Opens the DWARF information of files: of the file itself, else of its separate debug file, else, if DEBUGINFOD_URLS
 * is set, of the file that debuginfod has for its build ID. elfutils' libdw reads it (dwinfo.h). Files are untrusted.
 *
 * Ownership: debuginfo_close frees everything (idempotent; a zeroed struct is empty). It must come before the objects
 * are freed. Errors: see each function; debuginfo_why says what is missing on this machine.
 */
#ifndef ENGINE_SYMBOLS_DEBUGINFO_H
#define ENGINE_SYMBOLS_DEBUGINFO_H

#include <stdbool.h>

#include "engine/symbols/dwinfo.h"
#include "engine/symbols/spans.h"

struct object;

/* How to get debugging information: the end of messages. */
#define DEBUGINFO_ADVICE "compile with -g, install the package with debug symbols (-dbgsym), or set DEBUGINFOD_URLS"

enum { DEBUGINFO_HASH = 64 };

/* The information of one file. */
struct debuginfo_file {
	struct debuginfo_file *next;
	const struct object *object;
	Dwarf *dwarf;			/* NULL: none */
	Elf *elf;
	int fd;				/* -1: not open */
};

struct debuginfo {
	struct dwinfo dw;
	struct debuginfo_file *file[DEBUGINFO_HASH];
	bool tried;			/* to open libdw */
	char why[128];
};

void debuginfo_close(struct debuginfo *d);
/* The information of a file. NULL: no library or no memory. */
const struct debuginfo_file *debuginfo_find(struct debuginfo *d, struct object *o);
/* Why information may be missing: a library. NULL: nothing is missing. */
const char *debuginfo_why(const struct debuginfo *d);

/* Calls fn with the entry of each compilation unit. */
void debuginfo_units(const struct debuginfo *d, const struct debuginfo_file *f, void (*fn)(void *arg, Dwarf_Die *unit),
		     void *arg);
/* Replaces *die by the next entry at the same level; false: there is none. */
bool debuginfo_next(const struct debuginfo *d, Dwarf_Die *die);
/* Stores an attribute of an entry that is a number; false: it has none. */
bool debuginfo_number(const struct debuginfo *d, Dwarf_Die *die, unsigned attr, uint64_t *out);
/* Stores the type of an entry, without typedef, const and the like; false: it is void, or not described. */
bool debuginfo_type(const struct debuginfo *d, const Dwarf_Die *die, Dwarf_Die *out);
/* Adds the address ranges of an entry, with its offset as their number. */
void debuginfo_spans(const struct debuginfo *d, Dwarf_Die *die, struct code_spans *to);

#endif
