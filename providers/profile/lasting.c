/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* profile-N without this process: a link holds each event; pinning the link keeps both. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "providers/profile/timer.h"

static int attach_cpu(struct timer *t, const struct perf_event_attr *event, int cpu)
{
	struct attach_env *env = t->env;
	int fd = perf_event(event, cpu, env->reason, sizeof env->reason), r;

	if (fd < 0)
		return fd;
	r = links_keep(&t->lasting, links_event(fd, env->prog_fd, 0));
	if (!r)
		r = perf_enable(fd);
	if (r)
		snprintf(env->reason, sizeof env->reason, "attaching the program to a perf event: %s", strerror(-r));
	close(fd);
	return r;
}

int lasting_attach(struct timer *t, const struct perf_event_attr *event)
{
	int r = 0;

	for (unsigned i = 0; i < t->env->ncpus && (!r || r == -ENODEV); i++)
		r = attach_cpu(t, event, t->env->cpus[i]);
	return t->lasting.n && r == -ENODEV ? 0 : r;
}
