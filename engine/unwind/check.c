/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/unwind/check.h"

#include <dwarf.h>
#include <elf.h>
#include <stdint.h>
#include <string.h>

#include "base/leb128.h"

enum { REGISTERS = 1024, NESTED = 64 };

struct check_bytes {
	const uint8_t *p, *end;
	bool out;			/* something extends beyond the end */
};

static uint64_t leb(struct check_bytes *b)
{
	uint64_t v;

	b->out |= !leb128_read(&b->p, b->end, &v);
	return v;
}

static void skip(struct check_bytes *b, uint64_t n)
{
	if (n > (uint64_t)(b->end - b->p))
		b->out = true;
	else
		b->p += n;
}

/* ---- instructions ---- */

/* Operands of an instruction. r: register; v: value; b: a length and that many bytes; 1 2 4 8: that many bytes; a:
 * address. */
static const char *operands(unsigned op)
{
	static const char *const table[64] = {
		[DW_CFA_nop] = "", [DW_CFA_set_loc] = "a", [DW_CFA_advance_loc1] = "1", [DW_CFA_advance_loc2] = "2",
		[DW_CFA_advance_loc4] = "4", [DW_CFA_offset_extended] = "rv", [DW_CFA_restore_extended] = "r",
		[DW_CFA_undefined] = "r", [DW_CFA_same_value] = "r", [DW_CFA_register] = "rr",
		[DW_CFA_remember_state] = "+",
		[DW_CFA_restore_state] = "-", [DW_CFA_def_cfa] = "rv", [DW_CFA_def_cfa_register] = "r",
		[DW_CFA_def_cfa_offset] = "v", [DW_CFA_def_cfa_expression] = "b", [DW_CFA_expression] = "rb",
		[DW_CFA_offset_extended_sf] = "rv", [DW_CFA_def_cfa_sf] = "rv", [DW_CFA_def_cfa_offset_sf] = "v",
		[DW_CFA_val_offset] = "rv", [DW_CFA_val_offset_sf] = "rv", [DW_CFA_val_expression] = "rb",
		[DW_CFA_MIPS_advance_loc8] = "8", [DW_CFA_GNU_window_save] = "", [DW_CFA_GNU_args_size] = "v",
		[DW_CFA_GNU_negative_offset_extended] = "rv",
	};

	switch (op & 0xc0) {
	case DW_CFA_advance_loc: case DW_CFA_restore:
		return "";
	case DW_CFA_offset:
		return "v";
	}
	return table[op];
}

/* An unknown instruction ends an entry, like in libdw. */
static bool instructions_good(struct check_bytes b, unsigned address)
{
	unsigned nested = 0;

	while (b.p < b.end && !b.out) {
		const char *what = operands(*b.p++);

		if (!what)
			return true;
		for (; *what && !b.out; what++) {
			if (*what == 'r' && leb(&b) >= REGISTERS)
				return false;
			if (*what == '+' && ++nested > NESTED)
				return false;
			if (*what == '-')
				nested -= nested > 0;
			else if (*what == 'v')
				leb(&b);
			else if (*what == 'b')
				skip(&b, leb(&b));
			else if (*what == 'a')
				skip(&b, address);
			else if (*what >= '1' && *what <= '8')
				skip(&b, (uint64_t)(*what - '0'));
		}
	}
	return true;
}

/* ---- entries ---- */

/* The format of FDEs, as their CIE defines it. */
struct common {
	Dwarf_Off off;
	bool known, sized;		/* sized: each FDE has the length of its additional data; */
	uint64_t more;			/* otherwise, this is their length */
	unsigned address;		/* bytes of an encoded address; 0: variable */
};

static unsigned encoded_bytes(uint8_t encoding, unsigned word)
{
	switch (encoding & 7) {
	case DW_EH_PE_absptr: return word;
	case DW_EH_PE_udata2: return 2;
	case DW_EH_PE_udata4: return 4;
	case DW_EH_PE_udata8: return 8;
	default: return 0;
	}
}

static bool encoding_good(uint8_t encoding)
{
	return (encoding & 7) <= DW_EH_PE_udata8 && (encoding & 0x70) < DW_EH_PE_aligned;
}

/* Finds the encoding of addresses, which is in the augmentation data after other fields. */
static bool augmentation_take(struct common *c, const Dwarf_CIE *cie, unsigned word)
{
	struct check_bytes b = { cie->augmentation_data, cie->augmentation_data + cie->augmentation_data_size, false };
	const char *a = cie->augmentation;

	c->sized = *a == 'z';
	for (a += c->sized; *a && strchr("LPRSB", *a) && b.p && b.p < b.end; a++) {
		uint8_t encoding = *a == 'S' || *a == 'B' ? 0 : *b.p++;

		if (*a != 'L' && !encoding_good(encoding))
			return false;
		if (*a == 'R')
			c->address = encoded_bytes(encoding, word);
		else if (*a == 'P' && encoded_bytes(encoding, word))
			skip(&b, encoded_bytes(encoding, word));
		else if (*a == 'P')
			leb(&b);
	}
	return true;
}

static bool common_take(struct common *c, Dwarf_Off off, const Dwarf_CFI_Entry *e, unsigned word)
{
	struct check_bytes b = { e->cie.initial_instructions, e->cie.initial_instructions_end, false };

	*c = (struct common){ .off = off, .known = true, .address = word, .more = e->cie.fde_augmentation_data_size };
	if (e->cie.augmentation && !augmentation_take(c, &e->cie, word))
		return false;
	return instructions_good(b, c->address);
}

static bool entry_good(const struct common *c, const Dwarf_FDE *fde)
{
	struct check_bytes b = { fde->start, fde->end, false };

	if (!c->known)
		return true;
	for (int i = 0; i < 2; i++) {
		if (c->address)
			skip(&b, c->address);
		else
			leb(&b);
	}
	skip(&b, c->sized ? leb(&b) : c->more);
	return b.out || instructions_good(b, c->address);
}

bool check_tables(const struct dw *dw, const unsigned char *ident, Elf_Data *data, bool eh_frame, uint8_t *entries)
{
	unsigned word = ident[EI_CLASS] == ELFCLASS64 ? 8 : 4;
	struct common c = { .known = false };
	Dwarf_Off off = 0, next = 0, other;
	Dwarf_CFI_Entry e;
	int r;

	for (; (r = dw->next_cfi(ident, data, eh_frame, off, &next, &e)) <= 0; off = next) {
		Dwarf_CFI_Entry cie;

		if (r < 0 && next <= off)
			return true;
		if (r < 0)
			continue;
		if (dwarf_cfi_cie_p(&e)) {
			if (!common_take(&c, off, &e, word))
				return false;
			continue;
		}
		if (!c.known || c.off != e.fde.CIE_pointer) {
			c.known = false;
			if (!dw->next_cfi(ident, data, eh_frame, e.fde.CIE_pointer, &other, &cie) &&
			    dwarf_cfi_cie_p(&cie) &&
			    !common_take(&c, e.fde.CIE_pointer, &cie, word))
				return false;
		}
		if (!entry_good(&c, &e.fde))
			return false;
		if (entries)
			entries[off / 8] |= (uint8_t)(1 << off % 8);
	}
	return true;
}
