/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * One ELF image: an open file, or bytes in memory. It is read piece by piece (never mapped: a file may shrink while it is
 * looked at), and everything in it is taken for what anybody may have written.
 *
 * Ownership: an image owns its descriptor and its bytes until elf_close, which is idempotent.
 * Errors: opening (false: no ELF file of this machine's byte order, or no memory).
 */
#ifndef ENGINE_SYMBOLS_ELF_H
#define ENGINE_SYMBOLS_ELF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ELF_MAXLOADS = 32, ELF_MAXSECTIONS = 65536, ELF_BUILDID = 64 };

struct elf_section {
	uint32_t name, type, link;
	uint64_t addr, off, size, entsize, flags;
};

struct elf_load {
	uint64_t off, vaddr, size;
};

struct elf {
	int fd;				/* -1: in memory */
	const uint8_t *mem;
	uint8_t *own;			/* mem, if it is ours to free */
	uint64_t size;
	bool is64;
	uint16_t machine;		/* e_machine */
	struct elf_load load[ELF_MAXLOADS];
	unsigned nloads;
	struct elf_section *sections;
	unsigned nsections;
	unsigned names;			/* section of their names */
	bool nomem;			/* memory was missing; stays when it is closed */
	int *err;			/* where the errno of a read that failed goes; NULL: nobody asks */
};

/* Take the descriptor, the memory (own: to be freed) over, even where they fail. */
bool elf_open_fd(struct elf *e, int fd, int *err);
bool elf_open_mem(struct elf *e, const void *mem, size_t size, bool own);
void elf_close(struct elf *e);

/* All n bytes, or false. */
bool elf_read(const struct elf *e, uint64_t off, void *buf, size_t n);
/* A NUL-terminated string, cut to n - 1 bytes. False: there is none. */
bool elf_string(const struct elf *e, uint64_t off, char *buf, size_t n);
/* By name, or the first of a type; NULL: there is none. */
const struct elf_section *elf_section_named(const struct elf *e, const char *name);
const struct elf_section *elf_section_typed(const struct elf *e, uint32_t type);
/* Returns how many bytes the build ID has, 0 = none. */
unsigned elf_build_id(const struct elf *e, uint8_t id[ELF_BUILDID]);
/* The address that a place in the file is linked to. False: no segment holds it. */
bool elf_vaddr(const struct elf *e, uint64_t off, uint64_t *vaddr);

struct elf_sym {
	uint32_t name;
	uint8_t type, bind;
	uint16_t section;
	uint64_t value, size;
};
enum { ELF_SYM32 = 16, ELF_SYM64 = 24 };
/* Bytes of an entry of a symbol table, and one of them taken apart. */
static inline unsigned elf_sym_size(const struct elf *e) { return e->is64 ? ELF_SYM64 : ELF_SYM32; }
void elf_sym_get(const struct elf *e, const void *entry, struct elf_sym *out);

#endif
