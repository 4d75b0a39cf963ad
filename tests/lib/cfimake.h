/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Makes unwinding tables and files that contain them.
 *
 * Ownership: the caller frees buffers and objects. Errors: what cannot be made fails the test.
 */
#ifndef TESTS_LIB_CFIMAKE_H
#define TESTS_LIB_CFIMAKE_H

#include "base/buf.h"
#include "engine/symbols/object.h"

/* A CIE, which must be the first entry: the CFA is the stack pointer + a word, above the return address. bits: of a
 * word, 32 or 64. */
void cie_put(struct buf *b, bool eh_frame, unsigned bits);
/* A function with these instructions after those of the CIE, to be called with the same eh_frame and bits. */
void fde_put(struct buf *b, bool eh_frame, unsigned bits, uint32_t begin, uint32_t size, const uint8_t *prog, size_t n);
/* An object with .eh_frame and .debug_frame, and a segment that begins at address 0. Its file is stored in *file, which
 * must outlive it. */
struct object *object_make(struct buf *file, const struct buf *eh, const struct buf *debug, unsigned bits);
/* The same, with text[n] at link-time address `at`. */
struct object *object_make_text(struct buf *file, const struct buf *eh, const struct buf *debug, unsigned bits,
				uint64_t at, const void *text, size_t n);

#endif
