/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The object of dtr -G: an ELF file that defines the semaphores of the declared probes. */
#include <elf.h>
#include <string.h>

#include "engine/output/header.h"

enum { COUNTER = 2 };		/* bytes of a semaphore */
enum { SEC_NULL, SEC_PROBES, SEC_STACK, SEC_SYMBOLS, SEC_STRINGS, SEC_NAMES, SEC_COUNT };

#if defined(__x86_64__)
enum { MACHINE = EM_X86_64 };
#elif defined(__aarch64__)
enum { MACHINE = EM_AARCH64 };
#else
enum { MACHINE = EM_NONE };
#endif

/* .note.GNU-stack: the object does not need an executable stack. */
static const char names[] = "\0.probes\0.note.GNU-stack\0.symtab\0.strtab\0.shstrtab";
enum { NAME_PROBES = 1, NAME_STACK = 9, NAME_SYMBOLS = 25, NAME_STRINGS = 33, NAME_NAMES = 41 };

struct contents {
	struct buf symbols, strings;
	uint64_t counters;		/* bytes */
};

/* The first symbol has no name. */
static void contents_make(struct contents *c, const struct script *s)
{
	const Elf64_Sym none = { 0 };

	buf_put(&c->symbols, &none, sizeof none);
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
			buf_put(&c->symbols, &x, sizeof x);
			c->counters += COUNTER;
		}
}

static Elf64_Shdr section(uint32_t name, uint32_t type, uint64_t *at, uint64_t size)
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

static void put_head(struct buf *out)
{
	const Elf64_Ehdr h = {
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
		.e_type = ET_REL, .e_machine = MACHINE, .e_version = EV_CURRENT, .e_shoff = sizeof h,
		.e_ehsize = sizeof h, .e_shentsize = sizeof(Elf64_Shdr), .e_shnum = SEC_COUNT, .e_shstrndx = SEC_NAMES,
	};

	buf_put(out, &h, sizeof h);
}

static void put_sections(struct buf *out, const struct contents *c)
{
	Elf64_Shdr h[SEC_COUNT] = { 0 };
	uint64_t at = sizeof(Elf64_Ehdr) + sizeof h;

	h[SEC_PROBES] = section(NAME_PROBES, SHT_PROGBITS, &at, c->counters);
	h[SEC_PROBES].sh_flags = SHF_ALLOC | SHF_WRITE;
	h[SEC_PROBES].sh_addralign = COUNTER;
	h[SEC_STACK] = section(NAME_STACK, SHT_PROGBITS, &at, 0);
	h[SEC_SYMBOLS] = section(NAME_SYMBOLS, SHT_SYMTAB, &at, c->symbols.len);
	h[SEC_SYMBOLS].sh_link = SEC_STRINGS;
	h[SEC_SYMBOLS].sh_info = 1;	/* the first global symbol */
	h[SEC_SYMBOLS].sh_entsize = sizeof(Elf64_Sym);
	h[SEC_SYMBOLS].sh_addralign = 8;
	h[SEC_STRINGS] = section(NAME_STRINGS, SHT_STRTAB, &at, c->strings.len);
	h[SEC_NAMES] = section(NAME_NAMES, SHT_STRTAB, &at, sizeof names);
	buf_put(out, h, sizeof h);
}

void stub_write(struct buf *out, const struct script *s)
{
	struct contents c = { 0 };

	contents_make(&c, s);
	put_head(out);
	put_sections(out, &c);
	for (uint64_t i = 0; i < ((c.counters + 7) & ~7ull); i++)
		buf_putc(out, '\0');
	put_padded(out, c.symbols.data, c.symbols.len);
	put_padded(out, c.strings.data, c.strings.len);
	put_padded(out, names, sizeof names);
	out->failed |= c.symbols.failed || c.strings.failed;
	buf_free(&c.symbols);
	buf_free(&c.strings);
}
