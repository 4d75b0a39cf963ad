/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The programs that follow threads with variables: the one that frees elements of arrays (ended.h), and two for those
 * whose variables are in a table (vars.h), at raw tracepoints:
 *
 *	sched_process_free	the kernel frees a task: its row is freed
 *	sched_process_exec	if not the first thread of a process executes a program, it takes over that one's ID and
 *				start time, but keeps its variables: its row gets the new start time
 *
 * On Linux 6.18, under load, about one in ten thousand tasks was freed without passing the tracepoint; such a row stays
 * until a new thread has the same task.
 *
 * Ownership: threads_close releases everything (idempotent; zeroed is closed).
 */
#ifndef ENGINE_BPF_THREADS_H
#define ENGINE_BPF_THREADS_H

#include <stdbool.h>

struct bpf_loaded;

enum { THREADS_FREE, THREADS_EXEC, THREADS_NPROGS };

struct bpf_threads {
	bool open;
	int end;		/* descriptor of the attachment of d_prog.thread_end, -1 = none */
	int prog[THREADS_NPROGS], link[THREADS_NPROGS];		/* descriptors, -1 = none */
};

/* Loads and attaches the programs that the session needs. If this fails, marks the table as full, so that all threads
 * use the map. end: descriptor of d_prog.thread_end; negative: there is none. Call it before any probe fires. */
void threads_open(struct bpf_threads *t, const struct bpf_loaded *l, int end);
void threads_close(struct bpf_threads *t);

#endif
