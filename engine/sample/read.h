/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Reads a recording (docs/record.md) entry by entry. The contents are untrusted: errors are reported with their offset
 * in the file, after all entries before them have been delivered.
 *
 * Ownership: the reader owns the file and everything it returns until record_close (NULL is allowed). Tasks and stacks
 * are valid only until the next entry is read. Errors: record_open and record_next, with a reason.
 */
#ifndef ENGINE_SAMPLE_READ_H
#define ENGINE_SAMPLE_READ_H

#include "base/arena.h"
#include "base/buf.h"
#include "engine/containers/containers.h"
#include "engine/run/bytes.h"
#include "engine/run/format.h"

enum record_what {
	RECORD_NOTHING,			/* the end, or an error (`reason`) */
	RECORD_SAMPLE, RECORD_MAP, RECORD_OBJECT, RECORD_LOSS,
	RECORD_IMAGE,			/* map.pid, map.since: the process's earlier mappings end */
	RECORD_FUNCTION,
	RECORD_GROUP,
};

struct record_entry {
	enum record_what what;
	struct record_sample sample;
	struct record_map map;
	struct record_object object;	/* numbered from 0 in order of appearance */
	struct record_loss loss;
	struct record_function function;
	struct containers_group group;
};

struct record_reader {
	int fd;
	uint64_t size, off;		/* size of the file; offset of the next block */
	struct record_info info;
	struct buf stored, plain;
	struct bytes in;		/* the block being read */
	const uint8_t *start;
	uint64_t where;			/* file offset of the block, or of its contents if they are not compressed */
	bool compressed;
	char reason[160];			/* "": no error */
	uint64_t bad_at;		/* offset in the file */
	bool failed;			/* the file could not be read there: not what is in it */
	bool ended;			/* the last block was read */
	bool whole;			/* there is a last block, which contains: */
	uint64_t end, samples, losses, symbols;
	struct arena arena;		/* for objects and maps */
	struct arena tables;		/* for tasks and stacks, until the next reset */
	VEC(const struct record_task *) tasks;
	VEC(struct record_stack) stacks, jstacks;
	uint32_t nfunctions;
	uint64_t jstack;		/* number of the next sample's interpreted stack + 1; 0: it has none */
	uint64_t frames;
	uint32_t nobjects;
	/* values that entries are encoded relative to */
	uint64_t base, block_no, pc[2], frame[2];
	struct { uint64_t block, ts; uint32_t task; } cpu[RECORD_CPUS];
};

/* Takes ownership of the descriptor. Returns NULL with the reason in reason[n] if it is not a recording of this
 * version. oom: see arena_init. */
struct record_reader *record_open(int fd, void (*oom)(void *arg), void *oom_arg, char *reason, size_t n);
void record_close(struct record_reader *r);
/* Reads the next entry. Returns RECORD_NOTHING at the end. */
enum record_what record_next(struct record_reader *r, struct record_entry *e);
/* Delivers the symbols, which are stored after the samples; call it before reading the first entry. Strings are in `a`.
 * If the symbols are damaged, delivers those before the damage. */
typedef void (*record_symbol_fn)(void *arg, const struct record_symbol *s);
void record_symbols(struct record_reader *r, struct arena *a, record_symbol_fn fn, void *arg);
/* The same for control groups: a group comes after the one above it, and again if more is known of it. Those of a
 * recording that was not finished are among its samples, so the whole file is read. */
typedef void (*record_group_fn)(void *arg, const struct containers_group *g);
void record_groups(struct record_reader *r, struct arena *a, record_group_fn fn, void *arg);

#endif
