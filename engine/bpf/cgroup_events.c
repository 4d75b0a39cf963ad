/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/bpf/cgroup_events.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "engine/bpf/asm.h"
#include "engine/host/refusal.h"
#include "lang/prog.h"

enum { RING_SIZE = 256 * 1024, SLOT = -8, LEVEL = -16, POINTER = 8 };

/* R6: the group; R7: the report. */
struct event_code {
	struct asm_buf a;
	const struct cgroup_uses *uses;
};

/* The word at R1 + off is copied to the stack, and R0 = it. `size` bytes, zero-extended. */
static void emit_read(struct event_code *c, uint32_t off, int32_t size)
{
	asm_sti(&c->a, BPF_DW, FP, SLOT, 0);
	asm_mov(&c->a, R3, R1);
	asm_alui(&c->a, BPF_ADD, R3, (int32_t)off);
	asm_mov(&c->a, R1, FP);
	asm_alui(&c->a, BPF_ADD, R1, SLOT);
	asm_movi(&c->a, R2, size);
	asm_call(&c->a, BPF_FUNC_probe_read_kernel);
	asm_ld(&c->a, BPF_DW, R0, FP, SLOT);
}

/* R0 = the number of the group at R1. */
static void emit_id(struct event_code *c)
{
	emit_read(c, c->uses->kn, POINTER);
	asm_mov(&c->a, R1, R0);
	emit_read(c, c->uses->kn_id, POINTER);
}

static void emit_store(struct event_code *c, size_t member)
{
	asm_st(&c->a, BPF_DW, R7, (int16_t)member, R0);
}

/* The number of the group above: ancestors[level - 1]. */
static void emit_parent(struct event_code *c)
{
	asm_mov(&c->a, R1, R6);
	emit_read(c, c->uses->level, sizeof(int32_t));
	asm_alui(&c->a, BPF_SUB, R0, 1);
	asm_alui(&c->a, BPF_MUL, R0, POINTER);
	asm_mov(&c->a, R1, R6);
	asm_alu(&c->a, BPF_ADD, R1, R0);
	emit_read(c, c->uses->ancestors, POINTER);
	asm_mov(&c->a, R1, R0);
	emit_id(c);
	emit_store(c, offsetof(struct backend_cgroup, parent));
}

static void emit_name(struct event_code *c)
{
	asm_mov(&c->a, R1, R6);
	emit_read(c, c->uses->kn, POINTER);
	asm_mov(&c->a, R1, R0);
	emit_read(c, c->uses->kn_name, POINTER);
	asm_mov(&c->a, R3, R0);
	asm_mov(&c->a, R1, R7);
	asm_alui(&c->a, BPF_ADD, R1, (int32_t)offsetof(struct backend_cgroup, name));
	asm_movi(&c->a, R2, sizeof((struct backend_cgroup *)0)->name);
	asm_call(&c->a, BPF_FUNC_probe_read_kernel_str);
}

/* Loads the program and attaches it to both tracepoints. Returns 0 or -errno. */
static int attach_program(struct cgroup_events *e, const struct cgroup_uses *uses)
{
	static const char *const points[] = { "cgroup_mkdir", "cgroup_rename" };
	struct event_code c = { .uses = uses };
	uint32_t out;
	int fd;

	asm_init(&c.a, e->arena);
	out = asm_label(&c.a);
	asm_ld(&c.a, BPF_DW, R6, R1, 0);
	asm_fd(&c.a, R1, e->ring);
	asm_movi(&c.a, R2, sizeof(struct backend_cgroup));
	asm_movi(&c.a, R3, 0);
	asm_call(&c.a, BPF_FUNC_ringbuf_reserve);
	asm_jcci(&c.a, BPF_JEQ, R0, 0, out);
	asm_mov(&c.a, R7, R0);
	asm_mov(&c.a, R1, R6);
	emit_id(&c);
	emit_store(&c, offsetof(struct backend_cgroup, id));
	asm_mov(&c.a, R1, R6);
	emit_read(&c, uses->root, POINTER);
	asm_mov(&c.a, R1, R0);
	emit_read(&c, uses->hierarchy, sizeof(int32_t));
	emit_store(&c, offsetof(struct backend_cgroup, hierarchy));
	emit_parent(&c);
	emit_name(&c);
	asm_mov(&c.a, R1, R7);
	asm_movi(&c.a, R2, BPF_RB_FORCE_WAKEUP);
	asm_call(&c.a, BPF_FUNC_ringbuf_submit);
	asm_bind(&c.a, out);
	asm_movi(&c.a, R0, 0);
	asm_exit(&c.a);
	if (!asm_finish(&c.a))
		return -E2BIG;
	fd = bpf_prog_load(BPF_PROG_TYPE_RAW_TRACEPOINT, "dtr_cgroup", "GPL", c.a.code.v, c.a.code.n, NULL);
	if (fd < 0)
		return -errno;
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
	e->ring = bpf_map_create(BPF_MAP_TYPE_RINGBUF, "dtr_cgroups", 0, 0, RING_SIZE, NULL);
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
