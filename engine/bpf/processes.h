/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Reports when a process has executed another program, or its dynamic linker has loaded or removed files. A process can
 * be held then (SIGSTOP), until the caller has seen to it and sends SIGCONT.
 *
 * Ownership: the struct owns its descriptors until processes_close (idempotent; a zeroed one is closed).
 * Errors: functions return -errno with a sentence in reason[n].
 */
#ifndef ENGINE_BPF_PROCESSES_H
#define ENGINE_BPF_PROCESSES_H

#include "base/arena.h"
#include "engine/bpf/families.h"
#include "engine/bpf/load/reader.h"
#include "engine/run/backend.h"
#include "providers/uprobe.h"

struct bpf_loaded;
struct d_prog;

struct processes {
	struct arena *arena;
	const struct d_prog *prog;
	const struct bpf_loaded *loaded;
	struct families families;
	bool maintained;		/* the table of families is */
	struct ring_reader reader;
	int ring;			/* the map, which is readable when there are reports */
	VEC(int) fds;			/* programs and links */
	struct links linkers;
	VEC(int64_t) changed;		/* processes of reports that were not taken yet */
};

/* Call it first. `l` must outlive *p. */
void processes_init(struct processes *p, struct arena *a, const struct d_prog *prog, const struct bpf_loaded *l);
/* Begins to watch a process for executed programs. */
int processes_watch(struct processes *p, const struct backend_watched *w, char *reason, size_t n);
/* Begins to watch its dynamic linker, too. */
int processes_linker(struct processes *p, const struct backend_watched *w, const struct backend_linker *l,
		     char *reason, size_t n);
/* Takes a report. Returns false if there is none. */
bool processes_changed(struct processes *p, int64_t *pid);
void processes_close(struct processes *p);

#endif
