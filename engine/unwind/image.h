/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * An ELF image in memory, made of a few sections of a file, for libelf and libdw. The sections are read, never mapped,
 * because a file may shrink in the meantime.
 *
 * Ownership: image_close frees the image (idempotent). Errors: image_make returns false if the sections cannot be read,
 * or if memory runs out (*nomem); call image_close then, too.
 */
#ifndef ENGINE_UNWIND_IMAGE_H
#define ENGINE_UNWIND_IMAGE_H

#include <gelf.h>

#include "engine/symbols/elf.h"

enum { FRAME_SECTION_MAX = 256 << 20 };

struct frame_image {
	uint8_t *bytes;
	uint64_t size;
	Elf *elf;
};

struct frame_part {
	const char *name;		/* .eh_frame_hdr, .eh_frame or .debug_frame */
	const struct elf_section *from;
};

/* Finds a section that is in the file, is not too large and is compressed only if that is allowed. Returns NULL if
 * there is none. */
const struct elf_section *image_section(const struct elf *e, const char *name);
/* Makes an image of at most two sections. */
bool image_make(struct frame_image *t, const struct elf *e, const struct frame_part *p, unsigned n, bool *nomem);
void image_close(struct frame_image *t);
/* The contents of part i, decompressed. Returns NULL on failure. */
Elf_Data *image_data(const struct frame_image *t, unsigned i);

#endif
