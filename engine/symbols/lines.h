/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Source lines and inlined functions of addresses, from the DWARF information of a file or of its separate debug file.
 * elfutils' libdw reads it, loaded with dlopen on demand. If DEBUGINFOD_URLS is set, a file without such information is
 * requested from debuginfod by its build ID; otherwise that library is not even loaded. Programs of Go have lines
 * without such information, too (golines.h).
 *
 * Ownership: lines_close frees everything (NULL is allowed); it must come before the objects are freed. Texts are valid
 * until then. Errors: lines_open returns NULL without memory. A file without information has no frames; lines_why says
 * what is missing on this machine.
 */
#ifndef ENGINE_SYMBOLS_LINES_H
#define ENGINE_SYMBOLS_LINES_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/symbols/debuginfo.h"
#include "engine/symbols/line_frame.h"

struct source_lines;
struct object;

struct source_lines *lines_open(void);
void lines_close(struct source_lines *l);
/* The debugging information from which they come, for other uses. */
struct debuginfo *lines_info(struct source_lines *l);
/* The path of a source file of a compilation unit, whose names are relative to the folder in which the compiler ran.
 * The same pointer for the same folder and name, except that `file` itself is returned if it is absolute. */
const char *lines_path(struct source_lines *l, Dwarf_Die *unit, const char *file);
/* The functions at a file offset, innermost first; the last one is not inlined. Returns their number; 0: nothing is
 * known. */
unsigned lines_find(struct source_lines *l, struct object *o, uint64_t off, struct line_frame out[LINES_MAX]);
/* Why information may be missing: a library. NULL: nothing is missing. */
const char *lines_why(const struct source_lines *l);

#endif
