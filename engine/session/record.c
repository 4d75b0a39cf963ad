/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* dtr record: a session whose script and printer write a recording. */
#include "engine/output/recorder.h"
#include "engine/session/cgroups.h"
#include "engine/session/engine.h"
#include "engine/session/order.h"
#include "engine/session/session.h"
#include "providers/profile/profile.h"

static bool in_kernel(const struct dtr *t)
{
	return t->ops == &backend_bpf;
}

/* The kernel engine finds the target's children by the kernel's types; the rootless engine needs no types for that. */
static void record_choose_engine(struct dtr *t)
{
	t->rather_user = t->env.target > 0 && !t->recording->all;
	t->by_timers = t->env.target <= 0 || !t->recording->all;
	session_engine(t);
	if (engine_kernel_types() || t->env.target <= 0 || t->recording->all || !in_kernel(t))
		return;
	output_message(&t->output, "warning: children of the process are not recorded: this kernel offers no type "
		       "information (/sys/kernel/btf/vmlinux)");
}

int dtr_record(struct dtr *t, const struct dtr_recording *r)
{
	struct recorder_script what;
	char reason[256];
	uint64_t interval;

	if (!order_allows(t, CALL_dtr_record) || !order_given(t, CALL_dtr_record, r, "what to record") ||
	    !order_given(t, CALL_dtr_record, r->rate, "the rate"))
		return -1;
	if (profile_parse_interval(r->rate, &interval, reason, sizeof reason) < 0) {
		output_message(&t->output, "invalid rate %s: %s", r->rate, reason);
		return -1;
	}
	t->recording = arena_memdup(&t->arena, r, sizeof *r);
	if (dtr_option(t, "quiet", NULL) < 0)
		return -1;
	record_choose_engine(t);
	if (r->all && t->env.target > 0 && !in_kernel(t)) {
		output_message(&t->output, "the rootless engine records either all processes or a command");
		return -1;
	}
	what = (struct recorder_script){
		.in_kernel = in_kernel(t), .target = t->env.target > 0 && !r->all,
		.more = !in_kernel(t) || engine_kernel_types(),
	};
	/* -x hierarchy that does not exist is reported when the script uses it */
	what.groups = what.more && (t->opts.hierarchy || cgroups_exist(t));
	recorder_open(&t->output, r, interval, &what);
	dtr_add_script(t, recorder_script(&t->arena, r, &what), "dtr record");
	return 0;
}
