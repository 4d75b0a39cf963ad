/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The programs that keep the table of owners (val_owner, d_prog.owners), for sessions whose keys have addresses of
 * processes. They run at three raw tracepoints:
 *
 *	sched_process_exec	a process executes a program
 *	sched_process_exit	a process ends: the next one with its ID is another one
 *	mmap_lock_released	a system call of the process has mapped memory to be executed, or made it executable.
 *				Nothing can run there before the lock is released
 *
 * A word of the table only grows, so that two CPUs that write it do not undo each other. Memory without a file that is
 * made executable again and again, as compilers at run time do, counts the first time only: it has no names anyway.
 *
 * Who owns what: owners_close gives everything back (idempotent; zeroed is closed).
 * What can fail: opening, where the kernel lacks something: -errno and a sentence in `why`. The table stays empty then.
 */
#ifndef ENGINE_BPF_OWNERS_H
#define ENGINE_BPF_OWNERS_H

#include "engine/bpf/bpf.h"

/* The memory that the programs use. Its words are hints: one that is overwritten makes an owner change once more. */
enum { OWNERS_FILES = 4096, OWNERS_RANGES = 4096 };	/* powers of two */
struct owners_memory {
	uint64_t files[OWNERS_FILES];		/* by process: its owner when a file was last mapped to be executed */
	/* memory without a file: which, and the process's word above */
	struct { uint64_t range, files; } ranges[OWNERS_RANGES];
};

/* What the programs are made for. */
struct owners_layout {
	int data, mem;			/* descriptors: the session's data map, the memory */
	uint32_t table;			/* place of the table in the data map */
	uint64_t begun;			/* CLOCK_MONOTONIC, ns */
	uint64_t pidns_dev, pidns_ino;	/* see bpf_params */
};

/* OWNERS_EXIT: kernels tell whether it is the process's last thread. OWNERS_LEADER: others (up to 6.15) run this
 * instead; the process has ended when its first thread has. */
enum owners_prog { OWNERS_EXEC, OWNERS_MAP, OWNERS_EXIT, OWNERS_LEADER, OWNERS_NPROGS };
struct arena;
/* owners_code.c. Returns the number of instructions, at most `max`. */
unsigned owners_code(const struct owners_layout *l, enum owners_prog p, struct arena *a, struct bpf_insn *out,
		     unsigned max);

struct owners {
	bool open;
	struct owners_layout layout;
	int prog[OWNERS_NPROGS], link[OWNERS_NPROGS];	/* descriptors, -1 = none */
};

/* obj: the table. */
int owners_open(struct owners *o, const struct bpf_loaded *l, uint32_t obj, char *why, size_t n);
/* Changes that were missed because the program was running on that CPU. */
uint64_t owners_missed(const struct owners *o);
void owners_close(struct owners *o);

#endif
