/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The programs that maintain the table of owners (val_owner, d_prog.owners) for sessions whose keys contain addresses
 * of processes (rt/programs/owners.c). They run at three raw tracepoints:
 *
 *	sched_process_exec	a process executes a program
 *	sched_process_exit	a process ends: the next process with its ID is a different one
 *	mmap_lock_released	a system call of the process has mapped executable memory, or made memory
 *				executable; code there cannot run before the lock is released
 *
 * A word of the table only increases, so a CPU never undoes the change of another. Anonymous memory that is made
 * executable repeatedly, as JIT compilers do, counts only once: it has no symbols anyway.
 *
 * Ownership: owners_close releases everything (idempotent; zeroed is closed).
 * Errors: owners_open returns -errno and a sentence in `reason` if the kernel lacks something. Then the table stays
 * empty.
 */
#ifndef ENGINE_BPF_OWNERS_H
#define ENGINE_BPF_OWNERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct bpf_loaded;
struct d_prog;

/* OWNERS_EXIT is for kernels whose sched_process_exit has the argument group_dead. OWNERS_LEADER replaces it on older
 * kernels (up to 6.15); there, a process counts as ended when its first thread ends. */
enum owners_prog { OWNERS_EXEC, OWNERS_MAP, OWNERS_EXIT, OWNERS_LEADER, OWNERS_NPROGS };

struct owners {
	bool open;
	uint64_t begun;			/* start of the session: CLOCK_MONOTONIC, ns */
	int mem;			/* descriptor of the programs' memory, -1 = none */
	int prog[OWNERS_NPROGS], link[OWNERS_NPROGS];	/* descriptors, -1 = none */
};

/* Loads and attaches the programs. prog: it has a table of owners. Returns 0 or -errno. */
int owners_open(struct owners *o, const struct bpf_loaded *l, const struct d_prog *prog, char *reason, size_t n);
/* Number of changes that were lost because the program was already running on that CPU. */
uint64_t owners_missed(const struct owners *o);
void owners_close(struct owners *o);

#endif
