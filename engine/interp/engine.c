/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The common part of the rootless engine and the recording engine: both run a program on the items of a source. */
#include "engine/interp/engine.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "engine/host/cpus.h"
#include "engine/host/refusal.h"
#include "engine/host/wall.h"
#include "engine/interp/account.h"
#include "engine/run/names.h"
#include "engine/run/options.h"
#include "providers/provider.h"

/* Maximum time between two reads of the source. It delays the output and the end of the session at most this long. */
#define POLL_NS 50000000ull
/* Minimum time between two reads of a process's mappings. */
#define REFRESH_NS 100000000ull
/* Maximum delay of a tick. */
#define GROUP_NS 1000000ull

uint64_t interp_own_time(void)
{
	return clock_read(CLOCK_THREAD_CPUTIME_ID);
}

uint64_t interp_clock(struct interp_engine *b)
{
	return b->ops && b->ops->now && b->source ? b->ops->now(b->source) : clock_now();
}

/* ---- requirements of the program ---- */
bool interp_has(const struct ir_prog *p, enum ir_op op, int arg, int64_t imm)
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

/* The stacks that a program can request. */
struct prog_stacks {
	bool kernel, user, interpreted;
	uint32_t most;			/* maximum number of frames in a user stack */
};

static void stack_add(struct prog_stacks *s, const struct ir_ins *ins)
{
	int64_t kind = ins->arg[2].imm, n = ins->arg[1].imm / 8;

	s->kernel |= !(kind & IR_STACK_USER);
	s->user |= kind & IR_STACK_USER;
	s->interpreted |= kind & IR_STACK_INTERPRETED;
	if (kind & IR_STACK_USER && n > s->most)
		s->most = (uint32_t)n;
}

static struct prog_stacks prog_stacks(const struct ir_prog *p)
{
	struct prog_stacks s = {
		.kernel = interp_has(p, IR_STACKDEPTH, -1, 0), .user = interp_has(p, IR_USTACKDEPTH, -1, 0),
	};

	s.most = s.user ? SAMPLE_MAXFRAMES : 0;
	for (size_t i = 0; i < p->funcs.n; i++)
		for (size_t k = 0; k < p->funcs.v[i]->blocks.n; k++) {
			const struct ir_block *blk = &p->funcs.v[i]->blocks.v[k];

			for (size_t n = 0; n < blk->ins.n; n++)
				if (blk->ins.v[n].op == IR_STACK)
					stack_add(&s, &blk->ins.v[n]);
		}
	return s;
}

static void interp_want(struct interp_engine *b)
{
	const struct ir_prog *p = b->world.prog->ir;
	struct prog_stacks stacks = prog_stacks(p);

	b->want.arena = b->arena;
	b->want.opts = b->opts;
	b->want.kstacks = stacks.kernel;
	b->want.ustacks = stacks.user;
	b->want.interpreted = stacks.interpreted;
	b->want.memory = interp_has(p, IR_KREAD, -1, 0) || interp_has(p, IR_KSTR, -1, 0) ||
			 interp_has(p, IR_TREAD, -1, 0);
	b->want.maps = names_needed(b->world.prog);
	b->want.ran = b->world.prog->vtime;
	b->want.uregs = interp_has(p, IR_UREG, -1, 0);
	b->want.target = b->world.prog->target;
	chains_init(&b->chains, b->arena, b->opts, stacks.most, stacks.interpreted);
	b->world.ustack = chains_of;
	b->world.ustack_arg = &b->chains;
}

/* ---- opening ---- */
static void *global_object(struct attach_env *env, const char *name)
{
	struct interp_engine *b = env->arg;
	int64_t obj = ir_obj_find(b->world.prog->ir, name);

	return obj < 0 ? NULL : b->world.hooks.mem(&b->world, (uint32_t)obj);
}

static uint32_t interp_rate(struct interp_engine *b, uint64_t interval)
{
	for (unsigned i = 0; i < b->nrates; i++)
		if (b->rates[i] == interval)
			return i;
	b->rates[b->nrates] = interval;
	return b->nrates++;
}

/* Probes that fire at several places are in the list once for each. */
static bool same_probe(const struct probe *a, const struct probe *b)
{
	return a && !strcmp(a->provname, b->provname) && !strcmp(a->mod, b->mod) && !strcmp(a->func, b->func) &&
	       !strcmp(a->name, b->name);
}

/* The first probe that is refused, and the number of others: all for the same reason. */
static int interp_refuse(const struct probe *p, size_t others, const char *reason, struct diags *d)
{
	char more[48] = "";

	if (others)
		snprintf(more, sizeof more, " and %zu other%s", others, others > 1 ? "s" : "");
	return diag(d, (struct loc){ 0 }, D_ENGINE, "failed to enable probe %s:%s:%s:%s%s: %s", p->provname, p->mod,
		    p->func, p->name, more, reason);
}

int interp_probes(struct interp_engine *b, const char *reason, struct diags *d)
{
	const struct d_prog *prog = b->world.prog;
	struct attach_env env = { .prog = prog->ir, .global = global_object, .arg = b };
	const struct probe *refused = NULL, *last = NULL;
	size_t others = 0;

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
		if (!p->clock || !p->clock->interval(e->probe, &env, &due)) {
			if (!refused)
				refused = e->probe;
			else if (!same_probe(last, e->probe))
				others++;
			last = e->probe;
			continue;
		}
		c = due.each_cpu ? &b->samplers[b->nsamplers++] : &b->ticks[b->nticks++];
		*c = (struct clocked){ .func = e->func, .interval = due.interval, .probe = i };
		c->words = ir_obj_find(prog->ir, arena_printf(b->arena, "%s" PROBE_FIRED, e->probe->name));
		c->fired = arena_calloc(b->arena, due.each_cpu ? b->world.ncpus : 1, sizeof *c->fired);
		if (due.each_cpu)
			c->rate = interp_rate(b, due.interval);
	}
	return refused ? interp_refuse(refused, others, reason, d) : 0;
}

void interp_self(struct interp_engine *b)
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
	interp_self_refresh(b, clock_now());
}

void interp_wall(struct interp_engine *b)
{
	if (!b->past && b->world.prog->uses_wall)
		world_wall(&b->world, (uint64_t)wall_offset());
}

/* The kernel's jiffies start five minutes before they reach 2^32. */
void interp_ticks(struct interp_engine *b, uint64_t tick, uint64_t hz)
{
	b->world.tick = tick;
	b->world.first_tick = (uint32_t)-(300 * hz);
}

static void interp_places(struct interp_engine *b)
{
	int64_t obj = b->world.prog->places;
	struct cpu_place *p = obj < 0 ? NULL : b->world.hooks.mem(&b->world, (uint32_t)obj);

	for (unsigned cpu = 0; p && cpu < b->world.ncpus && cpu < PROG_PLACES; cpu++)
		cpus_place(cpu, &p[cpu].chip, &p[cpu].node);
}

struct interp_engine *interp_new(const struct backend_args *args)
{
	struct interp_engine *b = arena_alloc(args->arena, sizeof *b);

	b->arena = args->arena;
	b->opts = args->opts;
	b->reason = args->reason;
	b->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	world_init(&b->world, args->arena, args->prog, args->opts, cpus_possible());
	interp_want(b);
	b->want.untraced = args->untraced;
	memory_init(&b->memory, args->arena, args->prog, &b->world, b->want.memory);
	b->memory.past.hierarchy = args->opts->hierarchy;
	interp_places(b);
	return b;
}

int interp_opened(const struct interp_engine *b, struct diags *d)
{
	if (b->wake >= 0)
		return 0;
	return diag(d, (struct loc){ 0 }, D_ENGINE, "failed to create an event descriptor: %s", refusal_errno(errno));
}

void interp_describe(struct backend *handle, struct buf *out)
{
	struct interp_engine *b = interp_engine(handle);
	char what[256] = "";

	if (b->ops && b->ops->describe)
		b->ops->describe(b->source, what, sizeof what);
	buf_printf(out, "the script runs in this process%s%s", *what ? ", on " : "", what);
	chains_describe(&b->chains, &b->want, out);
}

bool interp_stacks(struct backend *handle, struct dtr_stacks *out)
{
	return chains_counts(&interp_engine(handle)->chains, out);
}

bool interp_blind(struct backend *handle)
{
	return interp_engine(handle)->blind;
}

bool interp_lacks(struct backend *handle, struct buf *out)
{
	struct interp_engine *b = interp_engine(handle);
	bool good = chains_lacks(&b->chains, out);
	struct buf also = { 0 };

	if (b->source && b->ops->lacks)
		b->ops->lacks(b->source, &also);
	if (b->skipped)
		buf_printf(&also, "%swarning: the recording has %" PRIu64 " s without samples; most ticks in them were "
			   "skipped", also.len ? "; " : "", b->skipped / 1000000000);
	if (also.len)
		buf_printf(out, "%s%s", out->len ? "; " : "", buf_str(&also));
	buf_free(&also);
	return good;
}

void interp_close(struct backend *handle)
{
	struct interp_engine *b = interp_engine(handle);

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

static void interp_sleep(struct interp_engine *b, uint64_t ns)
{
	struct pollfd p = { .fd = b->wake, .events = POLLIN };
	struct timespec ts = { .tv_sec = (time_t)(ns / 1000000000), .tv_nsec = (long)(ns % 1000000000) };

	ppoll(&p, 1, &ts, NULL);
}

/* Ticks in quick succession are fired in groups: waking up for each would cost a tenth of a CPU. Each firing has the
 * time at which it was due. */
static uint64_t tick_wake(const struct clocked *t)
{
	return t->due + (t->interval < GROUP_NS ? GROUP_NS - t->interval : 0);
}

static void interp_wait(struct interp_engine *b, uint64_t timeout)
{
	uint64_t now = interp_clock(b), count;

	if (b->ops && b->ops->now)
		return;
	if (b->nrates && timeout > POLL_NS)
		timeout = POLL_NS;
	for (unsigned i = 0; i < b->nticks; i++) {
		uint64_t due = tick_wake(&b->ticks[i]);

		if (due < now + timeout)
			timeout = due > now ? due - now : 0;
	}
	if (b->ops && b->ops->wait)
		b->ops->wait(b->source, b->wake, timeout);
	else
		interp_sleep(b, timeout);
	if (read(b->wake, &count, sizeof count) < 0)
		return;		/* no wake-up is pending */
}

/* Mappings that the source does not report are read again when an address is in none, but not at every pass. */
static void interp_maps(struct interp_engine *b)
{
	uint64_t now = clock_now();

	if (!b->symbols || !b->ops || !b->ops->stops || now - b->refreshed < REFRESH_NS)
		return;
	symbols_refresh(b->symbols);
	b->refreshed = now;
}

int interp_poll(struct backend *handle, uint64_t timeout_ns, record_fn fn, void *arg)
{
	struct interp_engine *b = interp_engine(handle);
	int n = 0, r;
	bool more;

	if (b->stepwise && !timeout_ns)
		return world_records(&b->world, fn, arg);
	if (timeout_ns && !b->world.records.len && interp_active(b))
		interp_wait(b, timeout_ns);
	interp_wall(b);
	interp_maps(b);
	do {
		more = interp_active(b) && interp_step(b);
		r = world_records(&b->world, fn, arg);
		n += r;
	} while (r >= 0 && more && !(b->stepwise && n) && !(b->stop_requested && !b->stopping));
	return r < 0 ? r : b->err ? b->err : n;
}

/* ---- other members of backend_ops ---- */
int interp_run(struct backend *handle, const struct ir_func *f)
{
	struct interp_engine *b = interp_engine(handle);

	interp_self(b);
	b->self.time = interp_clock(b);
	if (b->self.time < b->world.clock)
		b->self.time = b->world.clock;
	b->self.ran = interp_own_time();
	interp_run_at(b, f, &b->self, b->self.time);
	return 0;
}

void interp_disarm(struct backend *handle)
{
	struct interp_engine *b = interp_engine(handle);

	if (b->armed && !b->stopping && b->ops && b->ops->stop)
		b->ops->stop(b->source);
	if (!b->stopping)
		govern_end(b);
	b->stopping = b->stopping || b->armed;
}

/* Live samples taken before the end are still run when records are polled. A recording ends at once. */
void interp_set_state(struct backend *handle, enum ir_state s)
{
	struct interp_engine *b = interp_engine(handle);

	if (s == IR_S_DRAINING && interp_active(b)) {
		interp_disarm(handle);
		if (!b->past)
			return;
		b->ended = b->world.clock;
	}
	if (s > b->world.state)
		b->world.state = s;
	world_allow_exit(&b->world, s);
}

int interp_start(struct backend *handle, struct diags *d)
{
	struct interp_engine *b = interp_engine(handle);
	char reason[256] = "";
	uint64_t now;

	interp_set_state(handle, IR_S_ACTIVE);
	if (b->ops && b->nrates && b->ops->start(b->source, b->rates, b->nrates, reason, sizeof reason) < 0)
		return diag(d, (struct loc){ 0 }, D_ENGINE, "failed to start sampling: %s", reason);
	if (*reason)
		diag_warn(d, (struct loc){ 0 }, D_ENGINE, "%s", reason);
	/* only after recording of process events has started, so that no mapping is lost in between */
	if (b->symbols && b->want.maps)
		symbols_read_all(b->symbols);
	b->begun = b->world.begun = now = interp_clock(b);
	for (unsigned i = 0; i < b->nticks; i++)
		b->ticks[i].due = now + b->ticks[i].interval;
	interp_armed(b);
	return 0;
}

enum ir_state interp_state(struct backend *handle)
{
	struct interp_engine *b = interp_engine(handle);

	return b->stopping && b->world.state < IR_S_DRAINING ? IR_S_DRAINING : b->world.state;
}

int64_t interp_exit_status(struct backend *handle)
{
	struct interp_engine *b = interp_engine(handle);

	return b->world.status;
}

void *interp_object(struct backend *handle, uint32_t obj)
{
	struct interp_engine *b = interp_engine(handle);

	return b->world.hooks.mem(&b->world, obj);
}

int interp_snapshot(struct backend *handle, struct agg_table *const *tables, unsigned n)
{
	struct interp_engine *b = interp_engine(handle);

	return world_snapshot(&b->world, tables, n);
}

bool interp_drops(struct backend *handle, int cpu, struct drop_counts *out)
{
	struct interp_engine *b = interp_engine(handle);

	if (cpu < 0 || (unsigned)cpu >= b->world.ncpus)
		return false;
	*out = b->world.drops[cpu];
	b->world.drops[cpu] = (struct drop_counts){ 0 };
	return true;
}

void interp_wake(struct backend *handle)
{
	struct interp_engine *b = interp_engine(handle);
	uint64_t one = 1;

	b->stop_requested = true;
	if (write(b->wake, &one, sizeof one) < 0)
		return;		/* a wake-up is pending already */
}

/* A source without program counters does not report mappings. */
uint64_t interp_owners(struct backend *handle)
{
	struct interp_engine *b = interp_engine(handle);

	return b->world.prog->owners < 0 || !b->ops || b->ops->blind ? 0 : b->world.begun;
}
