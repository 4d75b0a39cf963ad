/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Writes a recording (docs/record.md) into a buffer, block by block. The buffer up to the end of any block is a valid
 * recording.
 *
 * Ownership: the writer owns its tables and the block being filled until record_writer_close (idempotent); `out` is the
 * caller's, who may empty it at any time. Errors: no memory (out->failed, or the oom function).
 */
#ifndef ENGINE_OUTPUT_WRITE_H
#define ENGINE_OUTPUT_WRITE_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/map.h"
#include "engine/containers/containers.h"
#include "engine/run/format.h"

/* The stacks written so far: a hash table of their numbers. */
struct record_dict {
	struct arena arena;
	struct record_stack *v;
	uint64_t *hash;
	uint32_t *slot;			/* number + 1 */
	size_t n, cap, nslots;
	uint64_t frames;
};

struct record_writer {
	struct buf *out, block, scratch;
	bool compress, reset, nomem;
	uint64_t interval;
	struct arena tasks_arena, objects_arena, functions_arena;
	struct map tasks, objects, functions;
	struct record_dict stacks, jstacks;	/* jstacks: with interpreted functions */
	/* the values that entries of the block are relative to */
	uint64_t base, block_no, pc[2], frame[2];
	struct { uint64_t block, ts; uint32_t task; } cpu[RECORD_CPUS];
	uint64_t samples, losses, written, symbols;
};

/* Writes the file head and the info block. oom: see arena_init. Returns NULL without memory. */
struct record_writer *record_writer_open(struct buf *out, const struct record_info *info, bool compress,
					 void (*oom)(void *arg), void *oom_arg);
void record_writer_close(struct record_writer *w);

void record_put_sample(struct record_writer *w, const struct record_sample *s);
/* Returns the number of an object; writes it if it is new. */
uint32_t record_put_object(struct record_writer *w, const struct record_object *o);
/* Returns the number of a function, from 1 on; writes it if it is new. 0: there are too many. */
uint32_t record_put_function(struct record_writer *w, const struct record_function *f);
void record_put_map(struct record_writer *w, const struct record_map *m);
/* From `since` on (ns), the process has none of the mappings written before: the ID was reused, or it executed another
 * program. */
void record_put_image(struct record_writer *w, uint32_t pid, uint64_t since);
/* What is known of a control group, after those above it. */
void record_put_group(struct record_writer *w, const struct containers_group *g);
void record_put_loss(struct record_writer *w, const struct record_loss *l);
/* Ends the block being filled, if it is not empty. */
void record_flush(struct record_writer *w);
/* Writes symbols, after all samples. */
void record_put_symbols(struct record_writer *w, const struct record_symbol *v, size_t n);
/* Then writes what is known in the end of all control groups that record_put_group wrote, in the same order. */
void record_put_groups(struct record_writer *w, const struct containers_group *v, size_t n);
/* Writes the last block. end: when sampling ended, ns. */
void record_finish(struct record_writer *w, uint64_t end);

#endif
