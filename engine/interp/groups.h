/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Control groups of threads for the rootless engine, read from /proc when they are needed. A thread that has ended is
 * in the group that was read last.
 *
 * Ownership: the arena owns everything. Errors: what cannot be read is unknown.
 */
#ifndef ENGINE_INTERP_GROUPS_H
#define ENGINE_INTERP_GROUPS_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/run/backend.h"

struct arena;
struct groups;

/* Numbers of control groups, from the root on. n 0: unknown. */
struct group_chain {
	unsigned n;
	const uint64_t *id;
};

/* hierarchy: as for cgroup_hierarchy_find. */
struct groups *groups_open(struct arena *a, const char *hierarchy);
/* The result lives as long as the arena. */
struct group_chain groups_read(struct groups *g, uint64_t pid, uint64_t tid);
/* A thread was created: what is known of an earlier one with this ID is discarded. */
void groups_forget(struct groups *g, uint64_t tid);
/* Takes a group that was not seen before, after the one above it. Returns false if there is none. */
bool groups_created(struct groups *g, struct backend_cgroup *out);

#endif
