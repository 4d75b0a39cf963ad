/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The hierarchy of control groups that is meant: the one of version 2, or that of a controller of version 1.
 *
 * Ownership: plain data. Errors: functions return -errno with a sentence in reason[n].
 */
#ifndef ENGINE_CONTAINERS_HIERARCHY_H
#define ENGINE_CONTAINERS_HIERARCHY_H

#include <limits.h>
#include <stddef.h>
#include <stdint.h>

enum { HIERARCHY_NAME = 64, HIERARCHY_DEPTH = 64 };

struct cgroup_hierarchy {
	char controller[HIERARCHY_NAME];	/* "": version 2 */
	unsigned number;			/* as in /proc/self/cgroup; 0: version 2 */
	char mount[PATH_MAX];			/* its directory */
	char root[PATH_MAX];			/* the group that this directory shows: "/", or below it */
};

/* The control groups of a thread, from the root on. */
struct cgroup_chain {
	unsigned n;
	uint64_t id[HIERARCHY_DEPTH];
	char path[PATH_MAX];
};

/* Finds the hierarchy. wanted: "v2", a controller of version 1, or NULL: version 2 if it is mounted, otherwise that of
 * memory, pids, or the first one. proc: "/proc"; tests have a folder of their own. */
int cgroup_hierarchy_find(struct cgroup_hierarchy *out, const char *wanted, const char *proc, char *reason, size_t n);
/* The directory of the group with this path, in out[PATH_MAX]. Returns 0, or -ENOENT if it is outside of the mount. */
int cgroup_directory(const struct cgroup_hierarchy *h, const char *path, char *out);
/* Reads the chain of a thread from `proc`. Returns 0 or -errno. */
int cgroup_chain_read(const struct cgroup_hierarchy *h, const char *proc, uint64_t pid, uint64_t tid,
		      struct cgroup_chain *out);

#endif
