/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/session/engine.h"

#include <stdio.h>
#include <unistd.h>

#include "engine/host/refusal.h"
#include "engine/interp/recording.h"
#include "engine/interp/user.h"
#include "engine/run/backend.h"
#include "engine/run/options.h"

bool engine_kernel_types(void)
{
	return access("/sys/kernel/btf/vmlinux", R_OK) == 0;
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
	if (o->engine == ENGINE_AUTO && !refused && wish->rather_user && !engine_kernel_types()) {
		snprintf(reason, n, "this kernel offers no type information (/sys/kernel/btf/vmlinux)");
		return &backend_user;
	}
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
