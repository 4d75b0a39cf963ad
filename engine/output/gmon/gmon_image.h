/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A small ELF file with the functions of an object, for gprof: where no vmlinux file is installed, or an object was
 * stripped, it gets the symbols from here. It has no code.
 *
 * Ownership: the caller's buffer. Errors: no memory (buf->failed).
 */
#ifndef ENGINE_OUTPUT_GMON_GMON_IMAGE_H
#define ENGINE_OUTPUT_GMON_GMON_IMAGE_H

#include "base/buf.h"
#include "engine/output/gmon/gmon_object.h"

/* Appends the file of the kernel or a module. o: the object, by gmon_object_kernel with the same k and `module`. */
void gmon_image_kernel(struct buf *out, const struct gmon_object *o, const struct kallsyms *k, const char *module);
/* True if gprof finds no symbols in a file, or not the file: it was removed or replaced. */
bool gmon_image_needed(struct object *file);
/* Appends the file for an object whose symbols are elsewhere. o: by gmon_object_file. Returns false, with nothing
 * appended, if no symbols are known. */
bool gmon_image_file(struct buf *out, const struct gmon_object *o, struct object *file);

#endif
