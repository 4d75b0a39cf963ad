/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef _GNU_SOURCE
#endif
#include "tests/lib/kernel.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int load_empty(enum bpf_prog_type type)
{
	const struct bpf_insn insns[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 0, .imm = 0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	int fd = bpf_prog_load(type, "dtr_can", "GPL", insns, 2, NULL);

	return fd < 0 ? -errno : fd;
}

static int open_clock(void)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE, .size = sizeof attr,
					.config = PERF_COUNT_SW_CPU_CLOCK, .sample_period = 1000000, .disabled = 1 };
	int fd = syscall(SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

bool kernel_can_trace(char *why, size_t n)
{
	int prog = load_empty(BPF_PROG_TYPE_PERF_EVENT);
	int ev;

	if (prog < 0) {
		snprintf(why, n, "BPF programs cannot be loaded: %s", strerror(-prog));
		return false;
	}
	close(prog);
	ev = open_clock();
	if (ev < 0) {
		snprintf(why, n, "perf events cannot be opened: %s", strerror(-ev));
		return false;
	}
	close(ev);
	return true;
}

bool kernel_skip(void)
{
	char why[128];

	if (kernel_can_trace(why, sizeof why))
		return false;
	printf("1..0 # SKIP %s\n", why);
	return true;
}

bool kernel_typed(void)
{
	return access("/sys/kernel/btf/vmlinux", R_OK) == 0;
}

bool kernel_skip_untyped(void)
{
	if (kernel_skip())
		return true;
	if (kernel_typed())
		return false;
	puts("1..0 # SKIP this kernel offers no type information");
	return true;
}

pid_t spin_start(int cpu)
{
	pid_t parent = getpid(), pid;
	int ready[2];
	char c;

	if (pipe(ready))
		return -1;
	pid = fork();
	if (pid != 0) {
		close(ready[1]);
		if (read(ready[0], &c, 1) != 1)
			fputs("# a spinner has not begun\n", stdout);
		close(ready[0]);
		return pid;
	}
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	if (cpu >= 0) {
		cpu_set_t set;

		CPU_ZERO(&set);
		CPU_SET(cpu, &set);
		sched_setaffinity(0, sizeof set, &set);
	}
	if (write(ready[1], "", 1) != 1)
		_exit(1);
	close(ready[0]);
	close(ready[1]);
	for (volatile unsigned long i = 0;; i++)
		;
}

void spin_stop(pid_t pid)
{
	if (pid <= 0)
		return;
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}
