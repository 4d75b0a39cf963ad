/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A small ELF file with the functions of the kernel, or of a module, for gprof: where no vmlinux file is installed it
 * gets the symbols from here. It has no code.
 *
 * Ownership: the caller's buffer. Errors: no memory (buf->failed).
 */
#ifndef ENGINE_OUTPUT_GMON_KERNEL_IMAGE_H
#define ENGINE_OUTPUT_GMON_KERNEL_IMAGE_H

#include "base/buf.h"
#include "engine/output/gmon/gmon_object.h"

/* Appends the file. o: the object, by gmon_object_kernel with the same k and `module`. */
void kernel_image_put(struct buf *out, const struct gmon_object *o, const struct kallsyms *k, const char *module);

#endif
