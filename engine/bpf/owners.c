/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/bpf/owners.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/arch/arch.h"
#include "base/clock.h"
#include "engine/bpf/code/bpf.h"
#include "engine/bpf/load/load.h"
#include "engine/bpf/load/program.h"
#include "engine/host/create.h"
#include "engine/host/refusal.h"
#include "ir/value.h"
#include "lang/prog.h"
#include "rt/programs/owners.h"

_Static_assert((int)OWNERS == PROG_OWNERS && (int)OWNER_PID_BITS == VAL_PID_BITS &&
	       (int)OWNER_TIME_UNIT == VAL_TIME_UNIT && (int)OWNER_TIME_BITS == VAL_TIME_BITS &&
	       OWNER_NEXT == VAL_OWNER_NEXT, "the programs write val_owner()");

static int owners_failed(char *reason, size_t n, int err, const char *what)
{
	refusal_bpf(reason, n, err, what);
	return err;
}

/* Loads and attaches a program. Returns 0 or -errno. */
static int prog_attach(struct owners *o, enum owners_prog which, struct program_symbols *s, char *reason, size_t n)
{
	static const struct { struct kernel_program prog; const char *to; } progs[] = {
		[OWNERS_EXEC] = { { .function = "owner_exec", .name = "dtr_owner_exec" }, "sched_process_exec" },
		[OWNERS_MAP] = { { .function = "owner_map", .name = "dtr_owner_map" }, "mmap_lock_released" },
		[OWNERS_EXIT] = { { .function = "owner_exit", .name = "dtr_owner_exit" }, "sched_process_exit" },
		[OWNERS_LEADER] = { { .function = "owner_leader", .name = "dtr_owner_exit" }, "sched_process_exit" },
	};

	o->prog[which] = program_load(&progs[which].prog, s);
	if (o->prog[which] < 0)
		return owners_failed(reason, n, o->prog[which], "loading a program");
	o->link[which] = bpf_raw_tracepoint_open(progs[which].to, o->prog[which]);
	if (o->link[which] >= 0)
		return 0;
	if (errno == ENOENT)
		snprintf(reason, n, "the kernel has no tracepoint %s", progs[which].to);
	return errno == ENOENT ? -ENOENT : owners_failed(reason, n, -errno, "attaching a program");
}

/* The calls that map memory. */
static void add_calls(struct program_symbols *s)
{
	static const uint64_t wide[] = ARCH_MAPS, narrow[] = ARCH_MAPS32;
	static const char *const names[][2] = {
		{ "wide_number", "narrow_number" }, { "wide_addr", "narrow_addr" }, { "wide_length", "narrow_length" },
		{ "wide_prot", "narrow_prot" }, { "wide_flags", "narrow_flags" }, { "wide_mmap", "narrow_mmap" },
		{ "wide_mprotect", "narrow_mprotect" }, { "wide_pkey_mprotect", "narrow_pkey_mprotect" },
	};

	program_number(s, "mode_reg", ARCH_MODE);
	program_number(s, "mode_mask", ARCH_MODE32_MASK);
	program_number(s, "mode", ARCH_MODE32);
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		program_number(s, names[i][0], wide[i]);
		program_number(s, names[i][1], narrow[i]);
	}
}

static void add_symbols(struct program_symbols *s, const struct owners *o, const struct bpf_loaded *l,
			const struct d_prog *prog)
{
	uint32_t ring = l->im->map_of[BPF_MAP_UNWIND_RING];

	program_common(s, &l->im->par);
	program_value(s, "owners_memory", o->mem, 0);
	program_value(s, "owners", l->mapfd[l->im->map_of[BPF_MAP_DATA]], l->im->place[prog->owners].off);
	program_map(s, "changes", ring == UINT32_MAX ? -1 : l->mapfd[ring]);
	program_number(s, "target", ring == UINT32_MAX || prog->target < 0 ? 0 : (uint64_t)prog->target);
	program_number(s, "begun", o->begun);
	add_calls(s);
}

int owners_open(struct owners *o, const struct bpf_loaded *l, const struct d_prog *prog, char *reason, size_t n)
{
	struct program_symbols symbols = { .arena = l->im->arena };
	int err = 0;

	*o = (struct owners){ .open = true, .begun = clock_now() };
	memset(o->prog, 0xff, sizeof o->prog);
	memset(o->link, 0xff, sizeof o->link);
	o->mem = create_map(BPF_MAP_TYPE_ARRAY, "dtr_owners", 4, sizeof(struct owners_memory), 1, NULL);
	if (o->mem < 0)
		err = owners_failed(reason, n, -errno, "creating a map");
	add_symbols(&symbols, o, l, prog);
	for (int i = OWNERS_EXEC; !err && i <= OWNERS_EXIT; i++)
		err = prog_attach(o, (enum owners_prog)i, &symbols, reason, n);
	/* the kernel refuses a program that reads more arguments than the tracepoint has */
	if (err == -EINVAL && o->prog[OWNERS_EXIT] >= 0)
		err = prog_attach(o, OWNERS_LEADER, &symbols, reason, n);
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
	close_fd(&o->mem);
	o->open = false;
}
