/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The types of the parameters and the result of a function, from debugging information.
 *
 * Ownership: nothing is kept. Errors: none.
 */
#ifndef ENGINE_PROGRAMS_PARAMETERS_H
#define ENGINE_PROGRAMS_PARAMETERS_H

#include "engine/symbols/debuginfo.h"
#include "providers/program.h"

/* Describes the function whose first instruction has this link-time address; go: a function of Go. Returns false if it
 * is not described, or may be called in another way than its type says. */
bool parameters_find(struct debuginfo *info, struct object *o, uint64_t address, bool go,
		     struct program_signature *out);

#endif
