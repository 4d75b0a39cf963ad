/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The unwinding tables of one file: .eh_frame, and .debug_frame of it or of its debug file. They are read into memory,
 * never mapped: a file may shrink while it is looked at. libdw takes them apart. Anybody may have written them: they
 * are looked through first for what would make libdw read beyond them or take gigabytes.
 *
 * Ownership: tables_close gives everything back (idempotent). Errors: opening (false: the file has no
 * tables that can be used, or there is no memory: nomem).
 */
#ifndef ENGINE_UNWIND_TABLES_H
#define ENGINE_UNWIND_TABLES_H

#include "engine/symbols/object.h"
#include "engine/unwind/dw.h"
#include "engine/unwind/frame.h"

/* Operations of expressions, copied out of libdw. */
struct rule_ops {
	Dwarf_Op *v;
	unsigned n, cap;
	bool nomem;
};
enum { RULE_OPS_MAX = 1 << 16, RULE_OPS_EACH = 64 };

/* One section of them, in an ELF image that has nothing else. */
struct frame_table {
	uint8_t *image;
	uint64_t bytes;
	Elf *elf;
	Dwarf *dwarf;			/* .debug_frame */
	Dwarf_CFI *cfi;
};

struct tables {
	const struct machine *machine;
	struct frame_table eh, debug;
	bool debug_tried, nomem;
};

bool tables_open(struct tables *t, const struct dw *dw, struct object *o);
void tables_close(struct tables *t, const struct dw *dw);
uint64_t tables_bytes(const struct tables *t);
/* The row of an address that the file is linked to. Operations are added to *ops. */
void tables_row(struct tables *t, const struct dw *dw, struct object *o, uint64_t vaddr, struct row *out,
		struct rule_ops *ops);

#endif
