/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The jobs of bench/cost as a careful engineer would write them by hand: compiled by clang -O2 -target bpf.
 * One program each; bench/peer loads the one that is asked for.
 */
#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

struct key {
	__u32 pid;
	char comm[16];
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64);
} total SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_HASH);
	__uint(max_entries, 65536);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct key);
	__type(value, __u64);
} by_name SEC(".maps");

SEC("perf_event")
int job_empty(void *ctx)
{
	return 0;
}

SEC("perf_event")
int job_count(void *ctx)
{
	__u32 zero = 0;
	__u64 *n = bpf_map_lookup_elem(&total, &zero);

	if (n)
		*n += 1;
	return 0;
}

SEC("perf_event")
int job_keyed(void *ctx)
{
	struct key key = { .pid = bpf_get_current_pid_tgid() >> 32 };
	__u64 *n, zero = 0;

	bpf_get_current_comm(key.comm, sizeof key.comm);
	n = bpf_map_lookup_elem(&by_name, &key);
	if (!n) {
		bpf_map_update_elem(&by_name, &key, &zero, BPF_NOEXIST);
		n = bpf_map_lookup_elem(&by_name, &key);
		if (!n)
			return 0;
	}
	*n += 1;
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
