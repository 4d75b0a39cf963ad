/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* dtr record: a session whose script and printer write a recording. */
#include "engine/output/recorder.h"
#include "engine/session/session.h"
#include "providers/profile/profile.h"

static bool in_kernel(const struct dtr *t)
{
	return t->ops == &backend_bpf;
}

/* The kernel engine finds the target's children by the kernel's types; the rootless engine needs no types for that. */
static int record_choose_engine(struct dtr *t)
{
	session_engine(t);
	if (recorder_kernel_types() || t->env.target <= 0 || !in_kernel(t))
		return 0;
	if (t->opts.engine == ENGINE_AUTO) {
		if (dtr_option(t, "engine", "user") < 0)
			return -1;
		session_engine(t);
		return 0;
	}
	output_message(&t->output, "warning: children of the process are not recorded: this kernel offers no type "
		       "information (/sys/kernel/btf/vmlinux)");
	return 0;
}

int dtr_record(struct dtr *t, const struct dtr_recording *r)
{
	char reason[256];
	uint64_t interval;

	if (profile_parse_interval(r->rate, &interval, reason, sizeof reason) < 0) {
		output_message(&t->output, "invalid rate %s: %s", r->rate, reason);
		return -1;
	}
	t->recording = arena_memdup(&t->arena, r, sizeof *r);
	recorder_open(&t->output, r, interval);
	if (dtr_option(t, "quiet", NULL) < 0 || record_choose_engine(t) < 0)
		return -1;
	return dtr_add_text(t, recorder_script(&t->arena, r, in_kernel(t), t->env.target > 0), "recording");
}
