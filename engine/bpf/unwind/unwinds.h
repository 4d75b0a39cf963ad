/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * User stacks by unwinding tables in the kernel engine. Programs walk the stacks (rt/unwind.c). This keeps the tables
 * up to date, and unwinds the stacks that a program could not walk because a process or a file was new to it.
 *
 * The consumer's thread does this when a program has handed over a stack: it reads the process's mappings and unwinds
 * the stack. Another thread decodes the tables that were missing; after that, stacks are walked in the kernel.
 *
 * Ownership: unwinds_close releases everything (idempotent; zeroed is closed).
 * Errors: unwinds_open returns -errno and a reason.
 */
#ifndef ENGINE_BPF_UNWIND_UNWINDS_H
#define ENGINE_BPF_UNWIND_UNWINDS_H

#include "base/buf.h"
#include "engine/bpf/load/reader.h"
#include "engine/bpf/unwind/jstacks.h"
#include "engine/bpf/unwind/parts.h"
#include "engine/bpf/unwind/pending.h"
#include "engine/bpf/unwind/spaces.h"
#include "engine/run/account.h"
#include "engine/unwind/unwind.h"


enum { UNWINDS_FDS = 2 };

struct unwinds {
	const struct bpf_loaded *loaded;
	struct unwind_shared *shared;	/* NULL: not in use */
	struct unwind_memory memory;
	struct unwind_files files;
	struct unwind_spaces spaces;
	struct unwind_pending pending;
	struct unwind_parts parts;
	struct jstacks jstacks;		/* not open: no clause wants interpreted frames */
	struct unwinder *unwinder;
	struct symbols *symbols;
	struct ring_reader reader;
	uint64_t *pc, *sp;		/* scratch */
	uint32_t turn;
	char failed[160];		/* why no stacks can be unwound; "": they can */
	uint64_t unreadable;		/* stacks whose copy ended because their memory could not be read */
	uint32_t kept, room;		/* stacks added to `pending` since the last turn; number that is too many */
	uint64_t refreshed;		/* when process events were read, CLOCK_MONOTONIC, ns */
};

/* limit: bytes of memory for tables. barrier: waits until all programs that are running have ended. */
int unwinds_open(struct unwinds *u, struct bpf_loaded *l, uint64_t limit, void (*barrier)(void *arg), void *arg,
		 char *reason, size_t n);
void unwinds_close(struct unwinds *u);
/* Sets the symbols to use, which record mappings. Stacks are unwound from then on; if that fails, unwinds_lacks says
 * so. */
void unwinds_begin(struct unwinds *u, struct symbols *s);
/* Loads the tables of a process before it is traced. */
void unwinds_prepare(struct unwinds *u, int64_t pid);
/* The descriptors that are readable when unwinds_take has something to do. */
void unwinds_fds(const struct unwinds *u, int fd[UNWINDS_FDS]);
/* Unwinds the stacks that have been handed over so far, and loads the tables that have been decoded. Returns 0 or
 * -errno: a stack could not be read. */
int unwinds_take(struct unwinds *u);
/* Call this periodically. */
void unwinds_refresh(struct unwinds *u);
/* Returns true if the first word of a stack stands for one that was handed over; stores its frames in pc[max],
 * zero-padded. */
bool unwinds_later(struct unwinds *u, uint64_t word, uint64_t *pc, uint32_t max);
/* The same for all words of a stack, `max`; also if functions are inlined in code of its frames. */
bool unwinds_shown(struct unwinds *u, const uint64_t *words, uint64_t *pc, uint32_t max);
/* Returns true if the stacks that were handed over since the last turn may soon fill the tables of stacks or of an
 * aggregation: there, each has a row of its own. */
bool unwinds_crowded(const struct unwinds *u);
/* The aggregations with user stacks are being read and emptied. */
void unwinds_turn(struct unwinds *u);
/* Returns false if no stacks are unwound by tables. */
bool unwinds_counts(const struct unwinds *u, struct dtr_stacks *out);
/* Appends a sentence about stacks that lack frames, if any. Returns false if memory ran out. */
bool unwinds_lacks(const struct unwinds *u, struct buf *out);

#endif
