/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/bpf/owners.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "engine/bpf/bpf.h"
#include "engine/bpf/load.h"
#include "engine/host/refusal.h"
#include "lang/prog.h"

enum { CODE_MAX = 512 };

static int owners_failed(char *reason, size_t n, int err, const char *what)
{
	refusal_bpf(reason, n, err, what);
	return err;
}

/* Loads and attaches a program. Returns 0 or -errno. */
static int prog_attach(struct owners *o, enum owners_prog which, struct arena *a, char *reason, size_t n)
{
	static const struct { const char *name, *to; } progs[] = {
		[OWNERS_EXEC] = { "dtr_owner_exec", "sched_process_exec" },
		[OWNERS_MAP] = { "dtr_owner_map", "mmap_lock_released" },
		[OWNERS_EXIT] = { "dtr_owner_exit", "sched_process_exit" },
		[OWNERS_LEADER] = { "dtr_owner_exit", "sched_process_exit" },
	};
	struct bpf_insn code[CODE_MAX];
	unsigned len = owners_code(&o->layout, which, a, code, CODE_MAX);

	o->prog[which] = bpf_prog_load(BPF_PROG_TYPE_RAW_TRACEPOINT, progs[which].name, "GPL", code, len, NULL);
	if (o->prog[which] < 0)
		return owners_failed(reason, n, -errno, "loading a program");
	o->link[which] = bpf_raw_tracepoint_open(progs[which].to, o->prog[which]);
	if (o->link[which] >= 0)
		return 0;
	if (errno == ENOENT)
		snprintf(reason, n, "the kernel has no tracepoint %s", progs[which].to);
	return errno == ENOENT ? -ENOENT : owners_failed(reason, n, -errno, "attaching a program");
}

int owners_open(struct owners *o, const struct bpf_loaded *l, const struct d_prog *prog, char *reason, size_t n)
{
	const struct bpf_params *par = &l->im->par;
	struct arena *a = l->im->arena;
	uint32_t ring = l->im->map_of[BPF_MAP_UNWIND_RING];
	int err = 0;

	*o = (struct owners){ .open = true };
	memset(o->prog, 0xff, sizeof o->prog);
	memset(o->link, 0xff, sizeof o->link);
	o->layout = (struct owners_layout){
		.data = l->mapfd[l->im->map_of[BPF_MAP_DATA]], .table = l->im->place[prog->owners].off,
		.begun = clock_now(),
		.pidns_dev = par->pidns_dev, .pidns_ino = par->pidns_ino,
		.target = ring == UINT32_MAX ? -1 : prog->target, .ring = ring == UINT32_MAX ? -1 : l->mapfd[ring],
	};
	o->layout.mem = bpf_map_create(BPF_MAP_TYPE_ARRAY, "dtr_owners", 4, sizeof(struct owners_memory), 1, NULL);
	if (o->layout.mem < 0)
		err = owners_failed(reason, n, -errno, "creating a map");
	for (int i = OWNERS_EXEC; !err && i <= OWNERS_EXIT; i++)
		err = prog_attach(o, (enum owners_prog)i, a, reason, n);
	/* the kernel refuses a program that reads more arguments than the tracepoint has */
	if (err == -EINVAL && o->prog[OWNERS_EXIT] >= 0)
		err = prog_attach(o, OWNERS_LEADER, a, reason, n);
	if (err)
		owners_close(o);
	return err;
}

uint64_t owners_missed(const struct owners *o)
{
	uint64_t sum = 0;

	for (int i = 0; o->open && i < OWNERS_NPROGS; i++) {
		struct bpf_prog_info info = { 0 };
		uint32_t len = sizeof info;

		if (o->link[i] >= 0 && !bpf_obj_get_info_by_fd(o->prog[i], &info, &len))
			sum += info.recursion_misses;
	}
	return sum;
}

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

void owners_close(struct owners *o)
{
	if (!o->open)
		return;
	for (int i = 0; i < OWNERS_NPROGS; i++) {
		close_fd(&o->link[i]);
		close_fd(&o->prog[i]);
	}
	close_fd(&o->layout.mem);
	o->open = false;
}
