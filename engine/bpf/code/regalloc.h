/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Register allocation: assigns each virtual register to a BPF register or to a spill slot on the stack.
 *
 * Every branch goes forward, so a register is live at most from its first to its last mention in program order. One
 * pass over the function computes the interval of each register (live.c), and a linear scan (Poletto and Sarkar, 1999)
 * assigns places (regalloc.c). R0 and R5 are never assigned (isel's scratch), R1-R4 only to intervals that contain no
 * helper call.
 *
 * Ownership: the arena owns everything. Errors: none; the caller bounds the spill slots.
 */
#ifndef ENGINE_BPF_CODE_REGALLOC_H
#define ENGINE_BPF_CODE_REGALLOC_H

#include "base/arena.h"
#include "ir/ir.h"

/* Registers that the code generator adds, numbered after those of the function. */
enum { XR_CTX = 1, XR_SCRATCH, XR_CPU, XR_PARAM, XR_LAST = XR_PARAM + 3, XR_COUNT = XR_LAST };

/*
 * The arguments of the error function: R1 the caller's frame, R2 the epid, R3 the action and the kind of the fault in
 * one word, R4 the illegal value, R5 the time of the firing. Returns which of the last four is parameter i (0 = R2).
 */
static inline unsigned param_reg(int64_t i)
{
	return i < 2 ? (unsigned)i : (unsigned)i - 1;
}

/* A turn of a function (struct ir_func.turns) has its number where the error function has parameter 0. */
enum { XR_TURN = XR_PARAM };

#define PARAM_WHAT(action, kind) ((int64_t)((uint64_t)(action) << 8 | (uint64_t)(kind)))

struct interval {
	uint32_t start, end;	/* first and last position that mentions it; end 0 = never mentioned */
	uint32_t read;		/* last position that reads it */
	ir_reg hint;		/* sharing this register's place saves a move; 0 = none */
	bool pointer;		/* holds the address of a cell at some point */
	bool crosses;		/* contains a helper call */
	int8_t reg;		/* -1 = spilled */
	uint32_t slot;		/* if spilled: number of the 8-byte slot */
};

/* Positions: 0 is the entry, 1 the prologue (a helper call if scratch is claimed), 2.. the operations in order. */
enum { POS_ENTRY, POS_PROLOGUE, POS_FIRST };

struct regalloc {
	struct interval *v;	/* [1..n] */
	uint32_t n;
	uint32_t nslots;	/* spill slots in use */
};

/* Effects of an operation on registers that its operands do not show. */
enum {
	OPF_CALL = 1,		/* R1-R4 are lost */
	OPF_LATE = 2,		/* its operands are still needed after its first call */
	OPF_CTX = 4,		/* reads the context */
};

struct live_env {
	/* Returns the OPF_* of an operation. */
	unsigned (*flags)(void *arg, const struct ir_ins *ins);
	/* Returns true if it accesses an object in a scratch slot. */
	bool (*scratch)(void *arg, const struct ir_ins *ins);
	void *arg;
	bool claims;		/* the function claims scratch: XR_SCRATCH is live until the last return */
	bool cpu;		/* XR_CPU is live throughout */
	bool turns;		/* the function is called for each turn */
};

/* Computes the intervals of f, skipping blocks for which `reached` is false. */
void live_scan(struct regalloc *ra, struct arena *a, const struct ir_func *f, const bool *reached,
	       const struct live_env *env);
/* Assigns a place to every interval. */
void regalloc_run(struct regalloc *ra, struct arena *a);
/* For functions whose stack has too few spill slots. For each spilled register that may be kept in other memory,
 * slot[1..nregs] receives a number >= `first`. Registers that are not live at the same time share a number. Returns how
 * many numbers there are. */
uint32_t regalloc_memory(struct regalloc *ra, struct arena *a, uint32_t nregs, uint32_t first, uint32_t *slot);

/* Returns, by block, whether it is reachable. */
bool *live_reach(struct arena *a, const struct ir_func *f);

#endif
