/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Decompresses the data of perf record -z: one zstd stream (RFC 8878), split into records. libzstd.so.1 is loaded only
 * when a file needs it.
 *
 * Ownership: unpack_close frees the stream (NULL is allowed). Errors: see the functions.
 */
#ifndef ENGINE_SAMPLE_UNPACK_H
#define ENGINE_SAMPLE_UNPACK_H

#include "base/buf.h"

struct unpack;

/* Returns NULL if the library is not available or memory runs out. */
struct unpack *unpack_open(void);
void unpack_close(struct unpack *u);
/* Decompresses the next n bytes of the stream and appends the result to `out`, which may grow to `most` bytes.
 * Returns 0, -EBADMSG (damaged), -EFBIG, or -ENOMEM. */
int unpack_put(struct unpack *u, const void *p, size_t n, struct buf *out, size_t most);

#endif
