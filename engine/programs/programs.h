/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The code of running processes: which files they have mapped, the functions in these, the instructions of a function.
 * Everything is read when it is first asked for. Implements struct program_ops for the providers.
 *
 * Ownership: struct programs owns what it returns until programs_close (NULL is allowed).
 * Errors: as in providers/program.h.
 */
#ifndef ENGINE_PROGRAMS_PROGRAMS_H
#define ENGINE_PROGRAMS_PROGRAMS_H

#include "base/arena.h"
#include "providers/program.h"

extern const struct program_ops programs_ops;

/* Allocates from the arena, which must outlive it. */
struct programs *programs_open(struct arena *a);
void programs_close(struct programs *g);

#endif
