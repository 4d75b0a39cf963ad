/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The string functions of `bench/run strings` in plain C for BPF: loops over bytes, compiled by clang -O2 -target bpf.
 * One program each; bench/peer loads the requested one. A result has the same form as dtr's: it is in memory of its
 * CPU and padded with zeros, so that it can be a key.
 */
#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

enum { SIZE = 256 };

char text[SIZE] = "the quick brown fox jumps over the lazy dog";
char long_text[SIZE] =
	"the quick brown fox jumps over the lazy dog, the quick brown fox jumps over the lazy dog, "
	"the quick brown fox jumps over the lazy dog, the quick brown fox jumps over the lazy dog, "
	"the quick brown fox jumps over the lazy dog, the quick brown fox";
char tail[16] = "-and-more";
char needle[16] = "lazy d";
struct strings_text {
	char s[SIZE];
} __attribute__((aligned(8)));
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct strings_text);
} scratch SEC(".maps");
__u64 result;

SEC("perf_event")
int job_empty(void *ctx)
{
	return 0;
}

static __always_inline char *place(void)
{
	struct strings_text *t = bpf_map_lookup_elem(&scratch, &(__u32){ 0 });

	if (t)
		__builtin_memset(t, 0, sizeof *t);
	return t ? t->s : 0;
}

static __always_inline int length(const char *s)
{
	int i;

	for (i = 0; i < SIZE - 1; i++)
		if (!s[i])
			break;
	return i;
}

SEC("perf_event")
int job_strlen(void *ctx)
{
	result = length(text);
	return 0;
}

SEC("perf_event")
int job_longlen(void *ctx)
{
	result = length(long_text);
	return 0;
}

SEC("perf_event")
int job_strjoin(void *ctx)
{
	char *out = place();
	unsigned n = 0;
	int i;

	if (!out)
		return 0;
	for (i = 0; i < SIZE - 1 && text[i]; i++)
		out[i] = text[i];
	n = i;
	for (i = 0; i < (int)sizeof tail - 1 && tail[i]; i++) {
		out[n & (SIZE - 1)] = tail[i];
		n++;
	}
	out[n & (SIZE - 1)] = 0;
	result = out[0];
	return 0;
}

SEC("perf_event")
int job_substr(void *ctx)
{
	char *out = place();
	int len = length(text), i;

	if (!out)
		return 0;
	for (i = 0; i < 20 && i + 10 < len; i++) {
		out[i] = text[(i + 10) & (SIZE - 1)];
		__asm__ volatile("" ::: "memory");	/* prevents a call of memcpy */
	}
	out[i & (SIZE - 1)] = 0;
	result = out[0];
	return 0;
}

SEC("perf_event")
int job_toupper(void *ctx)
{
	char *out = place();
	int i;

	if (!out)
		return 0;
	for (i = 0; i < SIZE - 1 && text[i]; i++)
		out[i] = text[i] >= 'a' && text[i] <= 'z' ? text[i] - 32 : text[i];
	out[i & (SIZE - 1)] = 0;
	result = out[0];
	return 0;
}

/* Nested loops over bytes are too complex for the verifier: the outer one calls this function. */
static long find_at(__u32 i, void *found)
{
	for (int k = 0; k < (int)sizeof needle; k++) {
		if (!needle[k]) {
			*(__u64 *)found = i;
			return 1;
		}
		if (text[(i + k) & (SIZE - 1)] != needle[k])
			return text[i & (SIZE - 1)] == 0;
	}
	return 1;
}

SEC("perf_event")
int job_index(void *ctx)
{
	__u64 found = -1;

	bpf_loop(SIZE, find_at, &found, 0);
	result = found;
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
