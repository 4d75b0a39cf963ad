/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Names of addresses: of the kernel by /proc/kallsyms, of processes by the symbol tables of what they have mapped.
 *
 * Nothing is read before somebody asks. What is kept of a file is an index of 8 bytes for each symbol, and only of files in
 * which an address was looked for; names and sizes are read again when they are shown. symbols_watch notes what processes map
 * while they run, so that the addresses of those that are gone have names, too.
 *
 * Ownership: struct symbols owns everything until symbols_close, which takes NULL. A name is valid until the next call.
 * Errors: opening (NULL: no memory), watching (-errno). An address without a name is no failure: the fields stay NULL.
 */
#ifndef ENGINE_SYMBOLS_SYMBOLS_H
#define ENGINE_SYMBOLS_SYMBOLS_H

#include <stdbool.h>
#include <stdint.h>

struct symbol {
	const char *object;	/* "vmlinux", "ext4", "libc.so.6", "[vdso]"; NULL: nothing is known of the address */
	const char *name;	/* NULL: no symbol of it is there */
	uint64_t start;		/* address of the symbol */
	uint64_t base;		/* lowest address of the object */
};

/* The file that an address of a process lies in. */
struct symbol_mapping {
	uint64_t start, end, off;	/* end 0: nothing is known to lie there */
	uint64_t since;			/* CLOCK_MONOTONIC, ns; 0 = nobody knows */
	uint64_t begun;			/* when its process began or executed its program; 0 = not noted */
	const char *path;		/* NULL: none; memory without a file lies there, or nothing */
	uint64_t dev, ino;
	const uint8_t *id;		/* its build ID */
	unsigned idlen;			/* 0 = none */
};

/* The file that code of a process lies in. */
struct object;
struct symbol_code {
	struct object *object;		/* valid until its source is closed; NULL: the file is not there, or is another one */
	const char *path;
	uint64_t start, off;		/* address where it is mapped, and which place of the file that is */
};

/* Why some addresses that were asked for have no names. */
struct symbol_lacks {
	int kernel;			/* errno of the kernel's list; EPERM: it hides its addresses, ESTALE: it is of another boot; 0: it was read */
	int file;			/* errno of a file; 0: none */
	const char *path;		/* its path, valid until its source is closed */
	bool nomem;
	uint64_t notes;			/* so many notes about processes were lost, or could not be kept */
};

/* Whoever knows names; symbols.c is one, the replay engine another. Times are CLOCK_MONOTONIC, ns. */
struct symbol_ops {
	void (*kernel)(void *arg, uint64_t addr, struct symbol *out);
	/* at: when the address was current, 0 = now */
	void (*user)(void *arg, int64_t pid, uint64_t addr, uint64_t at, struct symbol *out);
	/* Optional. False: the address lies in no file; *out is filled in all the same. */
	bool (*mapping)(void *arg, int64_t pid, uint64_t addr, uint64_t at, struct symbol_mapping *out);
	/* Optional: the file itself, for its unwinding tables. False: the address lies in no file that is there. */
	bool (*code)(void *arg, int64_t pid, uint64_t addr, uint64_t at, struct symbol_code *out);
	/* Optional: what was missing up to now; *out is empty. */
	void (*lacks)(void *arg, struct symbol_lacks *out);
	/* The others are optional together. The earliest time from `from` on at which addresses of a process had the
	 * same names as at `at`; 0 = already at `from`. */
	uint64_t (*settle)(void *arg, int64_t pid, const uint64_t *addr, uint32_t n, uint64_t from, uint64_t at);
	/* When the next process with this ID began after a time, or executed its program; the time itself if none
	 * did. */
	uint64_t (*next)(void *arg, int64_t pid, uint64_t at);
	/* The last time, not after `at`, at which names of any addresses of the process changed; 0 = none. */
	uint64_t (*changed)(void *arg, int64_t pid, uint64_t at);
};

struct symbols;

struct symbols *symbols_open(void);
void symbols_close(struct symbols *s);
extern const struct symbol_ops symbols_ops;	/* arg: struct symbols * */

/* From now on what processes map is noted. -errno: only processes that still run will have names. */
int symbols_watch(struct symbols *s);
/* To be called from time to time while watching: takes in what has happened. */
void symbols_refresh(struct symbols *s);
/* From time to time: processes are watched on CPUs that have come online, too. */
void symbols_cpus(struct symbols *s);
/* The same notes from elsewhere: what a process has mapped to be executed (true: from then on some of its addresses
 * mean something else than before), that it was forked, executes another program, has ended. */
struct symbol_file {
	uint64_t start, size, offset;
	uint32_t major, minor;
	uint64_t inode;
	const char *path;
};
bool symbols_mapped(struct symbols *s, int64_t pid, uint64_t time, const struct symbol_file *f);
void symbols_forked(struct symbols *s, int64_t pid, int64_t parent, uint64_t time);
void symbols_execed(struct symbols *s, int64_t pid, uint64_t time);
void symbols_ended(struct symbols *s, int64_t pid);
/* What all processes have mapped now. */
void symbols_look_all(struct symbols *s);
#endif
