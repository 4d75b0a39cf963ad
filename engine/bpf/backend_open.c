/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Opens the kernel engine: generates and loads the programs, and opens what accompanies them. */
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

#include "base/clock.h"
#include "base/openfiles.h"
#include "engine/bpf/code/params.h"
#include "engine/bpf/engine.h"
#include "engine/host/cpus.h"
#include "engine/host/refusal.h"
#include "engine/host/wall.h"
#include "engine/run/options.h"

void engine_wall(struct bpf_engine *b)
{
	int64_t obj = ir_obj_find(b->prog->ir, "wall_offset");

	if (b->prog->uses_wall && obj >= 0)
		__atomic_store_n((int64_t *)bpf_object(&b->loaded, (uint32_t)obj), wall_offset(), __ATOMIC_RELAXED);
}

const int *engine_cpus(const struct bpf_engine *b, unsigned *n)
{
	if (b->opts->d.cpu < 0) {
		*n = b->ncpus;
		return b->cpus;
	}
	*n = 1;
	for (unsigned i = 0; i < b->ncpus; i++)
		if (b->cpus[i] == b->opts->d.cpu)
			return &b->cpus[i];
	*n = 0;
	return b->cpus;
}

int engine_settle(struct bpf_engine *b)
{
	int err;

	/* no program has run before the session became active */
	if (!b->armed || !b->started)
		return 0;
	/* the pacer's programs run in its thread, and the barrier's interrupt could interrupt them */
	pacer_lock(&b->pacer);
	err = barrier_wait(&b->barrier, b->cpus, b->ncpus);
	pacer_unlock(&b->pacer);
	return err;
}

static void set_places(struct bpf_engine *b)
{
	struct cpu_place *p = b->prog->places < 0 ? NULL : bpf_object(&b->loaded, (uint32_t)b->prog->places);

	for (unsigned cpu = 0; p && cpu < b->image.par.ncpus && cpu < PROG_PLACES; cpu++)
		cpus_place(cpu, &p[cpu].chip, &p[cpu].node);
}

static bool all_atomic(const struct ir_prog *p)
{
	for (size_t i = 0; i < p->funcs.n; i++) {
		if (p->funcs.v[i]->ctx == IR_C_RAWTP || p->funcs.v[i]->ctx == IR_C_UPROBE ||
		    p->funcs.v[i]->ctx == IR_C_KPROBE || p->funcs.v[i]->ctx == IR_C_CGROUP)
			return false;
	}
	return true;
}

/* Without the ledger, losses have no causes; so failure is only a warning. */
static void open_ledger(struct bpf_engine *b, struct diags *d)
{
	char reason[256] = "";
	bool any = false;

	for (size_t i = 0; i < b->prog->probes.n; i++)
		any |= b->firings.v[i].obj >= 0;
	if (!any || (b->opts->ledger != LEDGER_ON && b->opts->ledger != LEDGER_CPU))
		return;
	if (!ledger_open(&b->ledger, &b->loaded, b->prog->probes.n, reason, sizeof reason))
		b->firings.ledger = &b->ledger;
	else
		diag_warn(d, (struct loc){ 0 }, D_BPF, "the ledger only counts missing firings, without causes: %s",
			  reason);
}

/* Without the owners, addresses resolve as of the end of the session; so failure is only a warning. */
static void open_owners(struct bpf_engine *b, struct diags *d)
{
	char reason[256] = "";

	if (b->prog->owners >= 0 && owners_open(&b->owners, &b->loaded, b->prog, reason, sizeof reason) < 0)
		diag_warn(d, (struct loc){ 0 }, D_BPF,
			  "process addresses that are reused show only their last symbol: %s", reason);
}

static void unwinds_barrier(void *arg)
{
	engine_settle(arg);
}

static int open_unwinds(struct bpf_engine *b, struct diags *d)
{
	char reason[256] = "";
	int fd[UNWINDS_FDS], err;

	if (!b->image.par.unwind)
		return 0;
	err = unwinds_open(&b->unwinds, &b->loaded, b->opts->unwindtables, unwinds_barrier, b, reason, sizeof reason);
	if (!err) {
		b->stacks.later = unwinds_later;
		b->stacks.later_arg = &b->unwinds;
		b->stacks.codes = &b->unwinds.jstacks.codes;
		unwinds_fds(&b->unwinds, fd);
		for (int i = 0; i < UNWINDS_FDS && !err; i++)
			err = rings_watch(&b->rings, fd[i]);
		snprintf(reason, sizeof reason, "%s", strerror(-err));
	}
	return err ? diag(d, (struct loc){ 0 }, D_BPF, "stacks cannot be unwound by tables (-x unwind=fp uses frame "
			  "pointers): %s", reason) : 0;
}

/* If user stacks cannot be unwound by tables, generates programs that use frame pointers. */
static int settle_unwinding(struct bpf_engine *b, struct diags *d)
{
	struct bpf_params par = b->image.par;
	char reason[256] = "only on x86-64";

	if (b->opts->unwind == UNWIND_TABLES && !unwind_mask())
		return diag(d, (struct loc){ 0 }, D_ENGINE, "-x unwind=tables: %s", reason);
	if (!b->image.par.unwind || unwinder_available(reason, sizeof reason))
		return 0;
	if (b->opts->unwind == UNWIND_TABLES)
		return diag(d, (struct loc){ 0 }, D_ENGINE, "-x unwind=tables: %s", reason);
	diag_warn(d, (struct loc){ 0 }, D_ENGINE, "user stacks are unwound by frame pointers only: %s", reason);
	par.unwind = false;
	return bpf_generate(&b->image, b->arena, b->prog->ir, &par, d);
}

/* -x cost, and -x maxcost, which needs it. */
static int open_cost(struct bpf_engine *b, struct diags *d)
{
	const uint64_t most = b->opts->maxcost;

	if (b->opts->cost || most)
		cost_open(&b->cost, d);
	if (most && !cost_on(&b->cost))
		return diag(d, (struct loc){ 0 }, D_BPF, "-x maxcost needs the kernel's BPF statistics");
	if (most)
		governor_open(&b->governor, b->arena, b->prog, &b->loaded, (double)most / 1e6);
	return 0;
}

/* True if the kernel interprets programs: then it allows no tail calls from subprograms. */
static bool programs_interpreted(void)
{
	FILE *f = fopen("/proc/sys/net/core/bpf_jit_enable", "re");
	int c = f ? getc(f) : EOF;

	if (f)
		fclose(f);
	return c == '0';
}

int engine_generate(struct bpf_engine *b, const struct backend_args *args, struct diags *d)
{
	struct arena *a = args->arena;
	struct bpf_params par = params_of(args->prog, args->opts);
	unsigned traced;

	/* this early in the boot nothing is random yet, and nobody chooses keys */
	if (getrandom(&par.seed, sizeof par.seed, GRND_NONBLOCK) != sizeof par.seed)
		par.seed = clock_now();
	par.linked = programs_interpreted();
	b->arena = a;
	b->prog = args->prog;
	b->opts = args->opts;
	libbpf_set_print(NULL);		/* failures are reported as diagnostics */
	ksyms_init(&b->ksyms, a);
	barrier_init(&b->barrier, all_atomic(b->prog->ir) ? BARRIER_INTERRUPT : BARRIER_RCU);
	if (bpf_generate(&b->image, a, b->prog->ir, &par, d))
		return -1;
	b->env = arena_calloc(a, b->prog->probes.n + 1, sizeof *b->env);
	b->attached = arena_calloc(a, b->prog->probes.n + 1, sizeof *b->attached);
	b->reported = arena_calloc(a, par.ncpus, sizeof *b->reported);
	b->cpus = arena_calloc(a, par.ncpus, sizeof *b->cpus);
	b->ncpus = cpus_online(b->cpus, par.ncpus);
	engine_cpus(b, &traced);
	if (!traced)
		return diag(d, (struct loc){ 0 }, D_PRAGMA_OPTSET, "option 'cpu': CPU %d is not online",
			    b->opts->d.cpu);
	/* every probe needs a perf event on each CPU */
	openfiles_raise(b->prog->probes.n * (par.ncpus + 2) + b->image.maps.n + 2 * par.ncpus + 64);
	return 0;
}

void engine_loaded(struct bpf_engine *b)
{
	stacks_init(&b->stacks, &b->loaded);
	firings_init(&b->firings, b->arena, b->prog, &b->loaded);
}

int engine_open(struct backend **out, const struct backend_args *args, struct diags *d)
{
	struct arena *a = args->arena;
	const struct d_prog *p = args->prog;
	const struct options *o = args->opts;
	struct bpf_engine *b = arena_alloc(a, sizeof *b);
	int err;

	*out = (struct backend *)b;
	if (engine_generate(b, args, d) || settle_unwinding(b, d) || bpf_load(&b->loaded, &b->image, d))
		return -1;
	engine_loaded(b);
	if (b->loaded.ring_size && b->loaded.ring_size < b->image.ring_size && !o->quietresize)
		diag_warn(d, (struct loc){ 0 }, D_BPF, "buffer size lowered to %uk: the kernel has no memory for more",
			  b->loaded.ring_size / 1024);
	open_ledger(b, d);
	if (open_cost(b, d))
		return -1;
	err = rings_open(&b->rings, a, &b->loaded, p->uses_wall);
	if (err)
		return diag(d, (struct loc){ 0 }, D_BPF, "failed to open the record buffers: %s%s", refusal_errno(-err),
			    err == -ENOMEM ? " (a smaller bufsize may help)" : "");
	engine_wall(b);
	set_places(b);
	err = p->vtime ? vtime_open(&b->vtime, bpf_program(&b->loaded, p->vtime), b->cpus, b->ncpus) : 0;
	if (err)
		return diag(d, (struct loc){ 0 }, D_BPF, "vtimestamp: failed to attach to sched_switch: %s",
			    strerror(-err));
	open_owners(b, d);
	processes_init(&b->processes, a, p, &b->loaded);
	threads_open(&b->threads, &b->loaded, bpf_program(&b->loaded, p->thread_end));
	return open_unwinds(b, d);
}

