/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A compiled program: what lang hands to the engine.
 *
 * Records. A record is a header and the fields of its clause's actions at fixed offsets:
 *	0  u64 timestamp of the firing (CLOCK_MONOTONIC, ns; one for all clauses of a firing)
 *	8  u32 epid
 *	12 u32 actions that were carried out, bit n = acts[n] (n < 32; a clause has at most 32 recording actions)
 *	16 fields
 * epid 0 is the error record (struct error_rec), made by the engine when an operation faults.
 *
 * Who owns what: the compile arena owns everything. Plain data; nothing can fail.
 */
#ifndef LANG_PROG_H
#define LANG_PROG_H

#include "ir/ir.h"
#include "ir/value.h"
#include "lang/ast.h"
#include "lang/format.h"

struct rec_hdr {
	uint64_t ts;
	uint32_t epid;
	uint32_t acts;
};

struct error_rec {
	struct rec_hdr hdr;	/* epid = 0 */
	uint32_t epid;		/* whose clause */
	uint32_t action;	/* 0 = predicate */
	uint32_t kind;		/* enum ir_fault */
	uint32_t pad;
	uint64_t value;		/* the bad address, ... */
};

/* One recording action: what the consumer does when it meets the record. */
struct rec_act {
	enum action act;		/* ACT_NONE: the default action of a clause without a body */
	const struct fmt *fmt;		/* printf, printa(fmt, ...) */
	struct val_field *fields;	/* the values, in order of the arguments */
	unsigned nfields;
	const struct agg_desc **aggs;	/* printa, clear, trunc, normalize, denormalize */
	unsigned naggs;
	struct loc loc;
	unsigned action;		/* number in the clause, for messages */
};

/* One clause at one probe: an enabling. */
struct epid_desc {
	uint32_t epid;			/* 1.. */
	struct probe *probe;
	const struct clause *clause;
	struct rec_act *acts;
	unsigned nacts;
	uint32_t recobj;		/* its IR_O_REC object; 0xffffffff: the clause records nothing */
	uint32_t recsize;
};

/* One probe that is enabled: its function, and the second form if the provider wants one. */
struct enabled_probe {
	struct probe *probe;
	struct ir_func *func;
	struct ir_func *alt;		/* or NULL */
};

struct d_prog {
	struct arena *arena;
	struct script *script;
	struct ir_prog *ir;
	VEC(struct epid_desc) epids;	/* epids.v[i].epid == i + 1 */
	VEC(struct enabled_probe) probes;	/* in order of first mention; ERROR is not among them */
	struct ir_func *error;		/* or NULL: no ERROR clause */
	struct ir_func *vtime;		/* runs at every switch of threads, or NULL: no vtimestamp */
	uint32_t strsize;
	bool has_records;		/* some clause records: rings are needed */
	bool uses_exit;
	bool uses_wall;			/* GLOBAL object "wall_offset" (8 bytes) exists: walltime - monotonic, kept fresh by the engine */
};

#endif
