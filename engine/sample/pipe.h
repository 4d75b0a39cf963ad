/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A recording that comes through a pipe, copied to a file without a name: it is read twice, and from its end. Only
 * what the recording's own heads promise is copied, and nothing that does not begin like a recording.
 *
 * Ownership: the caller owns both descriptors. Errors: reading, memory (-errno).
 */
#ifndef ENGINE_SAMPLE_PIPE_H
#define ENGINE_SAMPLE_PIPE_H

#include <stddef.h>
#include <stdint.h>

enum { RECORD_PIECE = 1 << 16 };

/* Reads `fd`, at most `piece` bytes at a time; returns the copy's descriptor (O_CLOEXEC), or -errno. What follows
 * damage or the end is copied no further than the piece in which it begins. */
int record_pipe_copy(int fd, size_t piece);

/* How many of the `size` bytes of a file of perf record its heads say that it has. */
uint64_t record_perf_size(int fd, uint64_t size);

#endif
