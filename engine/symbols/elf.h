/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * One ELF image: an open file, or bytes in memory. It is read in pieces, never mapped, because a file may shrink in the
 * meantime. Its contents are untrusted.
 *
 * Ownership: an image owns its descriptor and its bytes until elf_close, which is idempotent.
 * Errors: opening returns false if it is not an ELF file of this machine's byte order, or if memory runs out.
 */
#ifndef ENGINE_SYMBOLS_ELF_H
#define ENGINE_SYMBOLS_ELF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ELF_MAXLOADS = 32, ELF_MAXSECTIONS = 65536, ELF_MAXDYNAMIC = 4096, ELF_BUILDID = 64 };

struct elf_section {
	uint32_t name, type, link;
	uint64_t addr, off, size, entsize, flags;
};

struct elf_load {
	uint64_t off, vaddr, size;
	bool code;			/* executable */
};

struct elf {
	int fd;				/* -1: in memory */
	const uint8_t *mem;
	uint8_t *own;			/* mem, if the image owns it */
	uint64_t size;
	bool is64;
	uint16_t machine;		/* e_machine */
	struct elf_load load[ELF_MAXLOADS];
	unsigned nloads;
	struct elf_section *sections;
	unsigned nsections;
	unsigned names;			/* index of the section with the section names */
	bool nomem;			/* out of memory; still valid after elf_close */
	int *err;			/* receives the errno of a failed read; may be NULL */
};

/* Take ownership of the descriptor, or of the memory, even if they fail. */
bool elf_open_fd(struct elf *e, int fd, int *err);
bool elf_open_own(struct elf *e, void *mem, size_t size);
/* The memory remains the caller's. */
bool elf_open_mem(struct elf *e, const void *mem, size_t size);
void elf_close(struct elf *e);

/* Reads all n bytes, or returns false. */
bool elf_read(const struct elf *e, uint64_t off, void *buf, size_t n);
/* Reads a NUL-terminated string, truncated to n - 1 bytes. Returns false if there is none. */
bool elf_string(const struct elf *e, uint64_t off, char *buf, size_t n);
/* Finds a section by name, or the first section of a type. Returns NULL if there is none. */
const struct elf_section *elf_section_named(const struct elf *e, const char *name);
const struct elf_section *elf_section_typed(const struct elf *e, uint32_t type);
/* Stores the build ID. Returns its length in bytes, 0 = none. */
unsigned elf_build_id(const struct elf *e, uint8_t id[ELF_BUILDID]);
/* The same from the bytes of notes. */
unsigned elf_notes_build_id(const void *notes, size_t n, uint8_t id[ELF_BUILDID]);
/* Converts a file offset to the link address. Returns false if no segment contains it. If several do, the executable
 * one counts. Not for the offset of a mapping, which is rounded: elf_bias. */
bool elf_vaddr(const struct elf *e, uint64_t off, uint64_t *vaddr);
/* The reverse. Returns false if no segment has this address in the file. */
bool elf_offset(const struct elf *e, uint64_t vaddr, uint64_t *off);
/* For code: false if the address is in no executable segment. *rest: bytes from there to its end. */
bool elf_code(const struct elf *e, uint64_t vaddr, uint64_t *off, uint64_t *rest);

/* The load bias (address in the process less link address) of an executable mapping at `start` of the file from
 * `off` on. Both are rounded to pages, and a page of the file may belong to two segments: the executable one counts.
 * Returns false if none begins or continues there. */
bool elf_bias(const struct elf *e, uint64_t start, uint64_t off, uint64_t *bias);

/* Reads entry i of the dynamic section (SHT_DYNAMIC). Returns false if there are no more. */
bool elf_dynamic(const struct elf *e, const struct elf_section *d, unsigned i, int64_t *tag, uint64_t *value);

struct elf_sym {
	uint32_t name;
	uint8_t type, bind;
	uint16_t section;
	uint64_t value, size;
};
enum { ELF_SYM32 = 16, ELF_SYM64 = 24 };
/* Returns the size of a symbol table entry; decodes an entry. */
static inline unsigned elf_sym_size(const struct elf *e) { return e->is64 ? ELF_SYM64 : ELF_SYM32; }
void elf_sym_get(const struct elf *e, const void *entry, struct elf_sym *out);

#endif
