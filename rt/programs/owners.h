/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The memory of the programs that maintain the table of owners (engine/bpf/owners.h). It contains hints: if a word is
 * overwritten, an owner changes once more than necessary.
 *
 * Ownership: none. Errors: none.
 */
#ifndef RT_PROGRAMS_OWNERS_H
#define RT_PROGRAMS_OWNERS_H

#include <stdint.h>

/* The table, and the parts of a word in it: PROG_OWNERS and VAL_... (ir/value.h). */
enum { OWNERS = 131072, OWNER_PID_BITS = 22, OWNER_TIME_UNIT = 11, OWNER_TIME_BITS = 40 };
#define OWNER_NEXT (1ull << OWNER_PID_BITS)

enum { OWNERS_FILES = 4096, OWNERS_RANGES = 4096 };	/* powers of two */

struct owners_memory {
	uint64_t files[OWNERS_FILES];		/* by process: its owner when a file was last mapped executable */
	/* anonymous memory: its range, and the process's word in `files` at that time */
	struct owners_range { uint64_t range, files; } ranges[OWNERS_RANGES];
};

#endif
