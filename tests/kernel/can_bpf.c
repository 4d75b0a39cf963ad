/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * can_bpf		exit status 0 if kernel tests can run here; else 1 and the reason
 * can_bpf write	exit status 0 if this kernel permits BPF programs to write to processes
 * can_bpf breaks	exit status 0 if hardware breakpoints fire: some machines open them and never fire them
 * can_bpf perf		exit status 0 if perf events of this user's processes can be opened
 * can_bpf ptrace	exit status 0 if a child may be traced by ptrace(2)
 * can_bpf calls32	exit status 0 if programs may make system calls as 32-bit programs do
 */
#include <bpf/bpf.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/lib/kernel.h"

static bool can_write(void)
{
	const struct bpf_insn code[] = {
		{ .code = BPF_ST | BPF_MEM | BPF_DW, .dst_reg = BPF_REG_10, .off = -8, .imm = 0 },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_1, .imm = 0 },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_X, .dst_reg = BPF_REG_2, .src_reg = BPF_REG_10 },
		{ .code = BPF_ALU64 | BPF_ADD | BPF_K, .dst_reg = BPF_REG_2, .imm = -8 },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_3, .imm = 8 },
		{ .code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_probe_write_user },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = 0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};

	return bpf_prog_load(BPF_PROG_TYPE_RAW_TRACEPOINT, "test_write", "GPL", code, sizeof code / sizeof *code,
			     NULL) >= 0;
}

static bool can_break(void)
{
	static volatile int watched;
	struct perf_event_attr a = {
		.type = PERF_TYPE_BREAKPOINT, .size = sizeof a, .sample_period = 1, .bp_type = HW_BREAKPOINT_W,
		.bp_addr = (uintptr_t)&watched, .bp_len = sizeof watched, .exclude_kernel = 1, .exclude_hv = 1,
	};
	uint64_t count = 0;
	int fd = (int)syscall(SYS_perf_event_open, &a, 0, -1, -1, 0);

	watched = 1;
	return fd >= 0 && read(fd, &count, sizeof count) == sizeof count && count > 0;
}

static bool can_perf(void)
{
	struct perf_event_attr a = {
		.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_CPU_CLOCK, .size = sizeof a,
		.sample_period = 1000000, .exclude_kernel = 1, .exclude_hv = 1,
	};

	return syscall(SYS_perf_event_open, &a, 0, -1, -1, 0) >= 0;
}

static bool can_ptrace(void)
{
	int status = 1;
	pid_t pid = fork();

	if (pid == 0)
		_exit(ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0);
	return pid > 0 && waitpid(pid, &status, 0) == pid && status == 0;
}

/* In a child, because the call may be a fault or the end. */
static bool can_call32(void)
{
	const struct rlimit none = { 0, 0 };
	int status = 1;
	pid_t pid = fork();

	if (pid == 0) {
		setrlimit(RLIMIT_CORE, &none);
#if defined(__x86_64__)
		long r = 20;	/* getpid() */

		__asm__ volatile("int $0x80" : "+a"(r) : : "memory", "r8", "r9", "r10", "r11");
		_exit(r != getpid());
#endif
		_exit(1);
	}
	return pid > 0 && waitpid(pid, &status, 0) == pid && status == 0;
}

int main(int argc, char **argv)
{
	static const struct { const char *name; bool (*can)(void); } parts[] = {
		{ "write", can_write }, { "breaks", can_break }, { "calls32", can_call32 },
		{ "ptrace", can_ptrace }, { "perf", can_perf },
	};
	char why[128];

	for (size_t i = 0; argc > 1 && i < sizeof parts / sizeof *parts; i++)
		if (!strcmp(argv[1], parts[i].name))
			return !parts[i].can();
	if (argc > 1)
		return 2;
	if (kernel_can_trace(why, sizeof why))
		return 0;
	puts(why);
	return 1;
}
