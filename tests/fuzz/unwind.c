/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Untrusted unwinding tables. The first byte is their kind: 0 for .debug_frame, else .eh_frame with a header. The
 * header has one entry less than that byte, 4 bytes each, which precede the table. Each row that is found is used to
 * unwind a stack, which is the input, too.
 */
#include <dwarf.h>
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "engine/unwind/tables.h"
#include "tests/fuzz/fuzz.h"

enum { HEADER = 0x4000, FRAME = 0x5000, PLACES = 48, HEADERS = 32 };

struct unwind_input {
	const uint8_t *data;
	size_t size;
};

static void section(struct buf *b, Elf64_Shdr *s, uint32_t name, uint64_t addr, const void *p, size_t n)
{
	*s = (Elf64_Shdr){ .sh_name = name, .sh_type = SHT_PROGBITS, .sh_addr = addr, .sh_offset = b->len,
		.sh_size = n };
	buf_put(b, p, n);
	buf_pad(b, 0, -b->len & 7);
}

static void header_make(struct buf *b, const uint8_t *offs, unsigned n)
{
	const uint8_t forms[] = { 1, DW_EH_PE_pcrel | DW_EH_PE_sdata4, DW_EH_PE_udata4,
		DW_EH_PE_datarel | DW_EH_PE_sdata4 };
	const uint32_t head[] = { FRAME - HEADER - 4, n };

	buf_put(b, forms, sizeof forms);
	buf_put(b, head, sizeof head);
	for (unsigned i = 0; i < n; i++) {
		uint32_t off, pair[2] = { 0x1000 * i };

		memcpy(&off, offs + 4 * i, sizeof off);
		pair[1] = FRAME - HEADER + off;
		buf_put(b, pair, sizeof pair);
	}
}

/* Makes an ELF file with the sections of the input. */
static void file_make(struct buf *b, const struct unwind_input *in)
{
	static const char names[] = "\0.shstrtab\0.eh_frame_hdr\0.eh_frame\0.debug_frame";
	unsigned n = in->data[0] ? in->data[0] - 1u : 0;
	Elf64_Ehdr h = { .e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT }, .e_type = ET_DYN,
			 .e_machine = EM_X86_64, .e_version = EV_CURRENT, .e_ehsize = sizeof h,
			 .e_shentsize = sizeof(Elf64_Shdr), .e_shnum = 4, .e_shstrndx = 1 };
	Elf64_Shdr s[4] = { 0 };
	struct buf header = { 0 };

	n = n < HEADERS && 4 * (size_t)n + 1 <= in->size ? n : 0;
	if (n)
		header_make(&header, in->data + 1, n);
	buf_put(b, &h, sizeof h);
	section(b, &s[1], 1, 0, names, sizeof names);
	section(b, &s[2], 11, HEADER, header.data, header.len);
	section(b, &s[3], in->data[0] ? 25 : 35, FRAME, in->data + 1 + 4 * n, in->size - 1 - 4 * n);
	h.e_shoff = b->len;
	buf_put(b, s, sizeof s);
	if (!b->failed)
		memcpy(b->data, &h, sizeof h);
	buf_free(&header);
}

static void follow(const struct unwind_row *r, const struct rule_ops *ops, const struct unwind_input *in)
{
	struct unwind_frame f = { .m = machine_of(64), .stack = in->data, .low = 0x7000, .high = 0x7000 + in->size };
	uint64_t sp = f.low;

	for (unsigned i = 0; i < f.m->nregs; i++)
		f.reg[i] = f.low + 8 * i;
	f.reg[f.m->sp] = sp;
	f.known = 0x1ffff;
	for (int i = 0; i < 8 && frame_up(&f, r, ops->v) == FRAME_GOES_ON; i++) {
		FUZZ_CHECK(r->signal || f.reg[f.m->sp] > sp, "the caller lies below");
		sp = f.reg[f.m->sp];
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct unwind_input in = { data, size };
	struct rule_ops ops = { 0 };
	struct buf file = { 0 };
	struct object *o;
	struct tables t;
	struct unwind_row row;
	char why[160];
	struct dw dw;

	if (size < 2 || !machine_of(64) || !dw_open(&dw, why, sizeof why))
		return 0;
	file_make(&file, &in);
	o = object_new("/made", 0, 0);
	if (o && !file.failed) {
		object_memory(o, file.data, file.len);
		tables_open(&t, &dw, o);
		for (uint64_t at = 0; at < PLACES; at++) {
			tables_row(&t, &dw, o, at < 32 ? 0x1000 + at : at << (at & 31), &row, &ops);
			if (row.known)
				follow(&row, &ops, &in);
		}
		FUZZ_CHECK(ops.n <= PLACES * (FRAME_REGS + 1) * RULE_OPS_EACH, "%u operations", ops.n);
		tables_close(&t, &dw);
	}
	object_free(o);
	free(ops.v);
	buf_free(&file);
	dw_close(&dw);
	return 0;
}
