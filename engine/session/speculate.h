/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Speculations in the consumer: keeps speculative records until they are committed or discarded.
 * The code in programs is made by lang/func/spec.c; struct spec_layout in lang/prog.h describes the shared data.
 *
 * Every speculative record is printed, is discarded, belongs to a speculation that is open when tracing ends, or is
 * counted as dropped: there was no room (specsize), or it arrived SPEC_MEMORY generations after its speculation.
 *
 * Ownership: specs_free frees everything (idempotent). Errors: without memory `failed` is set.
 */
#ifndef ENGINE_SESSION_SPECULATE_H
#define ENGINE_SESSION_SPECULATE_H

#include "base/buf.h"
#include "lang/prog.h"

enum { SPEC_MEMORY = 64 };

/* A commit() or discard() and its time. */
struct spec_verdict {
	uint64_t ts, gen;
	size_t seq;
	uint32_t slot, epid;
	int cpu;
	bool commit;
};

struct spec_cpu {
	int cpu;
	uint64_t bytes;
};

/* The records of one generation of a slot. */
struct spec_hold {
	uint64_t gen;
	struct buf records;		/* for each: CPU, size, the record */
	struct spec_cpu *cpu;
	unsigned ncpus;
};

struct spec_slot {
	struct spec_hold *hold;
	unsigned n, cap;
	uint64_t newest;		/* newest generation with an executed verdict, plus one */
	uint64_t memory[SPEC_MEMORY];	/* verdicts on the last generations, in the format of the log */
};

struct speculations {
	const struct spec_layout *layout;	/* NULL: the script does not speculate */
	uint64_t *free, *slots, *log;		/* the IR objects */
	uint64_t specsize;
	struct spec_slot *slot;
	struct spec_verdict *due;			/* verdicts not yet executed */
	size_t n, cap, next;
	size_t seq;
	uint64_t dropped;			/* drops since it was last set to 0 */
	bool failed;
};

/* object: returns the address of an IR object. Returns 0 or -ENOMEM. */
int specs_open(struct speculations *s, const struct d_prog *p, uint64_t specsize,
	       void *(*object)(void *arg, uint32_t obj), void *arg);
/* Reads new verdicts from the logs and sorts `due`. Call it before reading the rings. */
void specs_read(struct speculations *s);
/* Returns the next verdict to execute before this record of that CPU (record NULL: not after `until`, ns), or NULL. */
const struct spec_verdict *specs_next(struct speculations *s, int cpu, const struct rec_hdr *before, uint64_t until);
typedef void (*spec_print_fn)(void *arg, int cpu, const struct rec_hdr *rec, uint32_t size);
/* Executes a verdict: passes committed records to `print`. */
void specs_carry_out(struct speculations *s, const struct spec_verdict *v, spec_print_fn print, void *arg);
/* Adds a speculative record. Returns true if it must be printed now, because its speculation was already committed. */
bool specs_add(struct speculations *s, int cpu, const struct rec_hdr *rec, uint32_t size);
void specs_free(struct speculations *s);

#endif
