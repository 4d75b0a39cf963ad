/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the program at new control groups reports (engine/bpf/cgroup_events.h). Ownership: none. Errors: none. */
#ifndef RT_PROGRAMS_CGROUP_H
#define RT_PROGRAMS_CGROUP_H

#include <stdint.h>

enum { CGROUP_NAME = 256 };

struct cgroup_report {
	uint64_t id, parent;		/* inode numbers of its directory, and of the one above */
	uint64_t hierarchy;		/* its number */
	char name[CGROUP_NAME];		/* last part of its path */
};

#endif
