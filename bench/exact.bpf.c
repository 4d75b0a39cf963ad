/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A hand-written counterpart of share/tools/exact.d at a switch: the time between switches by process, in two
 * alternating tables. Compiled by clang -O2 -target bpf; bench/switches loads it.
 */
#include <linux/bpf.h>
#include <stdbool.h>

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

enum { MAX_KEYS = 65536 };

struct task_struct {
	int tgid;
	struct task_struct *group_leader;
	char comm[16];
} __attribute__((preserve_access_index));

struct exact_key {
	__u32 pid;
	char comm[16];
};

struct exact_account {
	__u64 since, ended, idle;
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct exact_account);
} accounts SEC(".maps");

#define TABLE(name)                                      \
	struct {                                         \
		__uint(type, BPF_MAP_TYPE_PERCPU_HASH);  \
		__uint(max_entries, MAX_KEYS);           \
		__uint(map_flags, BPF_F_NO_PREALLOC);    \
		__type(key, struct exact_key);                 \
		__type(value, __u64);                    \
	} name SEC(".maps")

TABLE(even);
TABLE(odd);

volatile __u64 period_end = 1;	/* user space advances it */

static __always_inline void charge(void *table, struct exact_key *k, __u64 ran)
{
	__u64 *sum = bpf_map_lookup_elem(table, k);

	if (sum)
		*sum += ran;
	else
		bpf_map_update_elem(table, k, &ran, BPF_NOEXIST);
}

SEC("tp_btf/sched_switch")
int BPF_PROG(on_switch, bool preempt, struct task_struct *prev, struct task_struct *next)
{
	__u64 now = bpf_ktime_get_ns(), end = period_end, to;
	struct exact_account *a;
	struct exact_key k = { 0 };
	__u32 zero = 0;

	a = bpf_map_lookup_elem(&accounts, &zero);
	if (!a)
		return 0;
	to = a->ended == end || now < end ? now : end;
	if (prev->tgid) {
		k.pid = prev->tgid;
		bpf_probe_read_kernel(k.comm, sizeof k.comm, prev->group_leader->comm);
		if ((end ^ (a->ended == end)) & 1)
			charge(&odd, &k, to - a->since);
		else
			charge(&even, &k, to - a->since);
	} else {
		a->idle += to - a->since;
	}
	a->since = to;
	if (to != now) {
		a->ended = end;
		if (prev->tgid) {
			if (end & 1)
				charge(&even, &k, now - to);
			else
				charge(&odd, &k, now - to);
		}
		a->since = now;
	}
	return 0;
}

SEC("tp_btf/sched_switch")
int BPF_PROG(on_nothing, bool preempt, struct task_struct *prev, struct task_struct *next)
{
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
