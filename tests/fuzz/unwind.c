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
#include "engine/unwind/cfi.h"
#include "engine/unwind/tables.h"
#include "tests/fuzz/fuzz.h"

enum { HEADER = 0x4000, FRAME = 0x5000, FIXED = 48, PLACES = 96, HEADERS = 32 };

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

/* Number of entries of the header. */
static unsigned headers(const struct unwind_input *in)
{
	unsigned n = in->data[0] ? in->data[0] - 1u : 0;

	return n < HEADERS && 4 * (size_t)n + 1 <= in->size ? n : 0;
}

/* Makes an ELF file with the sections of the input. */
static void file_make(struct buf *b, const struct unwind_input *in)
{
	static const char names[] = "\0.shstrtab\0.eh_frame_hdr\0.eh_frame\0.debug_frame";
	unsigned n = headers(in);
	Elf64_Ehdr h = { .e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT }, .e_type = ET_DYN,
			 .e_machine = EM_X86_64, .e_version = EV_CURRENT, .e_ehsize = sizeof h,
			 .e_shentsize = sizeof(Elf64_Shdr), .e_shnum = 4, .e_shstrndx = 1 };
	Elf64_Shdr s[4] = { 0 };
	struct buf header = { 0 };

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

/* ---- what libdw found, among all rows ---- */
struct sought {
	const struct cfi_section *section;
	uint64_t at;
	const struct unwind_row *row;
	bool found;
};

static bool is_expr(unsigned how)
{
	return how == RULE_EXPR || how == RULE_EXPR_AT;
}

/* True if both rules are the same; libdw expresses numbers of more than 32 bits, which are unknown otherwise. */
static bool rule_same(const struct unwind_rule *mine, const struct unwind_rule *theirs)
{
	if (is_expr(theirs->how))
		return mine->how == theirs->how || mine->how == RULE_UNKNOWN;
	return mine->how == theirs->how && (mine->how != RULE_REG || mine->reg == theirs->reg) &&
	       (mine->how == RULE_UNKNOWN || mine->val == theirs->val);
}

/* An expression of a register without its offset; libdw takes what follows the expression for it. */
static bool is_incomplete(const struct cfi_section *s, const struct unwind_rule *r)
{
	return r->how == RULE_EXPR && (r->nops == 1 || s->data[r->val + r->nops - 1] & 0x80);
}

static bool row_same(const struct cfi_section *s, const struct unwind_row *mine, const struct unwind_row *theirs)
{
	enum { RAX = 0, RBX = 3 };

	if (!mine->known)
		return is_expr(theirs->cfa.how);
	if (!rule_same(&mine->cfa, &theirs->cfa) && !is_incomplete(s, &mine->cfa))
		return false;
	for (unsigned i = 0; i < FRAME_REGS; i++) {
		/* their default rules differ from the ABI's */
		bool excused = (i == RAX || i == RBX) && mine->reg[i].how == RULE_UNKNOWN &&
			theirs->reg[i].how == RULE_SAME;

		if (!excused && !rule_same(&mine->reg[i], &theirs->reg[i]))
			return false;
	}
	return mine->signal == theirs->signal;
}

static bool row_seek(void *arg, const struct cfi_row *row)
{
	struct sought *s = arg;

	if (s->at < row->begin || s->at >= row->end)
		return true;
	s->found = row_same(s->section, &row->rules, s->row);
	return !s->found;
}

/* True if the address is in a function that the linker dropped, which begins at 0. */
static bool is_dropped(const struct cfi_section *s, uint64_t at)
{
	enum cfi_found found = CFI_ENTRY;
	uint64_t off = 0, cie_off;
	struct cfi_entry e, cie;
	struct cfi_cie c;
	struct cfi_fde f;

	while (found == CFI_ENTRY || found == CFI_INVALID) {
		found = cfi_entry_next(s, &off, &e);
		cie_off = e.cie;
		if (found == CFI_ENTRY && !e.is_cie && cfi_entry_next(s, &cie_off, &cie) == CFI_ENTRY &&
		    cfi_cie_read(s, &cie, &c) && cfi_fde_read(s, &e, &c, &f) && !f.begin && at < f.end)
			return true;
	}
	return false;
}

/* True if there may be a number of more than 56 bits; libdw keeps 61 bits of an offset. */
static bool has_long_number(const struct cfi_section *s)
{
	unsigned run = 0;

	for (uint64_t i = 0; i < s->size && run < 8; i++)
		run = s->data[i] & 0x80 ? run + 1 : 0;
	return run == 8;
}

static void row_check(const struct cfi_section *s, uint64_t at, const struct unwind_row *theirs)
{
	struct sought sought = { .section = s, .at = at, .row = theirs };

	cfi_rows(s, row_seek, &sought, NULL);
	FUZZ_CHECK(sought.found || is_dropped(s, at) || has_long_number(s), "another row at 0x%llx",
		   (unsigned long long)at);
}

/* ---- addresses ---- */
struct places {
	uint64_t at[PLACES];
	unsigned n;
};

static bool place_add(void *arg, const struct cfi_row *row)
{
	struct places *p = arg;

	p->at[p->n++] = row->begin;
	return p->n < PLACES;
}

/* Addresses of the first rows, and others. */
static struct places places_make(const struct cfi_section *s)
{
	struct places p = { .n = 0 };

	for (uint64_t i = 0; i < FIXED; i++)
		p.at[p.n++] = i < 32 ? 0x1000 + i : i << (i & 31);
	cfi_rows(s, place_add, &p, NULL);
	return p;
}

static void places_follow(struct object *o, const struct cfi_section *s, const struct unwind_input *in,
			  const struct dw *dw)
{
	struct places places = places_make(s);
	struct rule_ops ops = { 0 };
	struct unwind_row row;
	struct tables t;

	tables_open(&t, dw, o);
	for (unsigned i = 0; i < places.n; i++) {
		tables_row(&t, places.at[i], &row, &ops);
		if (!row.known)
			continue;
		follow(&row, &ops, in);
		row_check(s, places.at[i], &row);
	}
	FUZZ_CHECK(ops.n <= PLACES * (FRAME_REGS + 1) * RULE_OPS_EACH, "%u operations", ops.n);
	tables_close(&t);
	free(ops.v);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct unwind_input in = { data, size };
	struct cfi_section s = { .addr = FRAME };
	struct buf file = { 0 };
	struct object *o;
	char why[160];
	struct dw dw;

	if (size < 2 || !machine_of(64) || !dw_open(&dw, why, sizeof why))
		return 0;
	file_make(&file, &in);
	s.machine = machine_of(64);
	s.eh_frame = data[0];
	s.data = data + 1 + 4 * headers(&in);
	s.size = size - (size_t)(s.data - data);
	o = object_new("/made", 0, 0);
	if (o && !file.failed) {
		object_memory(o, file.data, file.len);
		places_follow(o, &s, &in, &dw);
	}
	object_free(o);
	buf_free(&file);
	dw_close(&dw);
	return 0;
}
