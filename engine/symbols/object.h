/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A file that processes have mapped: an executable or a library. It is opened when first seen, so that its symbols can
 * be read after it has been removed. Symbol tables are read on demand: the file's own, else those of a separate debug
 * file (by build ID or debug link, under /usr/lib/debug), else those that a stripped file still has.
 *
 * Ownership: object_free frees everything. Errors: object_new returns NULL if memory runs out.
 */
#ifndef ENGINE_SYMBOLS_OBJECT_H
#define ENGINE_SYMBOLS_OBJECT_H

#include "engine/symbols/seen.h"
#include "engine/symbols/symtab.h"

enum { OBJECT_TABLES = 2 };

struct object {
	struct object *next;		/* in its hash chain */
	char *path;
	const char *name;		/* last component of `path` */
	uint64_t dev, ino;
	int fd;				/* open until the file is read; -1 = not open */
	bool expected;			/* no process has mapped it yet: `path` is not the kernel's */
	bool read, usable, nomem;	/* the file was read, and is valid */
	bool named;			/* its tables were read */
	bool debug_tried;		/* its debug file was searched */
	int err;			/* errno of a failed read; 0: none */
	bool id_read;
	uint8_t id[ELF_BUILDID];
	unsigned idlen;
	struct elf elf, debug, mini;
	struct symtab table[OBJECT_TABLES];
	unsigned ntables;
	struct seen_names seen;		/* by address of the image */
};

struct object *object_new(const char *path, uint64_t dev, uint64_t ino);
/* Gives it another path. Returns false if memory runs out. */
bool object_rename(struct object *o, const char *path);
void object_free(struct object *o);
/* True if the file is on a file system whose mappings have other device numbers than stat(2). */
bool object_layered(const char *path);
/* Opens the file that a process has mapped at start..end. Returns a descriptor, or -1. */
int object_open(const struct object *o, int64_t pid, uint64_t start, uint64_t end);
/* True if the file is open: then no other one can have its number. */
static inline bool object_is_open(const struct object *o) { return o->fd >= 0 || o->usable; }
/* True for the path of a program, false for that of a library ("libc.so.6", "ld-linux.so.2") or "[vdso]". */
bool object_is_program(const char *path);
/* Closes the file if it was not read; it can then only be read if it was not removed. */
void object_release(struct object *o);
/* Stores the file's build ID and returns its length in bytes (0: none). `pid` has the file mapped at start..end. */
unsigned object_build_id(struct object *o, int64_t pid, uint64_t start, uint64_t end, const uint8_t **id);
/* Uses an image in memory (the vdso) instead of a file. */
void object_memory(struct object *o, const void *mem, size_t size);
/* Uses the vdso of processes of this machine's word size. */
void object_vdso(struct object *o);
/* The ELF image of the file, or of its debug file. NULL if there is none. */
const struct elf *object_image(struct object *o);
const struct elf *object_debug(struct object *o);
/* Also finds symbols in a debug file that was found elsewhere, unless the object has one. Duplicates the descriptor. */
void object_use_debug(struct object *o, int fd);
/* Reads the symbol tables, o->table[], and returns their number. */
unsigned object_tables(struct object *o);
/* Finds the symbol at a file offset. *distance: bytes from the start of the symbol to the offset. Returns false if
 * there is no symbol. */
bool object_find(struct object *o, uint64_t off, uint64_t *distance, char *name, size_t n);

#endif
