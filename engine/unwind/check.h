/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Checks untrusted unwinding tables for values that make libdw use too many resources: register numbers for which it
 * allocates gigabytes, and deeply nested remembered states. libdw detects all other errors itself.
 *
 * Ownership: nothing is kept. Errors: false if libdw must not read the tables.
 */
#ifndef ENGINE_UNWIND_CHECK_H
#define ENGINE_UNWIND_CHECK_H

#include <stdint.h>

#include "engine/unwind/dw.h"

/* entries: one bit per byte of the section, set where an FDE starts; may be NULL. */
bool check_tables(const struct dw *dw, const unsigned char *ident, Elf_Data *data, bool eh_frame, uint8_t *entries);

#endif
