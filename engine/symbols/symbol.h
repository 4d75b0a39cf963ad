/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Symbols, and the interface of a symbol source. symbols.h is the source for this machine.
 *
 * Ownership: a source owns its names; a name is valid until the next call.
 * Errors: for an address without a symbol, the name is NULL.
 */
#ifndef ENGINE_SYMBOLS_SYMBOL_H
#define ENGINE_SYMBOLS_SYMBOL_H

#include <stdbool.h>
#include <stdint.h>

#define UPROBES_OBJECT "[uprobes]"	/* the page in which the kernel runs instructions that are probed */

struct symbol {
	const char *object;	/* "vmlinux", "libc.so.6", "[vdso]", "[uprobes]"...; NULL: unknown address */
	const char *name;	/* NULL: no symbol at the address */
	uint64_t start;		/* address of the symbol */
	uint64_t base;		/* an address of the object, the same for all its symbols */
	const char *file;	/* of an interpreted function: its source file; NULL: not interpreted */
	uint32_t line;		/* with `file` */
};

/* The file mapped at an address of a process. */
struct symbol_mapping {
	uint64_t start, end, off;	/* end 0: no known mapping */
	uint64_t since;			/* CLOCK_MONOTONIC, ns; 0 = unknown */
	uint64_t begun;			/* when the process began or executed its program; 0 = unknown */
	const char *path;		/* NULL: anonymous memory or not mapped */
	uint64_t dev, ino;
	const uint8_t *id;		/* build ID of the file */
	unsigned idlen;			/* 0 = none */
};

/* The file that contains some code of a process. */
struct object;
struct symbol_code {
	struct object *object;		/* valid until the source is closed; NULL: file missing or replaced */
	const char *path;
	uint64_t start, off;		/* address of the mapping, and its offset in the file */
	bool data;			/* the mapping is not executable */
};

/* Why some addresses could not be resolved. */
struct symbol_lacks {
	int kernel;			/* errno of /proc/kallsyms; EPERM: hidden, ESTALE: another boot; 0: none */
	int file;			/* errno of a file; 0: none */
	const char *path;		/* its path, valid until its source is closed */
	const char *why;		/* the reason, if not that of the errno; else NULL */
	const char *lines;		/* why source lines and inlined functions are missing; NULL: none are */
	bool nomem;
	uint64_t notes;			/* process events lost or not stored */
};

/* Addresses of one process. */
struct symbol_addresses {
	const uint64_t *v;
	uint32_t n;
};

/* A symbol source: symbols.c, or a recording. Times are CLOCK_MONOTONIC, ns. */
struct symbol_ops {
	void (*kernel)(void *arg, uint64_t addr, struct symbol *out);
	/* at: time of the address, 0 = now */
	void (*user)(void *arg, int64_t pid, uint64_t addr, uint64_t at, struct symbol *out);
	/* Optional. Fills in *out; returns false if no file is mapped at the address. */
	bool (*mapping)(void *arg, int64_t pid, uint64_t addr, uint64_t at, struct symbol_mapping *out);
	/* Optional. The file, for its unwinding tables and debugging information. pid < 0: of the kernel. Returns false
	 * if the address is not in an available file. */
	bool (*code)(void *arg, int64_t pid, uint64_t addr, uint64_t at, struct symbol_code *out);
	/* Optional. The path of a process's program, valid until the source is closed; NULL: unknown. */
	const char *(*program)(void *arg, int64_t pid, uint64_t at);
	/* Optional. For an address outside of files: true if it is known that it is not in executable memory. */
	bool (*nowhere)(void *arg, int64_t pid, uint64_t addr, uint64_t at);
	/* Optional. Fills in what was not available so far; *out is empty before. */
	void (*lacks)(void *arg, struct symbol_lacks *out);
	/* The rest is optional, all or none. The earliest time, not before `from`, at which the addresses of a process
	 * had the same symbols as at `at`; 0 = already at `from`. */
	uint64_t (*settle)(void *arg, int64_t pid, const struct symbol_addresses *addr, uint64_t from, uint64_t at);
	/* When the next process with this ID began or executed its program after `at`; `at` if none did. */
	uint64_t (*next)(void *arg, int64_t pid, uint64_t at);
	/* The last time, not after `at`, at which symbols of the process changed; 0 = none. */
	uint64_t (*changed)(void *arg, int64_t pid, uint64_t at);
	/* True if the process that had this ID at that time has ended, or has executed another program since. */
	bool (*ended)(void *arg, int64_t pid, uint64_t at);
};

#endif
