/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <string.h>

#include "providers/perf_emit.h"
#include "providers/profile/profile.h"
#include "providers/profile/timer.h"
#include "providers/registry.h"

#define PROFILE "profile-"
#define TICK "tick-"
#define SWEEP "sweep-"

static const struct provider_attr attr = {
	.provider = { ST_EVOLVING, ST_EVOLVING, SC_COMMON },
	.module = { ST_UNSTABLE, ST_UNSTABLE, SC_UNKNOWN },
	.function = { ST_PRIVATE, ST_PRIVATE, SC_UNKNOWN },
	.probename = { ST_EVOLVING, ST_EVOLVING, SC_COMMON },
	.args = { ST_EVOLVING, ST_EVOLVING, SC_COMMON },
};

/* Shown by -l. */
static const char *const canned[] = {
	PROFILE "97", PROFILE "199", PROFILE "499", PROFILE "997", PROFILE "1999", PROFILE "4001", PROFILE "4999",
	TICK "1", TICK "10", TICK "100", TICK "500", TICK "1000", TICK "5000",
};

struct timer *timer_of(const struct probe *p)
{
	return p->data;
}

void *timer_object(const struct probe *p, struct attach_env *env, const char *suffix)
{
	struct buf name = { 0 };
	void *object;

	buf_printf(&name, "%s%s", p->name, suffix);
	object = name.failed ? NULL : env->global(env, buf_str(&name));
	buf_free(&name);
	return object;
}

/* Returns 1: created; 0: not a name of this provider; -1: refused. */
static int timer_add(struct probe_set *s, const char *name, char *reason, size_t n)
{
	static const char *const prefix[] = {
		[TIMER_PROFILE] = PROFILE, [TIMER_TICK] = TICK, [TIMER_SWEEP] = SWEEP,
	};
	unsigned kind = 0;
	struct timer *t;
	uint64_t interval;

	while (kind < 3 && strncmp(name, prefix[kind], strlen(prefix[kind])))
		kind++;
	if (kind == 3)
		return 0;
	if (profile_parse_interval(name + strlen(prefix[kind]), &interval, reason, n))
		return -1;
	t = arena_alloc(s->arena, sizeof *t);
	t->kind = kind;
	t->interval = interval;
	probe_add(s, &provider_profile, &(struct probe_names){ .name = name }, t);
	return 1;
}

static void profile_enumerate(const struct provider *self, struct probe_set *s)
{
	char reason[128];

	(void)self;
	for (size_t i = 0; i < sizeof canned / sizeof *canned; i++)
		timer_add(s, canned[i], reason, sizeof reason);
}

/* The probes have neither module nor function. */
static int profile_provide(const struct provider *self, struct probe_set *s, const struct probe_spec *spec,
			   char *reason, size_t n)
{
	(void)self;
	if (!probe_glob(spec->mod, "") || !probe_glob(spec->func, ""))
		return 0;
	return timer_add(s, spec->name, reason, n);
}

static enum ir_ctx profile_ctx(const struct probe *p)
{
	return timer_of(p)->kind == TIMER_SWEEP ? IR_C_RUN : IR_C_PERF;
}

static bool profile_alt(const struct probe *p)
{
	return timer_of(p)->kind == TIMER_TICK;
}

static void profile_prologue(struct ir_builder *b, const struct probe *p, bool alt, uint32_t skip)
{
	if (timer_of(p)->kind == TIMER_SWEEP)
		return;
	if (timer_of(p)->kind == TIMER_TICK)
		tick_prologue(b, p, alt, skip);
	perf_emit_count(b, p, alt ? FIRED_ALT : FIRED_SELF);
}

static ir_reg profile_arg(struct ir_builder *b, const struct probe *p, unsigned n, bool alt)
{
	if (timer_of(p)->kind == TIMER_SWEEP)
		return sweep_arg(b, n);
	if (alt)
		return n == 0 ? ir_emit0(b, IR_CALLERPC) : 0;
	if (n < 2)
		return perf_emit_pc(b, n == 0);
	return n == 2 && timer_of(p)->kind == TIMER_PROFILE ? late_emit(b, p) : 0;
}

static int sampler_start(struct probe *p)
{
	int err = perf_set_enable(&timer_of(p)->events);

	if (!err)
		late_update(p);
	return err;
}

static void profile_detach(struct probe *p)
{
	struct timer *t = timer_of(p);

	perf_set_close(&t->events);
	links_close(&t->lasting);
	t->words = NULL;
	t->env = NULL;
}

/* profile-N is a perf event on every CPU. */
static int profile_attach(struct probe *p, struct attach_env *env)
{
	struct timer *t = timer_of(p);
	struct perf_event_attr event;
	int err;

	t->env = env;
	if (t->kind == TIMER_TICK) {
		err = tick_attach(p, env);
	} else if (t->kind == TIMER_SWEEP) {
		err = sweep_attach(p, env);
	} else {
		err = source_attr(env->clock_source, t->interval, &event, env->reason, sizeof env->reason);
		if (!err && env->lasting) {
			err = lasting_attach(t, &event);
		} else if (!err) {
			count_listen(t);
			err = perf_set_open(&t->events, &event, &(struct perf_run){ env->prog_fd, env->cpus,
					    env->ncpus }, env->reason, sizeof env->reason);
		}
	}
	if (err)
		profile_detach(p);
	return err;
}

static const struct links *profile_links(const struct probe *p)
{
	return timer_of(p)->kind == TIMER_PROFILE ? &timer_of(p)->lasting : NULL;
}

static int profile_start(struct probe *p)
{
	static int (*const start[])(struct probe *p) = { [TIMER_PROFILE] = sampler_start, [TIMER_TICK] = tick_start };
	struct timer *t = timer_of(p);

	return t->kind == TIMER_SWEEP ? 0 : start[t->kind](p);
}

static uint64_t profile_pace(struct probe *p, uint64_t now)
{
	switch (timer_of(p)->kind) {
	case TIMER_TICK:
		return tick_pace(p, now);
	case TIMER_SWEEP:
		return sweep_pace(p, now);
	default:
		return 0;
	}
}

static void profile_last(struct probe *p)
{
	if (timer_of(p)->kind == TIMER_SWEEP && timer_of(p)->env)
		sweep_last(p);
}

static bool profile_due(struct probe *p, uint64_t end, struct probe_due *out)
{
	const struct timer *t = timer_of(p);

	*out = (struct probe_due){ .interval = t->interval, .each_cpu = t->kind == TIMER_PROFILE };
	if (!t->env || t->kind == TIMER_SWEEP)
		return false;
	if (t->kind == TIMER_TICK)
		out->expected = tick_expected(t, end);
	return t->kind == TIMER_TICK || source_is_clock(t->env->clock_source);
}

static bool profile_interval(struct probe *p, struct attach_env *env, struct probe_due *out)
{
	const struct timer *t = timer_of(p);

	if (t->kind == TIMER_SWEEP)
		return false;
	if (t->kind == TIMER_PROFILE)
		late_unknown(p, env);
	*out = (struct probe_due){ .interval = t->interval, .each_cpu = t->kind == TIMER_PROFILE };
	return true;
}

static void profile_refresh(struct probe *p, const int *cpus, unsigned ncpus)
{
	struct timer *t = timer_of(p);

	if (!t->env || t->kind == TIMER_SWEEP)
		return;
	if (t->kind == TIMER_TICK) {
		tick_refresh(p, cpus, ncpus);
		return;
	}
	perf_set_refresh(&t->events, cpus, ncpus);
	late_update(p);
}

/* A slower clock would save little and show less: a firing that is left out costs 50 ns. */
#define SLOWEST 100000000u	/* ns */

static unsigned profile_slowest(const struct probe *p)
{
	const struct timer *t = timer_of(p);
	unsigned factor = 1;

	if (t->kind != TIMER_PROFILE || (t->env && !source_is_clock(t->env->clock_source)))
		return 1;
	while (t->interval * factor * 2 <= SLOWEST)
		factor *= 2;
	return factor;
}

static void profile_slow(struct probe *p, unsigned factor)
{
	struct timer *t = timer_of(p);
	struct perf_event_attr event = t->events.attr;

	event.sample_period = t->interval * factor;
	for (unsigned i = 0; i < t->events.n; i++) {
		perf_set_replace(&t->events, &event, (int)i);
		late_update(p);
	}
}

static const struct provider_clock clock = {
	.alt = profile_alt,
	.start = profile_start,
	.slowest = profile_slowest,
	.slow = profile_slow,
	.refresh = profile_refresh,
	.pace = profile_pace,
	.last = profile_last,
	.due = profile_due,
	.interval = profile_interval,
};

const struct provider provider_profile = {
	.name = "profile",
	.attr = &attr,
	.clock = &clock,
	.enumerate = profile_enumerate,
	.provide = profile_provide,
	.ctx = profile_ctx,
	.prologue = profile_prologue,
	.arg = profile_arg,
	.attach = profile_attach,
	.detach = profile_detach,
	.firing = &(const struct provider_firing){ .self_option = "profself" },
	.attached = &(const struct provider_attached){ .links = profile_links },
};
