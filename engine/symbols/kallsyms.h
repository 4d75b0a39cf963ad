/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The kernel's symbols, including modules, from /proc/kallsyms.
 * Ownership: kallsyms_close frees everything. Errors: kallsyms_open.
 */
#ifndef ENGINE_SYMBOLS_KALLSYMS_H
#define ENGINE_SYMBOLS_KALLSYMS_H

#include "engine/symbols/symbol.h"

struct kallsyms;

/* Reads a file in the format of /proc/kallsyms. Returns NULL with the errno in *err: EPERM if all addresses are hidden,
 * ENODATA if it is empty, ENOMEM, or that of open. */
struct kallsyms *kallsyms_open(const char *path, int *err);
void kallsyms_close(struct kallsyms *k);
/* Of several symbols at one address: the first in the file, the one that the kernel prints. */
void kallsyms_find(const struct kallsyms *k, uint64_t addr, struct symbol *out);
/* Calls fn for each function of a module ("vmlinux": the kernel), by address, of several at one address first
 * global ones and plain names. The name is valid until kallsyms_close. */
void kallsyms_functions(const struct kallsyms *k, const char *module,
			void (*fn)(void *arg, uint64_t addr, const char *name), void *arg);
/* Stores the address of the first symbol with this name in the kernel itself. Returns false if there is none. */
bool kallsyms_named(const struct kallsyms *k, const char *name, uint64_t *addr);

#endif
