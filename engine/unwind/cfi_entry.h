/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The entries of an untrusted section of unwinding tables, .eh_frame or .debug_frame (DWARF 5, section 6.4.1): FDEs,
 * one for each function, and CIEs, which hold what several FDEs have in common.
 *
 * Ownership: the caller owns the section; entries point into it. Errors: as the functions say; nothing is read beyond
 * the section.
 */
#ifndef ENGINE_UNWIND_CFI_ENTRY_H
#define ENGINE_UNWIND_CFI_ENTRY_H

#include "engine/unwind/cfi_read.h"
#include "engine/unwind/frame.h"

struct cfi_section {
	const struct unwind_machine *machine;
	const uint8_t *data;
	uint64_t size;			/* at most INT32_MAX */
	uint64_t addr;			/* link-time address */
	bool eh_frame;			/* the format; else that of .debug_frame */
};

struct cfi_entry {
	uint64_t off;			/* offset in the section */
	uint64_t cie;			/* an FDE: offset of its CIE */
	bool is_cie;
	struct cfi_bytes body;		/* what follows the ID of a CIE, or the reference of an FDE to its CIE */
};

struct cfi_cie {
	uint64_t code_align;		/* factor of advances */
	int64_t data_align;		/* factor of offsets */
	uint64_t ra;			/* register of the return address */
	uint8_t word;			/* bytes of an address */
	uint8_t encoding;		/* DW_EH_PE_*: addresses in FDEs */
	bool sized, signal;		/* FDEs have additional data; signal frames */
	struct cfi_bytes insns;
};

struct cfi_fde {
	uint64_t begin, end;		/* link-time addresses; equal: no code */
	struct cfi_bytes insns;
};

enum cfi_found {
	CFI_ENTRY,
	CFI_NOTHING,			/* the end of the section */
	CFI_INVALID,			/* an invalid entry, but its length is valid: the next one can be read */
	CFI_DAMAGED,			/* an invalid length: nothing after it can be read */
};

/* Reads the entry at *off and moves *off to the next one. */
enum cfi_found cfi_entry_next(const struct cfi_section *s, uint64_t *off, struct cfi_entry *out);
/* These decode an entry. They return false if it is invalid or its format is unknown. */
bool cfi_cie_read(const struct cfi_section *s, const struct cfi_entry *e, struct cfi_cie *out);
bool cfi_fde_read(const struct cfi_section *s, const struct cfi_entry *e, const struct cfi_cie *c, struct cfi_fde *out);
/* Reads an encoded address. Sets b->bad if that is not possible: the kind is unknown, or relative to an address that
 * unwinding tables of a file do not define. */
uint64_t cfi_address(const struct cfi_section *s, const struct cfi_cie *c, uint8_t encoding, struct cfi_bytes *b);

#endif
