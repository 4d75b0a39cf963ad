/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "tests/lib/cfimake.h"

#include <dwarf.h>
#include <elf.h>
#include <stdlib.h>

enum { FRAME_AT = 0x40000000 };

static void put32(struct buf *b, uint32_t v)
{
	buf_put(b, &v, sizeof v);
}

static void put_word(struct buf *b, unsigned bits, uint64_t v)
{
	buf_put(b, &v, bits / 8);
}

static void put_entry(struct buf *b, uint32_t id, const struct buf *body)
{
	size_t size = (sizeof id + body->len + 3) & ~(size_t)3;

	put32(b, (uint32_t)size);
	put32(b, id);
	buf_put(b, body->data, body->len);
	buf_pad(b, DW_CFA_nop, size - sizeof id - body->len);
}

void cie_put(struct buf *b, bool eh_frame, unsigned bits)
{
	bool wide = bits == 64;
	uint8_t ra = wide ? 16 : 8, sp = wide ? 7 : 4, align = wide ? 0x78 : 0x7c;
	const uint8_t eh[] = { 1, 'z', 'R', 0, 1, align, ra, 1, DW_EH_PE_udata4 }, debug[] = { 3, 0, 1, align, ra };
	const uint8_t rules[] = { DW_CFA_def_cfa, sp, wide ? 8 : 4, (uint8_t)(DW_CFA_offset | ra), 1 };
	struct buf body = { 0 };

	buf_put(&body, eh_frame ? eh : debug, eh_frame ? sizeof eh : sizeof debug);
	buf_put(&body, rules, sizeof rules);
	put_entry(b, eh_frame ? 0 : UINT32_MAX, &body);
	buf_free(&body);
}

void fde_put(struct buf *b, bool eh_frame, unsigned bits, uint32_t begin, uint32_t size, const uint8_t *prog, size_t n)
{
	unsigned width = eh_frame ? 32 : bits;
	struct buf body = { 0 };

	put_word(&body, width, begin);
	put_word(&body, width, size);
	if (eh_frame)
		buf_putc(&body, 0);
	buf_put(&body, prog, n);
	put_entry(b, eh_frame ? (uint32_t)b->len + 4 : 0, &body);
	buf_free(&body);
}

static const char names[] = "\0.shstrtab\0.eh_frame\0.debug_frame";

#define FILE_PUT(bits_, machine_) do { \
	Elf##bits_##_Ehdr h = { .e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS##bits_, ELFDATA2LSB, EV_CURRENT }, \
		.e_type = ET_DYN, .e_machine = (machine_), .e_version = EV_CURRENT, .e_ehsize = sizeof h, \
		.e_phoff = sizeof h, .e_phentsize = sizeof(Elf##bits_##_Phdr), .e_phnum = 1, \
		.e_shentsize = sizeof(Elf##bits_##_Shdr), .e_shnum = 4, .e_shstrndx = 1 }; \
	Elf##bits_##_Shdr s[4] = { { 0 } }; \
	Elf##bits_##_Phdr p = { .p_type = PT_LOAD, .p_filesz = FRAME_AT, .p_memsz = FRAME_AT }; \
	uint32_t at = sizeof h + sizeof p, size[] = { sizeof names, (uint32_t)eh->len, (uint32_t)debug->len }; \
	for (int i = 0; i < 3; i++) { \
		s[i + 1] = (Elf##bits_##_Shdr){ .sh_name = (uint32_t[]){ 1, 11, 21 }[i], \
			.sh_type = SHT_PROGBITS, .sh_offset = at, .sh_size = size[i] }; \
		at += size[i]; \
	} \
	s[1].sh_type = SHT_STRTAB; \
	s[2].sh_addr = FRAME_AT; \
	h.e_shoff = at; \
	buf_put(file, &h, sizeof h); \
	buf_put(file, &p, sizeof p); \
	buf_put(file, names, sizeof names); \
	buf_put(file, eh->data, eh->len); \
	buf_put(file, debug->data, debug->len); \
	buf_put(file, s, sizeof s); \
} while (0)

struct object *object_make_text(struct buf *file, const struct buf *eh, const struct buf *debug, unsigned bits,
				uint64_t at, const void *text, size_t n)
{
	struct object *o = object_new("/made", 0, 0);

	if (bits == 64)
		FILE_PUT(64, EM_X86_64);
	else
		FILE_PUT(32, EM_386);
	while (n && file->len < at)
		buf_putc(file, 0);
	buf_put(file, text, n);
	if (!o || file->failed)
		abort();
	object_memory(o, file->data, file->len);
	return o;
}

struct object *object_make(struct buf *file, const struct buf *eh, const struct buf *debug, unsigned bits)
{
	return object_make_text(file, eh, debug, bits, 0, NULL, 0);
}
