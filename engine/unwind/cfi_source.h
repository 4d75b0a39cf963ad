/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The sections of a file that cfi_rows decodes. Look in .eh_frame first; .debug_frame has the code that .eh_frame
 * lacks.
 *
 * Ownership: cfi_close frees the section (idempotent). Errors: cfi_open returns false if the file has no such section,
 * if it cannot be read, if its machine is not supported, or if memory runs out (nomem); *f is closed then.
 */
#ifndef ENGINE_UNWIND_CFI_SOURCE_H
#define ENGINE_UNWIND_CFI_SOURCE_H

#include "engine/symbols/object.h"
#include "engine/unwind/cfi_entry.h"
#include "engine/unwind/image.h"

struct cfi_source {
	struct cfi_section section;
	struct frame_image image;
	bool nomem;			/* valid after cfi_close */
};

/* CFI_EH_FRAME: .eh_frame of the file. CFI_DEBUG_FRAME: what Go's table says, else .debug_frame of the file or, if that
 * has none, of its debug file. */
enum cfi_kind { CFI_DEBUG_FRAME, CFI_EH_FRAME };
bool cfi_open(struct cfi_source *f, struct object *o, enum cfi_kind kind);
void cfi_close(struct cfi_source *f);
/* Stores part i of an image of the parts p, decompressed, for as long as the image is open. Returns false if it cannot
 * be read. */
bool cfi_section_of(const struct frame_image *t, const struct frame_part *p, unsigned i, struct cfi_section *out);

#endif
