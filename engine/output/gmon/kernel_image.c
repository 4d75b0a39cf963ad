/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/output/gmon/kernel_image.h"

#include <elf.h>
#include <string.h>

#include "engine/symbols/kallsyms.h"

enum { SECTION_TEXT = 1, SECTION_SYMBOLS, SECTION_STRINGS, SECTIONS };

struct image_parts {
	const struct gmon_object *object;
	struct buf symbols, strings;
	uint64_t last;			/* address of the last symbol */
};

/* All symbols are global: gprof ignores local ones whose names have dots. */
static void take_function(void *arg, uint64_t addr, const char *name)
{
	struct image_parts *image = arg;
	const struct gmon_object *o = image->object;
	Elf64_Sym s = {
		.st_name = (uint32_t)image->strings.len, .st_value = addr - o->slide,
		.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), .st_shndx = SECTION_TEXT,
	};

	if (s.st_value < o->low || s.st_value >= o->high || gmon_is_padding(name) || s.st_value == image->last)
		return;
	image->last = s.st_value;
	buf_put(&image->symbols, &s, sizeof s);
	buf_put(&image->strings, name, strlen(name) + 1);
}

static Elf64_Ehdr image_header(void)
{
#if defined(__aarch64__)
	enum { MACHINE = EM_AARCH64 };
#else
	enum { MACHINE = EM_X86_64 };
#endif
	return (Elf64_Ehdr){
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
		.e_type = ET_EXEC, .e_machine = MACHINE, .e_version = EV_CURRENT, .e_shoff = sizeof(Elf64_Ehdr),
		.e_ehsize = sizeof(Elf64_Ehdr), .e_shentsize = sizeof(Elf64_Shdr), .e_shnum = SECTIONS,
		.e_shstrndx = SECTION_STRINGS,
	};
}

/* The file: header, sections, symbols, strings. The names of the sections are the first strings. */
void kernel_image_put(struct buf *out, const struct gmon_object *o, const struct kallsyms *k, const char *module)
{
	static const char names[] = "\0.text\0.symtab\0.strtab";
	const Elf64_Ehdr header = image_header();
	const uint64_t at = sizeof header + SECTIONS * sizeof(Elf64_Shdr);
	struct image_parts image = { .object = o };

	buf_pad(&image.symbols, 0, sizeof(Elf64_Sym));
	buf_put(&image.strings, names, sizeof names);
	kallsyms_functions(k, module, take_function, &image);
	const Elf64_Shdr sections[SECTIONS] = {
		[SECTION_TEXT] = { .sh_name = 1, .sh_type = SHT_NOBITS, .sh_flags = SHF_ALLOC | SHF_EXECINSTR,
			.sh_addr = o->low, .sh_offset = at, .sh_size = o->high - o->low, .sh_addralign = 1 },
		[SECTION_SYMBOLS] = { .sh_name = 7, .sh_type = SHT_SYMTAB, .sh_offset = at,
			.sh_size = image.symbols.len, .sh_link = SECTION_STRINGS, .sh_info = 1, .sh_addralign = 8,
			.sh_entsize = sizeof(Elf64_Sym) },
		[SECTION_STRINGS] = { .sh_name = 15, .sh_type = SHT_STRTAB, .sh_offset = at + image.symbols.len,
			.sh_size = image.strings.len, .sh_addralign = 1 },
	};
	buf_put(out, &header, sizeof header);
	buf_put(out, sections, sizeof sections);
	buf_put(out, image.symbols.data, image.symbols.len);
	buf_put(out, image.strings.data, image.strings.len);
	out->failed |= image.symbols.failed || image.strings.failed;
	buf_free(&image.symbols);
	buf_free(&image.strings);
}
