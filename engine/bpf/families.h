/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The programs that maintain the table of families (providers/family.h, rt/programs/process.c). They run at two raw
 * tracepoints:
 *
 *	sched_process_fork	a process of a family has created another one, which has not run yet and joins it
 *	sched_process_exit	the last thread of a process ends: it leaves its family
 *
 * Ownership: the caller owns the descriptors. Errors: families_open returns -errno.
 */
#ifndef ENGINE_BPF_FAMILIES_H
#define ENGINE_BPF_FAMILIES_H

#include <stdbool.h>
#include <stdint.h>

struct arena;
struct bpf_loaded;
struct bpf_params;
struct d_prog;
struct program_symbols;

enum { FAMILIES_FDS = 4 };

/* Where the table is. */
struct families {
	int data;			/* descriptor of the data map */
	uint32_t off;			/* in it */
	const struct d_prog *prog;
	const struct bpf_params *par;
};

/* Returns false if the session has no families. */
bool families_find(struct families *f, const struct d_prog *prog, const struct bpf_loaded *l);
/* Loads and attaches the programs, and stores *n descriptors in fd, also if it fails. Returns 0 or -errno. */
int families_open(const struct families *f, struct arena *a, int fd[FAMILIES_FDS], unsigned *n);
/* Adds what programs that use the table need: the map `families`, and offsets in the kernel's structures. */
void families_symbols(const struct families *f, struct program_symbols *s);

#endif
