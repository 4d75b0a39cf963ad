/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Reads the table of functions of a program of Go (gotab.h), for other files of this folder. `src/runtime/symtab.go`
 * and `src/cmd/link/internal/ld/pcln.go` of Go's source define it: a header, names, compilation units, names of files,
 * tables of values by address, and functions with the offsets of what belongs to them.
 *
 * Ownership: gotable_close frees the table; the caller keeps the file open as long. Errors: false if the file has no
 * table, or if it is damaged. What is beyond the end of a table is 0.
 */
#ifndef ENGINE_SYMBOLS_GOTABLE_H
#define ENGINE_SYMBOLS_GOTABLE_H

#include "engine/symbols/elf.h"

/* A table in memory. Offsets are those in `data`. */
struct gotable {
	uint8_t *data;			/* a NUL follows it */
	uint64_t size;
	uint64_t addr;			/* its link-time address */
	uint64_t text;			/* address to which those of functions are relative */
	uint64_t funcs, names, steps, units, files;
	uint32_t n;
	bool newer;			/* Go 1.20 and later */
	const struct elf *e;
};

struct go_func {
	uint64_t begin, end;
	const char *name;
	uint64_t record;		/* offset */
	uint64_t steps;			/* offset of the table of its depths */
	bool top;			/* there is no caller */
};

/* Offsets in the record of a function. Go 1.20 has a word more after GO_FUNC_UNIT. */
enum {
	GO_FUNC_NAME = 4, GO_FUNC_STEPS = 16, GO_FUNC_FILES = 20, GO_FUNC_LINES = 24, GO_FUNC_NTABLES = 28,
	GO_FUNC_UNIT = 32, GO_FUNC = 36,
};

bool gotable_open(struct gotable *t, const struct elf *e);
void gotable_close(struct gotable *t);
/* A number of 1 to 8 bytes at an offset. */
uint64_t gotable_number(const struct gotable *t, uint64_t at, unsigned bytes);
/* Function i < n. */
bool gotable_func(const struct gotable *t, uint32_t i, struct go_func *f);
/* The offset of what follows a function's record up to GO_FUNC: its ID, its flags, a byte, a number of data. */
uint64_t gotable_record_end(const struct gotable *t, const struct go_func *f);
/* Steps through a table of values by address, from the first address of its function on: changes of the value and
 * lengths in bytes, up to a change of 0. The first value is -1 and its change. */
struct go_steps {
	const uint8_t *p, *end;
	uint64_t from, to;		/* the addresses with this value */
	int64_t value;
	bool begun;
};
struct go_steps gotable_steps(const struct gotable *t, const struct go_func *f, uint64_t at);
/* False: the table ends, or is damaged. */
bool gotable_step(struct go_steps *s, const struct go_func *f);
/* The address that the file has at a link-time address, 0 = none. In position-independent files it may only be in the
 * relocation. */
uint64_t gotable_pointer(const struct elf *e, uint64_t vaddr);
/* The address of the run-time system's own description of the program (struct moduledata); 0: not found. It begins with
 * the addresses of the table and of the names in it. */
uint64_t gotable_module(const struct gotable *t);

#endif
