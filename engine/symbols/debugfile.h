/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Finds the symbols of a stripped file: in a separate debug file, by build ID or .gnu_debuglink (GDB manual, "Debugging
 * Information in Separate Files"), or in the compressed section .gnu_debugdata (liblzma is loaded on demand).
 * Ownership: the caller closes *out. Errors: false if there are none.
 */
#ifndef ENGINE_SYMBOLS_DEBUGFILE_H
#define ENGINE_SYMBOLS_DEBUGFILE_H

#include "engine/symbols/elf.h"

/* path: path of the stripped file. */
bool debugfile_find(struct elf *out, const struct elf *stripped, const char *path);
bool debugfile_embedded(struct elf *out, const struct elf *stripped);

#endif
