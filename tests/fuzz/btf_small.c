/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A small kernel: the types that share/prelude.d uses, and one of each other kind. */
#include <bpf/btf.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/fuzz/fuzz.h"

struct btf_field {
	const char *name;
	int type;
	uint32_t bitoff, bits;
};

static int add_struct(struct btf *b, const char *name, uint32_t size, const struct btf_field *f, size_t n)
{
	int id = btf__add_struct(b, name, size);

	for (size_t i = 0; i < n; i++)
		btf__add_field(b, f[i].name, f[i].type, f[i].bitoff, f[i].bits);
	return id;
}

#define STRUCT(b, name, size, ...) \
	add_struct(b, name, size, (const struct btf_field[]){ __VA_ARGS__ }, \
		   sizeof((const struct btf_field[]){ __VA_ARGS__ }) / sizeof(struct btf_field))

static int add_creds(struct btf *b, int u32)
{
	int kuid = btf__add_typedef(b, "kuid_t", STRUCT(b, NULL, 4, { "val", u32, 0, 0 }));

	return STRUCT(b, "cred", 16, { "uid", kuid, 0, 0 }, { "gid", kuid, 32, 0 }, { "euid", kuid, 64, 0 },
		      { "egid", kuid, 96, 0 });
}

static int add_signal(struct btf *b, int i32)
{
	int upid = STRUCT(b, "upid", 16, { "nr", i32, 0, 0 });
	int pid = STRUCT(b, "pid", 48, { "level", i32, 0, 0 }, { "numbers", btf__add_array(b, i32, upid, 2), 64, 0 });

	return STRUCT(b, "signal_struct", 48, { "nr_threads", i32, 0, 0 },
		      { "pids", btf__add_array(b, i32, btf__add_ptr(b, pid), 4), 64, 0 });
}

/* Kinds that the prelude does not use. */
static int add_odd(struct btf *b, int i32, int u32)
{
	int e, u, ul = btf__add_int(b, "unsigned long", 8, 0);

	e = btf__add_enum(b, "state", 4);
	btf__add_enum_value(b, "IDLE", -1);
	btf__add_enum_value(b, "BUSY", 3);
	u = btf__add_union(b, NULL, 8);
	btf__add_field(b, "whole", ul, 0, 0);
	btf__add_field(b, "half", u32, 0, 0);
	btf__add_func_proto(b, i32);
	btf__add_func_param(b, "x", u32);
	return STRUCT(b, "odd", 64, { "state", e, 0, 0 }, { NULL, u, 64, 0 }, { "b3", u32, 128, 3 },
		      { "s5", i32, 131, 5 }, { "u33", btf__add_int(b, "u64", 8, 0), 160, 33 },
		      { "far", btf__add_ptr(b, btf__add_fwd(b, "unknown", BTF_FWD_STRUCT)), 256, 0 },
		      { "f", btf__add_float(b, "double", 8), 320, 0 },
		      { "wide", btf__add_int(b, "__int128", 16, BTF_INT_SIGNED), 384, 0 });
}

static void add_task(struct btf *b)
{
	int i32 = btf__add_int(b, "int", 4, BTF_INT_SIGNED), u32 = btf__add_int(b, "unsigned int", 4, 0);
	int ch = btf__add_int(b, "char", 1, BTF_INT_SIGNED), u64 = btf__add_int(b, "unsigned long long", 8, 0);
	int cred = btf__add_ptr(b, btf__add_const(b, add_creds(b, u32)));
	int signal = btf__add_ptr(b, add_signal(b, i32)), odd = btf__add_ptr(b, add_odd(b, i32, u32));
	int info = STRUCT(b, "thread_info", 24, { "flags", u64, 0, 0 }, { "cpu", u32, 128, 0 });
	int se = STRUCT(b, "sched_entity", 16, { "exec_start", u64, 0, 0 }, { "sum_exec_runtime", u64, 64, 0 });
	int task = btf__add_ptr(b, btf__type_cnt(b) + 2), comm = btf__add_array(b, i32, ch, 16);

	STRUCT(b, "task_struct", 256, { "thread_info", info, 0, 0 }, { "__state", u32, 192, 0 },
	       { "flags", u32, 224, 0 }, { "on_cpu", i32, 256, 0 }, { "prio", i32, 288, 0 },
	       { "static_prio", i32, 320, 0 }, { "policy", u32, 352, 0 }, { "nr_cpus_allowed", i32, 384, 0 },
	       { "exit_state", i32, 416, 0 }, { "pid", i32, 448, 0 }, { "tgid", i32, 480, 0 },
	       { "real_parent", task, 512, 0 }, { "group_leader", task, 576, 0 }, { "cred", cred, 640, 0 },
	       { "signal", signal, 704, 0 }, { "comm", comm, 768, 0 }, { "odd", odd, 896, 0 },
	       { "se", se, 960, 0 }, { "start_time", u64, 1088, 0 });
}

const char *fuzz_btf(void)
{
	static char path[64];
	struct btf *b;
	const void *raw;
	uint32_t n;
	int fd;

	if (*path)
		return path;
	b = btf__new_empty();
	add_task(b);
	raw = btf__raw_data(b, &n);
	fd = memfd_create("btf", 0);
	if (fd < 0 || !raw || write(fd, raw, n) != (ssize_t)n)
		abort();
	btf__free(b);
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	return path;
}
