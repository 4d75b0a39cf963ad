/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/bpf/barrier.h"

#include <bpf/bpf.h>
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "engine/bpf/bpf.h"

void barrier_init(struct barrier *b, bool rcu)
{
	*b = (struct barrier){ .progfd = -1, .rcu = rcu };
}

void barrier_wait(struct barrier *b, const int *cpus, unsigned ncpus)
{
	const struct bpf_insn empty[] = {
		insn(BPF_ALU64 | BPF_MOV | BPF_K, R0, 0, 0, 0),
		insn(BPF_JMP | BPF_EXIT, 0, 0, 0, 0),
	};

	/* it waits for a grace period; refused where CPUs run without a tick */
	if (b->rcu && !syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0))
		return;
	if (b->progfd < 0)
		b->progfd = bpf_prog_load(BPF_PROG_TYPE_RAW_TRACEPOINT, "dtr_barrier", "GPL", empty, 2, NULL);
	for (unsigned i = 0; b->progfd >= 0 && i < ncpus; i++)
		bpf_run(b->progfd, cpus[i]);
}

void barrier_close(struct barrier *b)
{
	if (b->progfd >= 0)
		close(b->progfd);
	b->progfd = -1;
}
