/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Speculations, the consumer's half: keeps speculative records until it is known what becomes of them.
 * The programs' half is lang/func_spec.c; what both share is struct spec_layout in lang/prog.h.
 *
 * Every speculative record is printed, is discarded, belongs to a speculation that was open when tracing ended, or is
 * counted: there was no room (specsize), or it came when its speculation was long forgotten (SPEC_MEMORY generations later).
 *
 * Ownership: specs_free gives everything back (idempotent). Errors: memory only; `failed` is then set.
 */
#ifndef ENGINE_SESSION_SPECULATE_H
#define ENGINE_SESSION_SPECULATE_H

#include "base/buf.h"
#include "lang/prog.h"

enum { SPEC_MEMORY = 64 };

/* A commit() or discard(), at its place in time. */
struct verdict {
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
	struct buf records;		/* of each: CPU, size, the record */
	struct spec_cpu *cpu;
	unsigned ncpus;
};

struct spec_slot {
	struct spec_hold *hold;
	unsigned n, cap;
	uint64_t newest;		/* generation that a verdict was carried out on, plus one */
	uint64_t memory[SPEC_MEMORY];	/* the verdicts on the last ones, as they stand in the log */
};

struct specs {
	const struct spec_layout *layout;	/* NULL: the script does not speculate */
	uint64_t *free, *slots, *log;		/* the objects */
	uint64_t specsize;
	struct spec_slot *slot;
	struct verdict *due;			/* what was not carried out yet */
	size_t n, cap, next;
	size_t seq;
	uint64_t dropped;			/* since it was set to 0 */
	bool failed;
};

/* object: where one lies. 0 or -ENOMEM. */
int specs_open(struct specs *s, const struct d_prog *p, uint64_t specsize, void *(*object)(void *arg, uint32_t obj), void *arg);
/* Takes the new verdicts out of the logs and sorts what is due. To be called before the rings are emptied. */
void specs_read(struct specs *s);
/* The next verdict that is carried out before this record of that CPU (NULL: not after `until`), or NULL. */
const struct verdict *specs_next(struct specs *s, int cpu, const struct rec_hdr *before, uint64_t until);
typedef void (*spec_print_fn)(void *arg, int cpu, const struct rec_hdr *rec, uint32_t size);
/* Carries one out: hands over what was committed. */
void specs_carry_out(struct specs *s, const struct verdict *v, spec_print_fn print, void *arg);
/* A speculative record. True: it is to be printed now, since its speculation was committed already. */
bool specs_add(struct specs *s, int cpu, const struct rec_hdr *rec, uint32_t size);
void specs_free(struct specs *s);

#endif
