/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/bpf/govern/cost.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

void cost_open(struct cost *c, struct diags *d)
{
	int fd = bpf_enable_stats(BPF_STATS_RUN_TIME);

	c->fd = fd < 0 ? 0 : fd + 1;
	if (fd < 0)
		diag_warn(d, (struct loc){ 0 }, D_BPF, "-x cost: BPF statistics cannot be turned on: %s",
			  errno == EPERM ? "CAP_SYS_ADMIN is missing" : strerror(errno));
}

bool cost_on(const struct cost *c)
{
	return c->fd > 0;
}

void cost_add(int progfd, struct dtr_cost *out)
{
	struct bpf_prog_info info = { 0 };
	__u32 len = sizeof info;

	if (progfd < 0 || bpf_obj_get_info_by_fd(progfd, &info, &len))
		return;
	out->runs += info.run_cnt;
	out->ns += info.run_time_ns;
}

void cost_close(struct cost *c)
{
	if (c->fd > 0)
		close(c->fd - 1);
	c->fd = 0;
}
