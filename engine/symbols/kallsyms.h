/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The kernel's symbols, those of modules included, as /proc/kallsyms lists them.
 * Ownership: kallsyms_close frees everything. Errors: opening: a table without symbols.
 */
#ifndef ENGINE_SYMBOLS_KALLSYMS_H
#define ENGINE_SYMBOLS_KALLSYMS_H

#include "engine/symbols/symbols.h"

struct kallsyms;

/* From a file in the format of /proc/kallsyms. NULL: *err is the errno; EPERM: none of its symbols has an address,
 * ENODATA: it is empty, ENOMEM. */
struct kallsyms *kallsyms_open(const char *path, int *err);
void kallsyms_close(struct kallsyms *k);
void kallsyms_find(const struct kallsyms *k, uint64_t addr, struct symbol *out);

#endif
