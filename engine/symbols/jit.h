/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Names of code that processes have generated (JIT compilers), from the files that they write for profilers:
 * /tmp/perf-PID.map in the process's own root directory, with its ID in its own PID name space; if there is none, in
 * this process's root directory with the ID that is valid here; and jitdump files, which a process maps executable to
 * announce them.
 *
 * Files are read when an address is resolved, and read on when they have grown. They must belong to the user of the
 * process or to root. What was read is kept when the process ends; a file that has not been read is opened then.
 *
 * Ownership: jits_close frees everything. Errors: code without a name is not found; jits.err says why a file was not
 * read.
 */
#ifndef ENGINE_SYMBOLS_JIT_H
#define ENGINE_SYMBOLS_JIT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "engine/symbols/jit_codes.h"
#include "engine/symbols/ranges.h"

struct object;

#define JIT_OBJECT "[jit]"	/* the object of all such code */

enum { JIT_HASH = 256, JIT_KEEP = 4096 };

struct jit_process;

struct jits {
	struct jit_process *process[JIT_HASH];
	struct jit_process *oldest, *newest;	/* list of ended processes */
	unsigned ended;				/* their number */
	unsigned keep;				/* the number above which the oldest are forgotten; 0: JIT_KEEP */
	unsigned open;				/* descriptors kept */
	uint64_t serial;			/* processes so far */
	uint64_t turn;				/* of the caller: files are read on once per turn */
	int err;				/* errno of a file that was not read; 0: none */
	const char *why;			/* more about it, or NULL */
	char path[64];				/* of that file */
	bool nomem;
};

/* Code found at an address. */
struct jit_found {
	const char *name;		/* valid until the next call */
	uint64_t start, end;
	uint64_t since;			/* when it was loaded; 0 = unknown */
	uint64_t off;			/* differs from that of all other code of the process that has a time */
	uint64_t process;		/* differs between processes, and between two programs of a process; set if the
					 * process describes its code, even if it has not described this code yet */
};

void jits_close(struct jits *j);
/* True if this is the path of a jitdump file. */
bool jit_is_dump(const char *path);
/* A process has made the memory start..end executable, which is in no file, at a time (ns; 0: unknown). Returns true
 * if the process describes when its code was loaded: then the code at an address may be another one from now on. */
bool jits_seen(struct jits *j, int64_t pid, uint64_t start, uint64_t end, uint64_t time);
/* All memory in no file that a process, or its parent before the fork, has made executable so far. Compilers make it
 * writable again while they write. NULL: none. Valid until the next call. */
const struct address_ranges *jits_memory(const struct jits *j, int64_t pid, uint64_t at);
/* A process was forked (after jits_begun). */
void jits_forked(struct jits *j, int64_t pid, int64_t parent);
/* A process has mapped a jitdump file executable, at start..end. */
void jits_dump(struct jits *j, int64_t pid, const struct object *o, uint64_t start, uint64_t end);
/* The process executed a program, or a new one has this ID, at a time (ns). */
void jits_begun(struct jits *j, int64_t pid, uint64_t time);
/* The process ended at a time (0: now). */
void jits_ended(struct jits *j, int64_t pid, uint64_t time);
/* True if anything is known of this process, so that a search may find something. */
bool jits_known(const struct jits *j, int64_t pid);
/* Finds the code at an address of a process at a time (ns; 0: now). Reads on in files once per turn, once every 100 ms,
 * and if the time is later than the last reading. */
bool jits_find(struct jits *j, int64_t pid, uint64_t addr, uint64_t at, struct jit_found *out);
/* The next time after `at` at which jits_seen returned true; UINT64_MAX: none. */
uint64_t jits_until(const struct jits *j, int64_t pid, uint64_t at);
/* The last time, not after `at`, at which the process's code is known to have changed; 0 = none. */
uint64_t jits_changed(struct jits *j, int64_t pid, uint64_t at);

#endif
