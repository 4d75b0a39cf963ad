/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A small world for compiled D programs: the real stages compile D text, the interpreter runs its functions, and tests
 * can read the results (records, variables, aggregations, faults).
 *
 * Who owns what: the world owns everything; dworld_close frees it.
 * What can fail: compiling; dworld_open then leaves prog NULL and the diagnostics.
 */
#ifndef TESTS_LIB_DWORLD_H
#define TESTS_LIB_DWORLD_H

#include "ir/interp.h"
#include "lang/compile.h"

enum { DW_FRAMES = 8, DW_KMEM = 65536, DW_CONST = 0xa5 };

struct dw_cell {
	struct dw_cell *next;
	uint32_t obj;
	uint8_t *key;
	uint64_t *value;
};

struct dw_rec {
	uint32_t size;
	const uint8_t *data;
};

struct dw_fault {
	uint32_t epid, action;
	enum ir_fault kind;
	uint64_t value;
};

struct dworld {
	struct arena arena;
	struct diags diags;
	struct probe_set probes;
	struct compiler c;
	struct d_prog *prog;
	void **mem;			/* by object */
	struct dw_cell *cells;		/* of arrays, thread variables, aggregations */
	bool full;			/* no cell can be made */
	VEC(struct dw_rec) recs;
	VEC(struct dw_fault) faults;
	uint64_t drops[IR_NDROPS];
	bool exited;
	int64_t status;
	unsigned clocks;		/* how often the clock was read */
	unsigned kreads;
	/* results of the intrinsics */
	uint64_t ureg[8];
	uint64_t clock, pidtgid, uidgid, cpu, task, stackdepth, callerpc, ustackdepth, state, random, jiffies;
	uint64_t ctx[64];
	uint64_t stack[2][DW_FRAMES];	/* of the kernel, of the process */
	char comm[16];
	uint8_t kmem[DW_KMEM];		/* kernel memory at IR_SEED_KBASE */
};

/* Compiles; opts may be NULL. Memory of scratch objects starts as garbage. */
void dworld_open(struct dworld *w, const char *text, const struct d_options *opts, bool optimise);
/* The same for a text that must compile (else prints and aborts); process 4711, thread 4712 is gzip. */
void dworld_open_ok(struct dworld *w, const char *text, bool optimise);
void dworld_close(struct dworld *w);
/* Calls fn in a fresh world with and in one without the optimiser. */
void dworld_each(const char *text, void (*fn)(struct dworld *w));
/* Runs the function of the probe with this name ("BEGIN", "profile-97"),
 * in the state it wants unless `state` is set. */
void dworld_fire(struct dworld *w, const char *probe);
/* Returns an aggregation of the script; one that does not exist ends the test. */
const struct agg_desc *dworld_agg(const struct dworld *w, const char *name);
/* Runs what runs at a switch to the thread whose structure is at `next` (0: when tracing begins). Only with
 * vtimestamp. */
void dworld_switch(struct dworld *w, uint64_t next);
/* The cell of an object (by name) under a key, or NULL. */
uint64_t *dworld_cell(struct dworld *w, const char *obj, const void *key);
unsigned dworld_ncells(const struct dworld *w, const char *obj);
/* The integer that field `field` of action `act` has in record r. */
int64_t dworld_int(const struct dworld *w, size_t rec, unsigned act, unsigned field);
const char *dworld_str(const struct dworld *w, size_t rec, unsigned act, unsigned field);
/* All diagnostics as one text. */
const char *dworld_errors(struct dworld *w);

#endif
