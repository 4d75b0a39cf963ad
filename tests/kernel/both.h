/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Runs one program in both engines: in the interpreter, and in the kernel with BPF_PROG_TEST_RUN. All results must be
 * equal: globals, records, faults, aggregations, arrays, thread variables, drops, the exit status.
 * The program has been through ir_seed() or reads nothing of the world.
 *
 * Who owns what: everything from both_open to both_close (idempotent).
 * What can fail: loading and running; `fail` names what went wrong or differs, and standard output gets the details.
 */
#ifndef TESTS_KERNEL_BOTH_H
#define TESTS_KERNEL_BOTH_H

#include "engine/bpf/code/bpf.h"
#include "engine/bpf/load/load.h"
#include "tests/ir/world.h"

/* The results of a run besides memory. */
struct both_result {
	struct buf records;	/* size, bytes; error records with ts = 0 */
	uint64_t drops[IR_NDROPS];
	bool exited;
	int64_t status;
	const struct ir_prog *prog;
};

/* One run of a function and its input. */
struct both_firing {
	const struct ir_func *func;
	struct ir_seed seed;
};

struct both {
	struct arena arena;
	struct diags diags;
	struct ir_prog *prog;		/* set by the caller */
	struct both_firing *firings;
	size_t nfirings;
	struct bpf_image im;
	struct bpf_loaded l;
	struct ir_test_world w;
	struct both_result want, got;
	uint64_t number;		/* names the program; odd ones are split into parts, every third is for many
					 * CPUs */
	bool quiet;			/* no details */
	const char *fail;		/* "verify", "load", "run", or the first thing that differs */
};

void both_open(struct both *t, uint64_t number);
void both_close(struct both *t);
/* Adds a firing; the caller fills in its seed. Valid until the next call. */
struct both_firing *both_fire(struct both *t, const struct ir_func *f);
/* Verifies, loads, runs, compares. The caller is bound to one CPU. *again: task storage had no room for a thread
 * variable, which is possible (Linux 6.1: 1 in 1,500), so the rest cannot be compared. There is no room on a CPU as
 * long as a thread that was interrupted in task storage waits for that CPU. */
bool both_run(struct both *t, bool *again);
/* To be called before each attempt: waits before all but the first one, longer each time; false after ten seconds. */
bool both_try(unsigned tries);
/* The diagnostics, as comments. */
void both_show(struct both *t);
/* The IR and the BPF program to standard error, if DIFF_DUMP is set. */
void both_dump(struct both *t);

#endif
