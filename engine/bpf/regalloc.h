/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Where each virtual register lives: in a BPF register or in a spill slot on the stack.
 *
 * Every branch goes forward, so a register is live at most from its first to its last mention in program order:
 * one interval each, made by one walk over the function (live.c), and a linear scan over them (regalloc.c).
 * R0 and R5 are never given out (isel's scratch), R1-R4 only to intervals that no helper call falls into.
 *
 * Who owns what: the arena owns everything. What can fail: nothing; the caller bounds the spill slots.
 */
#ifndef ENGINE_BPF_REGALLOC_H
#define ENGINE_BPF_REGALLOC_H

#include "base/arena.h"
#include "ir/ir.h"

/* Registers that the function does not know of, numbered behind its own. */
enum { XR_CTX = 1, XR_SCRATCH, XR_CPU, XR_PARAM, XR_LAST = XR_PARAM + 3, XR_COUNT = XR_LAST };

/*
 * The error function is entered with R2 the epid, R3 the action and the kind of the fault in one word, R4 the illegal value, R5
 * the firing's time (R1: the frame of who called it). Which of the four has parameter i.
 */
static inline unsigned param_reg(int64_t i)
{
	return i < 2 ? (unsigned)i : (unsigned)i - 1;
}

#define PARAM_WHAT(action, kind) ((int64_t)((uint64_t)(action) << 8 | (uint64_t)(kind)))

struct interval {
	uint32_t start, end;	/* first and last position that mentions it; end 0 = never mentioned */
	uint32_t read;		/* last position that reads it */
	ir_reg hint;		/* a register whose place would save a move, 0 = none */
	bool pointer;		/* some write makes it a cell's address */
	bool crosses;		/* a helper call lies between */
	int8_t reg;		/* -1 = spilled */
	uint32_t slot;		/* spilled: which slot of 8 bytes */
};

/* Positions: 0 the entry, 1 the prologue (a helper call where scratch is claimed), 2.. the operations in order. */
enum { POS_ENTRY, POS_PROLOGUE, POS_FIRST };

struct regalloc {
	struct interval *v;	/* [1..n] */
	uint32_t n;
	uint32_t nslots;	/* spill slots in use */
};

/* What an operation does to the registers, apart from what its operands tell. */
enum {
	OPF_CALL = 1,		/* R1-R4 are lost */
	OPF_LATE = 2,		/* its operands are needed behind a first call too */
	OPF_CTX = 4,		/* reads the context */
};

struct live_env {
	/* OPF_* of an operation. */
	unsigned (*flags)(void *arg, const struct ir_ins *ins);
	/* Does it touch an object that lies in a scratch slot? */
	bool (*scratch)(void *arg, const struct ir_ins *ins);
	void *arg;
	bool claims;		/* the function claims scratch: needed until the last return */
	bool cpu;		/* it keeps the number of its CPU all the time */
};

/* Fills in the intervals of f (blocks for which `reached` is false are left out). */
void live_scan(struct regalloc *ra, struct arena *a, const struct ir_func *f, const bool *reached,
	       const struct live_env *env);
/* Gives every interval its place. */
void regalloc_run(struct regalloc *ra, struct arena *a);
/* Where the stack has too few slots: numbers from `first` on, in slot[1..nregs], for the registers that are spilled
 * and can be stored in any memory; those that are not needed at the same time share one. Returns how many there are. */
uint32_t regalloc_memory(struct regalloc *ra, struct arena *a, uint32_t nregs, uint32_t first, uint32_t *slot);

/* Which blocks can be entered at all. */
bool *live_reach(struct arena *a, const struct ir_func *f);

#endif
