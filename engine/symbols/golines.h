/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Source lines and inlined functions of a program of Go without debugging information (Go 1.18 and later): from the
 * table that Go's run-time system has of its functions (gotable.h) and the data of functions to which it refers. The
 * run-time system's own description of the program (struct moduledata in `src/runtime/symtab.go`) says where these data
 * are; it is found by its first word, the address of the table.
 *
 * Ownership: golines_close frees everything (NULL is allowed); texts are valid until then. The caller keeps the file
 * open as long. Errors: golines_open returns NULL if the file has no such table, or without memory.
 */
#ifndef ENGINE_SYMBOLS_GOLINES_H
#define ENGINE_SYMBOLS_GOLINES_H

#include "engine/symbols/elf.h"
#include "engine/symbols/line_frame.h"

struct golines;

struct golines *golines_open(const struct elf *e);
void golines_close(struct golines *g);
/* The functions at a link-time address, as lines_find(). */
unsigned golines_find(const struct golines *g, uint64_t addr, struct line_frame out[LINES_MAX]);

#endif
