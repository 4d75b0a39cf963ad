/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Hand-written counterparts of `@ = count()` at a function of a program, for bench/programs.sh: compiled by clang -O2
 * -target bpf -DTARGET='"PATH:FUNCTION"'; bench/peer loads and attaches the requested one.
 */
#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64);
} calls SEC(".maps");

static int count(void)
{
	__u32 key = 0;
	__u64 *n = bpf_map_lookup_elem(&calls, &key);

	if (n)
		(*n)++;
	return 0;
}

SEC("uprobe/" TARGET)
int at_entry(void *ctx)
{
	(void)ctx;
	return count();
}

SEC("uretprobe/" TARGET)
int at_return(void *ctx)
{
	(void)ctx;
	return count();
}

char programs_license[] SEC("license") = "GPL";
