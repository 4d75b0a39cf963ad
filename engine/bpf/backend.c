/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The kernel engine: its implementation of struct backend_ops. */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <time.h>

#include "base/clock.h"
#include "engine/bpf/barrier.h"
#include "engine/bpf/bpf.h"
#include "engine/bpf/cost.h"
#include "engine/bpf/firings.h"
#include "engine/bpf/ledger.h"
#include "engine/bpf/load.h"
#include "engine/bpf/owners.h"
#include "engine/bpf/pacer.h"
#include "engine/bpf/params.h"
#include "engine/bpf/ring.h"
#include "engine/bpf/snapshot.h"
#include "engine/bpf/stacks.h"
#include "engine/bpf/threads.h"
#include "engine/bpf/unwinds.h"
#include "engine/bpf/vtime.h"
#include "engine/host/cpus.h"
#include "engine/host/refusal.h"
#include "engine/host/wall.h"
#include "engine/run/backend.h"
#include "engine/run/options.h"

struct bpf_engine {
	struct arena *arena;
	const struct d_prog *prog;
	const struct options *opts;
	struct bpf_image image;
	struct bpf_loaded loaded;
	struct stacks stacks;
	struct rings rings;
	struct barrier barrier;
	struct pacer pacer;
	_Atomic uint64_t printed;	/* records up to this time have been printed */
	struct firings firings;
	struct cost cost;
	struct ledger ledger;
	struct bpf_vtime vtime;
	struct owners owners;
	struct bpf_threads threads;
	struct unwinds unwinds;
	struct attach_env *env;		/* by enabled probe */
	bool *attached;
	bool armed, started;
	int *cpus;			/* online */
	unsigned ncpus;
	struct drop_counts *reported;	/* by CPU: what drops() has reported so far */
};

static struct bpf_engine *bpf_engine(struct backend *handle)
{
	return (struct bpf_engine *)handle;
}

static int code_fd(const struct bpf_engine *b, const struct ir_func *f)
{
	for (size_t i = 0; i < b->image.codes.n; i++) {
		if (b->image.codes.v[i].func == f)
			return b->loaded.progfd[i];
	}
	return -1;
}

static bool code_typed(const struct bpf_engine *b, const struct ir_func *f)
{
	const struct bpf_code *c = bpf_code_find(&b->image, f);

	return c && c->typed;
}

/* Every probe needs a perf event on each CPU. */
static void raise_fd_limit(const struct bpf_engine *b)
{
	struct rlimit rl;
	rlim_t need = b->prog->probes.n * (b->image.par.ncpus + 2) + b->image.maps.n + 2 * b->image.par.ncpus + 64;

	if (getrlimit(RLIMIT_NOFILE, &rl) || rl.rlim_cur >= need)
		return;
	rl.rlim_cur = need < rl.rlim_max ? need : rl.rlim_max;
	setrlimit(RLIMIT_NOFILE, &rl);	/* if this is not enough, opening the events reports it */
}

static void set_wall_offset(struct bpf_engine *b)
{
	int64_t obj = ir_obj_find(b->prog->ir, "wall_offset");

	if (b->prog->uses_wall && obj >= 0)
		__atomic_store_n((int64_t *)bpf_object(&b->loaded, (uint32_t)obj), wall_offset(), __ATOMIC_RELAXED);
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
		if (p->funcs.v[i]->ctx == IR_C_RAWTP)
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

	if (b->prog->owners >= 0 && owners_open(&b->owners, &b->loaded, (uint32_t)b->prog->owners, reason,
						sizeof reason) < 0)
		diag_warn(d, (struct loc){ 0 }, D_BPF,
			  "process addresses that are reused show only their last symbol: %s", reason);
}

static int settle(struct bpf_engine *b);

static uint64_t backend_owners(struct backend *handle)
{
	struct bpf_engine *b = bpf_engine(handle);

	return b->owners.open ? b->owners.layout.begun : 0;
}

/* The CPUs that probes are armed on. */
static const int *traced_cpus(const struct bpf_engine *b, unsigned *n)
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

static void unwinds_barrier(void *arg)
{
	settle(arg);
}

static int open_unwinds(struct bpf_engine *b, struct diags *d)
{
	char reason[256] = "";

	if (!b->image.par.unwind)
		return 0;
	if (unwinds_open(&b->unwinds, &b->loaded, b->opts->unwindtables, unwinds_barrier, b, reason, sizeof reason) < 0)
		return diag(d, (struct loc){ 0 }, D_BPF, "stacks cannot be unwound by tables (-x unwind=fp uses frame "
			    "pointers): %s", reason);
	b->stacks.later = unwinds_later;
	b->stacks.later_arg = &b->unwinds;
	return rings_watch(&b->rings, unwinds_fd(&b->unwinds)) < 0 ? -1 : 0;
}

static bool backend_use(struct backend *handle, struct symbols *s, int64_t target)
{
	struct bpf_engine *b = bpf_engine(handle);
	char reason[256];

	if (!b->image.par.unwind || !s)
		return b->image.par.unwind;
	if (unwinds_begin(&b->unwinds, s, reason, sizeof reason) == 0 && target > 0)
		unwinds_prepare(&b->unwinds, target);
	return true;
}

static bool backend_later(struct backend *handle, uint64_t word, uint64_t *pc, uint32_t max)
{
	return unwinds_later(&bpf_engine(handle)->unwinds, word, pc, max);
}

static int backend_open(struct backend **out, const struct backend_args *args, struct diags *d)
{
	struct arena *a = args->arena;
	const struct d_prog *p = args->prog;
	const struct options *o = args->opts;
	struct bpf_engine *b = arena_alloc(a, sizeof *b);
	struct bpf_params par = params_of(p, o);
	unsigned traced;
	int err;

	/* this early in the boot nothing is random yet, and nobody chooses keys */
	if (getrandom(&par.seed, sizeof par.seed, GRND_NONBLOCK) != sizeof par.seed)
		par.seed = clock_now();

	*out = (struct backend *)b;
	b->arena = a;
	b->prog = p;
	b->opts = o;
	libbpf_set_print(NULL);		/* failures are reported as diagnostics */
	barrier_init(&b->barrier, !all_atomic(p->ir));
	if (bpf_generate(&b->image, a, p->ir, &par, d))
		return -1;
	b->env = arena_calloc(a, p->probes.n + 1, sizeof *b->env);
	b->attached = arena_calloc(a, p->probes.n + 1, sizeof *b->attached);
	b->reported = arena_calloc(a, par.ncpus, sizeof *b->reported);
	b->cpus = arena_calloc(a, par.ncpus, sizeof *b->cpus);
	b->ncpus = cpus_online(b->cpus, par.ncpus);
	traced_cpus(b, &traced);
	if (!traced)
		return diag(d, (struct loc){ 0 }, D_PRAGMA_OPTSET, "option 'cpu': CPU %d is not online", o->d.cpu);
	raise_fd_limit(b);
	if (bpf_load(&b->loaded, &b->image, d))
		return -1;
	stacks_init(&b->stacks, &b->loaded);
	if (b->loaded.ring_size && b->loaded.ring_size < b->image.ring_size && !o->quietresize)
		diag_warn(d, (struct loc){ 0 }, D_BPF, "buffer size lowered to %uk: the kernel has no memory for more",
			  b->loaded.ring_size / 1024);
	firings_init(&b->firings, a, p, &b->loaded);
	open_ledger(b, d);
	if (o->cost)
		cost_open(&b->cost, d);
	err = rings_open(&b->rings, a, &b->loaded, p->uses_wall);
	if (err)
		return diag(d, (struct loc){ 0 }, D_BPF, "failed to open the record buffers: %s", refusal_errno(-err));
	set_wall_offset(b);
	set_places(b);
	err = p->vtime ? vtime_open(&b->vtime, code_fd(b, p->vtime), b->cpus, b->ncpus) : 0;
	if (err)
		return diag(d, (struct loc){ 0 }, D_BPF, "vtimestamp: failed to attach to sched_switch: %s",
			    strerror(-err));
	open_owners(b, d);
	threads_open(&b->threads, &b->loaded);
	return open_unwinds(b, d);
}

/* Runs a program in this thread. With -x cpu, runs it on that CPU, so that BEGIN and END record that CPU too. */
static int run_here(const struct bpf_engine *b, int fd)
{
	cpu_set_t before, one;
	int err;

	if (b->opts->d.cpu < 0 || sched_getaffinity(0, sizeof before, &before))
		return bpf_run(fd, -1);
	CPU_ZERO(&one);
	CPU_SET((unsigned)b->opts->d.cpu, &one);
	err = sched_setaffinity(0, sizeof one, &one) ? -errno : bpf_run(fd, -1);
	sched_setaffinity(0, sizeof before, &before);
	return err;
}

static int backend_run(struct backend *handle, const struct ir_func *f)
{
	struct bpf_engine *b = bpf_engine(handle);
	int fd = code_fd(b, f);

	return fd < 0 ? -ENOENT : run_here(b, fd);
}

static void *global_object(struct attach_env *env, const char *name)
{
	struct bpf_engine *b = env->arg;
	int64_t obj = ir_obj_find(b->prog->ir, name);

	return obj < 0 ? NULL : bpf_object(&b->loaded, (uint32_t)obj);
}

static void probe_changed(struct attach_env *env, const struct perf_change *n)
{
	struct bpf_engine *b = env->arg;

	firings_changed(&b->firings, (size_t)(env - b->env), n);
}

static void probe_wake(struct attach_env *env)
{
	struct bpf_engine *b = env->arg;

	rings_wake(&b->rings);
}

static uint64_t probe_printed(struct attach_env *env)
{
	struct bpf_engine *b = env->arg;

	return atomic_load(&b->printed);
}

static int probe_failed(const struct bpf_engine *b, size_t i, int err, struct diags *d)
{
	const struct probe *p = b->prog->probes.v[i].probe;

	return diag(d, (struct loc){ 0 }, D_BPF, "failed to enable probe %s:%s:%s:%s: %s", p->provname, p->mod,
		    p->func, p->name,
		    b->env[i].reason[0] ? b->env[i].reason : strerror(-err));
}

static int attach_one(struct bpf_engine *b, size_t i, struct diags *d)
{
	const struct enabled_probe *e = &b->prog->probes.v[i];
	struct attach_env *env = &b->env[i];
	const int *cpus;
	unsigned ncpus;
	int err;

	if (!e->probe->prov->attach || !e->func)
		return 0;
	cpus = traced_cpus(b, &ncpus);
	*env = (struct attach_env){
		.prog_fd = code_fd(b, e->func), .alt_fd = e->alt ? code_fd(b, e->alt) : -1,
		.cpus = cpus, .ncpus = ncpus, .prog = b->prog->ir,
		.wake = probe_wake, .printed = probe_printed, .site = e->site, .typed = code_typed(b, e->func),
		.global = global_object, .changed = probe_changed, .arg = b, .clock_source = b->opts->clock_source,
	};
	err = e->probe->prov->attach(e->probe, env);
	if (err)
		return probe_failed(b, i, err, d);
	b->attached[i] = true;
	return 0;
}

static void backend_disarm(struct backend *handle)
{
	struct bpf_engine *b = bpf_engine(handle);

	pacer_stop(&b->pacer);
	for (size_t i = 0; b->attached && i < b->prog->probes.n; i++) {
		struct probe *p = b->prog->probes.v[i].probe;

		if (b->attached[i])
			firings_end(&b->firings, i);
		if (b->attached[i] && p->prov->detach)
			p->prov->detach(p);
		b->attached[i] = false;
	}
	b->armed = false;
}

static int backend_arm(struct backend *handle, struct diags *d)
{
	struct bpf_engine *b = bpf_engine(handle);
	int err = 0;

	b->armed = true;
	for (size_t i = 0; i < b->prog->probes.n && !err; i++)
		err = attach_one(b, i, d);
	if (err)
		backend_disarm(handle);
	return err;
}

static int settle(struct bpf_engine *b)
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

static void backend_printed(struct backend *handle, uint64_t time)
{
	struct bpf_engine *b = bpf_engine(handle);

	atomic_store(&b->printed, time);
}

/* Lets the providers make their last firings. */
static void backend_last(struct bpf_engine *b)
{
	pacer_lock(&b->pacer);
	for (size_t i = 0; b->armed && i < b->prog->probes.n; i++) {
		struct probe *p = b->prog->probes.v[i].probe;

		if (b->attached[i] && p->prov->clock && p->prov->clock->last)
			p->prov->clock->last(p);
	}
	pacer_unlock(&b->pacer);
}

/* END may call exit() again, with another status. */
static void allow_exit(struct bpf_words *w, enum ir_state s)
{
	if (s == IR_S_END) {
		w->ended_first = atomic_load(&w->ended);
		atomic_store(&w->exit_claim, 0);
	} else if (s == IR_S_STOPPED && w->ended_first) {
		atomic_store(&w->ended, w->ended_first);
	}
}

static void backend_set_state(struct backend *handle, enum ir_state s)
{
	struct bpf_engine *b = bpf_engine(handle);

	_Atomic uint64_t *state = &bpf_words(&b->loaded)->state, *ended = &bpf_words(&b->loaded)->ended;
	uint64_t now = atomic_load(state), never = 0;

	if (s > IR_S_ACTIVE && now == IR_S_ACTIVE)
		backend_last(b);
	if (s > IR_S_ACTIVE)
		atomic_compare_exchange_strong(ended, &never, clock_now());
	/* only forward: exit() may have set a later state already */
	while (now < s && !atomic_compare_exchange_weak(state, &now, s))
		;
	allow_exit(bpf_words(&b->loaded), s);
	/* a failure does not matter here: disarming follows and waits, too */
	settle(b);
}

/* Every program reads this one word, so all probes become active at the same moment. Then starts the providers'
 * clocks. */
static int backend_start(struct backend *handle, struct diags *d)
{
	struct bpf_engine *b = bpf_engine(handle);
	int err = 0;

	backend_set_state(handle, IR_S_ACTIVE);
	b->started = true;
	for (size_t i = 0; i < b->prog->probes.n && !err; i++) {
		struct probe *p = b->prog->probes.v[i].probe;
		const struct provider_clock *clock = p->prov->clock;

		err = b->attached[i] && clock && clock->start ? clock->start(p) : 0;
		if (err)
			probe_failed(b, i, err, d);
	}
	if (!err) {
		err = pacer_start(&b->pacer, b->arena, b->prog);
		if (err)
			diag(d, (struct loc){ 0 }, D_BPF, "failed to start the pacer thread: %s", strerror(-err));
	}
	if (!err)
		return 0;
	backend_disarm(handle);
	return -1;
}

static enum ir_state backend_state(struct backend *handle)
{
	struct bpf_engine *b = bpf_engine(handle);

	return (enum ir_state)atomic_load(&bpf_words(&b->loaded)->state);
}

static int64_t backend_exit_status(struct backend *handle)
{
	struct bpf_engine *b = bpf_engine(handle);

	return atomic_load(&bpf_words(&b->loaded)->exit_status);
}

static int backend_poll(struct backend *handle, uint64_t timeout_ns, record_fn fn, void *arg)
{
	struct bpf_engine *b = bpf_engine(handle);
	int n = rings_poll(&b->rings, timeout_ns, fn, arg);

	/* a record's stack was handed over before the record */
	unwinds_take(&b->unwinds);
	set_wall_offset(b);
	return n;
}

static void *backend_object(struct backend *handle, uint32_t obj)
{
	struct bpf_engine *b = bpf_engine(handle);

	return bpf_object(&b->loaded, obj);
}

static bool cleared_stacks(const struct agg_desc *d)
{
	return d->cleared && d->has_stacks;
}

/* Aggregations that are cleared and have stacks are read all together or not at all. */
static int backend_snapshot(struct backend *handle, struct agg_table *const *tables, unsigned n)
{
	struct bpf_engine *b = bpf_engine(handle);
	unsigned *gen = calloc(n + 1, sizeof *gen);
	bool flipped = false, turned = false;
	int err = gen ? 0 : -ENOMEM;

	for (unsigned i = 0; i < n && !err; i++) {
		gen[i] = snapshot_flip(&b->loaded, tables[i]->desc);
		flipped |= b->prog->ir->objs.v[tables[i]->desc->obj].generations;
		turned |= cleared_stacks(tables[i]->desc);
	}
	if (turned)
		stacks_flip(&b->stacks);
	if (flipped)
		err = settle(b);
	if (turned && !err)
		stacks_turn(&b->stacks);
	for (unsigned i = 0; i < n && !err; i++) {
		tables[i]->frames = stacks_frames;
		tables[i]->frames_arg = &b->stacks;
		err = snapshot_read(&b->loaded, tables[i], gen[i]);
		err = err ? err : b->stacks.err;
	}
	if (turned && !err)
		stacks_forget(&b->stacks);
	free(gen);
	return err;
}

/* Firings lost because the same program was already running on the CPU. Programs of perf events have no such
 * counter. */
static uint64_t nested_firings(const struct bpf_engine *b)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < b->image.codes.n; i++) {
		struct bpf_prog_info info = { 0 };
		uint32_t len = sizeof info;

		if (b->loaded.progfd[i] >= 0 && b->image.codes.v[i].func->ctx != IR_C_PERF &&
		    !bpf_obj_get_info_by_fd(b->loaded.progfd[i], &info, &len))
			sum += info.recursion_misses;
	}
	return sum;
}

static bool backend_lacks(struct backend *handle, struct buf *out)
{
	struct bpf_engine *b = bpf_engine(handle);
	uint64_t missed = owners_missed(&b->owners);

	if (missed)
		buf_printf(out, "%llu mapping changes were lost: reused addresses may show a later symbol",
			   (unsigned long long)missed);
	return unwinds_lacks(&b->unwinds, out);
}

static bool backend_drops(struct backend *handle, int cpu, struct drop_counts *out)
{
	struct bpf_engine *b = bpf_engine(handle);
	const uint64_t *now;

	if (cpu < 0 || (unsigned)cpu >= b->image.par.ncpus)
		return false;
	now = (const uint64_t *)(b->loaded.data + b->image.off_drops + (size_t)cpu * CACHE_LINE);
	for (int i = 0; i < IR_NDROPS; i++) {
		uint64_t n = i != IR_DROP_NESTED ? __atomic_load_n(&now[i], __ATOMIC_RELAXED) :
			     cpu == 0 ? nested_firings(b) : 0;

		out->n[i] = n - b->reported[cpu].n[i];
		b->reported[cpu].n[i] = n;
	}
	return true;
}

static void backend_refresh(struct backend *handle)
{
	struct bpf_engine *b = bpf_engine(handle);
	const int *cpus;
	unsigned ncpus;

	set_wall_offset(b);
	unwinds_refresh(&b->unwinds);
	pacer_lock(&b->pacer);
	b->ncpus = cpus_online(b->cpus, b->image.par.ncpus);
	for (unsigned i = 0; i < b->ncpus; i++)
		bpf_ring_add(&b->loaded, b->cpus[i]);	/* if it fails, that CPU's records count as drops */
	rings_update(&b->rings);
	cpus = traced_cpus(b, &ncpus);
	for (size_t i = 0; i < b->prog->probes.n; i++) {
		struct probe *p = b->prog->probes.v[i].probe;

		b->env[i].cpus = cpus;
		b->env[i].ncpus = ncpus;
		if (b->attached[i] && p->prov->clock && p->prov->clock->refresh)
			p->prov->clock->refresh(p, cpus, ncpus);
	}
	pacer_unlock(&b->pacer);
}

static void backend_wake(struct backend *handle)
{
	struct bpf_engine *b = bpf_engine(handle);

	rings_wake(&b->rings);
}

static void backend_close(struct backend *handle)
{
	struct bpf_engine *b = bpf_engine(handle);

	if (!b)
		return;
	backend_disarm(handle);
	rings_close(&b->rings);
	barrier_close(&b->barrier);
	cost_close(&b->cost);
	ledger_close(&b->ledger);
	vtime_close(&b->vtime);
	owners_close(&b->owners);
	threads_close(&b->threads);
	stacks_close(&b->stacks);
	unwinds_close(&b->unwinds);
	bpf_unload(&b->loaded);
}

static bool backend_account(struct backend *handle, unsigned probe, int cpu, struct dtr_account *out)
{
	struct bpf_engine *b = bpf_engine(handle);

	return firings_account(&b->firings, probe, cpu, out);
}

static bool backend_cost(struct backend *handle, unsigned probe, struct dtr_cost *out)
{
	struct bpf_engine *b = bpf_engine(handle);
	const struct enabled_probe *e = &b->prog->probes.v[probe];

	if (!cost_on(&b->cost))
		return false;
	if (probe >= b->prog->probes.n) {
		*out = (struct dtr_cost){ .probe = "the ledger" };
		if (b->ledger.open)
			ledger_cost(&b->ledger, out);
		return b->ledger.open && probe == b->prog->probes.n;
	}
	*out = (struct dtr_cost){ .probe = e->probe->name };
	if (e->func)
		cost_add(code_fd(b, e->func), out);
	if (e->alt)
		cost_add(code_fd(b, e->alt), out);
	return true;
}

static int backend_check(const struct d_prog *p, const struct options *o, struct diags *d)
{
	struct bpf_params par = params_of(p, o);
	struct bpf_image im;

	return bpf_generate(&im, p->arena, p->ir, &par, d);
}

static int backend_dump(struct buf *out, const struct d_prog *p, const struct options *o, struct diags *d)
{
	struct bpf_params par = params_of(p, o);
	struct bpf_image im;

	if (bpf_generate(&im, p->arena, p->ir, &par, d))
		return -1;
	bpf_dump(out, &im);
	return 0;
}

const struct backend_ops backend_bpf = {
	.name = "bpf",
	.open = backend_open,
	.run = backend_run,
	.arm = backend_arm,
	.start = backend_start,
	.disarm = backend_disarm,
	.set_state = backend_set_state,
	.state = backend_state,
	.exit_status = backend_exit_status,
	.poll = backend_poll,
	.snapshot = backend_snapshot,
	.drops = backend_drops,
	.refresh = backend_refresh,
	.wake = backend_wake,
	.close = backend_close,
	.printed = backend_printed,
	.object = backend_object,
	.code = &(const struct backend_code){ .check = backend_check, .dump = backend_dump },
	.symbols = &(const struct backend_symbols){ .owners = backend_owners, .use = backend_use, 
						  .later = backend_later },
	.report = &(const struct backend_report){ .lacks = backend_lacks },
	.accounts = &(const struct backend_accounts){ .account = backend_account, .cost = backend_cost },
};
