/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Every expected firing is accounted for. While dtr counts profile-997 on a CPU kept busy, a raw tracepoint program of this
 * test notes each time the kernel lets the timer of a software perf event expire. Between dtr's first and last firing:
 *
 *	expected = expired (each of them delivered, that is in dtr's count, or not) + intervals that the timer skipped
 *
 * expected comes from dtr's own clock, the skipped intervals from the gaps between expirations, so that the sum is no
 * identity: a firing counted twice, lost by dtr or invented breaks it.
 */
#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/bpf/insn.h"
#include "tests/lib/kernel.h"

enum { MAX_EVENTS = 65536, CPU = 0 };
#define PERIOD (1000000000ull / 997)

struct run {
	uint64_t count, first, last;	/* dtr's */
};

struct expiry {
	uint64_t time, timer;
};

static uint64_t symbol_address(const char *name)
{
	FILE *f = fopen("/proc/kallsyms", "r");
	char line[512], found[256];
	uint64_t addr = 0, a;

	while (f && fgets(line, sizeof line, f))
		if (sscanf(line, "%" SCNx64 " %*c %255s", &a, found) == 2 && !strcmp(found, name))
			addr = a;
	if (f)
		fclose(f);
	return addr;
}

/* Where struct hrtimer keeps its function, from the kernel's own types; -1: unknown. */
static int function_offset(void)
{
	struct btf *btf = btf__load_vmlinux_btf();
	int id = btf ? btf__find_by_name_kind(btf, "hrtimer", BTF_KIND_STRUCT) : -1;
	const struct btf_type *t = id > 0 ? btf__type_by_id(btf, (__u32)id) : NULL;
	int off = -1;

	for (unsigned i = 0; t && i < btf_vlen(t); i++)
		if (!strcmp(btf__name_by_offset(btf, btf_members(t)[i].name_off), "function"))
			off = (int)(btf_member_bit_offset(t, i) / 8);
	btf__free(btf);
	return off;
}

/* Notes the time of each expiration on CPU in `times`: element 0 is how many there are. */
static int load_watcher(int times, int off, uint64_t function)
{
	enum { CALL = BPF_JMP | BPF_CALL, MOVR = BPF_ALU64 | BPF_MOV | BPF_X, MOVI = BPF_ALU64 | BPF_MOV | BPF_K };
	const struct bpf_insn code[] = {
		insn(BPF_LDX | BPF_MEM | BPF_DW, R6, R1, 0, 0), insn(MOVR, R3, R6, 0, 0),	/* the timer */
		insn(BPF_ALU64 | BPF_ADD | BPF_K, R3, 0, 0, off),
		insn(MOVR, R1, FP, 0, 0), insn(BPF_ALU64 | BPF_ADD | BPF_K, R1, 0, 0, -8), insn(MOVI, R2, 0, 0, 8),
		insn(CALL, 0, 0, 0, BPF_FUNC_probe_read_kernel),
		insn(BPF_LDX | BPF_MEM | BPF_DW, R1, FP, -8, 0),
		insn(BPF_LD | BPF_IMM | BPF_DW, R2, 0, 0, (int32_t)function), insn(0, 0, 0, 0, (int32_t)(function >> 32)),
		insn(BPF_JMP | BPF_JNE | BPF_X, R1, R2, 23, 0),
		insn(CALL, 0, 0, 0, BPF_FUNC_get_smp_processor_id),
		insn(BPF_JMP | BPF_JNE | BPF_K, R0, 0, 21, CPU),
		insn(CALL, 0, 0, 0, BPF_FUNC_ktime_get_ns), insn(MOVR, R7, R0, 0, 0),
		/* r8 = ++times[0] */
		insn(BPF_ST | BPF_MEM | BPF_W, FP, 0, -12, 0),
		insn(BPF_LD | BPF_IMM | BPF_DW, R1, BPF_PSEUDO_MAP_FD, 0, times), insn(0, 0, 0, 0, 0),
		insn(MOVR, R2, FP, 0, 0), insn(BPF_ALU64 | BPF_ADD | BPF_K, R2, 0, 0, -12),
		insn(CALL, 0, 0, 0, BPF_FUNC_map_lookup_elem),
		insn(BPF_JMP | BPF_JEQ | BPF_K, R0, 0, 12, 0),
		insn(BPF_LDX | BPF_MEM | BPF_DW, R8, R0, 0, 0), insn(BPF_ALU64 | BPF_ADD | BPF_K, R8, 0, 0, 1),
		insn(BPF_STX | BPF_MEM | BPF_DW, R0, R8, 0, 0),
		/* times[r8] = now; beyond the last element the look-up fails */
		insn(BPF_STX | BPF_MEM | BPF_W, FP, R8, -12, 0),
		insn(BPF_LD | BPF_IMM | BPF_DW, R1, BPF_PSEUDO_MAP_FD, 0, times), insn(0, 0, 0, 0, 0),
		insn(MOVR, R2, FP, 0, 0), insn(BPF_ALU64 | BPF_ADD | BPF_K, R2, 0, 0, -12),
		insn(CALL, 0, 0, 0, BPF_FUNC_map_lookup_elem),
		insn(BPF_JMP | BPF_JEQ | BPF_K, R0, 0, 2, 0),
		insn(BPF_STX | BPF_MEM | BPF_DW, R0, R7, 0, 0), insn(BPF_STX | BPF_MEM | BPF_DW, R0, R6, 8, 0),
		insn(MOVI, R0, 0, 0, 0), insn(BPF_JMP | BPF_EXIT, 0, 0, 0, 0),
	};
	int fd = bpf_prog_load(BPF_PROG_TYPE_RAW_TRACEPOINT, "test_expire", "GPL", code, sizeof code / sizeof *code, NULL);

	return fd < 0 ? fd : bpf_raw_tracepoint_open("hrtimer_expire_entry", fd);
}

static bool run_dtr(struct run *r)
{
	static const char cmd[] = "'%s' -qn 'profile-997 /cpu == 0/ { @n = count(); @a = min(timestamp); @b = max(timestamp); } "
				  "END { printa(\"%%@u %%@u %%@u\\n\", @n, @a, @b); }' -c 'sleep 2'";
	const char *dtr = getenv("DTR");
	char line[8192];
	FILE *p;
	bool ok;

	snprintf(line, sizeof line, cmd, dtr ? dtr : "./dtr");
	p = popen(line, "r");
	ok = p && fscanf(p, "%" SCNu64 " %" SCNu64 " %" SCNu64, &r->count, &r->first, &r->last) == 3;
	return p && pclose(p) == 0 && ok;
}

static struct expiry element(int map, uint32_t i)
{
	struct expiry e = { 0 };

	bpf_map_lookup_elem(map, &i, &e);
	return e;
}

/* The timer behind dtr's first firing: on one CPU it is the one that expired last before it. */
static uint64_t find_timer(int times, uint64_t n, const struct run *r)
{
	uint64_t timer = 0;

	for (uint32_t i = 1; i <= n && i < MAX_EVENTS; i++) {
		struct expiry e = element(times, i);

		if (e.time <= r->first)
			timer = e.timer;
	}
	return timer;
}

/* Expirations of dtr's timer in dtr's span and, from their gaps, intervals that the timer left out. */
static void read_expirations(int times, const struct run *r, uint64_t *expired, uint64_t *skipped)
{
	uint64_t n = element(times, 0).time, timer = find_timer(times, n, r), last = 0;

	*expired = *skipped = 0;
	for (uint32_t i = 1; i <= n && i < MAX_EVENTS; i++) {
		struct expiry e = element(times, i);

		/* a firing's timestamp is taken a moment after its expiration */
		if (e.timer != timer || e.time + PERIOD / 2 < r->first || e.time > r->last)
			continue;
		if (last)
			*skipped += (e.time - last + PERIOD / 2) / PERIOD - 1;
		last = e.time;
		++*expired;
	}
}

struct verdict {
	bool ran, sum, most;
};

static struct verdict measure(int times)
{
	const struct expiry none = { 0 };
	uint64_t expired, skipped, expected;
	struct verdict v = { 0 };
	const uint32_t first = 0;
	struct run r;

	bpf_map_update_elem(times, &first, &none, 0);
	v.ran = run_dtr(&r);
	if (!v.ran)
		return v;
	read_expirations(times, &r, &expired, &skipped);
	expected = (r.last - r.first + PERIOD / 2) / PERIOD + 1;
	v.sum = expired >= r.count && expected == expired + skipped;
	v.most = r.count * 10 >= expected * 9;
	printf("# expected %" PRIu64 ", delivered %" PRIu64 ", expired without delivery %" PRId64 ", skipped %" PRIu64 "\n", expected,
	       r.count, (int64_t)(expired - r.count), skipped);
	return v;
}

/* A timer that came half an interval late is counted as one or as two: then again. */
static int check(int times)
{
	struct verdict v = measure(times);

	for (int i = 0; i < 4 && v.ran && !(v.sum && v.most); i++)
		v = measure(times);
	if (!v.ran) {
		printf("1..1\nnot ok 1 - dtr runs\n");
		return 1;
	}
	printf("1..2\n%sok 1 - delivered and accounted firings are all that were expected\n", v.sum ? "" : "not ");
	printf("%sok 2 - at least 90 %% are delivered on a busy CPU\n", v.most ? "" : "not ");
	return v.sum && v.most ? 0 : 1;
}

int main(void)
{
	uint64_t function = symbol_address("perf_swevent_hrtimer");
	int off = function_offset(), times, link, status;
	pid_t spinner;

	if (kernel_skip())
		return 0;
	if (!function || off < 0) {
		printf("1..0 # SKIP the kernel hides perf_swevent_hrtimer or its types\n");
		return 0;
	}
	times = bpf_map_create(BPF_MAP_TYPE_ARRAY, "test_times", 4, sizeof(struct expiry), MAX_EVENTS, NULL);
	link = times < 0 ? -1 : load_watcher(times, off, function);
	if (link < 0) {
		printf("1..1\nnot ok 1 - the watcher loads\n");
		return 1;
	}
	spinner = spin_start(CPU);
	status = check(times);
	spin_stop(spinner);
	close(link);
	close(times);
	return status;
}
