/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The instructions of unwinding tables (DWARF 5, section 6.4.2, and GNU extensions).
 *
 * Ownership: nothing is kept.
 */
#ifndef ENGINE_UNWIND_CFI_INSN_H
#define ENGINE_UNWIND_CFI_INSN_H

#include "engine/unwind/cfi_entry.h"

/* What an instruction does, with the members of struct cfi_insn that it uses. */
enum cfi_action {
	CFI_UNKNOWN,			/* not an instruction */
	CFI_NOP,			/* nothing; val is ignored */
	CFI_ADVANCE,			/* the next row begins val bytes later */
	CFI_SET_LOC,			/* the next row begins at val */
	CFI_RULE,			/* register reg has a rule of kind `how`, with val or the expression */
	CFI_RESTORE,			/* register reg has the CIE's rule */
	CFI_CFA,			/* the CFA is register reg + val */
	CFI_CFA_REG,			/* register reg with the present offset */
	CFI_CFA_OFFSET,			/* the present register + val */
	CFI_CFA_EXPR,			/* the value of the expression */
	CFI_REMEMBER,			/* pushes all rules */
	CFI_RECALL,			/* pops all rules */
	CFI_ACTIONS
};

struct cfi_insn {
	uint8_t action;			/* enum cfi_action */
	uint8_t how;			/* enum rule_how */
	uint64_t reg, val;		/* val: multiplied by the CIE's factor; negative numbers modulo 2^64 */
	const uint8_t *expr;
	uint64_t length;		/* bytes of the expression */
};

/* Reads an instruction, of which there is at least one byte. Returns false if it is unknown (CFI_UNKNOWN) or its
 * operands are invalid. */
bool cfi_insn_read(const struct cfi_section *s, const struct cfi_cie *c, struct cfi_bytes *b, struct cfi_insn *out);

#endif
