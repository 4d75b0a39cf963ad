/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Accounts of a run: those of engine/dtr.h, and those of user stacks.
 * Ownership: plain data; names belong to the session. Errors: none.
 */
#ifndef ENGINE_RUN_ACCOUNT_H
#define ENGINE_RUN_ACCOUNT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "engine/dtr.h"

/* After dtr_finish with -x maxcost: a probe of whose firings some did not run. */
struct dtr_thinned {
	const char *probe;
	uint64_t run;			/* firings that ran although others did not: */
	uint64_t firings;		/* an estimate of all firings in that time, the sum of each one's N */
	uint64_t squares;		/* the sum of N * N */
	uint64_t most;			/* the largest N: one of N firings ran */
	uint64_t slower;		/* the largest part of N by which its clock was made slower; 1: it was not */
	uint64_t interval;		/* of its clock before that, ns */
};

/* The standard error of dtr_thinned.firings: a firing runs with probability 1/N and then counts N, a variance of
 * N - 1 for each firing, of which N * (N - 1) for each that ran is an unbiased estimate (Horvitz and Thompson). */
double thinned_error(const struct dtr_thinned *t);

/* Why user stacks lack frames. */
enum dtr_stack_loss {
	DTR_STACK_BROKEN,		/* code without usable tables, or inconsistent data */
	DTR_STACK_INVALID,		/* a return address that is none */
	DTR_STACK_UNREADABLE,
	DTR_STACK_LONG,			/* longer than what is copied */
	DTR_STACK_MANY,			/* more than could be handed over to this process */
	DTR_STACK_NESTED,		/* the CPU was walking other stacks */
	DTR_STACK_ELSEWHERE,		/* memory that is not copied: on another stack, or below the stack pointer */
	DTR_STACK_DROPPED,		/* unwound, but not shown before others needed its memory */
	DTR_NSTACK_LOSSES
};

/* After dtr_finish with -x ledger: user stacks that clauses recorded. */
struct dtr_stacks {
	uint64_t all;
	uint64_t walked;		/* of these, by the programs in the kernel */
	uint64_t unwound;		/* of these, in this process */
	uint64_t lacking[DTR_NSTACK_LOSSES];	/* of all: without some frames */
};

/* The word for a cause in JSON. */
const char *stack_loss_name(enum dtr_stack_loss cause);
/* The sum of the causes. */
uint64_t stacks_lacking(const struct dtr_stacks *n);
/* Appends the causes that occurred, with their numbers. */
void stacks_text(const struct dtr_stacks *n, struct buf *out);

#endif
