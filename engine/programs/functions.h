/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The functions of a file, from its symbol tables (those of a separate debug file if it is stripped).
 *
 * Ownership: the caller's arena. Errors: functions_read returns -ENOMEM.
 */
#ifndef ENGINE_PROGRAMS_FUNCTIONS_H
#define ENGINE_PROGRAMS_FUNCTIONS_H

#include "base/arena.h"
#include "providers/program.h"

struct object;

struct functions {
	VEC(struct program_function) list;	/* as struct program_ops describes it */
};

/* Appends the functions of a file to an empty list. */
int functions_read(struct functions *f, struct arena *a, struct object *o);
/* The function or part that contains an offset in the file, or NULL. */
const struct program_function *functions_at(const struct functions *f, uint64_t off);

#endif
