/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Hand-written counterparts of the jobs of bench/cost: compiled by clang -O2 -target bpf.
 * One program each; bench/peer loads the requested one.
 */
#include <linux/bpf.h>
#include <linux/bpf_perf_event.h>

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

enum { MAX_KEYS = 65536, BUCKETS = 64, RING_BYTES = 512 * 1024 };

struct peer_name {
	char comm[16];
};

struct peer_key {
	__u32 pid;
	char comm[16];
};

struct stats {
	__u64 n;
	__s64 sum, min, max;
};

struct peer_line {
	__u32 pid, cpu;
	char comm[16];
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64);
} total SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 2);
	__type(key, __u32);
	__type(value, __u64);
} by_mode SEC(".maps");

#define KEYED(name, key_type, value_type)                \
	struct {                                         \
		__uint(type, BPF_MAP_TYPE_PERCPU_HASH);  \
		__uint(max_entries, MAX_KEYS);           \
		__uint(map_flags, BPF_F_NO_PREALLOC);    \
		__type(key, key_type);                   \
		__type(value, value_type);               \
	} name SEC(".maps")

struct buckets {
	__u64 n[BUCKETS];
};

KEYED(by_name, struct peer_key, __u64);
KEYED(hist, struct peer_name, struct buckets);
KEYED(stat, struct peer_name, struct stats);

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, MAX_KEYS);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, __u32);
	__type(value, __u64);
} assoc SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, __u64);
} local SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, RING_BYTES);
} ring SEC(".maps");

/* Initial values: one per map, not on the stack. */
static const struct buckets no_buckets;

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

/* The value of a key, initialised from `first` if the key is new. */
static __always_inline void *value_of(void *map, const void *key, const void *first)
{
	void *v = bpf_map_lookup_elem(map, key);

	if (v)
		return v;
	bpf_map_update_elem(map, key, first, BPF_NOEXIST);
	return bpf_map_lookup_elem(map, key);
}

SEC("perf_event")
int job_keyed(void *ctx)
{
	struct peer_key key = { .pid = bpf_get_current_pid_tgid() >> 32 };
	__u64 *n, zero = 0;

	bpf_get_current_comm(key.comm, sizeof key.comm);
	n = value_of(&by_name, &key, &zero);
	if (n)
		*n += 1;
	return 0;
}

static __always_inline __u32 log2_of(__u64 v)
{
	__u32 r = 0;

	for (__u32 step = 32; step; step >>= 1)
		if (v >> step) {
			v >>= step;
			r += step;
		}
	return r & (BUCKETS - 1);
}

SEC("perf_event")
int job_hist(void *ctx)
{
	struct peer_name key;
	struct buckets *b;

	bpf_get_current_comm(key.comm, sizeof key.comm);
	b = value_of(&hist, &key, &no_buckets);
	if (b)
		b->n[log2_of(bpf_ktime_get_ns() % 1000000)] += 1;
	return 0;
}

SEC("perf_event")
int job_stats(void *ctx)
{
	struct stats *s, none = { 0, 0, ~(1ull << 63), 1ull << 63 };
	__s64 x = bpf_ktime_get_ns() % 1000;
	struct peer_name key;

	bpf_get_current_comm(key.comm, sizeof key.comm);
	s = value_of(&stat, &key, &none);
	if (!s)
		return 0;
	s->n += 1;
	s->sum += x;
	if (x < s->min)
		s->min = x;
	if (x > s->max)
		s->max = x;
	return 0;
}

SEC("perf_event")
int job_record(void *ctx)
{
	__u32 pid = bpf_get_current_pid_tgid() >> 32;
	struct peer_line *l;

	if (!pid)
		return 0;
	l = bpf_ringbuf_reserve(&ring, sizeof *l, 0);
	if (!l)
		return 0;
	l->pid = pid;
	l->cpu = bpf_get_smp_processor_id();
	bpf_get_current_comm(l->comm, sizeof l->comm);
	bpf_ringbuf_submit(l, BPF_RB_NO_WAKEUP);
	return 0;
}

SEC("perf_event")
int job_assoc(void *ctx)
{
	__u32 pid = bpf_get_current_pid_tgid() >> 32;
	__u64 *n, zero = 0;

	n = value_of(&assoc, &pid, &zero);
	if (n)
		__sync_fetch_and_add(n, 1);
	return 0;
}

SEC("perf_event")
int job_local(void *ctx)
{
	struct task_struct *task = (void *)bpf_get_current_task_btf();
	__u64 *n = bpf_task_storage_get(&local, task, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);

	if (n)
		*n += 1;
	return 0;
}

SEC("perf_event")
int job_mode(struct bpf_perf_event_data *ctx)
{
	__u32 kernel = (__s64)PT_REGS_IP(&ctx->regs) < 0;
	__u64 *n = bpf_map_lookup_elem(&by_mode, &kernel);

	if (n)
		*n += 1;
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
