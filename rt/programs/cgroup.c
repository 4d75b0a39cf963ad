/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The program at new control groups (engine/bpf/cgroup_events.h). */
#include "rt/programs/cgroup.h"
#include "rt/programs/kernel.h"

extern char map_created;

/* Offsets in struct cgroup, cgroup_root, kernfs_node. */
NUMBER(cgroup_kn);
NUMBER(cgroup_level);
NUMBER(cgroup_root);
NUMBER(cgroup_ancestors);
NUMBER(root_hierarchy);
NUMBER(kn_id);
NUMBER(kn_name);

static inline uint64_t group_id(uint64_t group)
{
	return kernel_u64(kernel_u64(group + K(cgroup_kn)) + K(kn_id));
}

/* At cgroup_mkdir and cgroup_rename. The group above is ancestors[level - 1]. */
int program_cgroup(const uint64_t *ctx)
{
	struct cgroup_report *r = bpf_ringbuf_reserve(&map_created, sizeof *r, 0);
	uint64_t group = ctx[0], level;

	if (!r)
		return 0;
	level = kernel_u32(group + K(cgroup_level));
	r->id = group_id(group);
	r->parent = group_id(kernel_u64(group + K(cgroup_ancestors) + (level - 1) * sizeof(uint64_t)));
	r->hierarchy = kernel_u32(kernel_u64(group + K(cgroup_root)) + K(root_hierarchy));
	bpf_probe_read_kernel_str(r->name, sizeof r->name,
				  (const void *)kernel_u64(kernel_u64(group + K(cgroup_kn)) + K(kn_name)));
	bpf_ringbuf_submit(r, FORCE_WAKEUP);
	return 0;
}
