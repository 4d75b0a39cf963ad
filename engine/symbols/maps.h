/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What processes have mapped, and had: a list for each process, the newest at its end. A list is shared with the parent
 * until the process maps something itself.
 *
 * Who owns what: maps_close frees everything. What can fail: memory; a mapping is then not noted.
 */
#ifndef ENGINE_SYMBOLS_MAPS_H
#define ENGINE_SYMBOLS_MAPS_H

#include "engine/symbols/object.h"

struct mapping {
	uint64_t start, end, off;
	uint64_t since;			/* CLOCK_MONOTONIC, ns; 0 = nobody knows */
	struct object *object;
};

struct maplist {
	unsigned users, depth;
	uint32_t n, cap;
	struct maplist *before;		/* of the program that ran before exec, or of the parent */
	struct mapping v[];
};

struct process {
	struct process *next;		/* of the same hash */
	struct process *older, *newer;	/* those that have ended */
	int64_t pid;
	bool ended;
	uint64_t looked;		/* the turn in which /proc was read last; 0 = never */
	int err;			/* the errno of that */
	struct maplist *list;
};

enum { MAPS_HASH = 4096 };

struct maps {
	struct process *process[MAPS_HASH];
	struct object *object[MAPS_HASH];
	struct process *oldest, *newest;	/* of those that have ended */
	uint64_t turn;				/* /proc is read at most once a turn for each process */
	uint64_t mappings;			/* kept, of all lists */
	bool nomem;				/* memory was missing for some of it */
	int unread;				/* errno: why the mappings of a process were not read that were asked for; 0: none */
	int64_t unread_pid;			/* that process */
	unsigned open;				/* descriptors of objects that are not read yet */
};

void maps_init(struct maps *m);
void maps_close(struct maps *m);

struct process *maps_process(struct maps *m, int64_t pid, bool make);
/* A file; `pid` has it mapped at start..end. NULL: no memory. */
struct object *maps_object(struct maps *m, const char *path, uint64_t dev, uint64_t ino, int64_t pid, uint64_t start,
			   uint64_t end);
void maps_add(struct maps *m, struct process *p, const struct mapping *x);
/* The process begins with the parent's mappings; runs a new program; has ended. */
void maps_fork(struct maps *m, int64_t pid, int64_t parent);
void maps_exec(struct maps *m, int64_t pid);
void maps_exit(struct maps *m, int64_t pid);
/* A file (or "[vdso]"; another name: memory without a file) from `time` on. */
void maps_note(struct maps *m, int64_t pid, uint64_t time, const char *path, uint64_t dev, uint64_t ino,
	       const struct mapping *where);
/* Reads /proc/PID/maps. code_only: only what can be executed. */
void maps_read(struct maps *m, struct process *p, bool code_only);
/* Reads those of all processes. */
void maps_read_all(struct maps *m);
/* Where an address lies, at a time (0: now, the newest). NULL: nowhere. */
const struct mapping *maps_find(struct maps *m, int64_t pid, uint64_t addr, uint64_t at);
/* The lowest address at which the process has this object. */
uint64_t maps_base(struct maps *m, int64_t pid, const struct mapping *x);

#endif
