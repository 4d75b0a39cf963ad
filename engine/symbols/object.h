/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A file that processes have mapped: an executable, a library. It is opened when it is first met, so that its symbols can be
 * read when it has been removed; its tables are looked for when a name is wanted: the file's own, those of a separate
 * debug file (by build ID or debug link, under /usr/lib/debug), else what is left of them in a stripped file.
 *
 * Ownership: object_free gives all of it back. Errors: object_new (NULL: no memory).
 */
#ifndef ENGINE_SYMBOLS_OBJECT_H
#define ENGINE_SYMBOLS_OBJECT_H

#include "engine/symbols/symtab.h"

enum { OBJECT_TABLES = 2 };

struct object {
	struct object *next;		/* of the same hash */
	char *path;
	const char *name;		/* its last part */
	uint64_t dev, ino;
	int fd;				/* until it is read; -1 = not open */
	bool read, usable, nomem;	/* the file; */
	bool named;			/* its tables; */
	bool debug_tried;		/* its debug file */
	int err;			/* errno of a read that failed; 0: none did */
	bool id_read;
	uint8_t id[ELF_BUILDID];
	unsigned idlen;
	struct elf elf, debug, mini;
	struct symtab table[OBJECT_TABLES];
	unsigned ntables;
};

struct object *object_new(const char *path, uint64_t dev, uint64_t ino);
void object_free(struct object *o);
/* A descriptor of the file that a process has mapped at start..end, or -1. */
int object_open(const struct object *o, int64_t pid, uint64_t start, uint64_t end);
/* Its build ID, of so many bytes (0: none); `pid` has it mapped at start..end. */
unsigned object_build_id(struct object *o, int64_t pid, uint64_t start, uint64_t end, const uint8_t **id);
/* An image in memory (the vdso): instead of a file. */
void object_memory(struct object *o, const void *mem, size_t size);
/* The kernel's own image in every process of this machine's word size. */
void object_vdso(struct object *o);
/* The file's image, its debug file's; NULL: there is none. */
const struct elf *object_image(struct object *o);
const struct elf *object_debug(struct object *o);
/* The symbol at a place of the file. `start` is how far behind the symbol's beginning it lies. False: none. */
bool object_find(struct object *o, uint64_t off, uint64_t *behind, char *name, size_t n);

#endif
