/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/unwind/tables.h"

#include <dwarf.h>
#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "engine/unwind/check.h"

/* ---- the ELF image ---- */
enum {
	SECTION_MAX = 256 << 20,
	HEADER_COUNT = 8,		/* offset of the number of entries in .eh_frame_hdr */
	PADDING = 64,			/* zeros after each section, for entries that extend beyond its end */
	NSECTIONS = 4,			/* null section, names, header, table */
};

struct tables_part {
	const char *name;
	const struct elf_section *from;
};

static uint64_t up8(uint64_t n)
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

static struct plan image_plan(const struct elf *e, const struct tables_part *p, unsigned n)
{
	struct plan q = { .names = e->is64 ? sizeof(Elf64_Ehdr) : sizeof(Elf32_Ehdr) };

	q.size = q.names = up8(q.names);
	q.size = up8(q.size + sizeof names);
	for (unsigned i = 0; i < n; i++) {
		q.at[i] = q.size;
		q.size = up8(q.size + p[i].from->size + PADDING);
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

static void heads_put(uint8_t *image, const struct elf *e, const struct plan *q, const struct tables_part *p,
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

/* Builds an image of only these sections. Returns false if they cannot be read, or if memory runs out. */
static bool image_make(struct frame_table *t, const struct elf *e, const struct tables_part *p, unsigned n, bool *nomem)
{
	struct plan q = image_plan(e, p, n);

	t->bytes = q.size;
	t->image = calloc(1, q.size);
	*nomem |= !t->image;
	if (!t->image)
		return false;
	memcpy(t->image + q.names, names, sizeof names);
	for (unsigned i = 0; i < n; i++)
		if (!elf_read(e, p[i].from->off, t->image + q.at[i], p[i].from->size))
			return false;
	heads_put(t->image, e, &q, p, n);
	elf_version(EV_CURRENT);
	t->elf = elf_memory((char *)t->image, q.size);
	return t->elf;
}

static void table_close(struct frame_table *t, const struct dw *dw)
{
	if (t->dwarf)
		dw->end(t->dwarf);
	else if (t->cfi)
		dw->cfi_end(t->cfi);
	if (t->elf)
		elf_end(t->elf);
	free(t->image);
	*t = (struct frame_table){ 0 };
}

/* ---- a file's sections ---- */
static const struct elf_section *section_of(const struct elf *e, const char *name)
{
	const struct elf_section *s = elf_section_named(e, name);

	return s && s->type != SHT_NOBITS && s->size && s->size <= SECTION_MAX && s->off <= e->size &&
	       s->size <= e->size - s->off ? s : NULL;
}

/* libdw does not check the number of entries. Only the format that linkers produce is accepted. */
static bool header_good(const struct elf *e, const struct elf_section *s)
{
	struct { uint8_t version, frame_enc, count_enc, table_enc; int32_t frame; uint32_t count; } h;

	return s && s->size >= sizeof h && elf_read(e, s->off, &h, sizeof h) && h.version == 1 &&
	       h.frame_enc == (DW_EH_PE_pcrel | DW_EH_PE_sdata4) && h.count_enc == DW_EH_PE_udata4 &&
	       h.table_enc == (DW_EH_PE_datarel | DW_EH_PE_sdata4) && h.count <= (s->size - sizeof h) / 8;
}

/* True if the header refers only to entries. It contains pairs of a code address and an entry, both relative to the
 * header. */
static bool header_leads(const Elf_Data *header, uint64_t addr, uint64_t frame, uint64_t size, const uint8_t *entries)
{
	const uint8_t *p = header->d_buf;
	uint32_t count;

	memcpy(&count, p + HEADER_COUNT, sizeof count);
	for (uint32_t i = 0; i < count; i++) {
		int32_t to;
		uint64_t off;

		memcpy(&to, p + HEADER_COUNT + 4 + 8 * (size_t)i + 4, sizeof to);
		off = addr + (uint64_t)(int64_t)to - frame;
		if (off >= size || !(entries[off / 8] >> off % 8 & 1))
			return false;
	}
	return true;
}

static Elf_Data *data_of(const struct frame_table *t, unsigned section)
{
	Elf_Scn *scn = elf_getscn(t->elf, section);

	return scn ? elf_rawdata(scn, NULL) : NULL;
}

/* Checks the sections of an image, of which the table is the last. */
static bool eh_good(const struct frame_table *t, const struct dw *dw, const struct tables_part *p, unsigned n,
		    bool *nomem)
{
	const unsigned char *ident = (const unsigned char *)elf_getident(t->elf, NULL);
	Elf_Data *data = data_of(t, 1 + n), *header = n > 1 ? data_of(t, n) : NULL;
	uint64_t size = p[n - 1].from->size;
	uint8_t *entries = header ? calloc(1, size / 8 + 1) : NULL;
	bool good;

	*nomem |= header && !entries;
	good = ident && data && check_tables(dw, ident, data, true, entries);

	if (good && n > 1)
		good = header && entries && header_leads(header, p[0].from->addr, p[1].from->addr, size, entries);
	free(entries);
	return good;
}

static void eh_open(struct tables *t, const struct dw *dw, const struct elf *e)
{
	const struct elf_section *header = section_of(e, ".eh_frame_hdr"), *frame = section_of(e, ".eh_frame");
	struct tables_part p[2];
	unsigned n = 0;

	if (!frame)
		return;
	if (header_good(e, header))
		p[n++] = (struct tables_part){ ".eh_frame_hdr", header };
	p[n++] = (struct tables_part){ ".eh_frame", frame };
	if (image_make(&t->eh, e, p, n, &t->nomem) && eh_good(&t->eh, dw, p, n, &t->nomem))
		t->eh.cfi = dw->getcfi_elf(t->eh.elf);
	if (!t->eh.cfi)
		table_close(&t->eh, dw);
}

static bool debug_good(const struct frame_table *t, const struct dw *dw, const struct elf_section *s)
{
	const unsigned char *ident = (const unsigned char *)elf_getident(t->elf, NULL);
	Elf_Scn *scn = elf_getscn(t->elf, 2);
	Elf_Data *data = NULL;

	/* libdw decompresses it too when it opens the image */
	if (scn && (!(s->flags & SHF_COMPRESSED) || elf_compress(scn, 0, 0) >= 0))
		data = elf_rawdata(scn, NULL);
	return ident && data && data->d_size <= SECTION_MAX && check_tables(dw, ident, data, false, NULL);
}

static bool debug_open(struct tables *t, const struct dw *dw, const struct elf *e)
{
	const struct elf_section *frame = section_of(e, ".debug_frame");
	struct tables_part p = { ".debug_frame", frame };

	if (!frame)
		return false;
	if (image_make(&t->debug, e, &p, 1, &t->nomem) && debug_good(&t->debug, dw, frame))
		t->debug.dwarf = dw->begin_elf(t->debug.elf, DWARF_C_READ, NULL);
	if (t->debug.dwarf)
		t->debug.cfi = dw->getcfi(t->debug.dwarf);
	if (!t->debug.cfi)
		table_close(&t->debug, dw);
	return t->debug.cfi;
}

bool tables_open(struct tables *t, const struct dw *dw, struct object *o)
{
	const struct elf *e = object_image(o);

	*t = (struct tables){ .machine = e ? machine_of(e->is64 ? 64 : 32) : NULL };
	if (!t->machine || t->machine->elf != e->machine)
		return false;
	errno = 0;
	eh_open(t, dw, e);
	t->nomem |= !t->eh.cfi && errno == ENOMEM;
	return true;
}

void tables_close(struct tables *t, const struct dw *dw)
{
	table_close(&t->eh, dw);
	table_close(&t->debug, dw);
	*t = (struct tables){ 0 };
}

uint64_t tables_bytes(const struct tables *t)
{
	return t->eh.bytes + t->debug.bytes;
}

/* ---- a row ---- */
static bool fits(uint64_t v)
{
	return (int64_t)v >= INT32_MIN && (int64_t)v <= INT32_MAX;
}

static bool ops_copy(struct unwind_rule *r, enum rule_how how, const Dwarf_Op *from, size_t n, struct rule_ops *ops)
{
	if (n > RULE_OPS_EACH)
		return false;
	if (ops->n + n > ops->cap) {
		unsigned cap = ops->cap ? 2 * ops->cap : 256;
		Dwarf_Op *v = reallocarray(ops->v, cap, sizeof *v);

		ops->nomem |= !v;
		if (!v)
			return false;
		ops->v = v;
		ops->cap = cap;
	}
	memcpy(ops->v + ops->n, from, n * sizeof *from);
	*r = (struct unwind_rule){ .how = (uint8_t)how, .nops = (uint16_t)n, .val = (int32_t)ops->n };
	ops->n += (unsigned)n;
	return true;
}

static bool cfa_rule(struct unwind_rule *r, const Dwarf_Op *op, size_t n, struct rule_ops *ops)
{
	uint64_t reg, off;
	bool plain;

	if (!n)
		return false;
	plain = op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg31;
	reg = plain ? (uint64_t)op->atom - DW_OP_breg0 : op->number;
	off = plain ? op->number : op->number2;
	if (n != 1 || (!plain && op->atom != DW_OP_bregx) || reg >= FRAME_REGS || !fits(off))
		return ops_copy(r, RULE_EXPR, op, n, ops);
	*r = (struct unwind_rule){ .how = RULE_REG, .reg = (uint8_t)reg, .val = (int32_t)off };
	return true;
}

static bool reg_rule(struct unwind_rule *r, const Dwarf_Op *op, size_t n, bool own, struct rule_ops *ops)
{
	bool value = n && op && op[n - 1].atom == DW_OP_stack_value, add = n > 1 && op &&
		op[1].atom == DW_OP_plus_uconst;

	if (!op || !n) {
		*r = (struct unwind_rule){ .how = op ? RULE_UNKNOWN : RULE_SAME };
		return true;
	}
	if (own && op->atom == DW_OP_call_frame_cfa && n == 1u + value + add && (!add || fits(op[1].number))) {
		*r = (struct unwind_rule){ .how = value ? RULE_CFA : RULE_AT, .val = add ? (int32_t)op[1].number : 0 };
		return true;
	}
	if (n == 1 && (op->atom == DW_OP_regx || (op->atom >= DW_OP_reg0 && op->atom <= DW_OP_reg31))) {
		uint64_t reg = op->atom == DW_OP_regx ? op->number : (uint64_t)op->atom - DW_OP_reg0;

		*r = (struct unwind_rule){ .how = reg < FRAME_REGS ? RULE_REG : RULE_UNKNOWN, .val = (int32_t)reg };
		return true;
	}
	return ops_copy(r, value ? RULE_EXPR : RULE_EXPR_AT, op, n, ops);
}

static bool row_take(const struct dw *dw, Dwarf_Frame *frame, const struct unwind_machine *m, struct unwind_row *out,
		     struct rule_ops *ops)
{
	Dwarf_Op mem[3], *op;
	size_t n;

	if (dw->frame_info(frame, NULL, NULL, &out->signal) != m->pc || dw->frame_cfa(frame, &op, &n) ||
	    !cfa_rule(&out->cfa, op, n, ops))
		return false;
	for (int i = 0; i < m->nregs; i++)
		if (dw->frame_register(frame, i, mem, &op, &n) || !reg_rule(&out->reg[i], op, n, op == mem, ops))
			return false;
	row_sort(out);
	return true;
}

/* libdw does not report lack of memory separately, but malloc sets errno. */
static bool table_row(struct frame_table *f, const struct dw *dw, const struct unwind_machine *m, uint64_t vaddr,
		      struct unwind_row *out, struct rule_ops *ops, bool *nomem)
{
	Dwarf_Frame *frame = NULL;
	bool found;

	if (!f->cfi)
		return false;
	errno = 0;
	found = !dw->addrframe(f->cfi, vaddr, &frame) && frame;
	if (found)
		out->known = row_take(dw, frame, m, out, ops);
	*nomem |= errno == ENOMEM;
	free(frame);
	return found;
}

void tables_row(struct tables *t, const struct dw *dw, struct object *o, uint64_t vaddr, struct unwind_row *out,
		struct rule_ops *ops)
{
	*out = (struct unwind_row){ .known = false };
	if (!t->machine)
		return;
	if (table_row(&t->eh, dw, t->machine, vaddr, out, ops, &t->nomem))
		return;
	if (!t->debug_tried && !debug_open(t, dw, object_image(o))) {
		const struct elf *e = object_debug(o);

		if (e)
			debug_open(t, dw, e);
	}
	t->debug_tried = true;
	table_row(&t->debug, dw, t->machine, vaddr, out, ops, &t->nomem);
}
