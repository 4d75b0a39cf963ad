/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What perf record -z has compressed: one zstd stream, a piece of it in each record. The library is looked for when a file
 * asks for it (libzstd.so.1); dtr does not need it otherwise.
 *
 * Ownership: unpack_close gives the stream back (NULL is fine). Errors: see the functions.
 */
#ifndef ENGINE_SAMPLE_UNPACK_H
#define ENGINE_SAMPLE_UNPACK_H

#include "base/buf.h"

struct unpack;

/* NULL: the library is not there, or no memory. */
struct unpack *unpack_open(void);
void unpack_close(struct unpack *u);
/* Appends what the next n bytes of the stream say to `out`, which may grow to `most` bytes. 0, -EBADMSG: they are damaged,
 * -EFBIG, -ENOMEM. */
int unpack_put(struct unpack *u, const void *p, size_t n, struct buf *out, size_t most);

#endif
