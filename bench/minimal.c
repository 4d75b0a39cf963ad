/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The minimum that a BPF profiler must do: three maps, one program, two perf events, exit.
 * The lower limit with which bench/startup compares.
 */
#include <bpf/bpf.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static int event(int prog_fd, int cpu)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE, .size = sizeof attr,
					.config = PERF_COUNT_SW_CPU_CLOCK, .sample_period = 10000000 };
	int fd = syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -1 : ioctl(fd, PERF_EVENT_IOC_SET_BPF, prog_fd);
}

int main(void)
{
	const struct bpf_insn insns[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 0, .imm = 0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	int array = bpf_map_create(BPF_MAP_TYPE_ARRAY, "min_array", 4, 4096, 1, NULL);
	int hash = bpf_map_create(BPF_MAP_TYPE_PERCPU_HASH, "min_hash", 24, 8, 4096,
				  &(struct bpf_map_create_opts){ .sz = sizeof(struct bpf_map_create_opts),
								 .map_flags = BPF_F_NO_PREALLOC });
	int ring = bpf_map_create(BPF_MAP_TYPE_RINGBUF, "min_ring", 0, 0, 262144, NULL);
	int prog = bpf_prog_load(BPF_PROG_TYPE_PERF_EVENT, "min_prog", "GPL", insns, 2, NULL);

	if (array < 0 || hash < 0 || ring < 0 || prog < 0 || event(prog, 0) < 0 || event(prog, 0) < 0) {
		perror("minimal");
		return 1;
	}
	return 0;
}
