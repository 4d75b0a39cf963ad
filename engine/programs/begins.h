/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Where the execution of a source line begins. The code of a line in a function is one or several runs of consecutive
 * instructions. The line begins where a run does, and where control enters it otherwise:
 *
 * - a jump from another line leads into a run;
 * - a jump back within a run begins the next turn of a loop that is in one line.
 *
 * Some of these places are no beginnings of their own:
 *
 * - what can only lead to another such place of the same line: the jump to the condition of a `while` at its end;
 * - a run that only jumps to another line (from the end of a loop to its head), unless the line has no other one
 *   (`break;`);
 * - the second run of a line in one basic block: the rest of an expression that covers several lines.
 *
 * So a line begins as often as coverage tools count it, except for a few expressions that branch in several lines.
 *
 * Ownership: the caller's arena. Errors: begins_find returns -errno: -ENOEXEC if the code cannot be decoded; then each
 * run has one beginning.
 */
#ifndef ENGINE_PROGRAMS_BEGINS_H
#define ENGINE_PROGRAMS_BEGINS_H

#include "base/arena.h"
#include "engine/programs/blocks.h"
#include "providers/program.h"

/* Consecutive instructions of one line of a source file. Offsets are in the ELF file. */
struct line_run {
	uint64_t start, end;
	const char *file;		/* the same pointer for the same file */
	uint32_t line;
	uint32_t copy;			/* of inlined code: a number that differs between most copies; else 0 */
	size_t row, nrows;		/* its rows in line_code.row */
};

struct line_begin {
	uint64_t off;
	size_t run;			/* index */
	uint64_t block, cheapest;	/* blocks_at(), blocks_cheapest() */
	const char *why;		/* the kernel cannot probe it; NULL: it can */
};

/* The lines of a function. */
struct line_code {
	const struct program_function *function;	/* NULL: unknown */
	VEC(struct line_run) run;	/* by address */
	VEC(uint64_t) row;		/* where rows of the line table begin, by run */
	VEC(struct line_begin) begin;
};

/* Sets code->begin. */
int begins_find(struct line_code *code, struct arena *a, struct blocks_env *env);

#endif
