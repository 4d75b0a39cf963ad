/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/unwind/tables.h"

#include <dwarf.h>
#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "engine/symbols/gotab.h"
#include "engine/unwind/cfi.h"
#include "engine/unwind/cfi_source.h"

/* offset of the number of entries in .eh_frame_hdr */
enum { HEADER_COUNT = 8 };

static void table_close(struct frame_table *t, const struct dw *dw)
{
	if (t->dwarf)
		dw->end(t->dwarf);
	else if (t->cfi)
		dw->cfi_end(t->cfi);
	image_close(&t->image);
	*t = (struct frame_table){ 0 };
}

/* ---- a file's sections ---- */
/* libdw does not check the number of entries. Only the format that linkers produce is accepted. */
static bool header_good(const struct elf *e, const struct elf_section *s)
{
	struct { uint8_t version, frame_enc, count_enc, table_enc; int32_t frame; uint32_t count; } h;

	return s && s->size >= sizeof h && elf_read(e, s->off, &h, sizeof h) && h.version == 1 &&
	       h.frame_enc == (DW_EH_PE_pcrel | DW_EH_PE_sdata4) && h.count_enc == DW_EH_PE_udata4 &&
	       h.table_enc == (DW_EH_PE_datarel | DW_EH_PE_sdata4) && h.count <= (s->size - sizeof h) / 8;
}

/* ---- checks of untrusted tables ---- */
static bool row_ignore(void *arg, const struct cfi_row *row)
{
	(void)arg, (void)row;
	return true;
}

/* Stores a section of an image. Returns false if libdw must not read it; it detects all other errors itself. */
static bool section_good(const struct frame_table *t, const struct frame_part *p, unsigned i, struct cfi_section *out)
{
	struct cfi_counts n;

	return cfi_section_of(&t->image, p, i, out) && cfi_rows(out, row_ignore, NULL, &n) != CFI_STOPPED && !n.unsafe;
}

/* Returns a bit for each byte of the section, set where an entry of a function starts. NULL: out of memory. */
static uint8_t *functions_mark(const struct cfi_section *s)
{
	uint8_t *bits = calloc(1, s->size / 8 + 1);
	enum cfi_found found = bits ? CFI_ENTRY : CFI_NOTHING;
	uint64_t off = 0;
	struct cfi_entry e;

	while (found != CFI_NOTHING && found != CFI_DAMAGED) {
		found = cfi_entry_next(s, &off, &e);
		if (found == CFI_ENTRY && !e.is_cie)
			bits[e.off / 8] |= (uint8_t)(1 << e.off % 8);
	}
	return bits;
}

/* True if the header refers only to entries of functions. It contains pairs of a code address and an entry, both
 * relative to the header. */
static bool header_leads(const Elf_Data *header, uint64_t addr, const struct cfi_section *s, const uint8_t *functions)
{
	const uint8_t *p = header->d_buf;
	uint32_t count;

	memcpy(&count, p + HEADER_COUNT, sizeof count);
	for (uint32_t i = 0; i < count; i++) {
		int32_t to;
		uint64_t off;

		memcpy(&to, p + HEADER_COUNT + 4 + 8 * (size_t)i + 4, sizeof to);
		off = addr + (uint64_t)(int64_t)to - s->addr;
		if (off >= s->size || !(functions[off / 8] >> off % 8 & 1))
			return false;
	}
	return true;
}

/* Checks the sections of an image, of which the table is the last. */
static bool eh_good(const struct frame_table *t, const struct frame_part *p, unsigned n, bool *nomem)
{
	Elf_Data *header = n > 1 ? image_data(&t->image, 0) : NULL;
	uint8_t *functions;
	struct cfi_section s;
	bool good;

	if (!section_good(t, p, n - 1, &s))
		return false;
	if (n == 1)
		return true;
	functions = functions_mark(&s);
	*nomem |= !functions;
	good = functions && header && header_leads(header, p[0].from->addr, &s, functions);
	free(functions);
	return good;
}

static void eh_open(struct tables *t, const struct elf *e)
{
	const struct elf_section *header = image_section(e, ".eh_frame_hdr"), *frame = image_section(e, ".eh_frame");
	struct frame_part p[2];
	unsigned n = 0;

	if (!frame)
		return;
	if (header_good(e, header))
		p[n++] = (struct frame_part){ ".eh_frame_hdr", header };
	p[n++] = (struct frame_part){ ".eh_frame", frame };
	if (image_make(&t->eh.image, e, p, n, &t->nomem) && eh_good(&t->eh, p, n, &t->nomem))
		t->eh.cfi = t->dw->getcfi_elf(t->eh.image.elf);
	if (!t->eh.cfi)
		table_close(&t->eh, t->dw);
}

static bool debug_open(struct tables *t, const struct elf *e)
{
	const struct elf_section *frame = image_section(e, ".debug_frame");
	struct frame_part p = { ".debug_frame", frame };
	struct cfi_section s;

	if (!frame)
		return false;
	if (image_make(&t->debug.image, e, &p, 1, &t->nomem) && section_good(&t->debug, &p, 0, &s))
		t->debug.dwarf = t->dw->begin_elf(t->debug.image.elf, DWARF_C_READ, NULL);
	if (t->debug.dwarf)
		t->debug.cfi = t->dw->getcfi(t->debug.dwarf);
	if (!t->debug.cfi)
		table_close(&t->debug, t->dw);
	return t->debug.cfi;
}

/* Go's own table, .debug_frame, or that of the debug file. */
static void others_open(struct tables *t)
{
	const struct elf *e = object_image(t->object);
	struct elf go;
	bool found = gotab_frames(&go, e) && debug_open(t, &go);

	t->nomem |= go.nomem;
	elf_close(&go);
	if (found || debug_open(t, e))
		return;
	e = object_debug(t->object);
	if (e)
		debug_open(t, e);
}

bool tables_open(struct tables *t, const struct dw *dw, struct object *o)
{
	const struct elf *e = object_image(o);
	const struct unwind_machine *m = e ? machine_of(e->is64 ? 64 : 32) : NULL;

	*t = (struct tables){ .dw = dw, .object = o, .machine = m };
	if (!m || m->elf != e->machine)
		return false;
	errno = 0;
	eh_open(t, e);
	t->nomem |= !t->eh.cfi && errno == ENOMEM;
	return true;
}

void tables_close(struct tables *t)
{
	table_close(&t->eh, t->dw);
	table_close(&t->debug, t->dw);
	*t = (struct tables){ 0 };
}

uint64_t tables_bytes(const struct tables *t)
{
	return t->eh.image.size + t->debug.image.size;
}

/* ---- a row ---- */
static bool fits_rule(uint64_t v)
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
	if (n != 1 || (!plain && op->atom != DW_OP_bregx) || reg >= FRAME_REGS || !fits_rule(off))
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
	if (own && op->atom == DW_OP_call_frame_cfa && n == 1u + value + add && (!add || fits_rule(op[1].number))) {
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

static bool row_take(const struct tables *t, Dwarf_Frame *frame, struct unwind_row *out, struct rule_ops *ops)
{
	enum { RBX = 3 };
	const struct unwind_machine *m = t->machine;
	Dwarf_Op mem[3], *op;
	size_t n;

	if (t->dw->frame_info(frame, NULL, NULL, &out->signal) != m->pc || t->dw->frame_cfa(frame, &op, &n) ||
	    !cfa_rule(&out->cfa, op, n, ops))
		return false;
	for (int i = 0; i < m->nregs; i++)
		if (t->dw->frame_register(frame, i, mem, &op, &n) || !reg_rule(&out->reg[i], op, n, op == mem, ops))
			return false;
	/* libdw's default rules for x86-64 preserve rax in the place of rbx */
	if (m->bits == 64 && out->reg[RBX].how == RULE_UNKNOWN)
		out->reg[RBX].how = RULE_SAME;
	row_sort(out);
	return true;
}

/* f: one of the tables. libdw does not report lack of memory separately, but malloc sets errno. */
static bool table_row(struct tables *t, struct frame_table *f, uint64_t vaddr, struct unwind_row *out,
		      struct rule_ops *ops)
{
	Dwarf_Frame *frame = NULL;
	bool found;

	if (!f->cfi)
		return false;
	errno = 0;
	found = !t->dw->addrframe(f->cfi, vaddr, &frame) && frame;
	if (found)
		out->known = row_take(t, frame, out, ops);
	t->nomem |= errno == ENOMEM;
	free(frame);
	return found;
}

void tables_row(struct tables *t, uint64_t vaddr, struct unwind_row *out, struct rule_ops *ops)
{
	*out = (struct unwind_row){ .known = false };
	if (!t->machine || table_row(t, &t->eh, vaddr, out, ops))
		return;
	if (!t->debug_tried)
		others_open(t);
	t->debug_tried = true;
	table_row(t, &t->debug, vaddr, out, ops);
}
