/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The instructions of a function, in the order of their addresses, and which of them leave it.
 *
 * A function can have parts elsewhere: what a jump reaches in a symbol like "f.cold" belongs to f.
 *
 * Ownership: nothing is kept. Errors: steps_read returns -errno: -ENOEXEC if the code cannot be decoded as a whole.
 */
#ifndef ENGINE_PROGRAMS_STEPS_H
#define ENGINE_PROGRAMS_STEPS_H

#include "engine/programs/decoder.h"
#include "engine/programs/functions.h"

struct elf;

typedef void step_fn(void *arg, const struct program_step *step);

/* Calls fn with the offset in the file of each code address that the function computes, such as the functions from
 * which the resolver of an IFUNC chooses. */
int steps_addresses(const struct decoder *d, const struct elf *e, const struct program_function *f,
		    void (*fn)(void *arg, uint64_t off), void *arg);

/* The code of a file. */
struct steps_code {
	const struct decoder *decoder;
	const struct elf *elf;
	const struct functions *all;	/* the functions of the file */
};

/* f: one of the functions. Calls fn for each instruction only if all can be decoded. */
int steps_read(const struct steps_code *c, const struct program_function *f, step_fn *fn, void *arg);

#endif
