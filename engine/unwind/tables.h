/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The unwinding tables of one file: .eh_frame, and .debug_frame in the file or its debug file. libdw looks up rows in
 * them. They are untrusted, so cfi_rows checks them first.
 *
 * Ownership: tables_close releases everything (idempotent). Errors: tables_open returns false if the file has no usable
 * tables, or if memory runs out (nomem).
 */
#ifndef ENGINE_UNWIND_TABLES_H
#define ENGINE_UNWIND_TABLES_H

#include "engine/symbols/object.h"
#include "engine/unwind/dw.h"
#include "engine/unwind/frame.h"
#include "engine/unwind/image.h"

/* Operations of DWARF expressions, copied from libdw. */
struct rule_ops {
	Dwarf_Op *v;
	unsigned n, cap;
	bool nomem;
};
enum { RULE_OPS_MAX = 1 << 16, RULE_OPS_EACH = 64 };

/* One section of tables, in an ELF image built for it. */
struct frame_table {
	struct frame_image image;
	Dwarf *dwarf;			/* .debug_frame */
	Dwarf_CFI *cfi;
};

struct tables {
	const struct dw *dw;
	struct object *object;
	const struct unwind_machine *machine;	/* NULL: there are no usable tables */
	struct frame_table eh, debug;
	bool debug_tried, nomem;
};

/* dw, o: the caller's, until tables_close. */
bool tables_open(struct tables *t, const struct dw *dw, struct object *o);
void tables_close(struct tables *t);
uint64_t tables_bytes(const struct tables *t);
/* Stores the row for a link-time address. Operations are appended to *ops. */
void tables_row(struct tables *t, uint64_t vaddr, struct unwind_row *out, struct rule_ops *ops);

#endif
