/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Looks through unwinding tables for what libdw would believe at a price: the number of a register for which it would
 * take gigabytes, states remembered within states a million times. Everything else that is wrong it finds itself.
 *
 * Ownership: nothing is kept. Errors: none; false: libdw must not be let at them.
 */
#ifndef ENGINE_UNWIND_CHECK_H
#define ENGINE_UNWIND_CHECK_H

#include <stdint.h>

#include "engine/unwind/dw.h"

/* entries: a bit for each byte of the section, set where an entry about code begins; NULL: nobody asks. */
bool check_tables(const struct dw *dw, const unsigned char *ident, Elf_Data *data, bool eh_frame, uint8_t *entries);

#endif
