/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Where the symbols of a stripped file are: in a file of its own, found by build ID or by the file's debug link, or packed
 * into the file (.gnu_debugdata; unpacked by liblzma, which is opened only then).
 * Ownership: the caller closes what was opened. Errors: there may be none (false).
 */
#ifndef ENGINE_SYMBOLS_DEBUGFILE_H
#define ENGINE_SYMBOLS_DEBUGFILE_H

#include "engine/symbols/elf.h"

/* path: that of the stripped file. */
bool debugfile_find(struct elf *out, const struct elf *stripped, const char *path);
bool debugfile_embedded(struct elf *out, const struct elf *stripped);

#endif
