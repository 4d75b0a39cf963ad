/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Untrusted notes of statically defined probes. First byte: bit 0: 32-bit addresses; the rest: the section of notes of
 * an otherwise valid file, whose whole is one segment.
 */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "engine/programs/notes.h"
#include "providers/usdt/operand.h"
#include "tests/fuzz/fuzz.h"

enum { BITS_32 = 1, SECTIONS = 4, ADDRESS = 0x1000 };

static const char names[] = "\0.note.stapsdt\0.stapsdt.base\0.shstrtab";
enum { NAME_NOTES = 1, NAME_BASE = 15, NAME_NAMES = 29 };

#define HEADERS(type, to, size) do { \
	Elf##type##_Ehdr *h = (void *)(to); \
	Elf##type##_Phdr *load = (void *)(h + 1); \
	Elf##type##_Shdr *s = (void *)(load + 1); \
	memcpy(h->e_ident, ELFMAG, SELFMAG); \
	h->e_ident[EI_CLASS] = ELFCLASS##type; \
	h->e_ident[EI_DATA] = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB; \
	h->e_ident[EI_VERSION] = h->e_version = EV_CURRENT; \
	h->e_type = ET_DYN; \
	h->e_phoff = sizeof *h, h->e_phnum = 1, h->e_phentsize = sizeof *load; \
	h->e_shoff = sizeof *h + sizeof *load, h->e_shnum = SECTIONS, h->e_shentsize = sizeof *s; \
	h->e_shstrndx = 3; \
	load->p_type = PT_LOAD, load->p_flags = PF_R | PF_X, load->p_vaddr = ADDRESS; \
	s[3].sh_name = NAME_NAMES, s[3].sh_type = SHT_STRTAB, s[3].sh_size = sizeof names; \
	s[3].sh_offset = sizeof *h + sizeof *load + SECTIONS * sizeof *s; \
	s[1].sh_name = NAME_NOTES, s[1].sh_type = SHT_NOTE, s[1].sh_size = (size); \
	s[1].sh_offset = s[3].sh_offset + sizeof names; \
	s[2].sh_name = NAME_BASE, s[2].sh_type = SHT_PROGBITS, s[2].sh_addr = ADDRESS, s[2].sh_size = 1; \
	load->p_filesz = load->p_memsz = s[1].sh_offset + s[1].sh_size; \
	memcpy((char *)(to) + s[3].sh_offset, names, sizeof names); \
	notes = (uint8_t *)(to) + s[1].sh_offset; \
	total = s[1].sh_offset + s[1].sh_size; \
} while (0)

enum { HEAD = 1024 };		/* more than the headers need */

static void check_note(const struct program_note *n, size_t total)
{
	struct usdt_operand o[USDT_MAXARGS];

	FUZZ_CHECK(n->off < total && n->semaphore < total, "a note of another file");
	FUZZ_CHECK(strlen(n->provider) + strlen(n->name) + strlen(n->args) < total, "texts beyond the file");
	FUZZ_CHECK(usdt_operands(n->args, n->word, o, USDT_MAXARGS) <= USDT_MAXARGS, "too many operands");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t n = size ? size - 1 : 0, total = 0;
	uint8_t *file = calloc(1, HEAD + n), *notes = NULL;
	struct notes found = { 0 };
	struct arena a;
	struct elf e;

	if (!size || !file) {
		free(file);
		return 0;
	}
	if (data[0] & BITS_32)
		HEADERS(32, file, n);
	else
		HEADERS(64, file, n);
	memcpy(notes, data + 1, n);
	arena_init(&a, NULL, NULL);
	FUZZ_CHECK(elf_open_mem(&e, file, total), "the file is valid");
	FUZZ_CHECK(!notes_read(&found, &a, &e), "the file can be read");
	for (size_t i = 0; i < found.list.n; i++)
		check_note(&found.list.v[i], total);
	elf_close(&e);
	arena_free(&a);
	free(file);
	return 0;
}
