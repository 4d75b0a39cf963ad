/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/interp/user.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "engine/host/cpus.h"
#include "engine/host/wall.h"
#include "engine/host/why.h"
#include "engine/interp/fire.h"
#include "engine/interp/reads.h"
#include "engine/run/names.h"
#include "engine/sample/uregs.h"
#include "providers/provider.h"

/* The longest time between two looks at the source: what is printed, and what ends the session, is seen so late. */
#define LOOK_NS 50000000ull
/* So late a tick may be. */
#define GROUP_NS 1000000ull

uint64_t user_own_time(void)
{
	return clock_read(CLOCK_THREAD_CPUTIME_ID);
}

uint64_t user_clock(struct backend *b)
{
	return b->ops && b->ops->now && b->source ? b->ops->now(b->source) : clock_now();
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

/* The deepest stack of a process that the program can ask for. */
static uint32_t prog_frames(const struct ir_prog *p)
{
	uint32_t most = prog_has(p, IR_USTACKDEPTH, -1, 0) ? SAMPLE_MAXFRAMES : 0;

	for (size_t i = 0; i < p->funcs.n; i++)
		for (size_t k = 0; k < p->funcs.v[i]->blocks.n; k++) {
			const struct ir_block *blk = &p->funcs.v[i]->blocks.v[k];

			for (size_t n = 0; n < blk->ins.n; n++)
				if (blk->ins.v[n].op == IR_STACK && blk->ins.v[n].arg[2].imm & IR_STACK_USER &&
				    blk->ins.v[n].arg[1].imm / 8 > most)
					most = (uint32_t)(blk->ins.v[n].arg[1].imm / 8);
		}
	return most;
}

static void user_want(struct backend *b)
{
	const struct ir_prog *p = b->world.prog->ir;

	b->want.arena = b->arena;
	b->want.opts = b->opts;
	b->want.kstacks = prog_has(p, IR_STACK, 2, 0) || prog_has(p, IR_STACK, 2, IR_STACK_MARK) ||
			  prog_has(p, IR_STACKDEPTH, -1, 0);
	b->want.ustacks = prog_has(p, IR_STACK, 2, IR_STACK_USER) || prog_has(p, IR_STACK, 2, IR_STACK_USER | IR_STACK_MARK) ||
			  prog_has(p, IR_USTACKDEPTH, -1, 0);
	b->want.memory = prog_has(p, IR_KREAD, -1, 0) || prog_has(p, IR_KSTR, -1, 0);
	b->want.maps = names_needed(b->world.prog);
	b->want.ran = b->world.prog->vtime;
	b->want.uregs = prog_has(p, IR_UREG, -1, 0);
	b->want.target = b->world.prog->target;
	chains_init(&b->chains, b->arena, b->opts, prog_frames(p));
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
		return diag(d, (struct loc){ 0 }, D_ENGINE, "failed to enable probe %s:%s:%s:%s: a recording has only timed samples, no other events", p->provname, p->mod, p->func, p->name);
	if (!bpf_refused(why, sizeof why))
		snprintf(why, sizeof why, "omit -x engine=user");
	return diag(d, (struct loc){ 0 }, D_ENGINE, "failed to enable probe %s:%s:%s:%s: without BPF only BEGIN, END, ERROR, profile-N and tick-N are available (%s)", p->provname, p->mod, p->func, p->name, why);
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
	return r;
}

static void user_self(struct backend *b)
{
	int cpu = b->opts->d.cpu >= 0 ? b->opts->d.cpu : sched_getcpu();

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
	user_self_look(b, clock_now());
}

static void user_wall(struct backend *b)
{
	if (!b->past && b->world.prog->uses_wall)
		world_wall(&b->world, (uint64_t)wall_offset());
}

/* Ticks are counted from five minutes before their number is 2^32. */
static void user_ticks(struct backend *b, uint64_t tick, uint64_t hz)
{
	b->world.tick = tick;
	b->world.first_tick = (uint32_t)-(300 * hz);
}

/* The clocks that are kept at ticks tell how long one is. */
static void user_own_ticks(struct backend *b)
{
	struct timespec tick;

	if (!clock_getres(CLOCK_MONOTONIC_COARSE, &tick) && tick.tv_nsec > 0)
		user_ticks(b, (uint64_t)tick.tv_nsec, (1000000000u + (uint64_t)tick.tv_nsec / 2) / (uint64_t)tick.tv_nsec);
}

static void user_places(struct backend *b)
{
	int64_t obj = b->world.prog->places;
	struct cpu_place *p = obj < 0 ? NULL : b->world.hooks.mem(&b->world, (uint32_t)obj);

	for (unsigned cpu = 0; p && cpu < b->world.ncpus && cpu < PROG_PLACES; cpu++)
		cpus_place(cpu, &p[cpu].chip, &p[cpu].node);
}

/* 0, or an error: the CPU of -x cpu is one that there is. */
static int user_cpu(const struct options *o, struct diags *d)
{
	unsigned possible = cpus_possible(), n;
	int *cpus = calloc(possible, sizeof *cpus);
	bool found;

	n = cpus ? cpus_online(cpus, possible) : 0;
	found = !cpus || o->d.cpu < 0 || cpus_has(cpus, n, o->d.cpu);
	free(cpus);
	return found ? 0 : diag(d, (struct loc){ 0 }, D_PRAGMA_OPTSET, "option 'cpu': CPU %d is not online", o->d.cpu);
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
	b->world.random = b->world.clock = clock_now();
	user_want(b);
	memory_init(&b->memory, a, p, &b->world, b->want.memory);
	user_wall(b);
	user_own_ticks(b);
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
	b->about = past.about;
	b->about.timed = true;
	b->about.dated = !past.nowall;
	b->about.wall = past.about.began + past.wall;
	b->memory.past = (struct image_past){ .past = true, .nouids = !past.uids, .nocpu = past.nocpu };
	b->stepwise = prog_shows(b->world.prog);
	b->world.aggsize = b->world.dynvarsize = UINT32_MAX;	/* there is nobody to be held up */
	world_cpus(&b->world, past.ncpus ? past.ncpus : 1);
	world_wall(&b->world, past.wall);
	b->world.random = 0;
	b->self = (struct sample){ .comm = "dtr" };
	if (past.blind)
		diag_warn(d, (struct loc){ 0 }, D_ENGINE, "the recording has no program counters (arg0 and arg1 are 0), no stacks");
	if (!past.uids && prog_has(b->world.prog->ir, IR_UIDGID, -1, 0))
		return diag(d, (struct loc){ 0 }, D_ENGINE, "the recording lacks the user (uid, gid)");
	if (past.nowall && b->world.prog->uses_wall)
		return diag(d, (struct loc){ 0 }, D_ENGINE, "the recording lacks the time of day (walltimestamp): %s",
			    past.nowall);
	if (past.nocpu && b->world.prog->uses_cpu)
		return diag(d, (struct loc){ 0 }, D_ENGINE, "the recording lacks the CPU (cpu, curcpu, -x cpu): %s", past.nocpu);
	if (past.hz)
		user_ticks(b, 1000000000u / past.hz, past.hz);
	else if (prog_has(b->world.prog->ir, IR_JIFFIES, -1, 0))
		return diag(d, (struct loc){ 0 }, D_ENGINE, "the recording lacks the number of ticks per second (`jiffies)");
	if (prog_has(b->world.prog->ir, IR_UREG, -1, 0))
		return diag(d, (struct loc){ 0 }, D_ENGINE, "registers were not recorded (uregs[])");
	if (prog_has(b->world.prog->ir, IR_SIGNAL, -1, 0) || prog_has(b->world.prog->ir, IR_UWRITE, -1, 0))
		return diag(d, (struct loc){ 0 }, D_ENGINE, "raise(), stop(), copyout() and copyoutstr() need a live process, which a recording does not have");
	if (!past.tasks && prog_has(b->world.prog->ir, IR_TASK, -1, 0))
		diag_warn(d, (struct loc){ 0 }, D_ENGINE, "the recording has only names and IDs of threads: other members of curthread, curpsinfo and curlwpsinfo fault");
	if (prog_has(b->world.prog->ir, IR_UREAD, -1, 0) || prog_has(b->world.prog->ir, IR_USTR, -1, 0) ||
	    prog_has(b->world.prog->ir, IR_FILL, 4, IR_FILL_USER))
		diag_warn(d, (struct loc){ 0 }, D_ENGINE, "the memory of processes was not recorded: reading it faults");
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
		int err = chains_source(&b->chains, ops[i], &b->source, &b->want, why, sizeof why);

		if (!err) {
			b->ops = ops[i];
			if (*first && b->want.uregs)
				return diag(d, (struct loc){ 0 }, D_ENGINE, "uregs[]: registers need perf events: %s", first);
			if (*first && b->want.unwind)
				return diag(d, (struct loc){ 0 }, D_ENGINE, "-x unwind=dwarf: %s", first);
			if (*first)
				diag_warn(d, (struct loc){ 0 }, D_ENGINE, "no program counters (arg0 and arg1 are 0), no stacks: %s", first);
			return 0;
		}
		ops[i]->close(b->source);
		b->source = NULL;
		if (!*first)
			memcpy(first, why, sizeof first);
	}
	return diag(d, (struct loc){ 0 }, D_ENGINE, "no samples are available: %s; %s", first, why);
}

/* What no firing could ever be told. */
static int user_reads(struct backend *b, struct diags *d)
{
	const struct ir_prog *p = b->world.prog->ir;
	char why[256], text[320] = "was not recorded";

	if (!b->past && !bpf_refused(why, sizeof why))
		snprintf(why, sizeof why, "omit -x engine=user");
	if (!b->past)
		snprintf(text, sizeof text, "is available only with BPF (%s)", why);
	if (ir_obj_find(p, "chilled@") >= 0 && b->past)
		return diag(d, (struct loc){ 0 }, D_ENGINE, "chill() cannot be used on a recording");
	if (ir_obj_find(p, "chilled@") >= 0)
		return diag(d, (struct loc){ 0 }, D_ENGINE, "chill() %s", text);
	if (reads_check(b->world.prog, b->memory.image, text, d) < 0)
		return -1;
	for (int64_t i = 0; i < UREGS_MOST; i++)
		if (!uregs_has(i) && prog_has(p, IR_UREG, 0, i))
			return diag(d, (struct loc){ 0 }, D_ENGINE, "uregs[%d] is available only with BPF (%s)", (int)i, why);
	return 0;
}

static int user_feed(struct backend *b, void *arg, struct diags *d)
{
	const struct user_feed *f = arg;
	char why[256] = "";

	if (f) {
		b->want.arg = f->arg;
		b->ops = f->ops;		/* closes what was opened of it, too */
		if (b->ops->open(&b->source, &b->want, why, sizeof why) < 0)
			return diag(d, (struct loc){ 0 }, D_ENGINE, "%s", why);
		if (b->ops->past && user_past(b, d) < 0)
			return -1;
		if (b->ops->symbols)
			b->chains.ops = b->ops->symbols(b->source, &b->chains.arg);
	}
	if ((!f && user_cpu(b->opts, d) < 0) || user_probes(b, d) < 0 || user_reads(b, d) < 0 || (!f && b->nrates && user_best(b, d) < 0))
		return -1;
	b->world.clock = user_clock(b);
	return 0;
}

static bool user_blind(struct backend *b)
{
	return b->ops && b->ops->blind;
}

static void user_describe(struct backend *b, struct buf *out)
{
	char why[256], what[256] = "";

	if (b->ops && b->ops->describe)
		b->ops->describe(b->source, what, sizeof what);
	/* What has passed needs no privilege. */
	if (b->opts->engine == ENGINE_AUTO && !b->past && bpf_refused(why, sizeof why))
		buf_printf(out, "%s; ", why);
	buf_printf(out, "this process runs the script%s%s", *what ? " on " : "", what);
	chains_describe(&b->chains, &b->want, out);
}

static bool user_lacks(struct backend *b, struct buf *out)
{
	bool good = chains_lacks(&b->chains, out);
	struct buf also = { 0 };

	if (b->source && b->ops->lacks)
		b->ops->lacks(b->source, &also);
	if (b->skipped)
		buf_printf(&also, "%swarning: the recording has %" PRIu64 " s without samples, in which most ticks were "
			   "left out", also.len ? "; " : "", b->skipped / 1000000000);
	if (also.len)
		buf_printf(out, "%s%s", out->len ? "; " : "", buf_str(&also));
	buf_free(&also);
	return good;
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

static void user_sleep(struct backend *b, uint64_t ns)
{
	struct pollfd p = { .fd = b->wake, .events = POLLIN };
	struct timespec ts = { .tv_sec = (time_t)(ns / 1000000000), .tv_nsec = (long)(ns % 1000000000) };

	ppoll(&p, 1, &ts, NULL);
}

/* Fast ticks are fired some at a time: going to sleep and waking up for each would cost a tenth of a CPU. They have the time
 * at which they were due all the same. */
static uint64_t tick_wake(const struct clocked *t)
{
	return t->due + (t->interval < GROUP_NS ? GROUP_NS - t->interval : 0);
}

static void user_wait(struct backend *b, uint64_t timeout)
{
	uint64_t now = user_clock(b), count;

	if (b->ops && b->ops->now)
		return;
	if (b->nrates && timeout > LOOK_NS)
		timeout = LOOK_NS;
	for (unsigned i = 0; i < b->nticks; i++) {
		uint64_t due = tick_wake(&b->ticks[i]);

		if (due < now + timeout)
			timeout = due > now ? due - now : 0;
	}
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
	user_wall(b);
	do {
		more = user_active(b) && user_step(b);
		r = world_records(&b->world, fn, arg);
		n += r;
	} while (r >= 0 && more && !(b->stepwise && n) && !(b->asked && !b->stopping));
	return r < 0 ? r : b->err ? b->err : n;
}

/* ---- the rest of the table ---- */
static int user_run(struct backend *b, const struct ir_func *f)
{
	user_self(b);
	b->self.time = user_clock(b);
	if (b->self.time < b->world.clock)
		b->self.time = b->world.clock;
	b->self.ran = user_own_time();
	user_run_at(b, f, &b->self, b->self.time);
	return 0;
}

static void user_disarm(struct backend *b)
{
	if (b->armed && !b->stopping && b->ops && b->ops->stop)
		b->ops->stop(b->source);
	b->stopping = b->stopping || b->armed;
}

/* What was sampled before the end is still run, when the records are asked for. A recording ends where it was. */
static void user_set_state(struct backend *b, enum ir_state s)
{
	if (s == IR_S_DRAINING && user_active(b)) {
		user_disarm(b);
		if (!b->past)
			return;
		b->ended = b->world.clock;
	}
	if (s > b->world.state)
		b->world.state = s;
	world_allow_exit(&b->world, s);
}

static int user_start(struct backend *b, struct diags *d)
{
	char why[256] = "";
	uint64_t now;

	user_set_state(b, IR_S_ACTIVE);
	if (b->ops && b->nrates && b->ops->start(b->source, b->rates, b->nrates, why, sizeof why) < 0)
		return diag(d, (struct loc){ 0 }, D_ENGINE, "failed to start taking samples: %s", why);
	if (*why)
		diag_warn(d, (struct loc){ 0 }, D_ENGINE, "%s", why);
	/* after the notes about mappings have begun: none is missed in between */
	if (b->symbols && b->want.maps)
		symbols_look_all(b->symbols);
	b->begun = b->world.begun = now = user_clock(b);
	for (unsigned i = 0; i < b->nticks; i++)
		b->ticks[i].due = now + b->ticks[i].interval;
	user_armed(b);
	return 0;
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

/* What changes is looked at in each pass. */
static void user_refresh(struct backend *b)
{
	(void)b;
}

static void user_wake(struct backend *b)
{
	uint64_t one = 1;

	b->asked = true;
	if (write(b->wake, &one, sizeof one) < 0)
		return;		/* it is awake */
}

static uint64_t user_now(struct backend *b)
{
	/* of a file: far enough ahead that no record is kept back for being young */
	return b->ops && b->ops->now ? user_clock(b) + 10000000 : clock_now();
}

static bool user_about(struct backend *b, struct run_about *out)
{
	*out = b->about;
	out->now = user_clock(b);
	return b->past;
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

static void user_names_lack(void *arg, struct symbol_lacks *out)
{
	const struct backend *b = arg;

	symbols_ops.lacks(b->symbols, out);
}

static uint64_t user_settle(void *arg, int64_t pid, const uint64_t *addr, uint32_t n, uint64_t from, uint64_t at)
{
	const struct backend *b = arg;

	return symbols_ops.settle(b->symbols, pid, addr, n, from, at);
}

static uint64_t user_next(void *arg, int64_t pid, uint64_t at)
{
	const struct backend *b = arg;

	return symbols_ops.next(b->symbols, pid, at);
}

static uint64_t user_changed(void *arg, int64_t pid, uint64_t at)
{
	const struct backend *b = arg;

	return symbols_ops.changed(b->symbols, pid, at);
}

/* Samples without program counters come without notes of mappings. */
static uint64_t user_owners(struct backend *b)
{
	return b->world.prog->owners < 0 || !b->ops || b->ops->blind ? 0 : b->world.begun;
}

static const struct symbol_ops *user_symbols(struct backend *b, void **arg)
{
	static const struct symbol_ops ops = {
		.kernel = user_kernel_name, .user = user_name, .mapping = user_mapping, .settle = user_settle,
		.next = user_next, .changed = user_changed, .lacks = user_names_lack,
	};

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
	.start = user_start,
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
	.about = user_about,
	.symbols = user_symbols,
	.describe = user_describe,
	.blind = user_blind,
	.owners = user_owners,
	.lacks = user_lacks,
	.account = user_account,
};
