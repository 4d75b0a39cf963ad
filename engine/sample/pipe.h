/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Copies a recording from a pipe to an unnamed file, because reading a recording requires seeking. Copies only as many
 * bytes as the headers of the recording specify. If the input is not a recording, copies only its first bytes.
 *
 * Ownership: the caller owns both descriptors. Errors: -errno.
 */
#ifndef ENGINE_SAMPLE_PIPE_H
#define ENGINE_SAMPLE_PIPE_H

#include <stddef.h>
#include <stdint.h>

enum { RECORD_PIECE = 1 << 16 };

/* Reads `fd`, at most `piece` bytes at a time. Returns the descriptor of the copy (O_CLOEXEC), or -errno. After damage
 * or the end of the recording, copies at most the rest of the piece. */
int record_pipe_copy(int fd, size_t piece);

/* Returns how many of the `size` bytes of a perf.data file belong to it, according to its headers. */
uint64_t record_perf_size(int fd, uint64_t size);

#endif
