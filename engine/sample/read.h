/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Reading a recording, entry by entry. The file is taken for what anybody may have written: what is wrong is told with its
 * place in the file, and everything before it has been handed out by then.
 *
 * Ownership: the reader owns the file and everything it hands out until record_close (NULL is fine). Tasks and stacks
 * stay valid until the next entry is read: copy what must last. Errors: opening and reading, with a text.
 */
#ifndef ENGINE_SAMPLE_READ_H
#define ENGINE_SAMPLE_READ_H

#include "base/arena.h"
#include "base/buf.h"
#include "engine/run/bytes.h"
#include "engine/run/format.h"

enum record_what {
	RECORD_NOTHING,			/* the end, or damage: see `why` */
	RECORD_SAMPLE, RECORD_MAP, RECORD_OBJECT, RECORD_LOSS,
	RECORD_IMAGE,			/* map.pid, map.since: the process's earlier mappings are gone */
};

struct record_entry {
	enum record_what what;
	struct record_sample sample;
	struct record_map map;
	struct record_object object;	/* they are numbered from 0, in the order in which they come */
	struct record_loss loss;
};

struct record_reader {
	int fd;
	uint64_t size, off;		/* of the file; where the next block is */
	struct record_info info;
	struct buf stored, plain;
	struct bytes in;		/* the block being read */
	const uint8_t *start;
	uint64_t where;			/* of the block, or of its contents if they are not compressed */
	bool compressed;
	char why[160];			/* "": nothing is wrong */
	uint64_t bad_at;		/* where in the file */
	bool ended;			/* the last block was read */
	bool whole;			/* there is a last block: */
	uint64_t end, samples, losses, symbols;
	struct arena arena;		/* objects, maps */
	struct arena tables;		/* tasks, stacks: until the next reset */
	VEC(const struct record_task *) tasks;
	VEC(struct record_stack) stacks;
	uint64_t frames;
	uint32_t nobjects;
	/* what the entries are told relative to */
	uint64_t base, block_no, pc[2], frame[2];
	struct { uint64_t block, ts; uint32_t task; } cpu[RECORD_CPUS];
};

/* Takes the descriptor. NULL with the reason in why: not a recording, or one of another version. oom: as an arena's. */
struct record_reader *record_open(int fd, void (*oom)(void *arg), void *oom_arg, char *why, size_t n);
void record_close(struct record_reader *r);
/* The next entry; RECORD_NOTHING at the end. */
enum record_what record_next(struct record_reader *r, struct record_entry *e);
/* Hands out the names that stand behind the samples, before the first entry is read; strings are in `a`. Where they are
 * damaged those before that. */
typedef void (*record_symbol_fn)(void *arg, const struct record_symbol *s);
void record_symbols(struct record_reader *r, struct arena *a, record_symbol_fn fn, void *arg);

#endif
