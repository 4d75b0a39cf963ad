/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The kernel engine: its implementation of struct backend_ops. */
#include <bpf/bpf.h>
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "engine/bpf/code/params.h"
#include "engine/bpf/engine.h"
#include "engine/bpf/snapshot.h"
#include "engine/host/cpus.h"
#include "engine/run/options.h"

static struct bpf_engine *bpf_engine(struct backend *handle)
{
	return (struct bpf_engine *)handle;
}

static uint64_t backend_owners(struct backend *handle)
{
	struct bpf_engine *b = bpf_engine(handle);

	return b->owners.open ? b->owners.begun : 0;
}

static bool backend_use(struct backend *handle, struct symbols *s, int64_t target)
{
	struct bpf_engine *b = bpf_engine(handle);
	int fd;

	/* a burst of process events ends the wait for records, after which they are read; else they may be lost */
	for (unsigned i = 0; s && symbols_fd(s, i, &fd); i++)
		if (fd >= 0)
			rings_watch(&b->rings, fd);
	if (!b->image.par.unwind || !s)
		return b->image.par.unwind;
	unwinds_begin(&b->unwinds, s);
	if (target > 0)
		unwinds_prepare(&b->unwinds, target);
	return true;
}

static bool backend_later(struct backend *handle, const uint64_t *words, uint64_t *pc, uint32_t max)
{
	return unwinds_shown(&bpf_engine(handle)->unwinds, words, pc, max);
}

static bool backend_kernel(struct backend *handle, uint64_t addr, struct symbol *out)
{
	return ksyms_find(&bpf_engine(handle)->ksyms, addr, out);
}

static bool backend_crowded(struct backend *handle)
{
	return unwinds_crowded(&bpf_engine(handle)->unwinds);
}

/* Runs a program in this thread. With -x cpu, runs it on that CPU, so that BEGIN and END record that CPU too. */
static int backend_run(struct backend *handle, const struct ir_func *f)
{
	struct bpf_engine *b = bpf_engine(handle);
	int fd = bpf_program(&b->loaded, f), err;
	cpu_set_t before, one;

	if (fd < 0)
		return -ENOENT;
	if (b->opts->d.cpu < 0 || sched_getaffinity(0, sizeof before, &before))
		return bpf_run(fd, -1);
	CPU_ZERO(&one);
	CPU_SET((unsigned)b->opts->d.cpu, &one);
	err = sched_setaffinity(0, sizeof one, &one) ? -errno : bpf_run(fd, -1);
	sched_setaffinity(0, sizeof before, &before);
	return err;
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

/* What a probe's provider needs to attach it. */
static void env_prepare(struct bpf_engine *b, size_t i)
{
	const struct enabled_probe *e = &b->prog->probes.v[i];
	const struct bpf_code *code = bpf_code_find(&b->image, e->func);
	unsigned ncpus;
	const int *cpus = engine_cpus(b, &ncpus);

	b->env[i] = (struct attach_env){
		.prog_fd = code ? b->loaded.progfd[code - b->image.codes.v] : -1,
		.alt_fd = bpf_program(&b->loaded, e->alt), .typed = code && code->typed, .turns = code && code->turns,
		.cpus = cpus, .ncpus = ncpus, .prog = b->prog->ir, .site = e->site,
		.global = global_object, .arg = b, .clock_source = b->opts->clock_source, .lasting = b->lasting,
	};
	if (b->lasting)
		return;		/* nobody will attend to it */
	b->env[i].changed = probe_changed;
	b->env[i].wake = probe_wake;
	b->env[i].printed = probe_printed;
}

int engine_attach(struct bpf_engine *b, size_t i, struct diags *d)
{
	struct probe *p = b->prog->probes.v[i].probe;
	int err;

	env_prepare(b, i);
	err = p->prov->attach(p, &b->env[i]);
	b->attached[i] = !err;
	if (err)
		probe_failed(b, i, err, d);
	else if (b->env[i].warning[0])
		diag_warn(d, (struct loc){ 0 }, D_PROC_CREATEFAIL, "%s", b->env[i].warning);
	b->env[i].warning[0] = '\0';	/* reported */
	return err;
}

static uint64_t missed_at(const struct probe *p)
{
	return p->prov->attached && p->prov->attached->missed ? p->prov->attached->missed(p) : 0;
}

static uint64_t nested_at(const struct probe *p)
{
	return p->prov->attached && p->prov->attached->nested ? p->prov->attached->nested(p) : 0;
}

static void backend_disarm(struct backend *handle)
{
	struct bpf_engine *b = bpf_engine(handle);

	pacer_stop(&b->pacer);
	engine_govern_end(b);
	for (size_t i = 0; b->attached && i < b->prog->probes.n; i++) {
		struct probe *p = b->prog->probes.v[i].probe;

		if (b->attached[i])
			firings_end(&b->firings, i);
		if (b->attached[i]) {
			b->missed += missed_at(p);
			b->nested += nested_at(p);
		}
		if (b->attached[i] && p->prov->detach)
			p->prov->detach(p);
		b->attached[i] = false;
	}
	b->armed = false;
}

/*
 * Where several programs are at one instruction, the kernel runs the one first that was attached last; those at one
 * tracepoint run in the order in which they were attached: what concerns the thread that comes (on-cpu) is last there,
 * whatever the order of the script.
 */
static bool attached_last(const struct enabled_probe *e)
{
	const struct provider *prov = e->probe->prov;

	return (e->func && e->func->task) || (prov->processes && prov->processes->fires_first &&
					    prov->processes->fires_first(e->probe));
}

static int backend_arm(struct backend *handle, struct diags *d)
{
	struct bpf_engine *b = bpf_engine(handle);
	int err = 0;

	b->armed = true;
	for (unsigned last = 0; last < 2; last++) {
		for (size_t i = 0; i < b->prog->probes.n && !err; i++) {
			const struct enabled_probe *e = &b->prog->probes.v[i];

			if (attached_last(e) == last && e->probe->prov->attach && e->func)
				err = engine_attach(b, i, d);
		}
	}
	if (err)
		backend_disarm(handle);
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
	engine_settle(b);
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
	int n = rings_poll(&b->rings, timeout_ns, fn, arg), r;

	/* a record's stack was handed over before the record */
	r = unwinds_take(&b->unwinds);
	engine_wall(b);
	return n < 0 || !r ? n : r;
}

void *engine_object(struct backend *handle, uint32_t obj)
{
	struct bpf_engine *b = bpf_engine(handle);

	return bpf_object(&b->loaded, obj);
}

static bool shares_stacks(const struct agg_desc *d)
{
	return d->generations && d->has_stacks;
}

/* Stacks that wait for user space would be lost while a large table is read. */
static void take_stacks(void *arg)
{
	unwinds_take(arg);
}

int engine_read(struct bpf_engine *b, struct agg_table *const *tables, const unsigned *gen, unsigned n,
		const struct snapshot_pause *pause)
{
	int err = 0;

	for (unsigned i = 0; i < n && !err; i++) {
		tables[i]->frames = stacks_frames;
		tables[i]->frames_arg = &b->stacks;
		err = snapshot_read(&b->loaded, tables[i], gen[i], pause);
		err = err ? err : b->stacks.err;
	}
	return err;
}

/* Aggregations with two generations and stacks are read all together or not at all. */
static int backend_snapshot(struct backend *handle, struct agg_table *const *tables, unsigned n)
{
	struct bpf_engine *b = bpf_engine(handle);
	const struct snapshot_pause pause = { take_stacks, &b->unwinds };
	unsigned *gen = calloc(n + 1, sizeof *gen);
	bool flipped = false, turned = false;
	int err = gen ? 0 : -ENOMEM;

	for (unsigned i = 0; i < n && !err; i++) {
		gen[i] = snapshot_flip(&b->loaded, tables[i]->desc);
		flipped |= b->prog->ir->objs.v[tables[i]->desc->obj].generations;
		turned |= shares_stacks(tables[i]->desc);
	}
	if (turned)
		stacks_flip(&b->stacks);
	if (flipped)
		err = engine_settle(b);
	if (turned && !err) {
		unwinds_take(&b->unwinds);	/* stacks that these rows stand for */
		unwinds_turn(&b->unwinds);
		stacks_turn(&b->stacks);
	}
	err = err ? err : engine_read(b, tables, gen, n, &pause);
	if (turned && !err)
		stacks_forget(&b->stacks);
	free(gen);
	return err;
}

/* Firings lost because the same program was already running on the CPU. Programs of perf events have no such
 * counter. */
static uint64_t nested_firings(const struct bpf_engine *b)
{
	uint64_t sum = b->nested;

	for (size_t i = 0; i < b->image.codes.n; i++) {
		struct bpf_prog_info info = { 0 };
		uint32_t len = sizeof info;

		if (b->loaded.progfd[i] >= 0 && b->image.codes.v[i].func->ctx != IR_C_PERF &&
		    !bpf_obj_get_info_by_fd(b->loaded.progfd[i], &info, &len))
			sum += info.recursion_misses;
	}
	for (size_t i = 0; i < b->prog->probes.n; i++) {
		const struct probe *p = b->prog->probes.v[i].probe;

		sum += b->attached[i] ? nested_at(p) : 0;
	}
	return sum;
}

/* Firings that the kernel has counted instead of running their programs, because it could keep no more calls whose
 * returns are probed. */
static uint64_t missed_firings(const struct bpf_engine *b)
{
	uint64_t sum = b->missed;

	for (size_t i = 0; i < b->prog->probes.n; i++) {
		const struct probe *p = b->prog->probes.v[i].probe;

		sum += b->attached[i] ? missed_at(p) : 0;
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
	/* of probes that could not be attached when their module was loaded; now none is attached any more */
	for (size_t i = 0; i < b->prog->probes.n; i++)
		if (b->prog->probes.v[i].probe->prov->clock && b->env[i].warning[0])
			buf_printf(out, "%swarning: %s", out->len ? "; " : "", b->env[i].warning);
	return unwinds_lacks(&b->unwinds, out);
}

bool engine_drops(struct backend *handle, int cpu, struct drop_counts *out)
{
	struct bpf_engine *b = bpf_engine(handle);
	const uint64_t *now;

	if (cpu < 0 || (unsigned)cpu >= b->image.par.ncpus)
		return false;
	now = (const uint64_t *)(b->loaded.data + b->image.off_drops + (size_t)cpu * CACHE_LINE);
	for (int i = 0; i < IR_NDROPS; i++) {
		uint64_t n = 0;

		if (i < IR_DROP_NESTED)
			n = __atomic_load_n(&now[i], __ATOMIC_RELAXED);
		else if (cpu == 0)	/* the kernel counts these, not the programs */
			n = i == IR_DROP_NESTED ? nested_firings(b) : missed_firings(b);
		out->n[i] = n - b->reported[cpu].n[i];
		b->reported[cpu].n[i] = n;
	}
	return true;
}

static int watch_mappings(struct bpf_engine *b, unsigned i)
{
	int fd = b->mappings.rings.v[i].fd;

	return fd < 0 ? 0 : rings_watch(&b->rings, fd);
}

static void backend_refresh(struct backend *handle)
{
	struct bpf_engine *b = bpf_engine(handle);
	const int *cpus;
	unsigned ncpus;

	engine_wall(b);
	unwinds_refresh(&b->unwinds);
	pacer_lock(&b->pacer);
	b->ncpus = cpus_online(b->cpus, b->image.par.ncpus);
	for (unsigned i = 0; i < b->ncpus; i++)
		bpf_ring_add(&b->loaded, b->cpus[i]);	/* if it fails, that CPU's records count as drops */
	rings_update(&b->rings);
	for (unsigned i = 0; i < b->mappings.rings.n; i++)
		if (mappings_reopen(&b->mappings, i))
			watch_mappings(b, i);
	cpus = engine_cpus(b, &ncpus);
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

void engine_close(struct backend *handle)
{
	struct bpf_engine *b = bpf_engine(handle);

	if (!b)
		return;
	backend_disarm(handle);
	rings_close(&b->rings);
	barrier_close(&b->barrier);
	ksyms_close(&b->ksyms);
	cost_close(&b->cost);
	ledger_close(&b->ledger);
	vtime_close(&b->vtime);
	owners_close(&b->owners);
	threads_close(&b->threads);
	processes_close(&b->processes);
	mappings_close(&b->mappings);
	cgroup_events_close(&b->cgroups);
	stacks_close(&b->stacks);
	unwinds_close(&b->unwinds);
	bpf_unload(&b->loaded);
}

static bool backend_account(struct backend *handle, unsigned probe, int cpu, struct dtr_account *out)
{
	struct bpf_engine *b = bpf_engine(handle);

	return firings_account(&b->firings, probe, cpu, out);
}

static bool backend_stacks(struct backend *handle, struct dtr_stacks *out)
{
	return unwinds_counts(&bpf_engine(handle)->unwinds, out);
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
		cost_add(bpf_program(&b->loaded, e->func), out);
	if (e->alt)
		cost_add(bpf_program(&b->loaded, e->alt), out);
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

static int backend_watch(struct backend *handle, const struct backend_watched *w, char *reason, size_t n)
{
	struct bpf_engine *b = bpf_engine(handle);
	bool first = !b->processes.reader.taken;
	int r = processes_watch(&b->processes, w, reason, n);

	if (!r && first)
		r = rings_watch(&b->rings, b->processes.ring);
	return r;
}

static int backend_linker(struct backend *handle, const struct backend_watched *w, const struct backend_linker *l,
			  char *reason, size_t n)
{
	return processes_linker(&bpf_engine(handle)->processes, w, l, reason, n);
}

static int backend_mappings(struct backend *handle, char *reason, size_t n)
{
	struct bpf_engine *b = bpf_engine(handle);
	int r = mappings_open(&b->mappings, reason, n);

	for (unsigned i = 0; !r && i < b->mappings.rings.n; i++)
		r = watch_mappings(b, i);
	return r;
}

static bool backend_mapped(struct backend *handle, struct program_region *r)
{
	return mappings_next(&bpf_engine(handle)->mappings, r);
}

static void backend_forget(struct backend *handle, uint64_t ino)
{
	mappings_forget(&bpf_engine(handle)->mappings, ino);
}

static bool backend_changed(struct backend *handle, int64_t *pid)
{
	return processes_changed(&bpf_engine(handle)->processes, pid);
}

static int backend_watch_cgroups(struct backend *handle, char *reason, size_t n)
{
	struct bpf_engine *b = bpf_engine(handle);
	int r = cgroup_events_open(&b->cgroups, b->arena, &b->prog->cgroups, reason, n);

	return r ? r : rings_watch(&b->rings, b->cgroups.ring);
}

static bool backend_cgroup_created(struct backend *handle, struct backend_cgroup *out)
{
	return cgroup_events_next(&bpf_engine(handle)->cgroups, out);
}

static bool backend_unwound(struct backend *handle)
{
	return bpf_engine(handle)->image.par.unwind;
}

const struct backend_ops backend_bpf = {
	.name = "bpf",
	.open = engine_open,
	.run = backend_run,
	.arm = backend_arm,
	.start = backend_start,
	.disarm = backend_disarm,
	.set_state = backend_set_state,
	.state = backend_state,
	.exit_status = backend_exit_status,
	.poll = backend_poll,
	.snapshot = backend_snapshot,
	.drops = engine_drops,
	.refresh = backend_refresh,
	.wake = backend_wake,
	.close = engine_close,
	.printed = backend_printed,
	.object = engine_object,
	.code = &(const struct backend_code){ .check = backend_check, .dump = backend_dump },
	.symbols = &(const struct backend_symbols){ .owners = backend_owners, .use = backend_use,
						  .later = backend_later, .crowded = backend_crowded,
						  .kernel = backend_kernel },
	.processes = &(const struct backend_processes){ .watch = backend_watch, .linker = backend_linker,
						      .changed = backend_changed,
						      .mappings = backend_mappings, .mapped = backend_mapped,
						      .forget = backend_forget },
	.cgroups = &(const struct backend_cgroups){ .watch = backend_watch_cgroups,
						    .created = backend_cgroup_created },
	.report = &(const struct backend_report){ .unwound = backend_unwound, .lacks = backend_lacks },
	.governor = &engine_governor,
	.accounts = &(const struct backend_accounts){ .account = backend_account, .cost = backend_cost,
		.stacks = backend_stacks },
};
