/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Address spaces over time: what each process has mapped and had mapped. A process ID has images, the newest first:
 * one from each fork, which begins with the parent's mappings, and one from each exec, which begins with nothing. Within
 * an image mappings are kept in order of time; what a later one covers is known for earlier times.
 *
 * Times are CLOCK_MONOTONIC, ns. In questions the time 0 is the newest state.
 *
 * Ownership: struct spaces owns everything until spaces_close; what mappings point to (`file`) is the caller's.
 * Errors: memory; then `nomem` is set and the change is not noted.
 */
#ifndef ENGINE_SYMBOLS_SPACES_H
#define ENGINE_SYMBOLS_SPACES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mapping {
	uint64_t start, end, off;
	uint64_t since;			/* 0 = as long as the image */
	void *file;			/* NULL: memory without a file */
	bool over;			/* something else was there before, in the same image */
};

struct image;

struct space {
	struct space *next;		/* of the same hash */
	struct space *older, *newer;	/* those that have ended */
	int64_t pid;
	bool ended;
	uint64_t executed;		/* when it executed a program of which no mapping is known yet; 0 = none */
	uint64_t looked;		/* for the caller; 0 again when a process begins or executes a program */
	int err;			/* for the caller */
	uint64_t horizon;		/* changes before this time are not all known any more */
	struct image *image;		/* the newest */
	unsigned images;
};

enum { SPACES_HASH = 4096 };

struct spaces {
	struct space *space[SPACES_HASH];
	struct space *oldest, *newest;	/* of those that have ended */
	uint64_t mappings;		/* kept, in all */
	uint64_t forgotten;		/* mappings dropped although their process is known: there were too many */
	bool nomem;
	/* Do two files look alike at an address? NULL: only if they are the same one, at the same place. */
	bool (*alike)(void *arg, const struct mapping *a, const struct mapping *b, uint64_t addr);
	void *arg;
};

void spaces_init(struct spaces *s);
void spaces_close(struct spaces *s);

/* NULL: not known (make: no memory). */
struct space *spaces_get(struct spaces *s, int64_t pid, bool make);
/* Notes a mapping. True: from x->since on some address of the process means something else than before. */
bool spaces_add(struct spaces *s, struct space *p, const struct mapping *x);
/* The process begins, with the parent's mappings; executes a program; has ended. The image of a program begins with its
 * first mapping, or with spaces_enter: until then its predecessor's addresses are what a sample has. */
void spaces_fork(struct spaces *s, int64_t pid, int64_t parent, uint64_t time);
void spaces_exec(struct spaces *s, int64_t pid, uint64_t time);
void spaces_exit(struct spaces *s, int64_t pid);
/* The image of the program that was executed begins, if it has not begun. */
void spaces_enter(struct spaces *s, struct space *p, uint64_t time);

/* What lies at an address at a time; or, where nothing does, what is the first to come there in the same image. NULL:
 * nothing. */
const struct mapping *spaces_find(const struct space *p, uint64_t addr, uint64_t at);
/* Does any of the mappings in the newest image lie there? */
bool spaces_overlaps(const struct space *p, uint64_t start, uint64_t end);
/* The lowest address at which the mapping's file lies, then. */
uint64_t spaces_base(const struct space *p, const struct mapping *x, uint64_t at);
/* When the image of that time began, 0 = before anything was noted. */
uint64_t spaces_begun(const struct space *p, uint64_t at);
/* When the next image began after a time; the time itself if there is none. */
uint64_t spaces_next(const struct space *p, uint64_t at);
/* The last time, not after `at`, at which any address of the process began to mean something else; 0 = none. */
uint64_t spaces_changed(const struct space *p, uint64_t at);
/* The earliest time from `from` on at which all these addresses meant the same as at `at`; 0 = already at `from`. */
uint64_t spaces_settle(const struct spaces *s, const struct space *p, const uint64_t *addr, uint32_t n, uint64_t from,
		       uint64_t at);

#endif
