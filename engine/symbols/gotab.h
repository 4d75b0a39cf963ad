/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The table of functions that Go's linker writes for Go's run-time system (.gopclntab, Go 1.18 and later). Programs
 * that were stripped have it, too. It is converted to ELF images with the sections that other programs have.
 *
 * Ownership: the caller closes *out. Errors: false if the file has no such table, or if it is damaged.
 */
#ifndef ENGINE_SYMBOLS_GOTAB_H
#define ENGINE_SYMBOLS_GOTAB_H

#include "engine/symbols/elf.h"

/* Calls fn with the link-time address of each function of Go, in ascending order if the table is valid. */
bool gotab_each(const struct elf *e, void (*fn)(void *arg, uint64_t begin), void *arg);
/* An image with a .symtab of the functions. */
bool gotab_symbols(struct elf *out, const struct elf *e);
/*
 * An image with a .debug_frame of the functions. It knows what the one of Go's linker does not: where the run-time
 * system continues on the thread's own stack (g0). What it runs there has no caller on that stack, so the stack is
 * complete.
 */
bool gotab_frames(struct elf *out, const struct elf *e);

#endif
