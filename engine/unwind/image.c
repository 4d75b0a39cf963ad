/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/unwind/image.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

const struct elf_section *image_section(const struct elf *e, const char *name)
{
	const struct elf_section *s = elf_section_named(e, name);
	bool debug = !strncmp(name, ".debug", 6);	/* only these can be compressed */

	if (!s || s->type == SHT_NOBITS || !s->size || (s->flags & SHF_COMPRESSED && !debug))
		return NULL;
	return s->size <= FRAME_SECTION_MAX && s->off <= e->size && s->size <= e->size - s->off ? s : NULL;
}

enum {
	PADDING = 64,			/* zeros after each section, for entries that extend beyond its end */
	NSECTIONS = 4,			/* null section, names, header, table */
	FIRST = 2,			/* index of the first part */
};

static uint64_t round_up8(uint64_t n)
{
	return (n + 7) & ~7ull;
}

/* Offsets in the image. */
struct plan {
	uint64_t names, at[2], heads, size;
};

static const char names[] = "\0.shstrtab\0.eh_frame_hdr\0.eh_frame\0.debug_frame";

static uint32_t name_at(const char *name)
{
	uint32_t i = 1;

	while (strcmp(names + i, name))
		i += (uint32_t)strlen(names + i) + 1;
	return i;
}

static struct plan image_plan(const struct elf *e, const struct frame_part *p, unsigned n)
{
	struct plan q = { .names = e->is64 ? sizeof(Elf64_Ehdr) : sizeof(Elf32_Ehdr) };

	q.size = q.names = round_up8(q.names);
	q.size = round_up8(q.size + sizeof names);
	for (unsigned i = 0; i < n; i++) {
		q.at[i] = q.size;
		q.size = round_up8(q.size + p[i].from->size + PADDING);
	}
	q.heads = q.size;
	q.size += NSECTIONS * (e->is64 ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr));
	return q;
}

#define HEAD(h, e, class, q, n) \
	do { \
		memcpy((h)->e_ident, ELFMAG, SELFMAG); \
		(h)->e_ident[EI_CLASS] = class; \
		(h)->e_ident[EI_DATA] = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB; \
		(h)->e_ident[EI_VERSION] = (h)->e_version = EV_CURRENT; \
		(h)->e_type = ET_DYN; \
		(h)->e_machine = (e)->machine; \
		(h)->e_shoff = (q)->heads; \
		(h)->e_ehsize = sizeof *(h); \
		(h)->e_shnum = 2 + (n); \
		(h)->e_shstrndx = 1; \
	} while (0)

#define SECTION(s, nm, off, len, addr, fl) \
	((s)->sh_name = (nm), (s)->sh_type = SHT_PROGBITS, (s)->sh_offset = (off), (s)->sh_size = (len), \
	 (s)->sh_addr = (addr), (s)->sh_flags = (fl), (s)->sh_addralign = 8)

static void heads_put(uint8_t *image, const struct elf *e, const struct plan *q, const struct frame_part *p,
		      unsigned n)
{
	Elf64_Shdr *s64 = (void *)(image + q->heads);
	Elf32_Shdr *s32 = (void *)(image + q->heads);

	if (e->is64) {
		Elf64_Ehdr *h = (void *)image;

		HEAD(h, e, ELFCLASS64, q, n);
		h->e_shentsize = sizeof *s64;
		SECTION(&s64[1], name_at(".shstrtab"), q->names, sizeof names, 0, 0);
		s64[1].sh_type = SHT_STRTAB;
		for (unsigned i = 0; i < n; i++)
			SECTION(&s64[2 + i], name_at(p[i].name), q->at[i], p[i].from->size, p[i].from->addr,
				p[i].from->flags & SHF_COMPRESSED);
	} else {
		Elf32_Ehdr *h = (void *)image;

		HEAD(h, e, ELFCLASS32, q, n);
		h->e_shoff = (Elf32_Off)q->heads;
		h->e_shentsize = sizeof *s32;
		SECTION(&s32[1], name_at(".shstrtab"), (Elf32_Off)q->names, sizeof names, 0, 0);
		s32[1].sh_type = SHT_STRTAB;
		for (unsigned i = 0; i < n; i++)
			SECTION(&s32[2 + i], name_at(p[i].name), (Elf32_Off)q->at[i], (Elf32_Word)p[i].from->size,
				(Elf32_Addr)p[i].from->addr, (Elf32_Word)(p[i].from->flags & SHF_COMPRESSED));
	}
}

bool image_make(struct frame_image *t, const struct elf *e, const struct frame_part *p, unsigned n, bool *nomem)
{
	struct plan q = image_plan(e, p, n);

	*t = (struct frame_image){ .bytes = calloc(1, q.size), .size = q.size };
	*nomem |= !t->bytes;
	if (!t->bytes)
		return false;
	memcpy(t->bytes + q.names, names, sizeof names);
	for (unsigned i = 0; i < n; i++)
		if (!elf_read(e, p[i].from->off, t->bytes + q.at[i], p[i].from->size))
			return false;
	heads_put(t->bytes, e, &q, p, n);
	elf_version(EV_CURRENT);
	t->elf = elf_memory((char *)t->bytes, q.size);
	return t->elf;
}

void image_close(struct frame_image *t)
{
	if (t->elf)
		elf_end(t->elf);
	free(t->bytes);
	*t = (struct frame_image){ 0 };
}

/* Decompresses a section, unless it is too large. */
static bool section_expand(Elf_Scn *scn)
{
	GElf_Chdr c;

	return gelf_getchdr(scn, &c) && c.ch_size <= FRAME_SECTION_MAX && elf_compress(scn, 0, 0) >= 0;
}

Elf_Data *image_data(const struct frame_image *t, unsigned i)
{
	Elf_Scn *scn = t->elf ? elf_getscn(t->elf, FIRST + i) : NULL;
	GElf_Shdr h;

	if (!scn || !gelf_getshdr(scn, &h) || (h.sh_flags & SHF_COMPRESSED && !section_expand(scn)))
		return NULL;
	return elf_rawdata(scn, NULL);
}
