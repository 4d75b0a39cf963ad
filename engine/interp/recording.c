/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/interp/recording.h"

#include <stdio.h>
#include <string.h>

#include "engine/interp/engine.h"
#include "engine/interp/kernel_reads.h"
#include "engine/run/options.h"
#include "engine/sample/recorded.h"

/* True if a clause prints or changes whole aggregations: it must see them as of the recorded time. */
static bool prog_shows(const struct d_prog *p)
{
	for (size_t i = 0; i < p->epids.n; i++)
		for (unsigned k = 0; k < p->epids.v[i].nacts; k++)
			if (p->epids.v[i].acts[k].naggs)
				return true;
	return false;
}

/* Replaces this process, this machine and the current time with those of the recording. */
static int recording_past(struct interp_engine *b, struct diags *d)
{
	struct source_past past = { 0 };

	b->ops->past(b->source, &past);
	b->past = true;
	b->blind = past.blind;
	b->about = past.about;
	b->about.timed = true;
	b->about.dated = !past.nowall;
	b->about.wall = past.about.began + past.wall;
	b->memory.past = (struct image_past){ .past = true, .nouids = !past.uids, .nocpu = past.nocpu,
					       .groups = past.groups };
	b->stepwise = prog_shows(b->world.prog);
	b->world.aggsize = b->world.dynvarsize = UINT32_MAX;	/* no limits: no process is being slowed down */
	world_cpus(&b->world, past.ncpus ? past.ncpus : 1);
	world_wall(&b->world, past.wall);
	b->world.random = 0;
	b->self = (struct sample){ .comm = "dtr" };
	if (past.blind && b->opts->needpc)
		return diag(d, (struct loc){ 0 }, D_ENGINE, "the recording has neither program counters nor stacks");
	if (past.blind)
		diag_warn(d, (struct loc){ 0 }, D_ENGINE,
			  "the recording has no program counters (arg0 and arg1 are 0), no stacks");
	if (b->opts->hierarchy && past.groups && b->world.prog->cgroups.any &&
	    strcmp(b->opts->hierarchy, *past.hierarchy ? past.hierarchy : "v2"))
		return diag(d, (struct loc){ 0 }, D_ENGINE,
			    "-x hierarchy=%s: the recording has the control groups of %s",
			    b->opts->hierarchy, *past.hierarchy ? past.hierarchy : "version 2");
	if (!past.uids && interp_has(b->world.prog->ir, IR_UIDGID, -1, 0))
		return diag(d, (struct loc){ 0 }, D_ENGINE, "the recording lacks the user (uid, gid)");
	if (past.nowall && b->world.prog->uses_wall)
		return diag(d, (struct loc){ 0 }, D_ENGINE, "the recording lacks the time of day (walltimestamp): %s",
			    past.nowall);
	if (past.nocpu && b->world.prog->uses_cpu)
		return diag(d, (struct loc){ 0 }, D_ENGINE, "the recording lacks the CPU (cpu, curcpu, -x cpu): %s",
			    past.nocpu);
	if (past.hz)
		interp_ticks(b, 1000000000u / past.hz, past.hz);
	else if (interp_has(b->world.prog->ir, IR_JIFFIES, -1, 0))
		return diag(d, (struct loc){ 0 }, D_ENGINE,
			    "the recording lacks the number of ticks per second (`jiffies)");
	if (interp_has(b->world.prog->ir, IR_GOID, -1, 0))
		return diag(d, (struct loc){ 0 }, D_ENGINE, "numbers of goroutines were not recorded (goid)");
	if (interp_has(b->world.prog->ir, IR_UREG, -1, 0))
		return diag(d, (struct loc){ 0 }, D_ENGINE, "registers were not recorded (uregs[])");
	if (interp_has(b->world.prog->ir, IR_SIGNAL, -1, 0) || interp_has(b->world.prog->ir, IR_UWRITE, -1, 0))
		return diag(d, (struct loc){ 0 }, D_ENGINE,
			    "raise(), stop(), copyout() and copyoutstr() need a live process, "
			    "which a recording does not have");
	if (!past.tasks &&
	    (interp_has(b->world.prog->ir, IR_TASK, -1, 0) || interp_has(b->world.prog->ir, IR_TREAD, -1, 0)))
		diag_warn(d, (struct loc){ 0 }, D_ENGINE, "the recording has only names and IDs of threads: "
			  "other members of curthread, curpsinfo and curlwpsinfo fault");
	if (interp_has(b->world.prog->ir, IR_UREAD, -1, 0) || interp_has(b->world.prog->ir, IR_USTR, -1, 0) ||
	    interp_has(b->world.prog->ir, IR_FILL, 4, IR_FILL_USER))
		diag_warn(d, (struct loc){ 0 }, D_ENGINE,
			  "the memory of processes was not recorded: reading it faults");
	return 0;
}

/* Refuses a program that needs data which recordings do not have. */
static int recording_check(struct interp_engine *b, struct diags *d)
{
	const struct d_prog *p = b->world.prog;

	if (ir_obj_find(p->ir, "chilled@") >= 0)
		return diag(d, (struct loc){ 0 }, D_ENGINE, "chill() cannot be used on a recording");
	return kernel_reads_check(p, b->memory.image, "was not recorded", d);
}

static int recording_probes(struct interp_engine *b, struct diags *d)
{
	int r = interp_probes(b, "a recording has only timed samples, no other events", d);

	return b->world.prog->vtime ? diag(d, (struct loc){ 0 }, D_ENGINE, "vtimestamp was not recorded") : r;
}

static int recording_open(struct backend **out, const struct backend_args *args, struct diags *d)
{
	struct interp_engine *b = interp_new(args);
	struct recording_file *file = args->input;
	char reason[256] = "";

	*out = (struct backend *)b;
	if (interp_opened(b, d) < 0)
		return -1;
	b->want.arg = file;
	b->want.groups = b->world.prog->cgroups.any;
	b->ops = file->ops;		/* interp_close also closes what a failed open() has left */
	if (b->ops->open(&b->source, &b->want, reason, sizeof reason) < 0)
		return diag(d, (struct loc){ 0 }, D_ENGINE, "%s", reason);
	if (recording_past(b, d) < 0)
		return -1;
	b->chains.ops = b->ops->symbols(b->source, &b->chains.arg);
	if (recording_probes(b, d) < 0 || recording_check(b, d) < 0)
		return -1;
	b->world.clock = interp_clock(b);
	return 0;
}

/* Later than any record, so that the consumer prints all records at once. */
static uint64_t recording_now(struct backend *handle)
{
	struct interp_engine *b = interp_engine(handle);

	return interp_clock(b) + 10000000;
}

static void recording_about(struct backend *handle, struct run_about *out)
{
	struct interp_engine *b = interp_engine(handle);

	*out = b->about;
	out->now = interp_clock(b);
}

static const struct symbol_ops *recording_symbols(struct backend *handle, void **arg)
{
	struct interp_engine *b = interp_engine(handle);

	return b->ops->symbols(b->source, arg);
}

static void recording_groups(struct backend *handle, void (*fn)(void *arg, const struct containers_group *g), void *arg)
{
	struct interp_engine *b = interp_engine(handle);

	if (b->ops->groups)
		b->ops->groups(b->source, fn, arg);
}

const struct backend_ops backend_recording = {
	.name = "recording",
	.open = recording_open,
	.run = interp_run,
	.start = interp_start,
	.disarm = interp_disarm,
	.set_state = interp_set_state,
	.state = interp_state,
	.exit_status = interp_exit_status,
	.poll = interp_poll,
	.snapshot = interp_snapshot,
	.drops = interp_drops,
	.wake = interp_wake,
	.close = interp_close,
	.object = interp_object,
	.clock = &(const struct backend_clock){ .now = recording_now, .about = recording_about },
	.symbols = &(const struct backend_symbols){ .symbols = recording_symbols, .owners = interp_owners },
	.report = &(const struct backend_report){ .describe = interp_describe, .blind = interp_blind,
		.lacks = interp_lacks },
	.accounts = &(const struct backend_accounts){ .account = interp_account, .stacks = interp_stacks },
	.cgroups = &(const struct backend_cgroups){ .recorded = recording_groups },
};

