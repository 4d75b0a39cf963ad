/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/session/engine.h"

#include <stdio.h>

#include "engine/host/refusal.h"
#include "engine/interp/recording.h"
#include "engine/interp/user.h"
#include "engine/run/backend.h"
#include "engine/run/options.h"

const struct backend_ops *engine_choose(const struct options *o, bool query, char *reason, size_t n)
{
	bool refused;

	*reason = '\0';
	if (query)
		return &backend_recording;
	if (o->engine == ENGINE_BPF)
		return &backend_bpf;
	refused = bpf_refused(reason, n);
	if (o->engine == ENGINE_USER && !refused)
		snprintf(reason, n, "omit -x engine=user");
	return o->engine == ENGINE_USER || refused ? &backend_user : &backend_bpf;
}

const struct backend_ops *engine_generator(const struct backend_ops *chosen)
{
	return chosen == &backend_user ? &backend_bpf : chosen;
}
