/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/bpf/vtime.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <unistd.h>

#include "engine/bpf/code/bpf.h"
#include "engine/bpf/load/load.h"

int vtime_open(struct bpf_vtime *v, int progfd, const int *cpus, unsigned ncpus)
{
	int fd = bpf_raw_tracepoint_open("sched_switch", progfd);

	if (fd < 0)
		return -errno;
	v->fd = fd;
	/* if this fails on a CPU, its times are exact only after its next thread switch; until then the kernel's
	 * accounting is used */
	for (unsigned i = 0; i < ncpus; i++)
		bpf_run(progfd, cpus[i]);
	return 0;
}

void vtime_close(struct bpf_vtime *v)
{
	if (v->fd > 0)
		close(v->fd);
	v->fd = 0;
}
