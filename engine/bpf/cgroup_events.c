/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/bpf/cgroup_events.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "engine/bpf/load/program.h"
#include "engine/host/create.h"
#include "engine/host/refusal.h"
#include "lang/prog.h"
#include "rt/programs/cgroup.h"

enum { RING_SIZE = 256 * 1024 };

_Static_assert(sizeof(struct backend_cgroup) == sizeof(struct cgroup_report) &&
	       offsetof(struct backend_cgroup, parent) == offsetof(struct cgroup_report, parent) &&
	       offsetof(struct backend_cgroup, hierarchy) == offsetof(struct cgroup_report, hierarchy) &&
	       offsetof(struct backend_cgroup, name) == offsetof(struct cgroup_report, name),
	       "the program reports a struct backend_cgroup");

static void add_symbols(struct program_symbols *s, const struct cgroup_events *e, const struct cgroup_uses *uses)
{
	program_map(s, "created", e->ring);
	program_number(s, "cgroup_kn", uses->kn);
	program_number(s, "cgroup_level", uses->level);
	program_number(s, "cgroup_root", uses->root);
	program_number(s, "cgroup_ancestors", uses->ancestors);
	program_number(s, "root_hierarchy", uses->hierarchy);
	program_number(s, "kn_id", uses->kn_id);
	program_number(s, "kn_name", uses->kn_name);
}

/* Loads the program and attaches it to both tracepoints. Returns 0 or -errno. */
static int attach_program(struct cgroup_events *e, const struct cgroup_uses *uses)
{
	static const struct kernel_program prog = { .function = "cgroup", .name = "dtr_cgroup" };
	static const char *const points[] = { "cgroup_mkdir", "cgroup_rename" };
	struct program_symbols symbols = { .arena = e->arena };
	int fd;

	add_symbols(&symbols, e, uses);
	fd = program_load(&prog, &symbols);
	if (fd < 0)
		return fd;
	*VEC_ADD(e->arena, &e->fds) = fd;
	for (size_t i = 0; i < sizeof points / sizeof *points; i++) {
		int link = bpf_raw_tracepoint_open(points[i], fd);

		if (link < 0)
			return -errno;
		*VEC_ADD(e->arena, &e->fds) = link;
	}
	return 0;
}

int cgroup_events_open(struct cgroup_events *e, struct arena *a, const struct cgroup_uses *uses, char *reason,
		       size_t n)
{
	const bool known = uses->kn && uses->kn_id && uses->kn_name && uses->level && uses->ancestors &&
			   uses->hierarchy;
	int err;

	*e = (struct cgroup_events){ .arena = a };
	if (!known) {
		snprintf(reason, n, "the kernel's types do not describe control groups");
		return -ENOENT;
	}
	e->ring = create_map(BPF_MAP_TYPE_RINGBUF, "dtr_cgroups", 0, 0, RING_SIZE, NULL);
	err = e->ring < 0 ? -errno : reader_open(&e->reader, e->ring);
	if (e->ring >= 0)
		*VEC_ADD(a, &e->fds) = e->ring;
	if (!err)
		err = attach_program(e, uses);
	if (err) {
		refusal_bpf(reason, n, err, "watching control groups");
		cgroup_events_close(e);
	}
	return err;
}

static void on_created(void *arg, const void *data, size_t size)
{
	struct cgroup_events *e = arg;
	struct backend_cgroup *c;

	if (size < sizeof *c)
		return;
	c = VEC_ADD(e->arena, &e->created);
	memcpy(c, data, sizeof *c);
	c->name[sizeof c->name - 1] = '\0';
}

bool cgroup_events_next(struct cgroup_events *e, struct backend_cgroup *out)
{
	if (e->taken == e->created.n) {
		e->taken = e->created.n = 0;
		if (e->reader.taken)
			reader_take(&e->reader, on_created, e);
	}
	if (e->taken == e->created.n)
		return false;
	*out = e->created.v[e->taken++];
	return true;
}

void cgroup_events_close(struct cgroup_events *e)
{
	reader_close(&e->reader);
	for (size_t i = 0; i < e->fds.n; i++)
		close(e->fds.v[i]);
	*e = (struct cgroup_events){ 0 };
}
