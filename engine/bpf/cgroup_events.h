/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Reports control groups that are created or renamed while a script runs, so that those that end before their names are
 * needed have names, too. Two small programs at the kernel's tracepoints; only scripts that use control groups have
 * them.
 *
 * Ownership: the struct owns its descriptors until cgroup_events_close (idempotent; a zeroed one is closed).
 * Errors: cgroup_events_open returns -errno with a sentence in reason[n].
 */
#ifndef ENGINE_BPF_CGROUP_EVENTS_H
#define ENGINE_BPF_CGROUP_EVENTS_H

#include "base/arena.h"
#include "engine/bpf/load/reader.h"
#include "engine/run/backend.h"

struct cgroup_uses;

struct cgroup_events {
	struct arena *arena;
	struct ring_reader reader;
	int ring;			/* the map, which is readable when there are reports */
	VEC(int) fds;
	VEC(struct backend_cgroup) created;	/* reports that were not taken yet */
	size_t taken;
};

int cgroup_events_open(struct cgroup_events *e, struct arena *a, const struct cgroup_uses *uses, char *reason,
		       size_t n);
/* Takes a report. Returns false if there is none. */
bool cgroup_events_next(struct cgroup_events *e, struct backend_cgroup *out);
void cgroup_events_close(struct cgroup_events *e);

#endif
