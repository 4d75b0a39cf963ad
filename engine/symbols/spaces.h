/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Address spaces over time: the present and past mappings of processes. A process ID has a list of images, newest
 * first: each fork starts one with the parent's mappings, each exec an empty one. Within an image, mappings are kept in
 * order of time; a mapping that a later one covers is still found for earlier times.
 *
 * Times are CLOCK_MONOTONIC, ns. In queries, time 0 means the newest state.
 *
 * Ownership: struct spaces owns everything until spaces_close; the caller owns what `file` points to.
 * Errors: if memory runs out, `nomem` is set and the change is not stored.
 */
#ifndef ENGINE_SYMBOLS_SPACES_H
#define ENGINE_SYMBOLS_SPACES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/symbols/mapping_index.h"
#include "engine/symbols/symbol.h"

struct space_image;

struct symbol_space {
	struct symbol_space *next;		/* in its hash chain */
	struct symbol_space *older, *newer;	/* list of ended processes */
	int64_t pid;
	bool ended;
	uint64_t executed;		/* time of an exec whose program has no mapping yet; 0 = none */
	uint64_t read_turn;		/* for the caller; set to 0 when a process begins or executes a program */
	int err;			/* for the caller */
	uint64_t horizon;		/* changes before this time are incomplete */
	struct space_image *image;		/* the newest */
	unsigned images;
};

enum { SPACES_HASH = 4096, SPACES_KEEP = 1 << 16 };

struct spaces {
	struct symbol_space **space;		/* SPACES_HASH chains; NULL: no process is known */
	struct symbol_space *oldest, *newest;	/* list of ended processes */
	unsigned ended;			/* their number */
	unsigned keep;			/* the number above which the oldest are forgotten; 0: SPACES_KEEP */
	uint64_t mappings;		/* number of mappings stored */
	uint64_t forgotten;		/* mappings dropped because a process had too many */
	bool nomem;
	/* True if an address has the same symbol in both mappings. NULL: only if both have the same file and offset. */
	bool (*alike)(void *arg, const struct mapping *a, const struct mapping *b, uint64_t addr);
	void *arg;
};

void spaces_init(struct spaces *s);
void spaces_close(struct spaces *s);

/* The process with this ID; NULL if it is unknown. */
struct symbol_space *spaces_process(const struct spaces *s, int64_t pid);
/* The same; adds it if it is unknown. NULL if memory runs out. */
struct symbol_space *spaces_get(struct spaces *s, int64_t pid);
/* Adds a mapping. Returns true if an address of the process changes its mapping at x->since. */
bool spaces_add(struct spaces *s, struct symbol_space *p, const struct mapping *x);
/* A process was forked with its parent's mappings, executed a program, or ended. The image of an executed program
 * starts with its first mapping or with spaces_enter; until then, samples have addresses of the previous image. */
void spaces_fork(struct spaces *s, int64_t pid, int64_t parent, uint64_t time);
void spaces_exec(struct spaces *s, int64_t pid, uint64_t time);
void spaces_exit(struct spaces *s, int64_t pid);
/* Starts the image of an executed program, if not started yet. */
void spaces_enter(struct spaces *s, struct symbol_space *p, uint64_t time);

/* The mapping of an address at a time; if there is none, the next later one in the same image. NULL if there is
 * neither. */
const struct mapping *spaces_find(const struct symbol_space *p, uint64_t addr, uint64_t at);
/* True if any mapping of the process at that time is known. */
bool spaces_known(const struct symbol_space *p, uint64_t at);
/* True if any mapping of the newest image overlaps the range. */
bool spaces_overlaps(const struct symbol_space *p, uint64_t start, uint64_t end);
/* The lowest address at which the file of the mapping is mapped at that time. */
uint64_t spaces_base(const struct symbol_space *p, const struct mapping *x, uint64_t at);
/* The first file mapped in the image at that time for which is_program is true; NULL: none. */
void *spaces_program(const struct symbol_space *p, uint64_t at, bool (*is_program)(const void *file));
/* The start of the image at that time; 0 = before recording began. */
uint64_t spaces_begun(const struct symbol_space *p, uint64_t at);
/* The start of the next image after a time; the time itself if there is none. */
uint64_t spaces_next(const struct symbol_space *p, uint64_t at);
/* The last time, not after `at`, at which any address of the process changed its mapping; 0 = none. */
uint64_t spaces_changed(const struct symbol_space *p, uint64_t at);
/* The earliest time, not before `from`, at which all these addresses had the same symbols as at `at`; 0 = already at
 * `from`. */
uint64_t spaces_settle(const struct spaces *s, const struct symbol_space *p, const struct symbol_addresses *addr,
		       uint64_t from, uint64_t at);

#endif
