/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * tick-N: one perf event on one CPU. An idle CPU may handle the timer without running the program; for such
 * intervals the pacer runs the clauses in their second form, on another CPU. Both claim the interval's number first,
 * so no interval fires twice.
 */
#ifndef _GNU_SOURCE
#endif
#include <bpf/bpf.h>
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <time.h>

#include "base/clock.h"
#include "providers/profile/profile.h"
#include "providers/profile/timer.h"

#define MS 1000000ull

enum {
	STREAK = 64,		/* this many consecutive intervals must fire before the pacer checks less often */
	CTX_WORDS = 12,		/* the words that a raw tracepoint program may read */
};

/* The longest time between two checks of a fast tick. */
#define LOOK_NS (10 * MS)
/* How far back a missed interval is made up for: a virtual machine may pause for some time. */
#define MAKE_UP_NS (50 * MS)

_Static_assert(MAKE_UP_NS / PROFILE_FLOOR_NS < TICK_SLOTS, "a slot is looked at when it belongs to another interval");

/* ---- in the program ---- */

#define CLOCK ".clock"

static uint32_t clock_object(struct ir_prog *prog, const struct probe *p)
{
	const char *name = arena_printf(prog->arena, "%s" CLOCK, p->name);
	int64_t obj = ir_obj_find(prog, name);

	if (obj >= 0)
		return (uint32_t)obj;
	return ir_obj_add(prog, &(struct ir_obj){
		.name = name, .kind = IR_O_GLOBAL, .size = sizeof(struct tick_words),
	});
}

#define WORD(obj, w) ir_m((obj), offsetof(struct tick_words, w))

/* Continues if interval n has not fired yet. */
static void emit_claim(struct ir_builder *b, uint32_t obj, ir_reg n, uint32_t skip)
{
	uint32_t try = ir_newblock(b, "claim"), won = ir_newblock(b, "claimed");
	ir_reg i = ir_emit(b, IR_AND, ir_r(n), ir_i(TICK_SLOTS - 1));
	struct ir_arg slot = ir_mx(0, obj, offsetof(struct tick_words, slot), i, TICK_SLOTS);
	ir_reg last = ir_emit(b, IR_LD64, slot);
	ir_reg old;

	ir_emit(b, IR_BULE, ir_r(n), ir_r(last), ir_b(skip), ir_b(try));
	ir_enter(b, try);
	old = ir_emit(b, IR_XCAS, slot, ir_r(last), ir_r(n));
	ir_emit(b, IR_BNE, ir_r(old), ir_r(last), ir_b(skip), ir_b(won));
	ir_enter(b, won);
}

void tick_prologue(struct ir_builder *b, const struct probe *p, bool alt, uint32_t skip)
{
	uint32_t obj = clock_object(b->prog, p);
	uint32_t paced, fire;
	ir_reg now, epoch, n;

	if (alt) {
		emit_claim(b, obj, ir_emit(b, IR_CTX, ir_i(0)), skip);
		return;
	}
	paced = ir_newblock(b, "paced");
	now = ir_emit0(b, IR_CLOCK);
	epoch = ir_emit(b, IR_LD64, WORD(obj, epoch));
	ir_emit(b, IR_ST64, WORD(obj, seen), ir_r(now));
	fire = ir_newblock(b, "fire");
	ir_emit(b, IR_BEQ, ir_r(epoch), ir_i(0), ir_b(fire), ir_b(paced));
	ir_enter(b, paced);
	n = ir_emit(b, IR_SUB, ir_r(now), ir_r(epoch));
	n = ir_emit(b, IR_UDIV, ir_r(n), ir_i((int64_t)timer_of(p)->interval));
	emit_claim(b, obj, n, skip);
	ir_enter(b, fire);
}

/* ---- in this process ---- */

static uint64_t word_load(const uint64_t *w)
{
	return __atomic_load_n(w, __ATOMIC_ACQUIRE);
}

/* Opens the event on the first of these CPUs that accepts it. */
static int tick_open(struct timer *t, const int *cpus, unsigned ncpus, char *reason, size_t n)
{
	struct perf_event_attr attr = perf_attr(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, t->interval);
	int err = -ENODEV;

	snprintf(reason, n, "no CPU is online");
	for (unsigned i = 0; i < ncpus && err == -ENODEV; i++) {
		err = perf_set_open(&t->events, &attr, &(struct perf_run){ t->env->prog_fd, &cpus[i], 1 }, reason, n);
		t->cpu = cpus[i];
	}
	return err;
}

/* An interval begins this long before its time, so that firings are far from its borders. A firing much before its
 * time (of an event that was reopened) does not count. */
static uint64_t tick_lead(const struct timer *t)
{
	return t->interval / 2 < LOOK_NS ? t->interval / 2 : LOOK_NS;
}

int tick_attach(struct probe *p, struct attach_env *env)
{
	struct timer *t = timer_of(p);
	int err = tick_open(t, env->cpus, env->ncpus, env->reason, sizeof env->reason);

	t->start = 0;
	if (err)
		return err;
	t->words = timer_object(p, env, CLOCK);
	if (!t->words) {
		snprintf(env->reason, sizeof env->reason, "its program has no %s" CLOCK, p->name);
		return -ENOENT;
	}
	*t->words = (struct tick_words){ 0 };
	t->checked = t->streak = t->given_up = 0;
	t->span = 1;
	return 0;
}

int tick_start(struct probe *p)
{
	struct timer *t = timer_of(p);
	uint64_t epoch;

	t->start = clock_now();
	epoch = t->start - tick_lead(t);
	__atomic_store_n(&t->words->epoch, epoch ? epoch : 1, __ATOMIC_RELEASE);
	return perf_set_enable(&t->events);
}

void tick_refresh(struct probe *p, const int *cpus, unsigned ncpus)
{
	struct timer *t = timer_of(p);
	char reason[128];

	for (unsigned i = 0; i < ncpus; i++) {
		if (cpus[i] == t->cpu && t->events.n) {
			perf_set_refresh(&t->events, &t->cpu, 1);
			return;
		}
	}
	/* the clock continues: an interval that was claimed on the old CPU is not claimed again on the new one */
	if (!tick_open(t, cpus, ncpus, reason, sizeof reason) && perf_set_enable(&t->events))
		perf_set_close(&t->events);
}

/* Where the second form runs: on the tick's CPU, unless that is the current one, where it would only see this
 * thread. */
static int other_cpu(const struct timer *t)
{
	int here = sched_getcpu();

	if (t->cpu != here)
		return t->cpu;
	for (unsigned i = 0; i < t->env->ncpus; i++) {
		if (t->env->cpus[i] != here)
			return t->env->cpus[i];
	}
	return -1;
}

static int tick_run(const struct timer *t, uint64_t n)
{
	uint64_t words[CTX_WORDS] = { n };
	LIBBPF_OPTS(bpf_test_run_opts, opts, .ctx_in = words, .ctx_size_in = sizeof words);
	int cpu = other_cpu(t);

	if (cpu >= 0) {
		opts.flags = BPF_F_TEST_RUN_ON_CPU;
		opts.cpu = (uint32_t)cpu;
		if (!bpf_prog_test_run_opts(t->env->alt_fd, &opts))
			return 0;
		if (errno != ENXIO)
			return -errno;
		opts.flags = 0;		/* that CPU has just gone offline: use the current one */
		opts.cpu = 0;
	}
	return bpf_prog_test_run_opts(t->env->alt_fd, &opts) ? -errno : 0;
}

/* How long after its time an interval is given up. The perf event may be regularly late: it drifts each time the
 * kernel stops and starts it, and a reopened one has its own phase. */
static uint64_t tick_grace(const struct timer *t)
{
	uint64_t lead = tick_lead(t), seen = word_load(&t->words->seen);
	uint64_t grace = t->interval / 4 < MS ? t->interval / 4 : MS;
	uint64_t phase = seen ? (seen - t->start + lead) % t->interval : lead;

	return phase > lead && phase - lead <= LOOK_NS ? grace + phase - lead : grace;
}

/* The number of intervals in this time, at least one. */
static uint64_t intervals_in(const struct timer *t, uint64_t ns)
{
	return t->interval < ns ? ns / t->interval : 1;
}

/* Fires for every interval up to k that has not fired, unless it is too old. Returns true if there was one. */
static bool tick_make_up(struct timer *t, uint64_t k)
{
	uint64_t most = intervals_in(t, MAKE_UP_NS), n = t->checked + 1;
	bool missed = false;

	if (k >= n + most) {
		t->given_up += k - most + 1 - n;
		n = k - most + 1;
	}
	for (; n <= k; n++) {
		const uint64_t *slot = &t->words->slot[n % TICK_SLOTS];

		if (word_load(slot) < n) {
			missed = true;
			if (tick_run(t, n))
				break;
		}
		t->given_up += word_load(slot) > n;	/* a later interval has taken the slot: this thread was
							 * delayed */
	}
	return missed;
}

/* While the perf event fires for every interval, occasional checks are enough. */
static void tick_adapt(struct timer *t, uint64_t k, bool missed)
{
	uint64_t most = intervals_in(t, LOOK_NS);

	t->streak = missed ? 0 : t->streak + (k - t->checked);
	if (missed)
		t->span = 1;
	else if (t->streak >= STREAK && t->span < most)
		t->span = t->span * 2 < most ? t->span * 2 : most;
}

/* The number of intervals until `end`, including one that has fired slightly before its time. */
uint64_t tick_expected(const struct timer *t, uint64_t end)
{
	uint64_t n = t->start && end > t->start ? (end - t->start) / t->interval : 0;

	for (unsigned i = 0; t->words && i < TICK_SLOTS; i++) {
		uint64_t fired = word_load(&t->words->slot[i]);

		n = fired > n ? fired : n;
	}
	return n;
}

uint64_t tick_pace(struct probe *p, uint64_t now)
{
	struct timer *t = timer_of(p);
	uint64_t grace, k, next;

	if (!t->words || t->env->alt_fd < 0)
		return 0;
	grace = tick_grace(t);
	k = now > t->start + grace ? (now - t->start - grace) / t->interval : 0;
	if (k > t->checked) {
		tick_adapt(t, k, tick_make_up(t, k));
		t->checked = k;
		grace = tick_grace(t);
	}
	if (__builtin_mul_overflow(t->checked + t->span, t->interval, &next) ||
	    __builtin_add_overflow(next, t->start + grace, &next))
		return 0;
	return next;
}
