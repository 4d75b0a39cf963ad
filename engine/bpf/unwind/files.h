/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The unwinding tables of files in the maps that programs read. A file's code is divided into pieces of 1 MB; a piece
 * gets its number when a process's mappings need it, and its table when a stack needs it. A thread decodes the tables.
 * If memory is short, the files that were not used for the longest time lose their tables; if numbers are short, the
 * pieces that no process has mapped lose theirs.
 *
 * Ownership: files_close frees everything (idempotent). Errors: a file without tables has pieces that say so; if memory
 * runs out, its pieces stay absent, and user space unwinds its stacks.
 */
#ifndef ENGINE_BPF_UNWIND_FILES_H
#define ENGINE_BPF_UNWIND_FILES_H

#include "engine/bpf/unwind/memory.h"
#include "engine/unwind/frame_loader.h"

struct unwind_file {
	struct unwind_file *next;	/* in its hash chain */
	struct object *object;
	struct unwind_part { uint64_t number; uint32_t piece; struct unwind_extent table; } *part;
	uint32_t nparts, found;		/* found: index of the part that was found last */
	bool loading;			/* the loader has it */
	bool whole;			/* all its pieces get numbers when it is decoded */
	uint32_t wanted;		/* number of the piece to load first, when it is decoded */
};

enum { UNWIND_FILES = 1024 };

struct unwind_files {
	struct unwind_shared *shared;
	struct unwind_memory *memory;
	struct rules rules;
	struct frame_loader loader;
	struct unwind_file *file[UNWIND_FILES];
	struct unwind_file **of_piece;	/* [UNWIND_PIECES] */
	uint32_t npieces;		/* numbers used so far */
	uint32_t *spare, nspare;	/* [UNWIND_PIECES], of these those that are free again */
	bool exhausted;			/* a piece got no number */
	struct unwind_file *packed;	/* the file whose rows are in `pack`, because there was no room for all */
	struct pack pack;
	/* Waits until all programs that are running now have ended. */
	void (*barrier)(void *arg);
	void *arg;
	uint64_t full;			/* the epoch in which there was no room for a table */
	bool nomem;
};

/* Returns 0 or -errno. */
int files_open(struct unwind_files *f, struct unwind_shared *shared, struct unwind_memory *m);
void files_close(struct unwind_files *f);
/* The number of the piece that contains a link-time address >> PACK_PIECE_BITS of a file; 0: there are no more numbers.
 */
uint32_t files_piece(struct unwind_files *f, struct object *o, uint64_t number);
/* True if a piece has no table, but may get one. */
bool files_absent(const struct unwind_files *f, uint32_t piece);
/* Begins to load the table of a piece, and those of the other pieces of its file for which there is room. */
void files_load(struct unwind_files *f, uint32_t piece);
/* Begins to load the tables of a file that no process has mapped yet. */
void files_prepare(struct unwind_files *f, struct object *o);
/* Loads the tables that have been decoded. wait: first waits until all are. */
void files_take(struct unwind_files *f, bool wait);
/* Takes the numbers of pieces, and their tables, that are not in use: used[number] is zero. */
void files_reclaim(struct unwind_files *f, const uint8_t used[UNWIND_PIECES]);
/* Allocates memory. If necessary, files lose their tables. size 0: there is no memory. */
struct unwind_extent files_memory(struct unwind_files *f, uint32_t bytes);

#endif
