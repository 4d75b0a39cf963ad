/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Memory for unwinding tables and lists of mappings, in maps that programs read (rt/unwind.h).
 *
 * Ownership: the struct owns maps and mappings until memory_close (idempotent; zeroed is closed).
 * Errors: see the functions.
 */
#ifndef ENGINE_BPF_UNWIND_MEMORY_H
#define ENGINE_BPF_UNWIND_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct bpf_loaded;

/* A piece of a chunk: bytes [at, at + size). size 0: none. */
struct unwind_extent {
	uint32_t chunk, at, size;
};

struct unwind_memory {
	const struct bpf_loaded *loaded;
	uint64_t limit;			/* bytes of all chunks */
	struct unwind_chunk { int fd; uint8_t *bytes; } *chunk;
	uint32_t nchunks;
	struct unwind_extents { struct unwind_extent *v; uint32_t n, cap; } room, limbo;
	uint64_t waiting;		/* bytes in `limbo` */
	int err;			/* -errno if a chunk could not be made */
};

/* Maps the first chunk. Returns 0 or -errno. limit: bytes, at least one chunk. */
int memory_open(struct unwind_memory *m, const struct bpf_loaded *l, uint64_t limit);
void memory_close(struct unwind_memory *m);
/* Allocates at most UNWIND_CHUNK bytes, aligned to 64; size 0 in the result: there is no room. */
struct unwind_extent memory_take(struct unwind_memory *m, uint32_t bytes);
/* Gives memory back that programs may still be reading. It is reused after memory_settle. */
void memory_give(struct unwind_memory *m, struct unwind_extent e);
/* After a barrier: what was given back is free. */
void memory_settle(struct unwind_memory *m);
/* The address of an extent in this process. */
void *memory_at(const struct unwind_memory *m, struct unwind_extent e);

#endif
