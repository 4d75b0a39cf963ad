/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Hand-written counterparts of the jobs of bench/cost: compiled by clang -O2 -target bpf. Each is a program for a timer
 * (job_...) and one for the system call close() (call_...); bench/peer loads the requested one.
 */
#include <linux/bpf.h>
#include <linux/bpf_perf_event.h>
#include <linux/in.h>
#include <linux/ip.h>
#include <linux/tcp.h>
#include <sys/syscall.h>

#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

enum { SOCK_STREAM = 1 };
enum { MAX_KEYS = 65536, MANY_KEYS = 1100000, MAX_STACKS = 16384, BUCKETS = 64 };
enum { KERNEL_FRAMES = 20, USER_FRAMES = 100, RING_BYTES = 512 * 1024 };

struct peer_name {
	char comm[16];
};

struct peer_key {
	__u32 pid;
	char comm[16];
};

struct peer_stack {
	__s64 stack;
	__u64 pid;
};

struct peer_stacks {
	__s64 kernel, user;
	__u64 pid;
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

#define KEYED(name, key_type, value_type) KEYED_MAX(name, key_type, value_type, MAX_KEYS)
#define KEYED_MAX(name, key_type, value_type, max)       \
	struct {                                         \
		__uint(type, BPF_MAP_TYPE_PERCPU_HASH);  \
		__uint(max_entries, max);                \
		__uint(map_flags, BPF_F_NO_PREALLOC);    \
		__type(key, key_type);                   \
		__type(value, value_type);               \
	} name SEC(".maps")

struct buckets {
	__u64 n[BUCKETS];
};

KEYED(by_pid, __u32, __u64);
KEYED(by_comm, struct peer_name, __u64);
KEYED(by_name, struct peer_key, __u64);
KEYED(by_stack, __s64, __u64);
KEYED(by_user_stack, struct peer_stack, __u64);
KEYED(by_stacks, struct peer_stacks, __u64);
KEYED_MAX(by_arg, __u64, __u64, MANY_KEYS);
KEYED(hist, struct peer_name, struct buckets);
KEYED(stat, struct peer_name, struct stats);

#define STACKS(name, frames)                               \
	struct {                                           \
		__uint(type, BPF_MAP_TYPE_STACK_TRACE);    \
		__uint(max_entries, MAX_STACKS);           \
		__uint(key_size, sizeof(__u32));           \
		__uint(value_size, frames * sizeof(__u64)); \
	} name SEC(".maps")

STACKS(stacks, KERNEL_FRAMES);
STACKS(user_stacks, USER_FRAMES);

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

/* The body of the program for a timer and of the one for close(). */
#define JOB(name)                                                   \
	static __always_inline int do_##name(void *ctx);            \
	SEC("perf_event")                                           \
	int job_##name(void *ctx)                                   \
	{                                                           \
		return do_##name(ctx);                              \
	}                                                           \
	SEC("tp_btf/sys_enter")                                     \
	int call_##name(__u64 *ctx)                                 \
	{                                                           \
		return ctx[1] == SYS_close ? do_##name(ctx) : 0;    \
	}                                                           \
	static __always_inline int do_##name(void *ctx)

JOB(empty)
{
	return 0;
}

JOB(count)
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

static __always_inline int count_key(void *map, const void *key)
{
	__u64 zero = 0, *n = value_of(map, key, &zero);

	if (n)
		*n += 1;
	return 0;
}

JOB(pid)
{
	__u32 pid = bpf_get_current_pid_tgid() >> 32;

	return count_key(&by_pid, &pid);
}

JOB(comm)
{
	struct peer_name key;

	bpf_get_current_comm(key.comm, sizeof key.comm);
	return count_key(&by_comm, &key);
}

JOB(keyed)
{
	struct peer_key key = { .pid = bpf_get_current_pid_tgid() >> 32 };

	bpf_get_current_comm(key.comm, sizeof key.comm);
	return count_key(&by_name, &key);
}

JOB(stack)
{
	__s64 key = bpf_get_stackid(ctx, &stacks, 0);

	return count_key(&by_stack, &key);
}

JOB(ustack)
{
	struct peer_stack key = { .pid = bpf_get_current_pid_tgid() >> 32 };

	key.stack = bpf_get_stackid(ctx, &user_stacks, BPF_F_USER_STACK);
	return count_key(&by_user_stack, &key);
}

JOB(stacks)
{
	struct peer_stacks key = { .pid = bpf_get_current_pid_tgid() >> 32 };

	key.kernel = bpf_get_stackid(ctx, &stacks, 0);
	key.user = bpf_get_stackid(ctx, &user_stacks, BPF_F_USER_STACK);
	bpf_get_current_comm(key.comm, sizeof key.comm);
	return count_key(&by_stacks, &key);
}

/* The descriptor of close(). */
SEC("tp_btf/sys_enter")
int call_arg(__u64 *ctx)
{
	const struct pt_regs *regs = (void *)ctx[0];
	__u64 key;

	if (ctx[1] != SYS_close)
		return 0;
	key = PT_REGS_PARM1(regs);
	return count_key(&by_arg, &key);
}

/* A page fault whose page is not present (bit 0 of the processor's error code). */
SEC("tp_btf/page_fault_user")
int fault_count(__u64 *ctx)
{
	return ctx[2] & 1 ? 0 : do_count(ctx);
}

SEC("tp_btf/page_fault_user")
int fault_comm(__u64 *ctx)
{
	return ctx[2] & 1 ? 0 : do_comm(ctx);
}

/* Packets pass: the result is 1. As the conditions of tcp:::send and tcp:::receive: the socket's protocol and type. */
static __always_inline int of_tcp(struct __sk_buff *skb, int type)
{
	struct bpf_sock *sk = skb->sk;

	sk = sk ? bpf_sk_fullsock(sk) : 0;
	return sk && sk->protocol == IPPROTO_TCP && (!type || sk->type == type);
}

SEC("cgroup_skb/egress")
int sent_empty(struct __sk_buff *skb)
{
	return 1;
}

SEC("cgroup_skb/egress")
int sent_count(struct __sk_buff *skb)
{
	if (of_tcp(skb, 0))
		do_count(skb);
	return 1;
}

SEC("cgroup_skb/ingress")
int received_count(struct __sk_buff *skb)
{
	if (of_tcp(skb, SOCK_STREAM))
		do_count(skb);
	return 1;
}

/* Bytes by port. The headers are read as they are, without the packet's own offsets: IPv4 without options. */
SEC("cgroup_skb/egress")
int sent_bytes(struct __sk_buff *skb)
{
	struct iphdr *ip = (void *)(long)skb->data;
	struct tcphdr *tcp = (void *)(ip + 1);
	__u64 zero = 0, *n, key;

	if (!of_tcp(skb, 0) || (void *)(tcp + 1) > (void *)(long)skb->data_end)
		return 1;
	key = bpf_ntohs(tcp->dest);
	n = value_of(&by_arg, &key, &zero);
	if (n)
		*n += bpf_ntohs(ip->tot_len) - 4 * ip->ihl - 4 * tcp->doff;
	return 1;
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

JOB(hist)
{
	struct peer_name key;
	struct buckets *b;

	bpf_get_current_comm(key.comm, sizeof key.comm);
	b = value_of(&hist, &key, &no_buckets);
	if (b)
		b->n[log2_of(bpf_ktime_get_ns() % 1000000)] += 1;
	return 0;
}

JOB(stats)
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

JOB(record)
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

JOB(assoc)
{
	__u32 pid = bpf_get_current_pid_tgid() >> 32;
	__u64 *n, zero = 0;

	n = value_of(&assoc, &pid, &zero);
	if (n)
		__sync_fetch_and_add(n, 1);
	return 0;
}

JOB(local)
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
