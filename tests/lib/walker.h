/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The kernel's stack walker (rt/unwind.c), compiled for this machine: the maps that it reads, filled with the tables of
 * files, and the helpers that it calls. A thread's registers and memory are those of struct walker.
 *
 * Ownership: walker_close frees everything that the others have made. Errors: what cannot be made fails the test.
 */
#ifndef TESTS_LIB_WALKER_H
#define TESTS_LIB_WALKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/unwind/pack.h"
#include "rt/unwind.h"
#include "rt/unwind_helpers.h"

enum { WALKER_PID = 7 };

struct walker {
	struct task_regs regs;
	/* Reads the thread's memory. NULL: it is this process's. Returns 0 or -1. */
	long (*read)(void *arg, void *dst, uint64_t from, uint32_t size);
	void *arg;
	uint64_t reads;			/* number of calls of read_user */
	uint64_t start_stack;		/* mm->start_stack */
	uint64_t fsbase;		/* of the thread; 0: none */
	bool no_ring;			/* there is no room in the ring */
	struct unwind_handover *handover;	/* the last one, in a block of its size; NULL: none */
	size_t handover_size;
	bool submitted;
	struct unwind_slot *slot[UNWIND_LEVELS];
	uint8_t *chunk[UNWIND_CHUNKS];	/* [0]: map_unwind_first */
	uint32_t nchunks, used;		/* used: bytes of the last chunk */
	uint32_t npieces, nmappings;
	struct unwind_mapping mapping[UNWIND_MAPPINGS];
	struct rules rules;
};

/* The one that the walker uses. */
struct walker *walker_open(void);
void walker_close(struct walker *w);
/* Maps the link-time addresses [from, to) of a file at + base, with their tables. Call it in order of address. */
void walker_add(struct walker *w, const struct pack *k, uint64_t from, uint64_t to, uint64_t base);
/* Adds a mapping of at most a piece of a file's code, whose table is not loaded. Returns the number of the piece. */
uint32_t walker_absent(struct walker *w, uint64_t start, uint64_t end);
/* Adds executable memory that is in no file. */
void walker_generated(struct walker *w, uint64_t start, uint64_t end);
/* Makes what was added the mappings of the process, and of each slot. */
void walker_publish(struct walker *w);

/* Functions of rt/unwind.c. */
uint64_t unwind_rule(struct unwind_slot *s, uint64_t pc);
uint64_t unwind_caller(struct unwind_slot *s, uint64_t pc);
uint64_t unwind_word(struct unwind_slot *s, uint64_t addr);

#endif
