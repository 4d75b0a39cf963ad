/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The functions of elfutils' libdw that read unwinding tables. The library is loaded with dlopen on demand: linking it
 * would add more than half a millisecond to every start.
 *
 * Ownership: dw_close closes the library (idempotent). Errors: dw_open returns false with the reason in reason[n].
 */
#ifndef ENGINE_UNWIND_DW_H
#define ENGINE_UNWIND_DW_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>

struct dw {
	void *lib;
	__typeof__(&dwarf_begin_elf) begin_elf;
	__typeof__(&dwarf_end) end;
	__typeof__(&dwarf_getcfi) getcfi;
	__typeof__(&dwarf_getcfi_elf) getcfi_elf;
	__typeof__(&dwarf_cfi_end) cfi_end;
	__typeof__(&dwarf_cfi_addrframe) addrframe;
	__typeof__(&dwarf_frame_info) frame_info;
	__typeof__(&dwarf_frame_cfa) frame_cfa;
	__typeof__(&dwarf_frame_register) frame_register;
};

bool dw_open(struct dw *d, char *reason, size_t n);
void dw_close(struct dw *d);

#endif
