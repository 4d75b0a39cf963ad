/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/session/engine.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <unistd.h>

#include "engine/host/refusal.h"
#include "engine/interp/recording.h"
#include "engine/interp/user.h"
#include "engine/run/backend.h"
#include "engine/run/options.h"
#include "providers/perf.h"

bool engine_kernel_types(void)
{
	return access("/sys/kernel/btf/vmlinux", R_OK) == 0;
}

/* Are the timers of the kernel engine, which are perf events, refused? Other errors are reported with the probe. */
static bool timers_refused(char *reason, size_t n)
{
	const struct perf_event_attr a = perf_attr(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, 1000000);
	int cpu = sched_getcpu(), fd = perf_event(&a, cpu < 0 ? 0 : cpu, reason, n);

	if (fd >= 0)
		close(fd);
	snprintf(reason, n, "%s", fd < 0 ? perf_reason(fd) : "");
	return fd == -ENOSYS || fd == -EPERM || fd == -EACCES;
}

/* Does the script need what this kernel does not offer, but the rootless engine does? */
static bool rather_user(const struct engine_wish *wish, char *reason, size_t n)
{
	if (wish->by_timers && timers_refused(reason, n))
		return true;
	*reason = '\0';
	if (!wish->rather_user || engine_kernel_types())
		return false;
	snprintf(reason, n, "this kernel offers no type information (/sys/kernel/btf/vmlinux)");
	return true;
}

const struct backend_ops *engine_choose(const struct options *o, const struct engine_wish *wish, char *reason, size_t n)
{
	bool refused;

	*reason = '\0';
	if (wish->query)
		return &backend_recording;
	if (o->engine == ENGINE_BPF)
		return &backend_bpf;
	refused = bpf_refused(reason, n);
	if (o->engine == ENGINE_USER && !refused)
		snprintf(reason, n, "omit -x engine=user");
	if (o->engine == ENGINE_AUTO && !refused && rather_user(wish, reason, n))
		return &backend_user;
	return o->engine == ENGINE_USER || refused ? &backend_user : &backend_bpf;
}

bool engine_lays_out(const struct backend_ops *chosen)
{
	return chosen == &backend_user || chosen == &backend_recording;
}

const struct backend_ops *engine_generator(const struct backend_ops *chosen)
{
	return chosen == &backend_user ? &backend_bpf : chosen;
}
