/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The mappings of processes in the maps that programs read (struct unwind_space in rt/unwind.h).
 *
 * Ownership: none beyond the memory's. Errors: a process whose mappings cannot be published stays unknown, and user
 * space unwinds its stacks.
 */
#ifndef ENGINE_BPF_UNWIND_SPACES_H
#define ENGINE_BPF_UNWIND_SPACES_H

#include "engine/bpf/unwind/files.h"
#include "engine/bpf/unwind/jstacks.h"
#include "engine/symbols/symbols.h"

enum { UNWIND_REFUSED = 64 };

struct unwind_spaces {
	struct unwind_shared *shared;
	struct unwind_files *files;
	struct symbols *symbols;
	struct jstacks *jstacks;	/* NULL: interpreters are not searched */
	const _Atomic uint64_t *owners;	/* the table of owners, PROG_OWNERS words */
	uint32_t id;			/* the last id */
	/* Processes with too many mappings, not read again as long as these are the same. */
	struct unwind_refused { uint32_t pid; uint64_t owner; } refused[UNWIND_REFUSED];
	bool nomem;
};

/* Publishes a process's mappings, unless the current ones are known. Returns false if that is not possible. load: also
 * loads the tables of its files. */
bool spaces_publish(struct unwind_spaces *s, uint32_t pid, bool load);
/* The number of the piece at an offset in a file; 0: none. */
uint32_t spaces_piece(struct unwind_spaces *s, struct object *o, uint64_t off);
/* Call this periodically: removes a part of the ended processes. */
void spaces_sweep(struct unwind_spaces *s, uint32_t turn);

#endif
