/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Where control may enter the code of a file other than by jumps of the same function: functions, addresses of code in
 * the file's data and relocations (labels, tables of switches), and places to which parts of functions jump ("f.cold").
 * There may be some that are never entered.
 *
 * Ownership: the caller's arena. Errors: entries_read returns -errno: what cannot be read, or is too much.
 */
#ifndef ENGINE_PROGRAMS_ENTRIES_H
#define ENGINE_PROGRAMS_ENTRIES_H

#include "base/arena.h"
#include "engine/programs/decoder.h"
#include "engine/programs/functions.h"

struct elf;

struct entries {
	VEC(uint64_t) off;		/* in the file, sorted */
	bool bad;			/* for the caller */
};

int entries_read(struct entries *x, struct arena *a, const struct decoder *d, const struct elf *e,
		 const struct functions *all);
/* Calls fn for each of them in [off, off + size). */
void entries_within(const struct entries *x, uint64_t off, uint64_t size, void (*fn)(void *arg, uint64_t off),
		    void *arg);

#endif
