/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/unwind/cfi_insn.h"

#include <dwarf.h>

/* Operands: r register; u unsigned number; d, s unsigned or signed number x data factor; n like d, but negative;
 * 1 2 4 8 a number of that many bytes x code factor; a address; e expression; x always invalid, because the instruction
 * is for other machines. */
struct cfi_form {
	uint8_t action, how;
	char operands[3];
};

static const struct cfi_form forms[64] = {
	[DW_CFA_nop] = { CFI_NOP, 0, "" },
	[DW_CFA_set_loc] = { CFI_SET_LOC, 0, "a" },
	[DW_CFA_advance_loc1] = { CFI_ADVANCE, 0, "1" },
	[DW_CFA_advance_loc2] = { CFI_ADVANCE, 0, "2" },
	[DW_CFA_advance_loc4] = { CFI_ADVANCE, 0, "4" },
	[DW_CFA_MIPS_advance_loc8] = { CFI_ADVANCE, 0, "8" },
	[DW_CFA_offset_extended] = { CFI_RULE, RULE_AT, "rd" },
	[DW_CFA_offset_extended_sf] = { CFI_RULE, RULE_AT, "rs" },
	[DW_CFA_GNU_negative_offset_extended] = { CFI_RULE, RULE_AT, "rn" },
	[DW_CFA_val_offset] = { CFI_RULE, RULE_CFA, "rd" },
	[DW_CFA_val_offset_sf] = { CFI_RULE, RULE_CFA, "rs" },
	[DW_CFA_undefined] = { CFI_RULE, RULE_UNKNOWN, "r" },
	[DW_CFA_same_value] = { CFI_RULE, RULE_SAME, "r" },
	[DW_CFA_register] = { CFI_RULE, RULE_REG, "ru" },
	[DW_CFA_expression] = { CFI_RULE, RULE_EXPR_AT, "re" },
	[DW_CFA_val_expression] = { CFI_RULE, RULE_EXPR, "re" },
	[DW_CFA_restore_extended] = { CFI_RESTORE, 0, "r" },
	[DW_CFA_def_cfa] = { CFI_CFA, 0, "ru" },
	[DW_CFA_def_cfa_sf] = { CFI_CFA, 0, "rs" },
	[DW_CFA_def_cfa_register] = { CFI_CFA_REG, 0, "r" },
	[DW_CFA_def_cfa_offset] = { CFI_CFA_OFFSET, 0, "u" },
	[DW_CFA_def_cfa_offset_sf] = { CFI_CFA_OFFSET, 0, "s" },
	[DW_CFA_def_cfa_expression] = { CFI_CFA_EXPR, 0, "e" },
	[DW_CFA_remember_state] = { CFI_REMEMBER, 0, "" },
	[DW_CFA_restore_state] = { CFI_RECALL, 0, "" },
	[DW_CFA_GNU_args_size] = { CFI_NOP, 0, "u" },
	[DW_CFA_GNU_window_save] = { CFI_NOP, 0, "x" },
};

static void operand_read(const struct cfi_section *s, const struct cfi_cie *c, char what, struct cfi_bytes *b,
			 struct cfi_insn *out)
{
	switch (what) {
	case 'r': out->reg = cfi_uleb(b); return;
	case 'u': out->val = cfi_uleb(b); return;
	case 'd': out->val = cfi_uleb(b) * (uint64_t)c->data_align; return;
	case 's': out->val = (uint64_t)cfi_sleb(b) * (uint64_t)c->data_align; return;
	case 'n': out->val = -cfi_uleb(b) * (uint64_t)c->data_align; return;
	case 'x': b->bad = true; return;
	case 'a': out->val = cfi_address(s, c, c->encoding, b); return;
	case 'e':
		out->length = cfi_uleb(b);
		out->expr = b->p;
		cfi_skip(b, out->length);
		return;
	default: out->val = cfi_fixed(b, (unsigned)(what - '0')) * c->code_align;
	}
}

bool cfi_insn_read(const struct cfi_section *s, const struct cfi_cie *c, struct cfi_bytes *b, struct cfi_insn *out)
{
	uint8_t op = *b->p++, low = op & 0x3f;
	const struct cfi_form *f = &forms[low];

	switch (op & 0xc0) {
	case DW_CFA_advance_loc:
		out->action = CFI_ADVANCE;
		out->val = low * c->code_align;
		return true;
	case DW_CFA_offset:
		out->action = CFI_RULE;
		out->how = RULE_AT;
		out->reg = low;
		out->val = cfi_uleb(b) * (uint64_t)c->data_align;
		return !b->bad;
	case DW_CFA_restore:
		out->action = CFI_RESTORE;
		out->reg = low;
		return true;
	}
	out->action = f->action;
	out->how = f->how;
	for (const char *what = f->operands; *what && !b->bad; what++)
		operand_read(s, c, *what, b, out);
	return f->action != CFI_UNKNOWN && !b->bad;
}
