/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Resolves addresses: in the kernel from /proc/kallsyms, in processes from the symbol tables of mapped files.
 *
 * Everything is read on demand. For each file in which an address was resolved, an index of 12 bytes per symbol is
 * kept; names are read from the file each time. symbols_watch records mappings while processes run, so that addresses
 * of ended processes can be resolved too.
 *
 * Ownership: struct symbols owns everything until symbols_close (NULL is allowed). A name is valid until the next call.
 * Errors: symbols_open returns NULL if memory runs out, symbols_watch -errno. The name of an address without a symbol
 * is NULL.
 */
#ifndef ENGINE_SYMBOLS_SYMBOLS_H
#define ENGINE_SYMBOLS_SYMBOLS_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/symbols/symbol.h"

struct symbols;

struct codes;

struct symbols *symbols_open(void);
void symbols_close(struct symbols *s);
extern const struct symbol_ops symbols_ops;	/* arg is the struct symbols */

/* Starts recording mappings. Returns 0, or -errno: then only addresses of running processes can be resolved. */
int symbols_watch(struct symbols *s);
/* Sets the functions of interpreted programs, for words that stand for them. The caller owns them. */
void symbols_interpreted(struct symbols *s, const struct codes *c);
/* Stores the descriptor of CPU i, which is readable when there are many new events; -1: there is none. Returns false
 * after the last CPU, and unless watching. */
bool symbols_fd(const struct symbols *s, unsigned i, int *fd);
/* Call this periodically while watching, and when symbols_fd is readable: it processes new events. */
void symbols_refresh(struct symbols *s);
/* Call this periodically: it also watches CPUs that came online. */
void symbols_cpus(struct symbols *s);
/* Process events from another source: an executable mapping (returns true if an address changes its mapping), fork,
 * exec, exit. */
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
/* Calls fn for each mapping of a file (struct object, valid until symbols_close) that a process can execute now, in
 * order of address. Returns 0 or -errno. */
struct mapping;
int symbols_code(struct symbols *s, int64_t pid, void (*fn)(void *arg, const struct mapping *x), void *arg);
/* The other memory that a process has made executable (jits_memory). Complete after symbols_code. NULL: none. */
struct address_ranges;
const struct address_ranges *symbols_generated(const struct symbols *s, int64_t pid);
/* Calls fn for each library that a process will load when it starts to run; not if it has run already. */
struct object;
void symbols_needed(struct symbols *s, int64_t pid, void (*fn)(void *arg, struct object *o), void *arg);
/* Reads the current mappings of all processes. */
void symbols_read_all(struct symbols *s);

#endif
