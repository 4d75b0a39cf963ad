/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/output/gmon/gmon_image.h"

#include <elf.h>
#include <string.h>
#include <sys/stat.h>

#include "base/arch/arch.h"
#include "engine/symbols/kallsyms.h"
#include "engine/symbols/object.h"

enum { SECTION_TEXT = 1, SECTION_SYMBOLS, SECTION_STRINGS, SECTIONS };

/* Of the sections: the first strings. */
static const char names[] = "\0.text\0.symtab\0.strtab";

struct image_parts {
	const struct gmon_object *object;
	const struct symtab *table;	/* of a file: that which is being copied */
	struct buf symbols, strings;
	uint64_t last;			/* of the kernel: address of the last symbol */
};

/* All symbols are global: gprof ignores local ones whose names have dots. */
static void image_symbol(struct image_parts *image, uint64_t addr, const char *name)
{
	const Elf64_Sym s = {
		.st_name = (uint32_t)image->strings.len, .st_value = addr,
		.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), .st_shndx = SECTION_TEXT,
	};

	buf_put(&image->symbols, &s, sizeof s);
	buf_put(&image->strings, name, strlen(name) + 1);
}

static void take_function(void *arg, uint64_t addr, const char *name)
{
	struct image_parts *image = arg;
	const struct gmon_object *o = image->object;

	addr -= o->slide;
	if (addr < o->low || addr >= o->high || gmon_is_padding(name) || addr == image->last)
		return;
	image->last = addr;
	image_symbol(image, addr, name);
}

static void take_symbol(void *arg, uint32_t i, const struct elf_sym *s)
{
	struct image_parts *image = arg;
	const struct symtab *t = image->table;
	char name[1024];

	(void)i;
	if ((s->type == STT_FUNC || s->type == STT_GNU_IFUNC) && s->value >= image->object->low &&
	    s->value < image->object->high && elf_string(t->elf, t->strings + s->name, name, sizeof name) && *name)
		image_symbol(image, s->value, name);
}

static void image_begin(struct image_parts *image)
{
	buf_pad(&image->symbols, 0, sizeof(Elf64_Sym));
	buf_put(&image->strings, names, sizeof names);
}

/* Appends header, sections, symbols, strings. gprof ignores samples of the last symbol, so that must be no function. */
static void image_end(struct image_parts *image, struct buf *out)
{
	const struct gmon_object *o = image->object;
	const Elf64_Ehdr header = {
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
		.e_type = ET_EXEC, .e_machine = ARCH_ELF, .e_version = EV_CURRENT, .e_shoff = sizeof header,
		.e_ehsize = sizeof header, .e_shentsize = sizeof(Elf64_Shdr), .e_shnum = SECTIONS,
		.e_shstrndx = SECTION_STRINGS,
	};
	const uint64_t at = sizeof header + SECTIONS * sizeof(Elf64_Shdr);

	image_symbol(image, o->high, "_etext");
	const Elf64_Shdr sections[SECTIONS] = {
		[SECTION_TEXT] = { .sh_name = 1, .sh_type = SHT_NOBITS, .sh_flags = SHF_ALLOC | SHF_EXECINSTR,
			.sh_addr = o->low, .sh_offset = at, .sh_size = o->high - o->low, .sh_addralign = 1 },
		[SECTION_SYMBOLS] = { .sh_name = 7, .sh_type = SHT_SYMTAB, .sh_offset = at,
			.sh_size = image->symbols.len, .sh_link = SECTION_STRINGS, .sh_info = 1, .sh_addralign = 8,
			.sh_entsize = sizeof(Elf64_Sym) },
		[SECTION_STRINGS] = { .sh_name = 15, .sh_type = SHT_STRTAB, .sh_offset = at + image->symbols.len,
			.sh_size = image->strings.len, .sh_addralign = 1 },
	};

	buf_put(out, &header, sizeof header);
	buf_put(out, sections, sizeof sections);
	buf_put(out, image->symbols.data, image->symbols.len);
	buf_put(out, image->strings.data, image->strings.len);
	out->failed |= image->symbols.failed || image->strings.failed;
	buf_free(&image->symbols);
	buf_free(&image->strings);
}

void gmon_image_kernel(struct buf *out, const struct gmon_object *o, const struct kallsyms *k, const char *module)
{
	struct image_parts image = { .object = o };

	image_begin(&image);
	kallsyms_functions(k, module, take_function, &image);
	image_end(&image, out);
}

static bool is_gone(const struct object *file)
{
	struct stat st;

	return stat(file->path, &st) < 0 || (st.st_ino != file->ino && !object_layered(file->path));
}

bool gmon_image_needed(struct object *file)
{
	const struct elf *e = object_image(file);

	return e && (!elf_section_typed(e, SHT_SYMTAB) || is_gone(file));
}

bool gmon_image_file(struct buf *out, const struct gmon_object *o, struct object *file)
{
	struct image_parts image = { .object = o };
	size_t none;

	image_begin(&image);
	none = image.symbols.len;
	for (unsigned i = 0; i < object_tables(file) && !o->is32; i++) {
		image.table = &file->table[i];
		symtab_each(image.table, take_symbol, &image);
	}
	if (image.symbols.len == none && !image.symbols.failed) {
		buf_free(&image.symbols);
		buf_free(&image.strings);
		return false;
	}
	image_end(&image, out);
	return true;
}
