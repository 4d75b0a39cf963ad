/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/user/user.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "engine/bpf/cpus.h"
#include "engine/bpf/why.h"
#include "engine/names.h"
#include "engine/user/account.h"
#include "engine/user/chains.h"
#include "engine/user/memory.h"
#include "engine/user/world.h"
#include "providers/provider.h"

/* The longest time between two looks at the source: what is printed, and what ends the session, is seen so late. */
#define LOOK_NS 50000000ull
/* A tick that comes so late is one of many that were slept through: these are left out. */
#define LATE_NS 1000000000ull

/* A probe that fires by the clock. */
struct clocked {
	const struct ir_func *func;
	uint64_t interval;
	uint64_t due;			/* tick */
	uint32_t rate;			/* profile */
	size_t probe;
	struct fired *fired;		/* tick: one; profile: by CPU */
};

struct backend {
	struct world world;
	struct arena *arena;
	const struct options *opts;
	struct memory memory;
	struct chains chains;
	const struct source_ops *ops;
	struct sample_source *source;
	struct source_want want;
	struct clocked *ticks, *samplers;
	unsigned nticks, nsamplers;
	uint64_t *rates;
	unsigned nrates;
	struct sample self;
	struct source_item item;	/* the newest of the source */
	bool held;			/* it waits for the consumer, who has to print what was before it */
	struct symbols *symbols;
	int wake;			/* eventfd */
	bool armed, stopping;
	uint64_t begun, ended;		/* when it was armed, when the state was not active any more; 0: not yet */
	bool past;			/* the source is not this machine, now: everything is the same in each run */
	bool stepwise;			/* of it each record is to be printed before the next sample: it shows aggregations */
	int err;			/* of the source */
};

static uint64_t monotonic(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static uint64_t source_now(struct backend *b)
{
	return b->ops && b->ops->now && b->source ? b->ops->now(b->source) : monotonic();
}

/* ---- what the program wants ---- */
static bool prog_has(const struct ir_prog *p, enum ir_op op, int arg, int64_t imm)
{
	for (size_t i = 0; i < p->funcs.n; i++)
		for (size_t k = 0; k < p->funcs.v[i]->blocks.n; k++) {
			const struct ir_block *blk = &p->funcs.v[i]->blocks.v[k];

			for (size_t n = 0; n < blk->ins.n; n++)
				if (blk->ins.v[n].op == op && (arg < 0 || blk->ins.v[n].arg[arg].imm == imm))
					return true;
		}
	return false;
}

static void user_want(struct backend *b)
{
	const struct ir_prog *p = b->world.prog->ir;

	b->want.arena = b->arena;
	b->want.opts = b->opts;
	b->want.kstacks = prog_has(p, IR_STACK, 2, 0) || prog_has(p, IR_STACKDEPTH, -1, 0);
	b->want.ustacks = prog_has(p, IR_STACK, 2, 1) || prog_has(p, IR_USTACKDEPTH, -1, 0);
	b->want.memory = prog_has(p, IR_KREAD, -1, 0) || prog_has(p, IR_KSTR, -1, 0);
	b->want.maps = names_needed(b->world.prog);
	b->want.target = b->world.prog->target;
	chains_init(&b->chains, b->arena, b->opts, b->want.ustacks ? SAMPLE_MAXFRAMES : 0);
	b->world.ustack = chains_of;
	b->world.ustack_arg = &b->chains;
}

/* ---- opening ---- */
static void *global_object(struct attach_env *env, const char *name)
{
	struct backend *b = env->arg;
	int64_t obj = ir_obj_find(b->world.prog->ir, name);

	return obj < 0 ? NULL : b->world.hooks.mem(&b->world, (uint32_t)obj);
}

static uint32_t user_rate(struct backend *b, uint64_t interval)
{
	for (unsigned i = 0; i < b->nrates; i++)
		if (b->rates[i] == interval)
			return i;
	b->rates[b->nrates] = interval;
	return b->nrates++;
}

static int user_refuse(const struct backend *b, const struct probe *p, struct diags *d)
{
	char why[256];

	if (b->past)
		return diag(d, (struct loc){ 0 }, D_ENGINE, "failed to enable probe %s:%s:%s:%s: a recording has samples taken by "
			    "time, and no other events", p->provname, p->mod, p->func, p->name);
	if (!bpf_refused(why, sizeof why))
		snprintf(why, sizeof why, "leave -x engine=user out");
	return diag(d, (struct loc){ 0 }, D_ENGINE, "failed to enable probe %s:%s:%s:%s: without BPF there are BEGIN, END, "
		    "ERROR, profile-N and tick-N only (%s)", p->provname, p->mod, p->func, p->name, why);
}

static int user_probes(struct backend *b, struct diags *d)
{
	const struct d_prog *prog = b->world.prog;
	struct attach_env env = { .prog = prog->ir, .global = global_object, .arg = b };
	int r = 0;

	b->ticks = arena_calloc(b->arena, prog->probes.n + 1, sizeof *b->ticks);
	b->samplers = arena_calloc(b->arena, prog->probes.n + 1, sizeof *b->samplers);
	b->rates = arena_calloc(b->arena, prog->probes.n + 1, sizeof *b->rates);
	for (size_t i = 0; i < prog->probes.n; i++) {
		const struct enabled_probe *e = &prog->probes.v[i];
		const struct provider *p = e->probe->prov;
		struct clocked *c;
		struct probe_due due;

		if (!e->func || !p->attach)
			continue;
		if (!p->clock || !p->clock(e->probe, &env, &due)) {
			r = user_refuse(b, e->probe, d);
			continue;
		}
		c = due.each_cpu ? &b->samplers[b->nsamplers++] : &b->ticks[b->nticks++];
		*c = (struct clocked){ .func = e->func, .interval = due.interval, .probe = i };
		c->fired = arena_calloc(b->arena, due.each_cpu ? b->world.ncpus : 1, sizeof *c->fired);
		if (due.each_cpu)
			c->rate = user_rate(b, due.interval);
	}
	if (prog->vtime && b->past)
		r = diag(d, (struct loc){ 0 }, D_ENGINE, "vtimestamp was not recorded");
	else if (prog->vtime)
		r = diag(d, (struct loc){ 0 }, D_ENGINE, "vtimestamp is counted in the kernel, with BPF");
	return r;
}

static void user_self(struct backend *b)
{
	int cpu = b->opts->cpu >= 0 ? b->opts->cpu : sched_getcpu();

	if (b->past)
		return;
	b->self.pid = b->self.tid = (uint64_t)getpid();
	b->self.uid = getuid();
	b->self.gid = getgid();
	b->self.cpu = cpu < 0 || (unsigned)cpu >= b->world.ncpus ? 0 : (uint64_t)cpu;
	b->self.arg[0] = b->self.arg[1] = 0;
	b->self.mode = SAMPLE_MODE_UNKNOWN;
	b->self.addr = 0;
	prctl(PR_GET_NAME, b->self.comm);
}

static void user_wall(struct backend *b)
{
	struct timespec wall;
	uint64_t mono = monotonic();

	clock_gettime(CLOCK_REALTIME, &wall);
	world_wall(&b->world, (uint64_t)wall.tv_sec * 1000000000u + (uint64_t)wall.tv_nsec - mono);
}

/* The clocks that are kept at ticks tell how long one is. The count begins five minutes before it is 2^32. */
static void user_ticks(struct backend *b)
{
	struct timespec tick;

	if (clock_getres(CLOCK_MONOTONIC_COARSE, &tick) || !tick.tv_nsec)
		return;
	b->world.tick = (uint64_t)tick.tv_nsec;
	b->world.first_tick = (uint32_t)-(300 * ((1000000000 + tick.tv_nsec / 2) / tick.tv_nsec));
}

static void user_places(struct backend *b)
{
	int64_t obj = b->world.prog->places;
	struct cpu_place *p = obj < 0 ? NULL : b->world.hooks.mem(&b->world, (uint32_t)obj);

	for (unsigned cpu = 0; p && cpu < b->world.ncpus && cpu < PROG_PLACES; cpu++)
		cpus_place(cpu, &p[cpu].chip, &p[cpu].node);
}

static int user_open(struct backend **out, struct arena *a, const struct d_prog *p, const struct options *o,
		     struct diags *d)
{
	struct backend *b = arena_alloc(a, sizeof *b);

	*out = b;
	b->arena = a;
	b->opts = o;
	b->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	world_init(&b->world, a, p, o, cpus_possible());
	b->world.random = b->world.clock = monotonic();
	user_want(b);
	memory_init(&b->memory, a, p, &b->world, b->want.memory);
	user_wall(b);
	user_ticks(b);
	user_places(b);
	user_self(b);
	if (b->wake < 0)
		return diag(d, (struct loc){ 0 }, D_ENGINE, "opening an event descriptor: %s", strerror(errno));
	return 0;
}

/* Does a clause show or change whole aggregations? In a recording they stand where its time does. */
static bool prog_shows(const struct d_prog *p)
{
	for (size_t i = 0; i < p->epids.n; i++)
		for (unsigned k = 0; k < p->epids.v[i].nacts; k++)
			if (p->epids.v[i].acts[k].naggs)
				return true;
	return false;
}

/* The world is that of the recording: this process, this machine, this time are not in it. */
static int user_past(struct backend *b, struct diags *d)
{
	struct source_past past = { 0 };

	b->ops->past(b->source, &past);
	b->past = true;
	b->memory.past = (struct image_past){ .past = true, .nouids = !past.uids, .nocpu = past.nocpu };
	b->stepwise = prog_shows(b->world.prog);
	b->world.aggsize = b->world.dynvarsize = UINT32_MAX;	/* there is nobody to be held up */
	world_cpus(&b->world, past.ncpus ? past.ncpus : 1);
	world_wall(&b->world, past.wall);
	b->world.random = 0;
	b->self = (struct sample){ .comm = "dtr" };
	if (!past.uids && prog_has(b->world.prog->ir, IR_UIDGID, -1, 0))
		return diag(d, (struct loc){ 0 }, D_ENGINE, "the recording does not tell the user (uid, gid)");
	if (past.nowall && b->world.prog->uses_wall)
		return diag(d, (struct loc){ 0 }, D_ENGINE, "the recording does not tell the time of day (walltimestamp): %s",
			    past.nowall);
	if (past.nocpu && b->world.prog->uses_cpu)
		return diag(d, (struct loc){ 0 }, D_ENGINE, "the recording does not tell the CPU (cpu, curcpu, -x cpu): %s", past.nocpu);
	if (prog_has(b->world.prog->ir, IR_UREG, -1, 0))
		return diag(d, (struct loc){ 0 }, D_ENGINE, "registers were not recorded (uregs[])");
	if (!past.tasks && prog_has(b->world.prog->ir, IR_TASK, -1, 0))
		diag_warn(d, (struct loc){ 0 }, D_ENGINE, "the recording tells names and IDs of threads: what else curthread, "
			  "curpsinfo and curlwpsinfo lead to is a fault");
	if (prog_has(b->world.prog->ir, IR_UREAD, -1, 0) || prog_has(b->world.prog->ir, IR_USTR, -1, 0) ||
	    prog_has(b->world.prog->ir, IR_FILL, 4, IR_FILL_USER))
		diag_warn(d, (struct loc){ 0 }, D_ENGINE, "the memory of processes was not recorded: what reads it is a fault");
	return 0;
}

/* ---- the source ---- */

static struct symbols *user_names(struct backend *b)
{
	if (!b->symbols)
		b->symbols = symbols_open();
	return b->symbols;
}

/* The best that this machine lets us have. */
static int user_best(struct backend *b, struct diags *d)
{
	static const struct source_ops *const ops[] = { &source_perf, &source_proc };
	char why[256] = "", first[256] = "";

	if (user_names(b) && chains_want(&b->chains, &b->want, &symbols_ops, b->symbols) < 0)
		return diag(d, (struct loc){ 0 }, D_ENGINE, "stacks cannot be unwound: %s", b->chains.why);
	for (size_t i = 0; i < sizeof ops / sizeof ops[0]; i++) {
		int err = chains_source(ops[i], &b->source, &b->want, why, sizeof why);

		if (!err) {
			b->ops = ops[i];
			if (*first)
				diag_warn(d, (struct loc){ 0 }, D_ENGINE, "no program counters (arg0 and arg1 are 0), no stacks: %s", first);
			return 0;
		}
		ops[i]->close(b->source);
		b->source = NULL;
		if (!*first)
			memcpy(first, why, sizeof first);
	}
	return diag(d, (struct loc){ 0 }, D_ENGINE, "no samples can be had: %s; %s", first, why);
}

static int user_feed(struct backend *b, void *arg, struct diags *d)
{
	const struct user_feed *f = arg;
	char why[256] = "";

	if (f) {
		b->want.arg = f->arg;
		if (f->ops->open(&b->source, &b->want, why, sizeof why) < 0)
			return diag(d, (struct loc){ 0 }, D_ENGINE, "%s", why);
		b->ops = f->ops;
		if (b->ops->past && user_past(b, d) < 0)
			return -1;
		if (b->ops->symbols && b->opts->unwind != UNWIND_FP)
			b->chains.ops = b->ops->symbols(b->source, &b->chains.arg);
	}
	if (user_probes(b, d) < 0 || (!f && b->nrates && user_best(b, d) < 0))
		return -1;
	b->world.clock = source_now(b);
	return 0;
}

static void user_describe(struct backend *b, struct buf *out)
{
	char why[256], what[256] = "";

	if (b->ops && b->ops->describe)
		b->ops->describe(b->source, what, sizeof what);
	if (b->opts->engine == ENGINE_AUTO && bpf_refused(why, sizeof why))
		buf_printf(out, "%s; ", why);
	buf_printf(out, "this process runs the script%s%s", *what ? " on " : "", what);
	chains_describe(&b->chains, &b->want, out);
}

static void user_lacks(struct backend *b, struct buf *out)
{
	chains_lacks(&b->chains, out);
}

static int user_arm(struct backend *b, struct diags *d)
{
	char why[256] = "";
	uint64_t now;

	if (b->ops && b->nrates && b->ops->start(b->source, b->rates, b->nrates, why, sizeof why) < 0)
		return diag(d, (struct loc){ 0 }, D_ENGINE, "failed to start taking samples: %s", why);
	if (*why)
		diag_warn(d, (struct loc){ 0 }, D_ENGINE, "%s", why);
	/* after the notes about mappings have begun: none is missed in between */
	if (b->symbols && b->want.maps)
		symbols_look_all(b->symbols);
	b->begun = now = source_now(b);
	for (unsigned i = 0; i < b->nticks; i++)
		b->ticks[i].due = now + b->ticks[i].interval;
	b->armed = true;
	return 0;
}

static void user_close(struct backend *b)
{
	if (!b)
		return;
	chains_close(&b->chains);
	if (b->ops)
		b->ops->close(b->source);
	b->source = NULL;
	b->ops = NULL;
	symbols_close(b->symbols);
	b->symbols = NULL;
	if (b->wake >= 0)
		close(b->wake);
	b->wake = -1;
	world_free(&b->world);
}

/* ---- firing ---- */
static bool user_active(const struct backend *b)
{
	return b->armed && b->world.state == IR_S_ACTIVE;
}

static void user_run_at(struct backend *b, const struct ir_func *f, const struct sample *s, uint64_t time)
{
	b->world.clock = time;
	memory_forget(&b->memory);
	world_run(&b->world, f, s);
	if (b->armed && !b->ended && b->world.state != IR_S_ACTIVE)
		b->ended = time;
}

/* The tick that is due first, if that is until then. */
static struct clocked *user_due(struct backend *b, uint64_t until)
{
	struct clocked *first = NULL;

	for (unsigned i = 0; i < b->nticks; i++)
		if (b->ticks[i].due <= until && (!first || b->ticks[i].due < first->due))
			first = &b->ticks[i];
	return first;
}

static void user_tick(struct backend *b, uint64_t until)
{
	struct clocked *t;

	while (user_active(b) && (t = user_due(b, until))) {
		b->self.time = t->due;
		t->fired->delivered++;
		user_run_at(b, t->func, &b->self, t->due);
		if (!b->ops || !b->ops->now)
			while (until - t->due > LATE_NS + t->interval)
				t->due += t->interval;
		t->due += t->interval;
	}
}

static void user_fire(struct backend *b, const struct sample *s)
{
	uint64_t weight = s->weight ? s->weight : 1;

	if (s->cpu >= b->world.ncpus || (b->opts->cpu >= 0 && s->cpu != (uint64_t)b->opts->cpu))
		return;
	chains_forget(&b->chains);
	for (; weight; weight--)
		for (unsigned i = 0; i < b->nsamplers; i++) {
			const struct clocked *c = &b->samplers[i];

			if (c->rate != s->rate)
				continue;
			fired_add(&c->fired[s->cpu], s, user_active(b));
			if (user_active(b))
				user_run_at(b, c->func, s, s->time);
		}
}

static void user_lost(struct backend *b, const struct source_item *it)
{
	uint64_t cpu = it->sample.cpu < b->world.ncpus ? it->sample.cpu : 0;

	b->world.drops[cpu].n[IR_DROP_PRINCIPAL] += it->lost;
	for (unsigned i = 0; i < b->nsamplers; i++)
		if (b->samplers[i].rate == it->sample.rate)
			b->samplers[i].fired[cpu].lost += it->lost;
}

static void user_note(struct backend *b, const struct source_item *it)
{
	const struct sample_mapping *m = &it->mapping;
	int64_t pid = (int64_t)it->sample.pid;

	if (it->kind == SOURCE_LOST) {
		user_lost(b, it);
		return;
	}
	if (it->kind == SOURCE_EXIT)
		world_thread_ended(&b->world, it->sample.tid);
	if (!b->symbols)
		return;
	if (it->kind == SOURCE_MAP)
		symbols_mapped(b->symbols, pid, it->sample.time, &(struct symbol_file){ m->start, m->size, m->offset, m->major,
			       m->minor, m->inode, m->path });
	else if (it->kind == SOURCE_FORK && it->sample.pid != it->parent)
		symbols_forked(b->symbols, pid, it->parent);
	else if (it->kind == SOURCE_COMM && it->exec)
		symbols_execed(b->symbols, pid);
	else if (it->kind == SOURCE_EXIT && it->sample.pid == it->sample.tid)
		symbols_ended(b->symbols, pid);
}

static bool user_full(const struct backend *b)
{
	if (b->stepwise)
		return b->world.records.len;
	for (unsigned i = 0; i < b->world.ncpus; i++)
		if (b->world.waiting[i] > b->world.bufsize / 2)
			return true;
	return false;
}

/* Takes what the source has, as far as there is room for records. True: there is more. */
static bool user_step(struct backend *b)
{
	struct source_item *it = &b->item;
	int r = 0;

	while (user_active(b) && b->source && !user_full(b) && (b->held || (r = b->ops->next(b->source, it)) > 0)) {
		user_tick(b, it->sample.time);
		b->held = b->stepwise && b->world.records.len;
		if (b->held)
			return true;
		if (it->kind == SOURCE_SAMPLE)
			user_fire(b, &it->sample);
		else
			user_note(b, it);
	}
	if (user_active(b) && r > 0)
		return true;
	if (user_active(b) && b->source && user_full(b))
		return true;
	if (r < 0 && r != -ENODATA)
		b->err = r;
	if (user_active(b))
		user_tick(b, source_now(b));
	if ((r < 0 || b->stopping) && b->world.state == IR_S_ACTIVE) {
		b->ended = source_now(b);
		b->world.state = IR_S_DRAINING;
	}
	return false;
}

static void user_sleep(struct backend *b, uint64_t ns)
{
	struct pollfd p = { .fd = b->wake, .events = POLLIN };
	struct timespec ts = { .tv_sec = (time_t)(ns / 1000000000), .tv_nsec = (long)(ns % 1000000000) };

	ppoll(&p, 1, &ts, NULL);
}

static void user_wait(struct backend *b, uint64_t timeout)
{
	uint64_t now = source_now(b), count;

	if (b->ops && b->ops->now)
		return;
	if (b->nrates && timeout > LOOK_NS)
		timeout = LOOK_NS;
	for (unsigned i = 0; i < b->nticks; i++)
		if (b->ticks[i].due < now + timeout)
			timeout = b->ticks[i].due > now ? b->ticks[i].due - now : 0;
	if (b->ops && b->ops->wait)
		b->ops->wait(b->source, b->wake, timeout);
	else
		user_sleep(b, timeout);
	if (read(b->wake, &count, sizeof count) < 0)
		return;		/* nobody woke us */
}

static int user_poll(struct backend *b, uint64_t timeout_ns, record_fn fn, void *arg)
{
	int n = 0, r;
	bool more;

	if (b->stepwise && !timeout_ns)
		return world_records(&b->world, fn, arg);
	if (timeout_ns && !b->world.records.len && user_active(b))
		user_wait(b, timeout_ns);
	do {
		more = user_active(b) && user_step(b);
		r = world_records(&b->world, fn, arg);
		n += r;
	} while (r >= 0 && more && !(b->stepwise && n));
	return r < 0 ? r : b->err ? b->err : n;
}

/* ---- the rest of the table ---- */
static int user_run(struct backend *b, const struct ir_func *f)
{
	user_self(b);
	b->self.time = source_now(b);
	if (b->self.time < b->world.clock)
		b->self.time = b->world.clock;
	user_run_at(b, f, &b->self, b->self.time);
	return 0;
}

static void user_disarm(struct backend *b)
{
	if (b->armed && !b->stopping && b->ops && b->ops->stop)
		b->ops->stop(b->source);
	b->stopping = b->stopping || b->armed;
}

/* What was sampled before the end is still run, when the records are asked for. */
static void user_set_state(struct backend *b, enum ir_state s)
{
	if (s == IR_S_DRAINING && user_active(b)) {
		user_disarm(b);
		return;
	}
	if (s > b->world.state)
		b->world.state = s;
	world_allow_exit(&b->world, s);
}

static enum ir_state user_state(struct backend *b)
{
	return b->stopping && b->world.state < IR_S_DRAINING ? IR_S_DRAINING : b->world.state;
}

static int64_t user_exit_status(struct backend *b)
{
	return b->world.status;
}

static void *user_object(struct backend *b, uint32_t obj)
{
	return b->world.hooks.mem(&b->world, obj);
}

static int user_snapshot(struct backend *b, struct agg_table *const *tables, unsigned n)
{
	return world_snapshot(&b->world, tables, n);
}

static bool user_drops(struct backend *b, int cpu, struct drop_counts *out)
{
	if (cpu < 0 || (unsigned)cpu >= b->world.ncpus)
		return false;
	*out = b->world.drops[cpu];
	b->world.drops[cpu] = (struct drop_counts){ 0 };
	return true;
}

/* Samples that were taken after exit() are not expected: they are looked for, to be counted. */
static void user_rest(struct backend *b)
{
	int r = 0;

	while (b->ops && b->source && !b->past && (r = b->ops->next(b->source, &b->item)) > 0)
		if (b->item.kind == SOURCE_SAMPLE)
			user_fire(b, &b->item.sample);
}

static bool user_account(struct backend *b, unsigned probe, int cpu, struct dtr_account *out)
{
	memset(out, 0, sizeof *out);
	out->cpu = cpu;
	if (!b->ended)
		return false;
	user_rest(b);
	out->probe = b->world.prog->probes.v[probe].probe->name;
	for (unsigned i = 0; i < b->nticks && cpu < 0; i++)
		if (b->ticks[i].probe == probe) {
			account_tick(b->ticks[i].fired->delivered, b->ticks[i].interval, b->begun, b->ended, out);
			return true;
		}
	for (unsigned i = 0; i < b->nsamplers; i++) {
		const struct clocked *c = &b->samplers[i];

		if (c->probe == probe && b->ops)
			return account_sampler(&(struct account_probe){ c->interval, c->fired, b->world.ncpus, b->ops, b->source, c->rate,
								       b->opts->cpu }, cpu, out);
	}
	return false;
}

static void user_refresh(struct backend *b)
{
	if (!b->past)
		user_wall(b);
}

static void user_wake(struct backend *b)
{
	uint64_t one = 1;

	if (write(b->wake, &one, sizeof one) < 0)
		return;		/* it is awake */
}

static uint64_t user_now(struct backend *b)
{
	/* of a file: far enough ahead that no record is kept back for being young */
	return b->ops && b->ops->now ? source_now(b) + 10000000 : monotonic();
}

static void user_kernel_name(void *arg, uint64_t addr, struct symbol *out)
{
	const struct backend *b = arg;

	if (addr == SAMPLE_HIDDEN_PC)
		*out = (struct symbol){ .object = "kernel", .name = "[hidden]", .start = addr, .base = addr };
	else
		symbols_ops.kernel(b->symbols, addr, out);
}

static void user_name(void *arg, int64_t pid, uint64_t addr, uint64_t at, struct symbol *out)
{
	const struct backend *b = arg;

	symbols_ops.user(b->symbols, pid, addr, at, out);
}

static bool user_mapping(void *arg, int64_t pid, uint64_t addr, uint64_t at, struct symbol_mapping *out)
{
	const struct backend *b = arg;

	return symbols_ops.mapping(b->symbols, pid, addr, at, out);
}

static const struct symbol_ops *user_symbols(struct backend *b, void **arg)
{
	static const struct symbol_ops ops = { .kernel = user_kernel_name, .user = user_name, .mapping = user_mapping };

	if (b->ops && b->ops->symbols)
		return b->ops->symbols(b->source, arg);
	*arg = b;
	return user_names(b) ? &ops : NULL;
}

const struct backend_ops backend_user = {
	.name = "user",
	.open = user_open,
	.feed = user_feed,
	.run = user_run,
	.arm = user_arm,
	.disarm = user_disarm,
	.set_state = user_set_state,
	.state = user_state,
	.exit_status = user_exit_status,
	.poll = user_poll,
	.snapshot = user_snapshot,
	.drops = user_drops,
	.refresh = user_refresh,
	.wake = user_wake,
	.close = user_close,
	.object = user_object,
	.now = user_now,
	.symbols = user_symbols,
	.describe = user_describe,
	.lacks = user_lacks,
	.account = user_account,
};
