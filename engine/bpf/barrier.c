/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/bpf/barrier.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "engine/bpf/code/asm.h"
#include "engine/bpf/code/bpf.h"
#include "engine/bpf/load/load.h"
#include "engine/host/create.h"

void barrier_init(struct barrier *b, enum barrier_kind kind)
{
	*b = (struct barrier){ .progfd = -1, .kind = kind };
}

/* Runs an interrupt on every CPU; a CPU that is offline is skipped. Returns 0 or -errno. */
static int run_everywhere(struct barrier *b, const int *cpus, unsigned ncpus)
{
	const struct bpf_insn empty[] = {
		insn(BPF_ALU64 | BPF_MOV | BPF_K, R0, 0, 0, 0),
		insn(BPF_JMP | BPF_EXIT, 0, 0, 0, 0),
	};
	int err = 0;

	if (b->progfd < 0)
		b->progfd = create_program(BPF_PROG_TYPE_RAW_TRACEPOINT, "dtr_barrier", empty, 2, NULL);
	if (b->progfd < 0)
		return -errno;
	for (unsigned i = 0; i < ncpus && !err; i++) {
		err = bpf_run(b->progfd, cpus[i]);
		if (err == -ENXIO)
			err = 0;
	}
	return err;
}

/* Waits for an RCU grace period. The kernel refuses this if some CPUs run without a tick. */
static int grace_period(void)
{
	return syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0) ? -errno : 0;
}

int barrier_wait(struct barrier *b, const int *cpus, unsigned ncpus)
{
	int err;

	if (b->kind == BARRIER_RCU && !grace_period())
		return 0;
	err = run_everywhere(b, cpus, ncpus);
	/* slower, but needs neither memory nor a descriptor */
	return err ? grace_period() : 0;
}

void barrier_close(struct barrier *b)
{
	if (b->progfd >= 0)
		close(b->progfd);
	b->progfd = -1;
}
