/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The object of dtr -G: an ELF file that defines the semaphores of the declared probes. */
#include <elf.h>
#include <string.h>

#include "base/arch/arch.h"
#include "engine/output/header.h"

enum { COUNTER = 2 };		/* bytes of a semaphore */
enum { SEC_NULL, SEC_PROBES, SEC_STACK, SEC_SYMBOLS, SEC_STRINGS, SEC_NAMES, SEC_COUNT };

/* MACHINE_32 executes programs of 32 bits. */
enum { MACHINE = ARCH_ELF, MACHINE_32 = ARCH_ELF32 };

/* .note.GNU-stack: the object does not need an executable stack. */
static const char names[] = "\0.probes\0.note.GNU-stack\0.symtab\0.strtab\0.shstrtab";
enum { NAME_PROBES = 1, NAME_STACK = 9, NAME_SYMBOLS = 25, NAME_STRINGS = 33, NAME_NAMES = 41 };

/* Of an object of 32 bits, with padding: the contents begin at a multiple of 8. */
enum { HEADS_32 = (sizeof(Elf32_Ehdr) + SEC_COUNT * sizeof(Elf32_Shdr) + 7) & ~7 };

struct contents {
	struct buf symbols, strings;
	uint64_t counters;		/* bytes */
};

static void put_symbol(struct buf *out, const Elf64_Sym *x, bool narrow)
{
	const Elf32_Sym y = {
		.st_name = x->st_name, .st_info = x->st_info, .st_other = x->st_other, .st_shndx = x->st_shndx,
		.st_value = (uint32_t)x->st_value, .st_size = (uint32_t)x->st_size,
	};

	if (narrow)
		buf_put(out, &y, sizeof y);
	else
		buf_put(out, x, sizeof *x);
}

/* The first symbol has no name. */
static void contents_make(struct contents *c, const struct script *s, bool narrow)
{
	const Elf64_Sym none = { 0 };

	put_symbol(&c->symbols, &none, narrow);
	buf_putc(&c->strings, '\0');
	for (size_t i = 0; i < s->providers.n; i++)
		for (size_t k = 0; k < s->providers.v[i]->probes.n; k++) {
			const Elf64_Sym x = {
				.st_name = (uint32_t)c->strings.len, .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT),
				.st_other = STV_HIDDEN, .st_shndx = SEC_PROBES, .st_value = c->counters,
				.st_size = COUNTER,
			};

			header_semaphore(&c->strings, s->providers.v[i], &s->providers.v[i]->probes.v[k]);
			buf_putc(&c->strings, '\0');
			put_symbol(&c->symbols, &x, narrow);
			c->counters += COUNTER;
		}
}

static Elf64_Shdr section_next(uint32_t name, uint32_t type, uint64_t *at, uint64_t size)
{
	const Elf64_Shdr h = { .sh_name = name, .sh_type = type, .sh_offset = *at, .sh_size = size, .sh_addralign = 1 };

	*at += (size + 7) & ~7ull;
	return h;
}

static void put_padded(struct buf *out, const void *p, size_t n)
{
	static const char zeros[8];

	if (n)
		buf_put(out, p, n);
	buf_put(out, zeros, -n & 7);
}

static void put_head_32(struct buf *out)
{
	const Elf32_Ehdr h = {
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS32, ELFDATA2LSB, EV_CURRENT },
		.e_type = ET_REL, .e_machine = MACHINE_32, .e_version = EV_CURRENT, .e_shoff = sizeof h,
		.e_ehsize = sizeof h, .e_shentsize = sizeof(Elf32_Shdr), .e_shnum = SEC_COUNT, .e_shstrndx = SEC_NAMES,
	};

	buf_put(out, &h, sizeof h);
}

static void put_head(struct buf *out)
{
	const Elf64_Ehdr h = {
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
		.e_type = ET_REL, .e_machine = MACHINE, .e_version = EV_CURRENT, .e_shoff = sizeof h,
		.e_ehsize = sizeof h, .e_shentsize = sizeof(Elf64_Shdr), .e_shnum = SEC_COUNT, .e_shstrndx = SEC_NAMES,
	};

	buf_put(out, &h, sizeof h);
}

static void put_section(struct buf *out, const Elf64_Shdr *x, bool narrow)
{
	const Elf32_Shdr y = {
		.sh_name = x->sh_name, .sh_type = x->sh_type, .sh_flags = (uint32_t)x->sh_flags,
		.sh_offset = (uint32_t)x->sh_offset, .sh_size = (uint32_t)x->sh_size, .sh_link = x->sh_link,
		.sh_info = x->sh_info, .sh_addralign = (uint32_t)x->sh_addralign, .sh_entsize = (uint32_t)x->sh_entsize,
	};

	if (narrow)
		buf_put(out, &y, sizeof y);
	else
		buf_put(out, x, sizeof *x);
}

static void put_sections(struct buf *out, const struct contents *c, bool narrow)
{
	Elf64_Shdr h[SEC_COUNT] = { 0 };
	uint64_t at = narrow ? HEADS_32 : sizeof(Elf64_Ehdr) + sizeof h;

	h[SEC_PROBES] = section_next(NAME_PROBES, SHT_PROGBITS, &at, c->counters);
	h[SEC_PROBES].sh_flags = SHF_ALLOC | SHF_WRITE;
	h[SEC_PROBES].sh_addralign = COUNTER;
	h[SEC_STACK] = section_next(NAME_STACK, SHT_PROGBITS, &at, 0);
	h[SEC_SYMBOLS] = section_next(NAME_SYMBOLS, SHT_SYMTAB, &at, c->symbols.len);
	h[SEC_SYMBOLS].sh_link = SEC_STRINGS;
	h[SEC_SYMBOLS].sh_info = 1;	/* the first global symbol */
	h[SEC_SYMBOLS].sh_entsize = narrow ? sizeof(Elf32_Sym) : sizeof(Elf64_Sym);
	h[SEC_SYMBOLS].sh_addralign = 8;
	h[SEC_STRINGS] = section_next(NAME_STRINGS, SHT_STRTAB, &at, c->strings.len);
	h[SEC_NAMES] = section_next(NAME_NAMES, SHT_STRTAB, &at, sizeof names);
	for (unsigned i = 0; i < SEC_COUNT; i++)
		put_section(out, &h[i], narrow);
	if (narrow)
		buf_put(out, "\0\0\0", HEADS_32 - sizeof(Elf32_Ehdr) - SEC_COUNT * sizeof(Elf32_Shdr));
}

void stub_write(struct buf *out, const struct script *s, bool narrow)
{
	struct contents c = { 0 };

	contents_make(&c, s, narrow);
	if (narrow)
		put_head_32(out);
	else
		put_head(out);
	put_sections(out, &c, narrow);
	for (uint64_t i = 0; i < ((c.counters + 7) & ~7ull); i++)
		buf_putc(out, '\0');
	put_padded(out, c.symbols.data, c.symbols.len);
	put_padded(out, c.strings.data, c.strings.len);
	put_padded(out, names, sizeof names);
	out->failed |= c.symbols.failed || c.strings.failed;
	buf_free(&c.symbols);
	buf_free(&c.strings);
}
