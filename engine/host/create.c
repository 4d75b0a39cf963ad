/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/host/create.h"

#include <errno.h>
#include <linux/version.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/kernel.h"

static int bpf_call(enum bpf_cmd command, union bpf_attr *attr)
{
	long r = syscall(SYS_bpf, command, attr, sizeof *attr);

	return r < 0 ? -errno : (int)r;
}

void create_unlimited(void)
{
	const struct rlimit none = { RLIM_INFINITY, RLIM_INFINITY };

	if (kernel_version() < KERNEL_VERSION(5, 11, 0))
		setrlimit(RLIMIT_MEMLOCK, &none);	/* if it fails, creating a map reports it */
}

int create_map(enum bpf_map_type type, const char *name, uint32_t key, uint32_t value, uint32_t entries,
	       const struct bpf_map_create_opts *opts)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof attr);
	attr.map_type = type;
	attr.key_size = key;
	attr.value_size = value;
	attr.max_entries = entries;
	snprintf(attr.map_name, sizeof attr.map_name, "%s", name);
	if (opts) {
		attr.map_flags = opts->map_flags;
		attr.inner_map_fd = opts->inner_map_fd;
		attr.btf_fd = opts->btf_fd;
		attr.btf_key_type_id = opts->btf_key_type_id;
		attr.btf_value_type_id = opts->btf_value_type_id;
	}
	return bpf_call(BPF_MAP_CREATE, &attr);
}

int create_program(enum bpf_prog_type type, const char *name, const struct bpf_insn *code, size_t n,
		   const struct bpf_prog_load_opts *opts)
{
	enum { TRIES = 5 };	/* EAGAIN: a signal has interrupted the verifier */
	union bpf_attr attr;
	int fd = -EAGAIN;

	memset(&attr, 0, sizeof attr);
	attr.prog_type = type;
	attr.insns = (uint64_t)(uintptr_t)code;
	attr.insn_cnt = (uint32_t)n;
	attr.license = (uint64_t)(uintptr_t)"GPL";
	snprintf(attr.prog_name, sizeof attr.prog_name, "%s", name);
	if (opts) {
		attr.expected_attach_type = opts->expected_attach_type;
		attr.attach_btf_id = opts->attach_btf_id;
		attr.prog_btf_fd = opts->prog_btf_fd;
		attr.func_info = (uint64_t)(uintptr_t)opts->func_info;
		attr.func_info_cnt = opts->func_info_cnt;
		attr.func_info_rec_size = opts->func_info_rec_size;
		attr.log_buf = (uint64_t)(uintptr_t)opts->log_buf;
		attr.log_size = opts->log_size;
		attr.log_level = opts->log_level;
	}
	for (int i = 0; i < TRIES && fd == -EAGAIN; i++)
		fd = bpf_call(BPF_PROG_LOAD, &attr);
	return fd;
}

int create_btf(const void *data, uint32_t n)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof attr);
	attr.btf = (uint64_t)(uintptr_t)data;
	attr.btf_size = n;
	return bpf_call(BPF_BTF_LOAD, &attr);
}
