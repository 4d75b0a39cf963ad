/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Present and past mappings of processes (struct spaces) and their files, from process events and /proc.
 *
 * Ownership: maps_close frees everything. Errors: if memory runs out, mappings are not stored (maps_failed).
 */
#ifndef ENGINE_SYMBOLS_MAPS_H
#define ENGINE_SYMBOLS_MAPS_H

#include "engine/symbols/jit.h"
#include "engine/symbols/object.h"
#include "engine/symbols/spaces.h"

enum { MAPS_OPEN = 256 };

struct maps {
	struct spaces spaces;			/* the files of mappings are struct object */
	struct object **object;			/* SPACES_HASH chains; NULL: no file is known */
	struct jits jits;			/* names of code that is in no file */
	uint64_t turn;				/* /proc is read at most once per turn for each process */
	bool nomem;
	int unread;				/* errno of the last failure to read a process's mappings; 0: none */
	int64_t unread_pid;			/* that process */
	struct object *open[MAPS_OPEN];		/* the last files that were opened in case they are removed */
	unsigned nopened;
};

/* A file that is mapped. */
struct maps_file {
	const char *path;
	uint64_t dev, ino;
};

void maps_init(struct maps *m);
void maps_close(struct maps *m);
/* True if something was not stored because memory ran out. */
bool maps_failed(const struct maps *m);

/* Finds or adds a file that `pid` has mapped at start..end (end 0: will map). Its path is that of its first mapping.
 * Returns NULL if memory runs out. */
struct object *maps_object(struct maps *m, const struct maps_file *f, int64_t pid, uint64_t start, uint64_t end);
/* Adds a mapping of a file (or "[vdso]"; other names: anonymous memory), valid from `time` (ns) on. Returns the same as
 * spaces_add. */
bool maps_add(struct maps *m, int64_t pid, uint64_t time, const struct maps_file *f, const struct mapping *where);
/* A process was forked, executed a program, or ended, at a time (ns; 0 for maps_exit: now). */
void maps_fork(struct maps *m, int64_t pid, int64_t parent, uint64_t time);
void maps_exec(struct maps *m, int64_t pid, uint64_t time);
void maps_exit(struct maps *m, int64_t pid, uint64_t time);

/* Calls fn for each mapping of a file (or the vdso) that a process can execute now, from /proc/PID/maps, in order of
 * address. Records only other executable memory (jits_memory). Returns 0 or -errno. */
int maps_code(struct maps *m, int64_t pid, void (*fn)(void *arg, const struct mapping *x), void *arg);
/* Finds the mapping at an address. Returns false if there is none, or not of a file that can be executed. */
bool maps_at(struct maps *m, int64_t pid, uint64_t addr, struct mapping *x);
/* Calls fn for each mapping of a file that a process can execute now, with the inode number. Opens no file. Returns 0
 * or -errno. */
int maps_regions(int64_t pid, void (*fn)(void *arg, uint64_t start, uint64_t end, uint64_t ino), void *arg);
/* A line of /proc/PID/maps. The path is "" for anonymous memory. */
struct maps_line {
	struct mapping at;
	bool code, in_file;		/* in_file: also in the vdso */
	struct maps_file file;
};
/* Calls fn for each line of /proc/PID/maps, whose path is valid during the call. Returns 0 or -errno. */
int maps_lines(int64_t pid, void (*fn)(void *arg, const struct maps_line *l), void *arg);
/* Calls fn for each library that a process will load when it starts to run; not if it has run already. */
void maps_needed(struct maps *m, int64_t pid, void (*fn)(void *arg, struct object *o), void *arg);
/* Reads the maps of all processes. */
void maps_read_all(struct maps *m);
/* The mapping of an address at a time (ns; 0: the newest). NULL: the address is not in a file. */
const struct mapping *maps_find(struct maps *m, int64_t pid, uint64_t addr, uint64_t at);

#endif
