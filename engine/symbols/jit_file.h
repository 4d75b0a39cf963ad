/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Reads files in which programs describe code that they have generated: perf-PID.map (a text line for each function)
 * and jit-PID.dump (jitdump: records with times). A file is read piece by piece as it grows.
 *
 * The files are untrusted: records that make no sense are skipped, or end the reading; no read is larger than a buffer.
 *
 * Ownership: jit_reader_close frees the buffer and leaves the descriptor open. Errors: jit_reader_at returns NULL.
 */
#ifndef ENGINE_SYMBOLS_JIT_FILE_H
#define ENGINE_SYMBOLS_JIT_FILE_H

#include "engine/symbols/jit_codes.h"

enum { JIT_BUFFER = 1 << 16 };

struct jit_reader {
	int fd;				/* -1: the file is what `mem` contains */
	uint64_t size;			/* bytes of the file */
	const uint8_t *mem;		/* the bytes at..at+n of the file */
	uint64_t at;
	size_t n;
	uint8_t *buffer;
	bool nomem;
};

void jit_reader_close(struct jit_reader *r);
/* Returns `n` bytes of the file (at most JIT_BUFFER) from `off` on, valid until the next call; NULL: the file ends
 * before, or cannot be read. */
const uint8_t *jit_reader_at(struct jit_reader *r, uint64_t off, size_t n);

/* Reads the lines of a perf-PID.map from `off` on. Returns the offset at which to continue when the file has grown.
 * last: the file will not grow, so that its last line may lack its end. */
uint64_t jit_map_read(struct jit_codes *c, struct jit_reader *r, uint64_t off, bool last);
/* The same for the records of a jitdump, with off = 0 at first. Returns UINT64_MAX if there is nothing more to be read:
 * the file is complete, broken, or of another byte order. */
uint64_t jit_dump_read(struct jit_codes *c, struct jit_reader *r, uint64_t off);

#endif
